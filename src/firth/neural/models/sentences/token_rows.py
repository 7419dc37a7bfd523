"""Texts as rows of ids, and batches of them, for encoders that see one text at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError
from firth.language.text import LanguageText
from firth.neural.training.batching import Buckets, TensorBatch, pad

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TokenRows(Sequence[Ids]):
    """N rows of a long array of ids.

    Attributes:
        ids: of all texts.
        starts: (N,) int64, the first token of each row.
        lengths: (N,) int64, at least 1.
    """

    ids: Ids
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, number: int) -> Ids: ...
    @overload
    def __getitem__(self, number: slice) -> "TokenRows": ...
    def __getitem__(self, number: int | slice) -> "Ids | TokenRows":
        if isinstance(number, slice):
            return TokenRows(self.ids, self.starts[number], self.lengths[number])
        return self.ids[self.starts[number] : self.starts[number] + self.lengths[number]]

    def take(self, rows: npt.NDArray[Any]) -> "TokenRows":
        """Return some of the rows, given by their numbers or by a mask."""
        return TokenRows(self.ids, self.starts[rows], self.lengths[rows])


def sentences(text: LanguageText) -> TokenRows:
    """Return the sentences of a text that have a token."""
    offsets = np.asarray(text.offsets, dtype=np.int64)
    starts, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
    return TokenRows(text.ids, starts[lengths > 0], lengths[lengths > 0])


def pieces(rows: TokenRows, limit: int) -> TokenRows:
    """Return rows cut into pieces of at most `limit` tokens, none of which is left out."""
    counts = -(-rows.lengths // limit)
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)  # of the piece in its row
    starts = np.repeat(rows.starts, counts) + number * limit
    ends = np.repeat(rows.starts + rows.lengths, counts)
    return TokenRows(rows.ids, starts, np.minimum(starts + limit, ends) - starts)


def different(rows: TokenRows) -> TokenRows:
    """Return each row once, at its first place: a copy of a text would be its own negative."""
    first: dict[bytes, int] = {}
    for number, row in enumerate(rows):
        first.setdefault(row.tobytes(), number)
    return rows.take(np.fromiter(first.values(), dtype=np.int64, count=len(first)))


@dataclass(frozen=True, eq=False)
class TokenBatch(TensorBatch):
    """B rows of ids.

    Attributes:
        ids: (B, T) int64, padded on the right.
        lengths: (B,) int64, on the CPU.
    """

    on_cpu: ClassVar = ("lengths",)

    ids: torch.Tensor
    lengths: torch.Tensor

    @classmethod
    def of(cls, rows: Sequence[Any]) -> "TokenBatch":
        """Return rows of ids as a batch."""
        return cls(*pad(rows))

    def __len__(self) -> int:
        return len(self.lengths)


def row_batches(
    rows: TokenRows,
    batch_size: int,
    *,
    limit: int,
    seed: int = 0,
    shuffle: bool = True,
    collate: Callable[[list[Ids]], Any] = TokenBatch.of,
) -> Buckets[Ids]:
    """Return rows in batches of similar length.

    Raises:
        CorpusError: there are fewer than two rows.
    """
    if len(rows) < 2:
        raise CorpusError(f"{len(rows)} text with tokens: expected two or more to learn from")
    cut = TokenRows(rows.ids, rows.starts, np.minimum(rows.lengths, limit))
    return Buckets(items=cut, lengths=cut.lengths, collate=collate, batch_size=batch_size, seed=seed, shuffle=shuffle)
