"""Overlap of two sentences on the surface: the baseline of sentence pairs, without vectors.

What: nine symmetric features of the words, character sequences, lengths and numbers of two sentences, and the cosine of
their TF-IDF vectors alone for sets without training pairs. Words are those of the tokenisation "words".

Objective: for the sets of words A and B of the sentences, their word pairs and their character 3-grams,

    Jaccard           |A and B| / |A or B|                       words; pairs; 3-grams
    weighted Jaccard  the same, with the sum of idf in place of the number of words
    TF-IDF            the cosine of TF-IDF vectors of words
    order             the longest common subsequence of words, as a share of the longer sentence
    length            shorter / longer, in words;  ln(1 + difference)
    numbers           1 if both have the same numbers, 0.5 if those of one are among those of the other, else 0

idf(w) = 1 + ln((1 + n) / (1 + n_w)) for n training sentences, n_w of them with the word. A quotient of nothing is 1.

Source: Socher et al. 2011, Dynamic pooling and unfolding recursive autoencoders for paraphrase detection, section 4.2,
for the numbers; the others are of old standing (Corley and Mihalcea 2005, Measuring the semantic similarity of texts).

Cost: 65 microseconds per pair of short sentences.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

import numpy as np

from firth.evaluation.linear import Floats, Mask
from firth.text.tokenise import words_of

FEATURES = (
    "words",
    "word pairs",
    "3-grams",
    "weighted words",
    "TF-IDF",
    "order",
    "length ratio",
    "length difference",
    "numbers",
)


def overlap_features(first: Sequence[str], second: Sequence[str], train: Mask | None = None) -> Floats:
    """Return features of the overlap of the sentences of each pair, which are symmetric.

    Args:
        train: (n,) pairs whose sentences give the document frequencies; None for all.

    Returns:
        (n, 9), in the order of `FEATURES`.
    """
    tokens = _tokenised([*first, *second])
    pairs = zip(first, second, strict=True)
    idf = _idf(tokens, {text for i, pair in enumerate(pairs) if train is None or train[i] for text in pair})
    rows = [_features(tokens[a], tokens[b], idf) for a, b in zip(first, second, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES))


def tfidf_cosines(first: Sequence[str], second: Sequence[str]) -> Floats:
    """Return the cosine of the TF-IDF vectors of the words of each pair, (n,)."""
    tokens = _tokenised([*first, *second])
    idf = _idf(tokens, {*first, *second})
    return np.array([_cosine(tokens[a], tokens[b], idf) for a, b in zip(first, second, strict=True)], dtype=np.float64)


def _tokenised(texts: Sequence[str]) -> dict[str, list[str]]:
    return {text: words_of(text) for text in dict.fromkeys(texts)}


class _Idf(dict[str, float]):
    """idf by word; of a word of no training sentence, the greatest."""

    def __init__(self, counts: Mapping[str, int], sentences: int) -> None:
        self._unknown = 1 + math.log(1 + sentences)
        super().__init__({word: 1 + math.log((1 + sentences) / (1 + count)) for word, count in counts.items()})

    def __missing__(self, word: str) -> float:
        return self._unknown


def _idf(tokens: Mapping[str, Sequence[str]], texts: Set[str]) -> _Idf:
    return _Idf(Counter(word for text in texts for word in set(tokens[text])), len(texts))


def _features(words: Sequence[str], other_words: Sequence[str], idf: _Idf) -> list[float]:
    first, second = set(words), set(other_words)
    shorter, longer = sorted((len(words), len(other_words)))
    numbers, other_numbers = _numbers(first), _numbers(second)
    return [
        _jaccard(first, second),
        _jaccard(set(pairwise(words)), set(pairwise(other_words))),
        _jaccard(_trigrams(words), _trigrams(other_words)),
        _share(*(math.fsum(idf[word] for word in terms) for terms in (first & second, first | second))),
        _cosine(words, other_words, idf),
        _share(_common_subsequence(words, other_words), longer),
        _share(shorter, longer),
        math.log1p(longer - shorter),
        1.0 if numbers == other_numbers else 0.5 if numbers <= other_numbers or other_numbers <= numbers else 0.0,
    ]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _jaccard(first: Set[object], second: Set[object]) -> float:
    return _share(len(first & second), len(first | second))


def _trigrams(words: Sequence[str]) -> set[str]:
    text = f" {' '.join(words)} "
    return {text[i : i + 3] for i in range(len(text) - 2)}


def _numbers(words: Set[str]) -> set[str]:
    return {word for word in words if any(letter.isdigit() for letter in word)}


def _cosine(words: Sequence[str], other_words: Sequence[str], idf: _Idf) -> float:
    first, second = ({word: n * idf[word] for word, n in Counter(tokens).items()} for tokens in (words, other_words))
    lengths = math.sqrt(math.fsum(v * v for v in first.values()) * math.fsum(v * v for v in second.values()))
    shared = math.fsum(first[word] * second[word] for word in first.keys() & second.keys())
    return shared / lengths if lengths else float(first == second)


def _common_subsequence(words: Sequence[str], other_words: Sequence[str]) -> int:
    """Length of the longest common subsequence, by bits of one integer (Allison and Dix 1986)."""
    positions: dict[str, int] = {}
    for i, word in enumerate(words):
        positions[word] = positions.get(word, 0) | 1 << i
    row, full = 0, (1 << len(words)) - 1
    for word in other_words:
        candidates = row | positions.get(word, 0)
        row = candidates & ~(candidates - (row << 1 | 1)) & full
    return row.bit_count()
