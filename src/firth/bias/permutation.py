"""Permutation tests over splits of words into two sets, exact for up to 40 words.

Source: Phipson and Smyth 2010, "Permutation p-values should never be zero".

Cost: splits of n words are counted exactly up to n = 40: the 2^(n/2) subset sums of each half are sorted and matched,
instead of enumerating C(n, n/2) splits. Beyond, `draws` random splits are drawn.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.bias.query import Floats
from firth.errors import OptionError
from firth.randomness import generator

DRAWS = 20_000  # random splits
MAX_EXACT = 40  # words whose splits are counted: 2^20 subsets per half
MAX_EXACT_PER_WORD = 24  # the same if there is one test per word
_CELLS = 1 << 21  # random numbers per block


@dataclass(frozen=True)
class PermutationTest:
    """Result of a permutation test.

    Attributes:
        p: p-value, at least 1 / splits.
        splits: number of splits, counted or drawn, including the observed one.
        equal: splits with an equal statistic, including the observed one.
        error: standard error of p; 0 if all splits were counted.
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
        """The counts for JSON."""
        return {
            "p_exact": self.exact,
            "p_error": self.error,
            "splits": self.splits,
            "splits_greater": self.greater,
            "splits_equal": self.equal,
        }


def permutation_tests(
    values: Floats, size: int, *, draws: int = DRAWS, seed: int = 0, max_exact: int = MAX_EXACT
) -> list[PermutationTest]:
    """Test for each column whether the first rows have a greater sum than rows split at random.

    Args:
        values: (n, T) numbers.
        size: number of rows in the first part.
        draws: number of random splits, if there are too many to count.
        max_exact: greatest n for which all splits are counted.

    Returns:
        T tests.
    """
    if not 0 < size < len(values):
        raise OptionError(f"a first part of {size} among {len(values)} values: expected from 1 to {len(values) - 1}")
    observed = values[:size].sum(axis=0)
    slack = 1e-12 * np.abs(values).sum(axis=0)  # sums in another order are equal up to rounding
    if len(values) <= max_exact:
        return [_count_splits(*column, size) for column in zip(values.T, observed, slack, strict=True)]
    greater, equal = _sample_splits(values, size, observed, slack, draws, seed)
    return [_estimate(int(more), int(same), draws) for more, same in zip(greater, equal, strict=True)]


def _count_splits(values: Floats, observed: float, slack: float, size: int) -> PermutationTest:
    """Count all splits: each subset of the left half is matched with the subsets of the right half that complete it."""
    half = len(values) // 2
    left, right = _subset_sums(values[:half]), _subset_sums(values[half:])
    greater = at_least = 0
    for count in range(max(0, size - len(values) + half), min(half, size) + 1):
        right_sums = np.sort(right[size - count])
        for sums in np.array_split(left[count], max(1, len(left[count]) >> 16)):
            greater += int((len(right_sums) - np.searchsorted(right_sums, observed - sums + slack, side="right")).sum())
            at_least += int((len(right_sums) - np.searchsorted(right_sums, observed - sums - slack, side="left")).sum())
    splits = math.comb(len(values), size)
    return PermutationTest(at_least / splits, splits, greater, at_least - greater, 0.0)


def _subset_sums(values: Floats) -> list[Floats]:
    """Return the sums of all subsets, by subset size."""
    sums = [np.zeros(1)]
    for value in values:
        without, including = [*sums, np.empty(0)], [np.empty(0), *(part + value for part in sums)]
        sums = [np.concatenate(both) for both in zip(without, including, strict=True)]
    return sums


def _sample_splits(
    values: Floats, size: int, observed: Floats, slack: Floats, draws: int, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    random = generator(seed, "splits")
    greater, equal = np.zeros((2, values.shape[1]), dtype=np.int64)
    block = max(1, _CELLS // len(values))
    for start in range(0, draws, block):
        keys = random.random((min(block, draws - start), len(values)), dtype=np.float32)
        first = np.argpartition(keys, size - 1, axis=1)[:, :size]
        mask = np.zeros(keys.shape)
        np.put_along_axis(mask, first, 1.0, axis=1)
        sums = mask @ values
        greater += (sums > observed + slack).sum(axis=0)
        equal += (np.abs(sums - observed) <= slack).sum(axis=0)
    return greater, equal


def _estimate(greater: int, equal: int, draws: int) -> PermutationTest:
    # the observed split counts as one of the draws
    p = (1 + greater + equal) / (1 + draws)
    return PermutationTest(p, 1 + draws, greater, 1 + equal, math.sqrt(p * (1 - p) / (1 + draws)) or 1 / (1 + draws))
