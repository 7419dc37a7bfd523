"""The features of a text: rows of words, character n-grams and word n-grams, and the encoded texts to train on.

A word's row is its number. The hash of an n-gram selects one of many buckets. Only buckets that a training text uses
have rows, so two million buckets cost no more memory than those in use.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classify.labels import LabelSet, frequent_labels
from firth.corpus.line_scanner import TokenLines
from firth.corpus.vocabulary_selection import by_count_then_word
from firth.embeddings.matrices import Matrices
from firth.errors import CorpusError, ShapeError
from firth.kernels import labelled_text as kernels
from firth.kernels.compiled import compiled
from firth.kernels.ngram_hash import most_ngrams
from firth.kernels.random import draw
from firth.kernels.rows import aligned_rows
from firth.randomness import generator, kernel_states
from firth.readers.labelled import LabelledTexts
from firth.vectors.coverage import tell_coverage
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True, eq=False)
class Features:
    """The feature rows of every text.

    Attributes:
        rows: int32, text by text; -1 for a bucket without a row, which counts as a row of zeros.
        ends: (texts,) int64, one past the last row of each text.
        labels: int32 label numbers, text by text.
        label_ends: (texts,) int64, one past the last label of each text.
    """

    rows: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int32]
    label_ends: npt.NDArray[np.int64]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """(texts,) the number of rows of each text."""
        return np.diff(self.ends, prepend=0)

    def with_labels(self, labels: npt.NDArray[np.int32], ends: npt.NDArray[np.int64]) -> "Features":
        """Return the same features with other labels."""
        return Features(self.rows, self.ends, labels, ends)


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The map from texts to feature rows.

    Attributes:
        words: V words; a word's index is its row.
        word_ngrams: longest word n-gram; 1 for single words only.
        min_n: shortest character n-gram.
        max_n: longest character n-gram; 0 for none.
        buckets: B, the number of hash buckets.
        bucket_rows: (B,) int32 row of each bucket, or EMPTY or REMOVED of `firth.kernels.labelled_text`.
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

    @property
    def _writable_bucket_rows(self) -> npt.NDArray[np.int32]:
        # The kernel is compiled for an array that it may write to. joblib maps large arrays into memory read-only.
        return np.require(self.bucket_rows, requirements="W")

    def features(self, lines: TokenLines, labels: Mapping[str, int] | None = None, *, prefix: str = "") -> Features:
        """Return the features of lines.

        Args:
            labels: numbers of the labels inside the lines; None leaves labels out.
        """
        return self._extract(lines, labels or {}, prefix, grow=False)[0]

    def grow(self, lines: TokenLines, labels: Mapping[str, int], *, prefix: str) -> tuple[Features, int]:
        """Return the features of lines and how many buckets have rows, after giving each new bucket the next row."""
        return self._extract(lines, labels, prefix, grow=True)

    def row_buckets(self, rows: int) -> npt.NDArray[np.int32]:
        """Return the bucket of each row after those of the words; there are `rows` rows in all."""
        buckets = np.zeros(rows - len(self.words), dtype=np.int32)
        filled = np.flatnonzero(self.bucket_rows >= 0)
        buckets[self.bucket_rows[filled] - len(self.words)] = filled
        return buckets

    def _extract(
        self, lines: TokenLines, labels: Mapping[str, int], prefix: str, *, grow: bool
    ) -> tuple[Features, int]:
        rows = self._token_rows(lines, labels, len(prefix))
        ngrams, ngram_starts = self._character_buckets(lines, rows)
        longest_line = int(np.diff(lines.ends, prepend=0).max(initial=0))
        longest = max(1, min(self.word_ngrams, longest_line)) if self.buckets else 1  # a file's options may be larger
        most = len(lines.tokens) * longest + int(np.diff(ngram_starts)[lines.tokens].sum())
        features, numbers = np.empty(most, np.int32), np.empty(len(lines.tokens), np.int32)
        ends, label_ends = np.empty(len(lines.ends), np.int64), np.empty(len(lines.ends), np.int64)
        size = kernels.features_of_lines(
            lines.tokens, lines.ends, rows, lines.hashes, ngrams, ngram_starts, longest, len(self.words),
            self._writable_bucket_rows, 0, grow, np.empty(longest_line, np.uint32), features, numbers, ends, label_ends,
        )  # fmt: skip
        last, last_label = (int(rows[-1]) if len(rows) else 0 for rows in (ends, label_ends))
        return Features(features[:last], ends, numbers[:last_label], label_ends), int(size)

    def _token_rows(self, lines: TokenLines, labels: Mapping[str, int], prefix_length: int) -> npt.NDArray[np.int32]:
        """Return for each distinct token the row of a word, -2 - the number of a label, or a code for neither."""
        ids, names = self.ids, lines.names()
        rows = np.fromiter((ids.get(name, kernels.UNKNOWN) for name in names), np.int32, len(names))
        for token in np.flatnonzero(lines.is_label).tolist():
            label = labels.get(names[token][prefix_length:])
            rows[token] = kernels.DROPPED if label is None else -2 - label
        return rows

    def _character_buckets(
        self, lines: TokenLines, rows: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the buckets of the character n-grams of the distinct tokens, and where each token's buckets begin."""
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        if self.max_n == 0 or self.buckets == 0:
            return np.zeros(0, dtype=np.int64), starts
        is_word = rows >= kernels.UNKNOWN
        is_word[kernels.END_NUMBER] = False
        longest = int(np.diff(lines.starts).max(initial=0)) + 1  # characters, boundary marks included, at most
        min_n, max_n = max(1, self.min_n), min(self.max_n, longest)
        buckets = np.empty(most_ngrams(int(lines.starts[-1]) + len(rows), min_n, max_n), dtype=np.int64)
        kernels.character_features(lines.arena, lines.starts, is_word, min_n, max_n, self.buckets, buckets, starts)
        return buckets[: starts[-1]], starts


def bucket_rows(used: npt.NDArray[np.integer], buckets: int, words: int, default: int) -> npt.NDArray[np.int32]:
    """Return the row of each bucket.

    Args:
        used: (U,) the buckets of the rows after those of the words.
        words: V.
        default: the value for a bucket without a row.
    """
    rows = np.full(buckets, default, dtype=np.int32)
    rows[used] = words + np.arange(len(used), dtype=np.int32)
    return rows


@dataclass(frozen=True, eq=False)
class TrainingTexts:
    """Encoded texts to train on.

    Attributes:
        map: the map from texts to rows.
        labels: names and counts of the labels.
        counts: (V,) of the words.
        features: rows and labels of every text.
        order: (K,) int64, the texts to train on, in training order.
        starts: (K + 1,) int64, the number of tokens before each of them.
        rows: number of input rows: words, then buckets in use.
        left_out: number of texts without a label or without a feature.
    """

    map: FeatureMap
    labels: LabelSet
    counts: npt.NDArray[np.int64]
    features: Features
    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    rows: int
    left_out: int

    @property
    def num_tokens(self) -> int:
        """Number of tokens of all texts, with line ends and labels."""
        return int(self.starts[-1])

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """The rows, which training reads once per epoch."""
        return self.features.rows

    @property
    def fingerprint(self) -> str:
        """A digest of everything that training reads."""
        f = self.features
        digest = hashlib.blake2b("\n".join(self.map.words).encode("utf-8", "surrogatepass"), digest_size=16)
        for array in (f.rows, f.ends, f.labels, f.label_ends, self.order):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def initial_matrices(self, dim: int, *, seed: int, start: WordVectors | None) -> Matrices:
        """Return input rows, uniform in +-1/D or copied from `start`, and output rows of zeros.

        Raises:
            ShapeError: `start` has another width than `dim`.
        """
        inputs, outputs = aligned_rows(self.rows, dim), aligned_rows(len(self.labels.names), dim)
        fill_uniform(inputs, dim, np.float32(1 / dim), kernel_states(seed, "input vectors", 1))
        words = list(self.map.words)
        if start is not None:
            if start.dim != dim:
                raise ShapeError(
                    f"start holds vectors of width {start.dim}, the options ask for dim={dim}: use dim={start.dim}"
                )
            tell_coverage(dict(zip(words, self.counts.tolist(), strict=True)), start.__contains__)
            in_start = [row for row, word in enumerate(words) if word in start]
            inputs[in_start, :dim] = np.stack([start[words[row]] for row in in_start]) if in_start else 0
        return Matrices(words, self.counts, inputs, outputs, dim)


def encode_texts(model: Any, data: LabelledTexts, *, seed: int) -> TrainingTexts:
    """Encode labelled lines as rows, with the options of a `TextClassifier`, whose module imports this one."""
    lines = data.lines
    if not len(lines.ends):
        raise CorpusError(f"{data.name}: no texts; expected lines of text with labels")
    labels = frequent_labels(data, prefix=model.label_prefix, min_count=model.min_count_label)
    words, counts = frequent_words(lines, model.min_count)
    buckets = model.buckets if model.word_ngrams > 1 or model.max_n > 0 else 0
    map = FeatureMap(
        words=words,
        word_ngrams=model.word_ngrams,
        min_n=model.min_n,
        max_n=model.max_n,
        buckets=buckets,
        bucket_rows=np.full(buckets, kernels.EMPTY, dtype=np.int32),
    )
    features, used = map.grow(lines, {} if data.labels else labels.ids, prefix=model.label_prefix)
    if data.labels is not None:
        features = features.with_labels(*labels.encode(data.labels))
    usable = (features.sizes > 0) & (np.diff(features.label_ends, prepend=0) > 0)
    order = np.flatnonzero(usable)
    if not len(order):
        raise CorpusError(
            f"{data.name}: no text has both a label and a word of the vocabulary; lower min_count={model.min_count} or "
            f"min_count_label={model.min_count_label}"
        )
    if model.shuffle:
        order = generator(seed, "order of texts").permutation(order)
    tokens = np.diff(lines.ends, prepend=0)[order]
    starts = np.concatenate([[0], np.cumsum(tokens)]).astype(np.int64)
    return TrainingTexts(map, labels, counts, features, order, starts, len(words) + used, len(usable) - len(order))


def frequent_words(lines: TokenLines, min_count: int) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return the words that occur at least `min_count` times, most frequent first, and their counts."""
    tokens = np.flatnonzero(~lines.is_label & (lines.counts >= max(1, min_count)))
    names = lines.names()
    words, counts = [names[token] for token in tokens.tolist()], lines.counts[tokens]
    order = by_count_then_word(words, counts) if words else np.zeros(0, np.int64)
    return [words[i] for i in order.tolist()], counts[order]


@compiled
def fill_uniform(
    rows: npt.NDArray[np.float32],  # (R, P), written in the first `dim` columns
    dim: int,
    bound: np.float32,
    random: npt.NDArray[np.uint64],  # (1,) state, updated
) -> None:
    """Fill rows with uniform random numbers from -bound to bound, to 24 bits."""
    scale = bound * np.float32(2.0**-23)
    for row in range(rows.shape[0]):
        for d in range(dim):
            rows[row, d] = np.float32(np.int64(draw(random) >> np.uint64(40)) - 2**23) * scale
