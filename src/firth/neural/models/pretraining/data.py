"""Text as training data of encoders: one stream of word pieces, cut into windows of full length.

What
    The pieces of all texts follow one another, with `[SEP]` after each text. Windows of T - 2 pieces, between `[CLS]`
    and `[SEP]`, are the rows of a batch: no row has padding.
Objective
    Each piece is in at most one window of an epoch, and nearly all are in one. Every epoch cuts the stream elsewhere.
Source
    Liu et al. 2019, "RoBERTa", section 4.2 (full sentences, across texts).
Departures
    Windows begin anywhere, also within a word. The stream is a circle: a window may hold its end and its beginning.
Cost
    Two or four bytes per piece in memory.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, FormatError, OptionError
from firth.neural.training.batching import TensorBatch
from firth.randomness import generator
from firth.text.wordpieces import WordPieces

SHARE, MOST = 100, 1000  # of a text, one window in so many is held out, and at most so many
FEWEST = 20  # windows of a text of which some are held out


@dataclass(frozen=True, eq=False)
class WindowBatch(TensorBatch):
    """Rows of pieces without padding.

    Attributes:
        ids: (B, T) int64.
    """

    ids: torch.Tensor


@dataclass(frozen=True, eq=False)
class PieceText:
    """A text as pieces.

    Attributes:
        pieces: the vocabulary.
        ids: (N,) uint16 or int32, with `[SEP]` after each text.
        texts: their number.
    """

    pieces: WordPieces
    ids: npt.NDArray[Any]
    texts: int

    @classmethod
    def of(cls, corpus: Corpus) -> "PieceText":
        """Return the pieces of a corpus.

        Raises:
            OptionError: the corpus is not one of word pieces, or has lost some of them.
        """
        tokens = str(corpus.options.tokens)
        try:
            pieces = WordPieces(tokens)
        except FormatError as error:
            joined = (
                "; of texts that are lists of words, join the words: ' '.join(words)" if tokens == "whitespace" else ""
            )
            given = f"subwords of another kind ({error})" if tokens.startswith("{") else f"tokens={tokens!r}"
            raise OptionError(
                f"{given}: an encoder reads word pieces with special tokens; expected tokens='wordpieces' or "
                f"tokens='cased-wordpieces'{joined}"
            ) from None
        if corpus.vocabulary.oov_share > 0:
            raise OptionError("a corpus that has left out rare pieces: build it with min_count=1")
        numbers = {piece: number for number, piece in enumerate(pieces.vocabulary)}
        table = np.array([numbers.get(piece, pieces.unk_id) for piece in corpus.vocabulary.words])
        small = np.uint16 if len(pieces) <= 2**16 else np.int32
        ids = table.astype(small)[np.asarray(corpus.ids)]
        return cls(pieces, np.insert(ids, np.asarray(corpus.offsets[1:]), pieces.sep_id), len(corpus))

    def split(self, length: int) -> "tuple[PieceText, PieceText | None]":
        """Return the text without its last part, and that part, which is held out; None where the text is short."""
        windows = len(self.ids) // body_of(length)
        if windows < FEWEST:
            return self, None
        count = body_of(length) * min(max(windows // SHARE, 1), MOST)
        return replace(self, ids=self.ids[:-count]), replace(self, ids=self.ids[-count:])

    @cached_property
    def shares(self) -> npt.NDArray[np.float64]:
        """(V,) relative frequencies of the pieces; special ones, and those that do not occur, count as one."""
        counts = np.bincount(self.ids, minlength=len(self.pieces)).astype(np.float64)
        counts[self.pieces.special] = 0
        shares: npt.NDArray[np.float64] = np.maximum(counts, 1) / np.maximum(counts, 1).sum()
        return shares

    def unigram(self, held_out: "PieceText") -> Mapping[str, float]:
        """Return how well the frequencies of this text predict the pieces of another: loss in nats, and accuracy."""
        ids = held_out.ids[~np.isin(held_out.ids, self.pieces.special)]
        if not len(ids):
            return {}
        loss, accuracy = float(-np.log(self.shares[ids]).mean()), float((ids == self.shares.argmax()).mean())
        return {"unigram_loss": loss, "unigram_accuracy": accuracy}


def body_of(length: int) -> int:
    """Return the pieces of a window of T tokens, without the special ones."""
    return length - 2


@dataclass(frozen=True, eq=False, kw_only=True)
class Windows:
    """A text in windows; implements `firth.neural.training.task.Batches`.

    Attributes:
        text: of N pieces.
        length: T; windows of a shorter text are as long as it.
        batch_size: B; the last windows of an epoch, fewer than B, are left out unless there are no others.
        shuffle: whether each epoch has a new random order and new cuts.
        seed: of the order.
        part: (rank, count) of a process; each has its part of every batch.

    Raises:
        CorpusError: the text is empty.
    """

    text: PieceText
    length: int
    batch_size: int
    shuffle: bool = True
    seed: int = 0
    part: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        if len(self.text.ids) < 2:
            raise CorpusError("the text has no word: expected text to learn from")

    @cached_property
    def _body(self) -> int:
        return min(body_of(self.length), len(self.text.ids))

    @cached_property
    def windows(self) -> int:
        """Number of windows of an epoch."""
        return len(self.text.ids) // self._body

    def count(self, epoch: int) -> int:
        """Return the number of batches of an epoch, the same in all."""
        return max(self.windows // self.batch_size, 1) if self.shuffle else -(-self.windows // self.batch_size)

    def epoch(self, number: int, start: int = 0) -> Iterator[WindowBatch]:
        """Yield the batches of an epoch (numbered from 0), without the first `start`."""
        order, offset = np.arange(self.windows), 0
        if self.shuffle:
            random = generator(self.seed, f"windows of epoch {number}")
            order, offset = random.permutation(self.windows), int(random.integers(len(self.text.ids)))
        rank, of = self.part
        for batch in range(start, self.count(number)):
            yield self._batch(order[batch * self.batch_size :][: self.batch_size][rank::of], offset)

    def shard(self, rank: int, of: int) -> "Windows":
        """Return the part of every batch for process `rank` (from 0) `of` so many.

        Raises:
            OptionError: a batch has fewer windows than there are processes.
        """
        if of > min(self.batch_size, self.windows):
            raise OptionError(
                f"processes={of}: a batch has {min(self.batch_size, self.windows)} windows, expected one each at least"
            )
        return replace(self, part=(rank, of))

    def _batch(self, rows: npt.NDArray[Any], offset: int) -> WindowBatch:
        positions = (offset + rows[:, None] * self._body + np.arange(self._body)) % len(self.text.ids)
        pieces, ids = self.text.pieces, np.empty((len(rows), self._body + 2), dtype=np.int64)
        ids[:, 0], ids[:, 1:-1], ids[:, -1] = pieces.cls_id, self.text.ids[positions], pieces.sep_id
        return WindowBatch(torch.from_numpy(ids))
