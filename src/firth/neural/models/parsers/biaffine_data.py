"""Sentences with trees as a biaffine parser reads them, and batches of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from firth.neural.models.tokens.files import write_reader
from firth.neural.models.tokens.reader import Ids, ReadSentence, TokenInputs, TokenReader, sentence_batches
from firth.neural.saved import Saved
from firth.neural.training.batching import Buckets, pad
from firth.parsing.projective import is_projective, projective
from firth.readers.conllu import DependencySentence

UNKNOWN_RELATION = -1


@dataclass(frozen=True, eq=False)
class BiaffineVocabulary:
    """What a biaffine parser knows; implements `firth.neural.models.parsers.data.ParserVocabulary`.

    Attributes:
        reader: of words, characters and tags.
        relations: L names, most frequent first.
    """

    reader: TokenReader
    relations: list[str]

    @property
    def saved(self) -> Saved:
        """What a folder holds: what the reader knows, and relations."""
        reader = write_reader(self.reader)
        return replace(reader, texts={**reader.texts, "labels": self.relations})


@dataclass(frozen=True, eq=False)
class GoldTree:
    """The tree of a sentence of T words as numbers.

    Attributes:
        heads: (T,) from 1; 0 for the root.
        relations: (T,) numbers; -1 for a relation that the parser does not know.
    """

    heads: Ids
    relations: Ids


@dataclass(frozen=True, eq=False)
class TreeBatch:
    """A batch of B sentences of up to T words, padded on the right.

    Attributes:
        inputs: the sentences.
        heads: (B, T) heads, 0 at padding.
        relations: (B, T) numbers of relations; -1 at padding, and for those that the parser does not know.
    """

    inputs: TokenInputs
    heads: torch.Tensor
    relations: torch.Tensor
    fresh: bool = True
    scale: float = 1.0

    def to(self, device: torch.device) -> "TreeBatch":
        """Return the batch with its tensors on a device."""
        return TreeBatch(self.inputs.to(device), self.heads.to(device), self.relations.to(device))


def gold_trees(
    sentences: Sequence[DependencySentence], relations: Sequence[str], *, lifted: bool = False
) -> list[GoldTree]:
    """Return the trees of sentences as numbers."""
    numbers = {name: number for number, name in enumerate(relations)}
    trees = []
    for sentence in sentences:
        heads: Sequence[int] = sentence.heads
        if lifted and not is_projective(heads):
            heads = projective(heads)
        labels = [numbers.get(relation, UNKNOWN_RELATION) for relation in sentence.relations]
        trees.append(GoldTree(np.array(heads, np.int64), np.array(labels, np.int64)))
    return trees


def tree_batches(
    reader: TokenReader,
    sentences: Sequence[ReadSentence],
    trees: Sequence[GoldTree],
    *,
    words: int,
    seed: int = 0,
    shuffle: bool = True,
) -> Buckets[tuple[ReadSentence, GoldTree]]:
    """Return sentences with their trees in batches of similar length."""

    def collate(some: list[ReadSentence], gold: list[GoldTree]) -> TreeBatch:
        heads, relations = pad([tree.heads for tree in gold])[0], pad([tree.relations for tree in gold], -1)[0]
        return TreeBatch(reader.collate(some), heads, relations)

    return sentence_batches(sentences, trees, collate, batch_size=words, tokens=True, seed=seed, shuffle=shuffle)
