"""From lines of tokens to the rows that a text classifier adds up: words, n-grams of characters, n-grams of words.

Words have rows by their number. An n-gram's hash names one of many buckets; only buckets that a text of the training
met have rows, so that two million of them cost what is in use.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.corpus.line_scanner import TokenLines
from firth.kernels import labelled_text as kernels
from firth.kernels.ngram_hash import most_ngrams


@dataclass(frozen=True, eq=False)
class Features:
    """The rows of every text.

    Attributes:
        rows: int32, text by text; -1 for a bucket without a row, which counts as a row of zeros.
        ends: (texts,) int64, one past the last of each text.
        labels: int32 numbers of labels, text by text.
        label_ends: (texts,) int64, likewise.
    """

    rows: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int32]
    label_ends: npt.NDArray[np.int64]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """(texts,) how many rows each has."""
        return np.diff(self.ends, prepend=0)

    def labelled(self, labels: npt.NDArray[np.int32], ends: npt.NDArray[np.int64]) -> "Features":
        """Return the same features with labels that came beside the texts."""
        return Features(self.rows, self.ends, labels, ends)


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Which rows a text has.

    Attributes:
        words: V words; a word's place is its row.
        word_ngrams: the most words of an n-gram; 1 for none.
        min_n: the fewest characters of an n-gram.
        max_n: the most; 0 for none.
        buckets: B, numbers that hashes are brought down to.
        bucket_rows: (B,) int32 row of each bucket; `firth.kernels.labelled_text` says EMPTY and REMOVED.
    """

    words: Sequence[str]
    word_ngrams: int
    min_n: int
    max_n: int
    buckets: int
    bucket_rows: npt.NDArray[np.int32]

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    def features(self, lines: TokenLines, labels: Mapping[str, int] | None = None, *, prefix: str = "") -> Features:
        """Return the features of lines.

        Args:
            lines: the texts.
            labels: the number of each label that stands in the lines; None leaves them out.
            prefix: what labels in the lines begin with.
        """
        return self._lay_out(lines, labels or {}, prefix, given=0, grow=False)[0]

    def grown(self, lines: TokenLines, labels: Mapping[str, int], *, prefix: str) -> tuple[Features, int]:
        """Return the features of lines, of which each new bucket is given the next row, and how many have one.

        Args:
            lines: the texts.
            labels: the number of each label that stands in the lines.
            prefix: what labels in the lines begin with.
        """
        return self._lay_out(lines, labels, prefix, given=0, grow=True)

    def _lay_out(
        self, lines: TokenLines, labels: Mapping[str, int], prefix: str, *, given: int, grow: bool
    ) -> tuple[Features, int]:
        rows = self._rows_of(lines, labels, len(prefix))
        pieces, piece_starts = self._pieces(lines, rows)
        longest_line = int(np.diff(lines.ends, prepend=0).max(initial=0))
        longest = max(1, min(self.word_ngrams, longest_line)) if self.buckets else 1  # whatever a file's options say
        most = len(lines.tokens) * longest + int(np.diff(piece_starts)[lines.tokens].sum())
        features, found = np.empty(most, np.int32), np.empty(len(lines.tokens), np.int32)
        ends, label_ends = np.empty(len(lines.ends), np.int64), np.empty(len(lines.ends), np.int64)
        known = kernels.lay_out(
            lines.tokens, lines.ends, rows, lines.hashes, pieces, piece_starts, longest, len(self.words),
            self.bucket_rows, given, grow, np.empty(longest_line, np.uint32), features, found, ends, label_ends,
        )  # fmt: skip
        last, last_label = (int(each[-1]) if len(each) else 0 for each in (ends, label_ends))
        return Features(features[:last], ends, found[:last_label], label_ends), int(known)

    def _rows_of(self, lines: TokenLines, labels: Mapping[str, int], skipped: int) -> npt.NDArray[np.int32]:
        """Return what each distinct token is: the row of a word, a label, or neither."""
        ids, names = self.ids, lines.names()
        rows = np.fromiter((ids.get(name, kernels.UNKNOWN) for name in names), np.int32, len(names))
        for token in np.flatnonzero(lines.is_label).tolist():
            label = labels.get(names[token][skipped:])
            rows[token] = kernels.DROPPED if label is None else -2 - label
        return rows

    def _pieces(
        self, lines: TokenLines, rows: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the buckets of the n-grams of characters of the distinct tokens, and where those of each begin."""
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        if self.max_n == 0 or self.buckets == 0:
            return np.zeros(0, dtype=np.int64), starts
        wanted = rows >= kernels.UNKNOWN
        wanted[kernels.END_NUMBER] = False
        longest = int(np.diff(lines.starts).max(initial=0)) + 1  # characters, marks included, at most
        min_n, max_n = max(1, self.min_n), min(self.max_n, longest)
        found = np.empty(most_ngrams(int(lines.starts[-1]) + len(rows), min_n, max_n), dtype=np.int64)
        kernels.character_features(lines.arena, lines.starts, wanted, min_n, max_n, self.buckets, found, starts)
        return found[: starts[-1]], starts
