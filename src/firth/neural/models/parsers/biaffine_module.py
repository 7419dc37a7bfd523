"""A biaffine parser: what it knows, batches of trees, and the network from sentences to scores of arcs and labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import torch
from torch import nn
from torch.nn.functional import leaky_relu

from firth.finite import check_finite
from firth.neural.layers.biaffine import Biaffine
from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.dropout import Dropout, PartDropout
from firth.neural.layers.masks import inside_of
from firth.neural.models.parsers.data import NumberedTree, ParserModule, Sentences, root_number
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import MIDDLE, OUTPUT
from firth.neural.models.tokens.features import joined
from firth.neural.models.tokens.reader import (
    Ids,
    ReadSentence,
    TokenInputs,
    TokenReader,
    sentence_batches,
    write_reader,
)
from firth.neural.saved import Saved
from firth.neural.structs.best_trees import best_trees
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch, pad
from firth.parsing.projective import is_projective, projective

PARSED = 5000  # words of a batch that is parsed
SLOPE = 0.1  # of the rectifier below 0
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
class TreeBatch(TensorBatch):
    """A batch of B sentences of up to T words, padded on the right.

    Attributes:
        inputs: the sentences.
        heads: (B, T) heads, 0 at padding.
        relations: (B, T) numbers of relations; -1 at padding, and for those that the parser does not know.
    """

    inputs: TokenInputs
    heads: torch.Tensor
    relations: torch.Tensor


def gold_trees(sentences: Sentences, relations: Sequence[str], *, lifted: bool = False) -> list[GoldTree]:
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
    reader: TokenReader, sentences: Sequence[ReadSentence], trees: Sequence[GoldTree], **options: Unpack[BatchOptions]
) -> Buckets[tuple[ReadSentence, GoldTree]]:
    """Return sentences with their trees in batches of similar length."""

    def collate(rows: list[ReadSentence], gold: list[GoldTree]) -> TreeBatch:
        heads, relations = pad([tree.heads for tree in gold])[0], pad([tree.relations for tree in gold], -1)[0]
        return TreeBatch(reader.collate(rows), heads, relations)

    return sentence_batches(sentences, trees, collate, **options)


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of the arcs of B sentences of up to n words, and what the labels of arcs are scored by.

    Attributes:
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent, 0 the root; of no meaning at padding.
        label_heads: (B, n + 1, W) vectors of heads.
        label_dependents: (B, n + 1, W) vectors of dependents.
        real: (B, n) whether there is a word.
    """

    arcs: torch.Tensor
    label_heads: torch.Tensor
    label_dependents: torch.Tensor
    real: torch.Tensor


class BiaffineModule(ParserModule):
    """A biaffine parser."""

    def __init__(
        self,
        vocabulary: BiaffineVocabulary,
        words: TokenEmbedder,
        *,
        hidden: int,
        layers: int,
        arc_width: int,
        label_width: int,
        dropout: float,
        part_dropout: float,
        projective: bool,
    ) -> None:
        super().__init__()
        self.vocabulary, self._projective = vocabulary, projective
        self.words, self.part_dropout = words, PartDropout(part_dropout)
        self.encoder = BiLSTM(words.width, hidden, layers, dropout=dropout, locked=True, joins=words.joins(MIDDLE))
        width = self.encoder.width + words.joins(OUTPUT)
        self.root = nn.Parameter(torch.zeros(width))
        self._widths = [arc_width, arc_width, label_width, label_width]
        self.projections = nn.Linear(width, sum(self._widths))
        self.dropout = Dropout(dropout, locked=True)
        self.arcs = Biaffine(arc_width, arc_width, dependent_bias=False)
        self.labels = Biaffine(label_width, label_width, len(vocabulary.relations))

    def forward(self, inputs: TokenInputs) -> PairScores:
        """Return the scores of a batch."""
        context = self.words.context(inputs)
        x = self.part_dropout(self.words.parts(inputs, context))
        h = self.encoder(self.dropout(x), inputs.lengths, context.get(MIDDLE))  # (B, n, 2 H)
        y = self.dropout(joined(h, context, OUTPUT))
        with_root = torch.cat([self.root.to(y.dtype).expand(len(y), 1, -1), y], 1)
        projected = self.dropout(leaky_relu(self.projections(with_root), SLOPE))
        heads, dependents, label_heads, label_dependents = projected.split(self._widths, 2)
        real = inside_of(y, inputs.lengths)
        return PairScores(self.arcs(heads, dependents)[:, 0].float(), label_heads, label_dependents, real)

    def label_scores(self, scores: PairScores, heads: torch.Tensor) -> torch.Tensor:
        """Return (N, L) scores of the labels of the N arcs to all words, sentence by sentence.

        Args:
            heads: (B, n) head of each word.
        """
        rows, words = scores.real.nonzero(as_tuple=True)
        chosen = scores.label_heads[rows, heads[rows, words]]
        return self.labels.pairs(chosen, scores.label_dependents[rows, words + 1]).float()

    def parse(self, sentences: Sentences, *, beam: int | None = None) -> list[NumberedTree]:
        """Return the tree of each sentence; see `ParserModule.parse`."""
        words = [" ".join(sentence.words) for sentence in sentences]
        return self.parse_read([self.vocabulary.reader.read(sentence) for sentence in sentences], words)

    @torch.no_grad()
    def parse_read(self, sentences: Sequence[ReadSentence], words: Sequence[str] = ()) -> list[NumberedTree]:
        """Return the trees of sentences that are ids already, and whose words an error shows."""
        if not sentences:
            return []
        batches = Buckets.of(
            sentences, self.vocabulary.reader.collate, len, batch_size=PARSED, tokens=True, shuffle=False
        )
        trees = []
        for rows, inputs in zip(batches.plan(0), batches.epoch(0), strict=True):
            scores = self(inputs.to(self.root.device))
            shown = [words[row] for row in rows.tolist()] if words else rows.tolist()
            check_finite(scores.arcs.cpu(), "the parser", shown, "sentence of the batch")
            trees.append(self.trees_of(scores, inputs.lengths))
        result: list[NumberedTree] = batches.in_item_order(trees)
        return result

    def trees_of(self, scores: PairScores, lengths: torch.Tensor) -> list[NumberedTree]:
        """Return the best tree of each sentence of a batch, with the best label of each of its arcs."""
        trees = best_trees(scores.arcs, lengths.to(scores.arcs.device), projective=self._projective)
        heads = torch.zeros(scores.real.shape, dtype=torch.int64)
        for row, tree in zip(heads, trees, strict=True):
            row[: len(tree)] = torch.from_numpy(tree)
        by_label = self.label_scores(scores, heads.to(scores.real.device)).cpu()
        root = root_number(self.vocabulary.relations)
        if root >= 0:
            below_root = torch.from_numpy(np.concatenate(trees)) == 0
            by_label[:, root] = torch.where(below_root, torch.inf, -torch.inf)
        return list(zip(trees, np.split(by_label.argmax(1).numpy(), np.cumsum(lengths.numpy())[:-1]), strict=True))
