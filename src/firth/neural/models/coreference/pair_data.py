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
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np
import torch

from firth.coreference.mention_features import Ids, mention_arrays
from firth.coreference.pairs import read_pairs
from firth.documents.document import Document, Span
from firth.neural.models.tokens.reader import TokenInputs, TokenReader
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch

WORDS = 7  # words of a mention that are read one by one


@dataclass(frozen=True, eq=False)
class PairInputs(TensorBatch):
    """A document of N tokens with M mentions and P pairs as tensors.

    Attributes:
        words: one sentence, the whole document.
        near: (M, 7) tokens: head, first, last, two before, two after; N for none.
        spans: (M, 2) first token and the one after the last.
        mentions: (M, F) uint8 features of mentions.
        anaphors: (P,) later mention of each pair.
        antecedents: (P,) earlier one.
        classes: (P,) classes of both.
        pairs: (P, G) uint8 features of pairs.
        columns: (P,) column of each pair in the row of its later mention, from 1.
    """

    words: TokenInputs
    near: torch.Tensor
    spans: torch.Tensor
    mentions: torch.Tensor
    anaphors: torch.Tensor
    antecedents: torch.Tensor
    classes: torch.Tensor
    pairs: torch.Tensor
    columns: torch.Tensor

    def __len__(self) -> int:
        return len(self.spans)


@dataclass(frozen=True, eq=False)
class PairItem(TensorBatch):
    """A document to learn from.

    Attributes:
        inputs: its mentions and pairs.
        chains: (M,) int64 number of each mention's chain.
        gold: the spans of each chain.
    """

    inputs: PairInputs
    chains: torch.Tensor
    gold: tuple[tuple[Span, ...], ...]

    on_cpu: ClassVar = ("gold",)


@dataclass(frozen=True, eq=False)
class PairBatch(TensorBatch):
    """Documents, which are read one by one."""

    items: tuple[PairItem, ...]


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
            _near(arrays.heads, arrays.spans, len(document)),
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


def _near(heads: Ids, spans: Ids, count: int) -> Ids:
    """Return (M, 7) tokens, `count` for those outside of the document."""
    start, end = spans.T
    near = np.stack([heads, start, end - 1, start - 1, start - 2, end, end + 1], axis=1)
    return np.where((near < 0) | (near >= count), count, near)


def pair_batches(items: Sequence[PairItem], **options: Unpack[BatchOptions]) -> Buckets[PairItem]:
    """Return documents in batches."""
    return Buckets.of(items, lambda rows: PairBatch(tuple(rows)), **options)
