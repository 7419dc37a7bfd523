"""The word embedding association test (WEAT), and that of single words (SC-WEAT).

What: are words of one target set X nearer to attributes A than to B, compared with words of another target set Y? The
counterpart in vectors of psychology's implicit association test. SC-WEAT asks it of one word at a time.

Objective: with

    s(w, A, B)    = mean_{a in A} cos(w, a) - mean_{b in B} cos(w, b)
    s(X, Y, A, B) = sum_{x in X} s(x, A, B) - sum_{y in Y} s(y, A, B)
    d             = (mean_{x in X} s(x, A, B) - mean_{y in Y} s(y, A, B)) / sd_{w in X u Y} s(w, A, B)
    p             = the share of splits of X u Y into sets as large whose s is at least that of X, Y
    d(w, A, B)    = s(w, A, B) / sd_{c in A u B} cos(w, c)                         (SC-WEAT; p over splits of A u B)

d is positive where X goes with A; for sets of one size it lies between -2 and 2. How great d is says nothing of how
great the differences of cosines are, for it is divided by their spread: s(X, Y, A, B) is given beside it.

Source: Caliskan, Bryson and Narayanan 2017, "Semantics derived automatically from language corpora contain human-like
biases", and its supplement; Caliskan, Ajay, Charlesworth, Wolfe and Banaji 2022, "Gender bias in word embeddings",
section 3 (SC-WEAT); Phipson and Smyth 2010, "Permutation p-values should never be zero".

Departures: the paper does not say whether its "std-dev" divides by n or by n - 1. Here it divides by n, which bounds d
by 2 and is what wefe does; `ddof=1` divides by n - 1, as several programs do, and makes d smaller by sqrt((n - 1)/n).
The paper counts splits whose s is greater; splits that are equal count here too, the given one among them, so that p is
never 0: `splits_greater` and `splits_equal` give both. (wefe has no exact p; its sampled one draws words with
replacement, which is no permutation.) Sets of different sizes, after words without vectors have gone, are compared by
means instead of sums, which for equal sizes is the same test. Where every word has the same association, up to
rounding, d is 0. The interval resamples words within X and within Y, the attributes staying (Efron and Tibshirani 1993,
section 13.3).

Cost: (|X| + |Y|)(|A| + |B|) cosines. Splits of n words are counted exactly up to n = 40: sums of the subsets of either
half, 2^(n/2) each, are sorted and met, instead of C(n, n/2) splits one by one; beyond, `draws` random splits.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.bias.query import Floats, Found, Measured, Query, Vectors, cosines, find
from firth.errors import OptionError
from firth.randomness import generator

DRAWS = 20_000  # random splits
MOST_EXACT = 40  # words whose splits are counted: 2^20 subsets of either half
MOST_OF_MANY = 24  # the same where many words are tested
RESAMPLES = 2000  # of the interval
_LEVEL = 0.95
_CELLS = 1 << 21  # random numbers held at once
_ROUNDING = 16  # times the vectors' own: a spread of less is none


@dataclass(frozen=True)
class SplitTest:
    """How often chance does as much as the given split.

    Attributes:
        p: the probability, of at least 1 / splits.
        splits: how many there are, or how many were drawn, with the given one.
        greater: those whose statistic is greater.
        equal: those whose statistic is the same, the given one among them.
        error: the standard error of p; 0 where all splits were counted.
    """

    p: float
    splits: int
    greater: int
    equal: int
    error: float

    @property
    def exact(self) -> bool:
        """Whether all splits were counted."""
        return self.error == 0

    @property
    def facts(self) -> dict[str, Any]:
        """The counts as JSON has them."""
        return {
            "p_exact": self.exact,
            "p_error": self.error,
            "splits": self.splits,
            "splits_greater": self.greater,
            "splits_equal": self.equal,
        }


def weat(
    vectors: Vectors,
    query: Query,
    *,
    ddof: int = 0,
    draws: int = DRAWS,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Measured:
    """Return the effect size d of an association test, with its p.

    Args:
        vectors: of words.
        query: two target sets X, Y and two attribute sets A, B.
        ddof: 0 divides the variance by the number of target words, 1 by one less.
        draws: random splits, where there are too many to count them all.
        resamples: of the interval.
        seed: of the random splits and of the interval.

    Returns:
        d; s(X, Y, A, B) as `facts["statistic"]`; `by_word` has s(w, A, B) of every target word.

    Raises:
        OptionError: the query has other sets, one has no word with a vector, or an option is out of its range.
        FormatError: the vector of a word is not finite.
    """
    _check(ddof, draws, resamples)
    found = find(vectors, query, "weat", 2, 2)
    values = _associations(found)
    size = len(found.targets[0])
    first, second = values[:size], values[size:]
    flat = _is_flat(values, found.rounding)
    tested = split_tests(values[:, None], size, draws=draws, seed=seed, most=MOST_EXACT)[0]
    low, high = (0.0, 0.0) if flat else _interval(first, second, ddof, resamples, seed)
    statistic = first.sum() - second.sum() if len(first) == len(second) else first.mean() - second.mean()
    words = [word for words in found.target_words for word in words]
    return found.measured(
        "weat",
        0.0 if flat else float(_effects(first[None], second[None], ddof)[0]),
        p=1.0 if flat else tested.p,
        low=low,
        high=high,
        by_word=dict(zip(words, values.tolist(), strict=True)),
        facts={"statistic": float(statistic), "ddof": ddof, **tested.facts},
        notes=[*_unequal(found), *(["all target words have the same association: no effect"] if flat else [])],
    )


def sc_weat(vectors: Vectors, query: Query, *, ddof: int = 0, draws: int = DRAWS, seed: int = 0) -> Measured:
    """Return the effect sizes of single words, and as the figure their mean.

    Args:
        vectors: of words.
        query: one target set, of the words to test, and two attribute sets A, B.
        ddof: 0 divides the variance by the number of attribute words, 1 by one less.
        draws: random splits, where there are too many to count them all.
        seed: of the random splits.

    Returns:
        The mean of d(w, A, B); `by_word` has each, `facts["p_by_word"]` its p.

    Raises:
        OptionError: the query has other sets, one has no word with a vector, or an option is out of its range.
        FormatError: the vector of a word is not finite.
    """
    _check(ddof, draws, 1)
    found = find(vectors, query, "sc-weat", 1, 2)
    alike = cosines(found.targets[0], np.concatenate(found.attributes)).T  # (A + B, words)
    size = len(found.attributes[0])
    spread = alike.std(axis=0, ddof=ddof)
    flat = spread <= _ROUNDING * found.rounding
    effects = (alike[:size].mean(axis=0) - alike[size:].mean(axis=0)) / np.where(flat, np.inf, spread)
    tests = split_tests(alike, size, draws=draws, seed=seed, most=MOST_OF_MANY)
    chances = [1.0 if none else test.p for none, test in zip(flat, tests, strict=True)]
    words = found.target_words[0]
    return found.measured(
        "sc-weat",
        float(effects.mean()),
        by_word=dict(zip(words, effects.tolist(), strict=True)),
        facts={"p_by_word": dict(zip(words, chances, strict=True)), "p_exact": tests[0].exact, "ddof": ddof},
    )


def split_tests(
    values: Floats, size: int, *, draws: int = DRAWS, seed: int = 0, most: int = MOST_EXACT
) -> list[SplitTest]:
    """Test, for each column of values, whether the first rows are greater than the others than by chance.

    Args:
        values: (n, T) numbers; splits of its rows are compared by the sum of the first part.
        size: how many rows the first part has.
        draws: random splits, where there are too many to count.
        seed: of these.
        most: rows up to which all splits are counted.

    Returns:
        T tests.

    Raises:
        OptionError: `size` leaves one of the parts empty.
    """
    if not 0 < size < len(values):
        raise OptionError(f"a first part of {size} among {len(values)} values: expected from 1 to {len(values) - 1}")
    observed = values[:size].sum(axis=0)
    slack = 1e-12 * np.abs(values).sum(axis=0)  # sums in another order are equal up to their rounding
    if len(values) <= most:
        return [_counted(*each, size) for each in zip(values.T, observed, slack, strict=True)]
    greater, equal = _drawn(values, size, observed, slack, draws, seed)
    return [_estimated(int(more), int(same), draws) for more, same in zip(greater, equal, strict=True)]


def _counted(values: Floats, observed: float, slack: float, size: int) -> SplitTest:
    """Count all splits: subsets of the left half meet those of the right half with which they make up `size`."""
    half = len(values) // 2
    left, right = _subset_sums(values[:half]), _subset_sums(values[half:])
    greater = at_least = 0
    for count in range(max(0, size - len(values) + half), min(half, size) + 1):
        others = np.sort(right[size - count])
        for sums in np.array_split(left[count], max(1, len(left[count]) >> 16)):
            greater += int((len(others) - np.searchsorted(others, observed - sums + slack, side="right")).sum())
            at_least += int((len(others) - np.searchsorted(others, observed - sums - slack, side="left")).sum())
    splits = math.comb(len(values), size)
    return SplitTest(at_least / splits, splits, greater, at_least - greater, 0.0)


def _subset_sums(values: Floats) -> list[Floats]:
    """Return the sums of all subsets, by their sizes: as the values come, each subset is kept, and kept with it."""
    sums = [np.zeros(1)]
    for value in values:
        without, with_it = [*sums, np.empty(0)], [np.empty(0), *(each + value for each in sums)]
        sums = [np.concatenate(both) for both in zip(without, with_it, strict=True)]
    return sums


def _drawn(
    values: Floats, size: int, observed: Floats, slack: Floats, draws: int, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    random = generator(seed, "splits")
    greater, equal = np.zeros((2, values.shape[1]), dtype=np.int64)
    block = max(1, _CELLS // len(values))
    for start in range(0, draws, block):
        keys = random.random((min(block, draws - start), len(values)), dtype=np.float32)
        chosen = np.argpartition(keys, size - 1, axis=1)[:, :size]
        mask = np.zeros(keys.shape)
        np.put_along_axis(mask, chosen, 1.0, axis=1)
        sums = mask @ values
        greater += (sums > observed + slack).sum(axis=0)
        equal += (np.abs(sums - observed) <= slack).sum(axis=0)
    return greater, equal


def _estimated(greater: int, equal: int, draws: int) -> SplitTest:
    # The given split counts as one of the draws.
    p = (1 + greater + equal) / (1 + draws)
    return SplitTest(p, 1 + draws, greater, 1 + equal, math.sqrt(p * (1 - p) / (1 + draws)) or 1 / (1 + draws))


def _associations(found: Found) -> Floats:
    """Return s(w, A, B) of every target word, those of X first."""
    alike = [cosines(np.concatenate(found.targets), some).mean(axis=1) for some in found.attributes]
    return np.asarray(alike[0] - alike[1])


def _is_flat(values: Floats, rounding: float) -> bool:
    return bool(values.std() <= _ROUNDING * rounding)


def _effects(first: Floats, second: Floats, ddof: int) -> Floats:
    """Return d of rows of associations, (R, |X|) and (R, |Y|)."""
    spread = np.concatenate([first, second], axis=1).std(axis=1, ddof=ddof)
    difference = first.mean(axis=1) - second.mean(axis=1)
    return np.asarray(difference / np.where(spread > 0, spread, np.inf))


def _interval(first: Floats, second: Floats, ddof: int, resamples: int, seed: int) -> tuple[float, float]:
    random = generator(seed, "words")
    drawn = [some[random.integers(len(some), size=(resamples, len(some)))] for some in (first, second)]
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(_effects(drawn[0], drawn[1], ddof), [tail, 1 - tail])
    return float(low), float(high)


def _unequal(found: Found) -> list[str]:
    sizes = [len(rows) for rows in found.targets]
    if sizes[0] == sizes[1]:
        return []
    return [f"target sets of {sizes[0]} and {sizes[1]} words, where the test asks for equal ones: means are compared"]


def _check(ddof: int, draws: int, resamples: int) -> None:
    if ddof not in (0, 1):
        raise OptionError(f"ddof={ddof!r}: expected 0 or 1")
    for name, value in (("draws", draws), ("resamples", resamples)):
        if value < 1:
            raise OptionError(f"{name}={value}: expected at least 1")
