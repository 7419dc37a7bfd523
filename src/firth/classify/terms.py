"""The terms of texts as sparse rows: words, pairs of neighbouring words, and character n-grams, weighted by TF-IDF.

What: a term of a text weighs more the more often it stands there, and the fewer training texts have it. Words and pairs
are one block, character n-grams another; each block of a row has length 1, so that the many n-grams do not outweigh the
words. An unknown word still has character n-grams.

Objective: the weight of term t in a text is (1 + ln count(t)) (1 + ln((1 + n) / (1 + n_t))) for n training texts, n_t
of them with the term. A character n-gram belongs to a word with a space on both sides; the whole of a shorter word
counts once.

Source: Salton and Buckley 1988, "Term-weighting approaches in automatic text retrieval"; the weights and the n-grams
are those of scikit-learn's TfidfVectorizer with sublinear_tf=True and analyzer="char_wb".

Cost: memory for each distinct term of each text, 8 bytes. The character n-grams of a word are found once.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, hstack

MOST = 100_000  # terms of a kind: those of most texts
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TermWeights:
    """The terms of training texts with their weights.

    Attributes:
        words: V words.
        pairs: (P, 2) int32, the numbers of neighbouring words, in ascending order.
        ngrams: C character n-grams.
        min_n: shortest character n-gram.
        max_n: longest character n-gram; 0 for none.
        weights: (V + P + C,) float32, the inverse document frequency of each term.
    """

    words: Sequence[str]
    pairs: npt.NDArray[np.int32]
    ngrams: Sequence[str]
    min_n: int
    max_n: int
    weights: Floats

    @classmethod
    def learn(
        cls, texts: Sequence[Sequence[str]], *, word_ngrams: int, min_n: int, max_n: int
    ) -> tuple["TermWeights", csr_array]:
        """Return the terms of tokenised texts, and the rows of these texts.

        Args:
            word_ngrams: 2 for words and pairs of them; 1 for words.
        """
        words = _most_frequent(Counter(word for text in texts for word in set(text)))
        terms = cls(words, np.zeros((0, 2), np.int32), (), min_n, max_n, np.ones(len(words), np.float32))
        if word_ngrams > 1:
            terms = cls(words, terms._frequent_pairs(texts), (), min_n, max_n, terms.weights)
        if max_n:
            terms = cls(words, terms.pairs, terms._frequent_ngrams(texts), min_n, max_n, terms.weights)
        counts = terms._counts(texts)
        frequencies = [np.bincount(part.indices, minlength=part.shape[1]) for part in counts]
        weights = 1 + np.log((1 + len(texts)) / (1 + np.concatenate(frequencies)))
        terms = cls(words, terms.pairs, terms.ngrams, min_n, max_n, weights.astype(np.float32))
        return terms, terms._weighted(*counts)

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self.weights)

    def rows(self, texts: Sequence[Sequence[str]]) -> csr_array:
        """Return the rows of tokenised texts, (n, T) float32."""
        return self._weighted(*self._counts(texts))

    def _weighted(self, words: Any, pairs: Any, ngrams: Any) -> csr_array:
        own = len(self.words) + len(self.pairs)
        parts = [_weighted(hstack([words, pairs], format="csr"), self.weights[:own])]
        if ngrams.shape[1]:
            parts.append(_weighted(ngrams, self.weights[own:]))
        return csr_array(hstack(parts, format="csr"))

    def terms_of(self, text: Sequence[str]) -> list[tuple[int, list[int]]]:
        """Return the terms of a text: the number of each occurrence, with the positions of its words."""
        ids = self._ids(text)
        terms = [(word, [position]) for position, word in enumerate(ids) if word >= 0]
        first = len(self.words)
        for position in range(len(ids) - 1):
            pair = self._pair_ids.get((ids[position], ids[position + 1]))
            if pair is not None:
                terms.append((first + pair, [position, position + 1]))
        first += len(self.pairs)
        for position, word in enumerate(text):
            terms += [(first + self._ngram_ids[g], [position]) for g in self._ngrams_of(word) if g in self._ngram_ids]
        return terms

    @cached_property
    def _word_ids(self) -> Mapping[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def _pair_ids(self) -> Mapping[tuple[int, int], int]:
        return {(first, second): i for i, (first, second) in enumerate(self.pairs.tolist())}

    @cached_property
    def _ngram_ids(self) -> Mapping[str, int]:
        return {ngram: i for i, ngram in enumerate(self.ngrams)}

    def _ids(self, text: Sequence[str]) -> list[int]:
        ids = self._word_ids
        return [ids.get(word, -1) for word in text]

    def _ngrams_of(self, word: str) -> list[str]:
        return character_ngrams(word, self.min_n, self.max_n) if self.max_n else []

    def _counts(self, texts: Sequence[Sequence[str]]) -> tuple[Any, Any, Any]:
        """Return the counts of words (n, V), pairs (n, P) and character n-grams (n, C)."""
        flat = np.array([number for text in texts for number in self._ids(text)], dtype=np.int64)
        rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        words = _count(rows, flat, (len(texts), len(self.words)))
        keys = self._pair_keys
        adjacent = self._keys(flat, rows)
        columns = np.searchsorted(keys, adjacent)
        columns[columns == len(keys)] = -1
        columns = np.where(keys[columns] == adjacent, columns, -1) if len(keys) else np.full(len(adjacent), -1)
        pairs = _count(rows[:-1], columns, (len(texts), len(keys)))
        return words, pairs, self._ngram_counts(texts)

    @cached_property
    def _pair_keys(self) -> npt.NDArray[np.int64]:
        pairs = self.pairs.astype(np.int64)
        return np.asarray(pairs[:, 0] * len(self.words) + pairs[:, 1])

    def _keys(self, flat: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the key of each pair of neighbours, -1 where one is unknown or they are of two texts."""
        fits = (flat[:-1] >= 0) & (flat[1:] >= 0) & (rows[:-1] == rows[1:])
        return np.where(fits, flat[:-1] * len(self.words) + flat[1:], -1)

    def _frequent_pairs(self, texts: Sequence[Sequence[str]]) -> npt.NDArray[np.int32]:
        """Return the pairs of most texts, in ascending order."""
        flat = np.array([number for text in texts for number in self._ids(text)], dtype=np.int64)
        rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        keys = self._keys(flat, rows)
        inside = np.flatnonzero(keys >= 0)
        order = inside[np.lexsort((rows[inside], keys[inside]))]
        first = np.ones(len(order), dtype=bool)  # of a pair in a text
        first[1:] = (keys[order][1:] != keys[order][:-1]) | (rows[order][1:] != rows[order][:-1])
        distinct, counts = np.unique(keys[order][first], return_counts=True)
        kept = np.sort(distinct[np.argsort(-counts, kind="stable")[:MOST]])
        size = max(len(self.words), 1)
        return np.stack([kept // size, kept % size], axis=1).astype(np.int32)

    def _frequent_ngrams(self, texts: Sequence[Sequence[str]]) -> list[str]:
        """Return the character n-grams of most texts' words."""
        numbers = Counter(word for text in texts for word in set(text))
        counts: Counter[str] = Counter()
        for word, number in numbers.items():
            for ngram in set(self._ngrams_of(word)):
                counts[ngram] += number
        return _most_frequent(counts)

    def _ngram_counts(self, texts: Sequence[Sequence[str]]) -> Any:
        """Return the counts of character n-grams: those of words, and of the n-grams of each distinct word."""
        if not self.ngrams:
            return csr_array((len(texts), 0), dtype=np.float32)
        ids: dict[str, int] = {}
        flat = np.array([ids.setdefault(word, len(ids)) for text in texts for word in text], dtype=np.int64)
        rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        numbers = self._ngram_ids
        columns = [[numbers[ngram] for ngram in self._ngrams_of(word) if ngram in numbers] for word in ids]
        owners = np.repeat(np.arange(len(ids)), [len(own) for own in columns])
        inside = np.array([number for own in columns for number in own], dtype=np.int64)
        of_words = _count(owners, inside, (len(ids), len(self.ngrams)))
        counts: Any = _count(rows, flat, (len(texts), len(ids))) @ of_words
        return csr_array(counts)


def character_ngrams(word: str, min_n: int, max_n: int) -> list[str]:
    """Return the character n-grams of a word with a space on both sides.

    >>> character_ngrams("an", 2, 5)
    [' a', 'an', 'n ', ' an', 'an ', ' an ']
    """
    padded = f" {word} "
    if len(padded) <= min_n:
        return [padded]
    return [
        padded[start : start + n]
        for n in range(min_n, min(max_n, len(padded)) + 1)
        for start in range(len(padded) - n + 1)
    ]


def _most_frequent(counts: Mapping[str, int]) -> list[str]:
    """Return at most `MOST` terms, sorted by (-count, term)."""
    return [term for _, term in sorted((-count, term) for term, count in counts.items())[:MOST]]


def _count(rows: npt.NDArray[Any], columns: npt.NDArray[Any], shape: tuple[int, int]) -> csr_array:
    """Return how often each column occurs in each row; negative columns do not count."""
    inside = columns >= 0
    ones = np.ones(int(inside.sum()), dtype=np.float32)
    matrix = csr_array((ones, (rows[inside], columns[inside])), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _weighted(counts: csr_array, weights: Floats) -> csr_array:
    """Return TF-IDF rows of length 1; an empty row stays one."""
    rows = counts.astype(np.float32)
    rows.data = 1 + np.log(rows.data)
    rows = csr_array(rows @ diags_array(weights))
    lengths = np.sqrt(rows.power(2).sum(axis=1))
    return csr_array(diags_array((1 / np.where(lengths > 0, lengths, 1)).astype(np.float32)) @ rows)
