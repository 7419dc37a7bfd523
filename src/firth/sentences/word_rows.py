"""Averages of the vectors of words, from tokens or from lines of bytes: the work of `firth.sentences.averages`.

Lines of bytes are split by the compiled scanner of corpora and averaged by a compiled loop, with the same bits as from
tokens. Every distinct word is looked up once. The matrix of the vectors itself is read where it is float32; rows of
other matrices, and rows that subwords give, are copied.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from firth.vectors.averages import along, smooth_weights
from firth.vectors.cosine import Matrix
from firth.vectors.queries import gather, rows_of
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

NO_ROW = -1
MOST_WORDS = 1 << 20  # distinct words in memory while lines are read; more are looked up again


class WordRows:
    """Rows of words with their weights.

    Args:
        smoothing: a of smooth inverse frequency; None for the same weight of all words.
        direction: (D,) common direction to remove from averages, or None.
        exact: whether words are looked up as they are, and in no other form; see `firth.vectors.queries.rows_of`.

    Attributes:
        table: (R, D) float32 rows.
        weights: (R,) float32.
        direction: (D,) direction removed from averages, or None.
    """

    def __init__(
        self, vectors: WordVectors | SubwordVectors, smoothing: float | None, direction: Matrix | None, *, exact: bool
    ) -> None:
        self._space = vectors.known if isinstance(vectors, SubwordVectors) else vectors
        self._smoothing, self.direction, self._exact = smoothing, direction, exact
        matrix = self._space.vectors
        self._whole = (
            isinstance(matrix, np.ndarray)
            and matrix.dtype == np.float32
            and matrix.flags.c_contiguous
            and self._space.inference is None
        )
        self._size = len(matrix) if self._whole else 0
        self.table = matrix if self._whole else np.empty((0, vectors.dim), dtype=np.float32)
        self.weights = self._weights(np.arange(self._size))
        self._copied: dict[str, int] = {}

    def of(self, words: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the row of each word in `table`; -1 for a word without a vector."""
        if self._whole:
            return np.asarray(rows_of(self._space, words, exact=self._exact), dtype=np.int32)
        if new := [word for word in dict.fromkeys(words) if word not in self._copied]:
            self._copy(new)
        return np.array([self._copied[word] for word in words], dtype=np.int32)

    def averages(self, texts: Sequence[Sequence[str]]) -> tuple[Matrix, int]:
        """Return the vectors of tokenised texts, (n, D), and how many have words, but none with a vector."""
        number_of = {word: number for number, word in enumerate(dict.fromkeys(word for text in texts for word in text))}
        rows = self.of(list(number_of))
        vectors, without = np.zeros((len(texts), self.table.shape[1]), dtype=np.float32), 0
        for i, text in enumerate(texts):
            own_rows = rows[[number_of[word] for word in text]] if len(text) else rows[:0]
            own_rows = own_rows[own_rows >= 0]
            if len(own_rows):
                vectors[i] = (self.table[own_rows] * self.weights[own_rows, None]).sum(axis=0) / np.float32(
                    len(own_rows)
                )
            else:
                without += len(text) > 0
        return self.without_direction(vectors), without

    def without_direction(self, averages: Matrix) -> Matrix:
        """Return averages (n, D) without their part along the direction, if there is one."""
        return averages if self.direction is None else averages - along(averages, self.direction)

    def _copy(self, words: list[str]) -> None:
        vectors = gather(self._space, words, "skip", exact=self._exact)
        has_vector = ~np.isnan(vectors).any(axis=1)
        end = self._size + int(np.count_nonzero(has_vector))
        if end > len(self.table):
            table, weights = np.empty((2 * end, self.table.shape[1]), np.float32), np.empty(2 * end, np.float32)
            table[: self._size], weights[: self._size] = self.table[: self._size], self.weights[: self._size]
            self.table, self.weights = table, weights
        self.table[self._size : end] = vectors[has_vector]
        self.weights[self._size : end] = self._weights(rows_of(self._space, words, exact=self._exact)[has_vector])
        row_numbers = np.full(len(words), NO_ROW)
        row_numbers[has_vector] = np.arange(self._size, end)
        self._copied.update(zip(words, row_numbers.tolist(), strict=True))
        self._size = end

    def _weights(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        if self._smoothing is None:
            return np.ones(len(rows), dtype=np.float32)
        return smooth_weights(self._space, rows, self._smoothing).astype(np.float32)


class LineAverages:
    """Averages of lines of bytes.

    Args:
        make_rows: returns new, empty rows of words.
        tokens: "unicode", "whitespace" or "text8".
    """

    def __init__(self, make_rows: Callable[[], WordRows], tokens: str) -> None:
        self._make_rows, self._tokens = make_rows, tokens
        self._begin()

    def _begin(self) -> None:
        from firth.corpus.scanner import Scanner  # imports the compiler

        self._ids: list[npt.NDArray[np.int32]] = []
        self._scanner = Scanner(self._tokens, lambda ids: self._ids.append(ids.copy()))
        self._words: WordRows = self._make_rows()
        self._rows = np.zeros(0, dtype=np.int32)
        self._averages = np.empty((0, 0), dtype=np.float32)

    def averages(self, data: bytes, lines: int) -> tuple[Matrix, int]:
        """Return the vectors of lines, (lines, D), and how many have words, but none with a vector.

        The array is used again by the next call: memory that was just written is still in the processor's cache.

        Args:
            data: UTF-8, each line ended by a line feed.
        """
        from firth.kernels.compiled import read_only
        from firth.kernels.line_averages import average_lines

        if len(self._rows) > MOST_WORDS:
            self._begin()
        self._scanner.feed(data)
        self._scanner.end()
        new = self._words.of(self._scanner.words_after(len(self._rows)))
        self._rows = np.concatenate([self._rows, new])
        ids = np.concatenate(self._ids)
        self._ids.clear()
        words = self._words
        if len(self._averages) < lines:
            self._averages = np.empty((lines, words.table.shape[1]), dtype=np.float32)
        averages = self._averages[:lines]
        without = average_lines(ids, self._rows, read_only(words.table), words.weights, averages)
        return words.without_direction(averages), int(without)
