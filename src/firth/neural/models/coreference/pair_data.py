"""Documents as models of pairs of mentions read them, and batches of documents.

What
    Words around each mention as ids, features of mentions and of pairs, and each pair's place in a table with a row per
    mention: column 0 is "no antecedent", the candidates follow in the order of the text.
Objective
    Every document once per epoch, with the number of its chain at each mention.
Source
    Clark and Manning 2016, "Improving coreference resolution by learning entity-level distributed representations",
    section 3.1, for the words: the head, the first and last word, two words on each side, and the mean.
Departures
    No averages of sentences and documents.
Cost
    P F bytes per document of P pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np
import torch

from firth.coreference.mention_features import Ids, mention_arrays
from firth.coreference.pairs import read_pairs
from firth.documents.document import Document, Span
from firth.neural.models.tokens.reader import TokenInputs, TokenReader
from firth.neural.training.batching import Buckets

PLACES = 7  # words of a mention that are read one by one


@dataclass(frozen=True, eq=False)
class PairInputs:
    """A document of N tokens with M mentions and P pairs as tensors.

    Attributes:
        words: one sentence, the whole document.
        places: (M, 7) tokens: head, first, last, two before, two after; N for none.
        spans: (M, 2) first token and the one after the last.
        mentions: (M, F) uint8 features of mentions.
        anaphors: (P,) later mention of each pair.
        antecedents: (P,) earlier one.
        classes: (P,) classes of both.
        pairs: (P, G) uint8 features of pairs.
        columns: (P,) column of each pair in the row of its later mention, from 1.
    """

    words: TokenInputs
    places: torch.Tensor
    spans: torch.Tensor
    mentions: torch.Tensor
    anaphors: torch.Tensor
    antecedents: torch.Tensor
    classes: torch.Tensor
    pairs: torch.Tensor
    columns: torch.Tensor

    def __len__(self) -> int:
        return len(self.spans)

    def to(self, device: torch.device) -> "PairInputs":
        """Return the inputs on a device."""
        return replace(self, **{field.name: getattr(self, field.name).to(device) for field in fields(self)})


@dataclass(frozen=True, eq=False)
class PairItem:
    """A document to learn from.

    Attributes:
        inputs: its mentions and pairs.
        chains: (M,) int64 number of each mention's chain.
        gold: the spans of each chain.
    """

    inputs: PairInputs
    chains: torch.Tensor
    gold: tuple[tuple[Span, ...], ...]


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Some documents, which are read one by one.

    Attributes:
        items: the documents.
    """

    items: tuple[PairItem, ...]
    fresh: ClassVar[bool] = True
    scale: ClassVar[float] = 1.0

    def to(self, device: torch.device) -> "PairBatch":
        """Return the batch on a device."""
        return PairBatch(
            tuple(PairItem(item.inputs.to(device), item.chains.to(device), item.gold) for item in self.items)
        )


@dataclass(frozen=True)
class PairReader:
    """Reads documents.

    Attributes:
        tokens: the words that the model knows.
        nearest: candidates among the mentions right before; see `firth.coreference.pairs.candidate_pairs`.
        matching: further ones with a matching head.
    """

    tokens: TokenReader
    nearest: int
    matching: int

    def read(self, document: Document, spans: Sequence[Span] | None = None) -> PairInputs:
        """Return a document with some mentions."""
        arrays = mention_arrays(document, spans)
        pairs = read_pairs(document, arrays, nearest=self.nearest, matching=self.matching)
        columns = np.arange(len(pairs)) - np.searchsorted(pairs.anaphors, pairs.anaphors) + 1
        parts = (
            _places(arrays.heads, arrays.spans, len(document)),
            arrays.spans,
            arrays.bits,
            pairs.anaphors,
            pairs.antecedents,
            pairs.classes,
            pairs.bits,
            columns,
        )
        words = self.tokens.collate([self.tokens.read(document.tokens)])
        return PairInputs(words, *(torch.from_numpy(part) for part in parts))

    def item(self, document: Document) -> PairItem:
        """Return a document with the mentions of its chains, to learn from."""
        inputs = self.read(document)
        chain_of = {span: number for number, chain in enumerate(document.clusters) for span in chain}
        chains = [chain_of[start, end] for start, end in inputs.spans.tolist()]
        return PairItem(inputs, torch.tensor(chains, dtype=torch.int64), document.clusters)


def _places(heads: Ids, spans: Ids, tokens: int) -> Ids:
    """Return (M, 7) tokens, `tokens` for those outside of the document."""
    start, end = spans.T
    places = np.stack([heads, start, end - 1, start - 1, start - 2, end, end + 1], axis=1)
    return np.where((places < 0) | (places >= tokens), tokens, places)


def pair_batches(
    items: Sequence[PairItem], *, batch_size: int, seed: int = 0, shuffle: bool = True
) -> Buckets[PairItem]:
    """Return documents in batches."""
    return Buckets(
        items=items,
        lengths=np.zeros(len(items), np.int64),  # nothing is padded
        collate=lambda some: PairBatch(tuple(some)),
        batch_size=batch_size,
        seed=seed,
        shuffle=shuffle,
    )
