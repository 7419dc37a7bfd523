"""Features of word pairs, independent of the order of the two words.

What: families of features, all optional:

    vectors     |u - v|, u * v and u + v of normalised vectors, 3 D numbers
    cosine      cos(u, v), and the number of words (0, 1, 2) with a vector
    others      cos(u, v) in other vector spaces, for example a counter-fitted one
    neighbours  log rank of each word among the other's neighbours, smaller rank first (not by default)
    spelling    negative prefixes (un-, in-, dis- ...) and suffixes (-less), common prefixes and suffixes, lengths
    patterns    counts of the pair in each pattern, log(1 + n), and its association with each
    word        the vector of the first word alone: a control that shows what one word predicts

Source: Weeds, Clarke, Reffin, Weir and Keller 2014, "Learning to distinguish hypernyms and co-hyponyms", section 3, for
differences, products and sums of vectors; Nguyen, Schulte im Walde and Vu 2017, "Distinguishing antonyms and synonyms
in a pattern-based neural network", for patterns; Rajana et al. 2017, "Learning antonyms with paraphrases and a
morphology-aware neural network", for prefixes; Levy, Remus, Biemann and Dagan 2015, "Do supervised distributional
methods really learn lexical inference relations?", for the control.

Departures: a word without a vector has zeros. Neighbours are searched among the 20,000 most frequent words.

Cost: 3 D numbers per pair; neighbours 2 D flops for each distinct word and frequent word; patterns a table look-up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.postprocess.word_pairs import Pair
from firth.relations.patterns import PatternCounts
from firth.vectors import cosine
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Floats = npt.NDArray[np.float64]
Vectors = WordVectors | SubwordVectors

FAMILIES = ("vectors", "cosine", "others", "spelling", "patterns")
CONTROL = "word"
COMMON = 20_000  # most frequent words, the candidates for neighbours
PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis", "anti", "counter", "a", "de", "under", "over")
_NEGATIVE = PREFIXES[:8]
_TOGETHER = 512  # words whose neighbours are computed at once


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """Families of features and their data.

    Attributes:
        vectors: word vectors.
        patterns: counts of patterns in a corpus; without them the family "patterns" is skipped.
        others: other word vectors, for the family "others", which is skipped without them.
        families: names of families, by default `FAMILIES`; also "neighbours", and "word" for the control.

    Raises:
        OptionError: a family is unknown, or no family has data.
    """

    vectors: Vectors
    patterns: PatternCounts | None = None
    others: tuple[Vectors, ...] = ()
    families: tuple[str, ...] = FAMILIES

    def __post_init__(self) -> None:
        unknown = [name for name in self.families if name not in _FAMILIES]
        if unknown:
            raise OptionError(f"family {unknown[0]!r}: expected some of {', '.join(_FAMILIES)}")
        if not self.active:
            raise OptionError("no family of features has data; patterns need counts of a corpus")

    @property
    def active(self) -> tuple[str, ...]:
        """The families with data, in the order of `families`."""
        without_data = {"patterns"} if self.patterns is None else set()
        without_data |= set() if self.others else {"others"}
        return tuple(name for name in self.families if name not in without_data)

    def of(self, pairs: Sequence[Pair]) -> Mapping[str, Floats]:
        """Return the features of n pairs: for each family an array with n rows.

        Raises:
            FormatError: a vector of a word is not finite.
        """
        return {name: _FAMILIES[name](self, pairs) for name in self.active}

    def rows(self, pairs: Sequence[Pair]) -> Floats:
        """Return the features of all families in one matrix, (n, F); arguments of `of`."""
        return np.concatenate(list(self.of(pairs).values()), axis=1)


def _ends(vectors: Vectors, pairs: Sequence[Pair]) -> tuple[Floats, Floats, Floats]:
    """Return normalised vectors of the first and the second words, zeros without one, and (n, 2) 1 for a vector."""
    words = list(dict.fromkeys(word for pair in pairs for word in pair))
    row_of = {word: i for i, word in enumerate(words)}
    members = [word for word in words if word in vectors]
    rows = np.zeros((len(words), vectors.dim))
    if members:
        rows[[row_of[word] for word in members]] = vectors.get_vector(members)
    bad = ~np.isfinite(rows).all(axis=1)
    if bad.any():
        raise FormatError(f"the vector of {words[int(bad.argmax())]!r} is not finite; train or load it again")
    mask = np.zeros(len(words))
    mask[[row_of[word] for word in members]] = 1
    ids = np.array([[row_of[first], row_of[second]] for first, second in pairs], dtype=np.int64).reshape(-1, 2)
    rows = np.asarray(cosine.unit(rows), dtype=np.float64)
    return rows[ids[:, 0]], rows[ids[:, 1]], mask[ids]


def _vectors(features: PairFeatures, pairs: Sequence[Pair]) -> Floats:
    u, v, _ = _ends(features.vectors, pairs)
    return np.concatenate([np.abs(u - v), u * v, u + v], axis=1)


def _cosine(features: PairFeatures, pairs: Sequence[Pair]) -> Floats:
    u, v, mask = _ends(features.vectors, pairs)
    return np.column_stack([np.einsum("nd,nd->n", u, v), mask.sum(axis=1)])


def _others(features: PairFeatures, pairs: Sequence[Pair]) -> Floats:
    ends = [_ends(other, pairs) for other in features.others]
    return np.stack([np.einsum("nd,nd->n", u, v) for u, v, _ in ends], axis=1)


def _word(features: PairFeatures, pairs: Sequence[Pair]) -> Floats:
    return _ends(features.vectors, pairs)[0]


def _neighbours(features: PairFeatures, pairs: Sequence[Pair]) -> Floats:
    """Return log(1 + number of frequent words nearer than the other word) for both words, sorted."""
    u, v, _ = _ends(features.vectors, pairs)
    common = np.asarray(cosine.unit(np.asarray(features.vectors.vectors[:COMMON])), dtype=np.float32)
    cosines = np.einsum("nd,nd->n", u, v)
    nearer = np.empty((len(pairs), 2))
    for side, rows in enumerate((u, v)):
        for start in range(0, len(pairs), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            products = rows[part].astype(np.float32) @ common.T
            nearer[part, side] = (products > cosines[part, None] + 1e-5).sum(axis=1)
    return np.sort(np.log1p(nearer), axis=1)


def _spelling(features: PairFeatures, pairs: Sequence[Pair]) -> Floats:
    return np.array([spelling(first, second) for first, second in pairs], dtype=np.float64).reshape(len(pairs), -1)


def spelling(first: str, second: str) -> list[float]:
    """Return spelling features of two English words that predict antonymy, independent of their order.

    Returns:
        For each of `PREFIXES` whether it derives one word from the other; whether any negative prefix does; whether
        exactly one word begins with a negative prefix, and whether both do; whether exactly one ends in -less; common
        prefix and suffix, as shares of the longer word; difference in length, in letters.
    """
    derived = [float(first == prefix + second or second == prefix + first) for prefix in PREFIXES]
    negative = [word.startswith(_NEGATIVE) for word in (first, second)]
    longer = max(len(first), len(second), 1)
    return [
        *derived,
        max(derived[: len(_NEGATIVE)]),
        float(negative[0] != negative[1]),
        float(all(negative)),
        float(first.endswith("less") != second.endswith("less")),
        _shared(first, second) / longer,
        _shared(first[::-1], second[::-1]) / longer,
        float(abs(len(first) - len(second))),
    ]


def _shared(first: str, second: str) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(first, second, strict=False)))


def _patterns(features: PairFeatures, pairs: Sequence[Pair]) -> Floats:
    counts = features.patterns
    assert counts is not None, "the family is active only with counts"
    times, association = counts.of_pairs(pairs), counts.association(pairs)
    sums = [np.log1p(times.sum(axis=1)), association.sum(axis=1)]
    return np.column_stack([np.log1p(times), association, *sums])


_FAMILIES: Mapping[str, Callable[[PairFeatures, Sequence[Pair]], Floats]] = {
    "vectors": _vectors,
    "cosine": _cosine,
    "others": _others,
    "neighbours": _neighbours,
    "spelling": _spelling,
    "patterns": _patterns,
    CONTROL: _word,
}
