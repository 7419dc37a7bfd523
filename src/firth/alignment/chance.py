"""What chance does to the distances of words: a permutation test that many words share.

Objective, for the distance d_w of a word between two groups of documents, and d_wk between two random ones of the same
sizes, k = 1 .. K:

    r        sqrt(d) - g(h)                    h = log(1 / n + 1 / n'), from the word's counts in the two groups; g is
                                               the mean of all sqrt(d_wk) by h: how far words of some frequency move
    z        (r - mean) / (s sqrt(1 + 1/K))    mean and spread over the word's own r_wk
    s^2      (a s0^2(h) + (K - 1) s_w^2) / (a + K - 1)      the word's variance, shrunk towards that of words of
                                               similar frequency; a is estimated: it is great if words are alike
    p        (1 + number of z_vk >= z_w) / (1 + number of z_vk)      over all words v and permutations k
    adjusted (1 + number of k with max_v z_vk >= z_w) / (1 + K)      over the words v whose z is not above that of w,
                                               and not below the adjusted p of a word with a greater z

Each z_vk is computed from the mean and spread of the other permutations of the word, as if it were the observed one.

    q        p V / (number of words with at most this p), and not above that of a word with a smaller z

What it means: among random divisions of the same documents, a share of `p` of all words moves as far as this one, and
in a share of `adjusted` of them any word does. Of all words with `adjusted` <= 0.05 there is a false one in at most
5 % of studies; of all words with `q` <= 0.05 about 5 % are false ones. The chance level of a word is the distance with
p = 0.05.

Assumptions: the documents are exchangeable: under the null hypothesis any of them could stand in either group. For `p`
also that the z of all words have one distribution by chance; `adjusted` does not need this. A word that is rarer in one
group than in any random one is compared with words that are as rare, by g.

Source: Tusher, Tibshirani and Chu 2001, "Significance analysis of microarrays applied to the ionizing radiation
response" (a spread that words share, pooled permutations); Storey and Tibshirani 2003, "Statistical significance for
genomewide studies"; Smyth 2004, "Linear models and empirical Bayes methods", sections 3 and 6.2 (shrunken variances);
Benjamini and Hochberg 1995, "Controlling the false discovery rate", section 3 (q); Westfall and Young 1993,
Resampling-Based Multiple Testing, algorithm 4.1 (step-down maxima).

Departures: SAM adds a constant to the spread, where Smyth's mean of variances is used here. The correction is that of
Westfall and Young: it goes down step by step as Holm's does, with the distribution of the maximum in place of
Bonferroni's bound. With Holm's, 20 permutations would tell nothing as soon as one value of a word is missing in one of
them: 1 / (1 + 20 m) is multiplied by m.

Cost: some sorts of K V numbers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import polygamma
from scipy.stats import false_discovery_control

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BINS = 20  # of words by frequency, at most
IN_BIN = 50  # words, at least
LEVEL = 0.05  # of the chance level
FEWEST = 4  # permutations in which a word must stand in both groups
LOOSE = 1e6  # a at which the spread is that of all words


class Chance(NamedTuple):
    """What chance says of V words; NaN for a word that too few permutations have on both sides.

    Attributes:
        z: (V,) standard deviations by which a word moved more than by chance.
        null: (K, V) z of each permutation.
        p: (V,) share of words that move so far by chance.
        adjusted: (V,) share of random divisions in which any word does.
        q: (V,) share of false ones among the words that moved as far or further.
        level: (V,) distance that a word stays below in 95 % of random divisions.
    """

    z: Floats
    null: Floats
    p: Floats
    adjusted: Floats
    q: Floats
    level: Floats


def against_chance(observed: Floats, counts: Ints, null: Floats, null_counts: Ints) -> Chance:
    """Return how the distances of words compare with those between random groups.

    Args:
        observed: (V,).
        counts: (2, V) of the words in the two groups.
        null: (K, V), NaN where a word stands in one of the two groups alone.
        null_counts: (K, 2, V).
    """
    moved, rarity = np.sqrt(np.maximum(null, 0)), _rarity(null_counts)
    finite = np.isfinite(moved)
    usable = np.isfinite(observed) & (finite.sum(axis=0) >= FEWEST)
    if not usable.any():
        nothing = np.full(observed.shape, np.nan)
        return Chance(nothing, np.full(null.shape, np.nan), *(nothing,) * 4)
    curve = _Curve.of(rarity[:, usable][finite[:, usable]], moved[:, usable][finite[:, usable]])
    r = np.where(finite & usable, moved - curve(rarity), np.nan)
    expected = curve(_rarity(counts))
    spread = _Spread.of(r[:, usable], np.nanmean(np.where(finite, rarity, np.nan)[:, usable], axis=0))
    z_null, z, level = (np.full(a.shape, np.nan) for a in (null, observed, observed))
    z_null[:, usable] = spread.left_out()
    z[usable] = spread.z(np.sqrt(np.maximum(observed[usable], 0)) - expected[usable])
    limit = np.nanquantile(z_null, 1 - LEVEL)
    level[usable] = np.maximum(expected[usable] + spread.at(limit), 0) ** 2
    (chance,) = corrected([Chance(z, z_null, p := _pooled(z, z_null), p, p, level)])
    return chance


def corrected(chances: Sequence[Chance]) -> list[Chance]:
    """Return what chance says of several pairs of groups, with `adjusted` and `q` for the words of all pairs together.

    Permutations of two pairs are drawn independently, where a division of all groups at once would let pairs that share
    a group move together: the maximum over all is rather too great, and `adjusted` too cautious.
    """
    ends = np.cumsum([len(chance.z) for chance in chances])[:-1]
    every = min(len(chance.null) for chance in chances)
    z, p = (np.concatenate([getattr(chance, name) for chance in chances]) for name in ("z", "p"))
    null = np.concatenate([chance.null[:every] for chance in chances], axis=1)
    shares = (np.split(share, ends) for share in (_step_down(z, null), _false_share(p)))
    return [c._replace(adjusted=a, q=q) for c, a, q in zip(chances, *shares, strict=True)]


def _rarity(counts: Ints) -> Floats:
    """Return h (..., V), of counts (..., 2, V)."""
    return np.asarray(np.log((1 / np.maximum(counts, 1)).sum(axis=-2)))


class _Curve(NamedTuple):
    """A mean that changes with h: of bins of equal numbers, with lines between their centres."""

    centres: Floats
    means: Floats

    @classmethod
    def of(cls, h: Floats, values: Floats, least: int = IN_BIN) -> "_Curve":
        order = np.argsort(h, kind="stable")
        bins = np.array_split(order, max(1, min(BINS, len(h) // least)))
        return cls(np.array([h[part].mean() for part in bins]), np.array([values[part].mean() for part in bins]))

    def __call__(self, h: Floats) -> Floats:
        return np.interp(h, self.centres, self.means)


class _Spread(NamedTuple):
    """Mean and spread of each of V words over the permutations that have it.

    Attributes:
        r: (K, V).
        number: (V,) of permutations n.
        mean: (V,).
        squares: (V,) sum of the squared differences from the mean.
        common: (V,) s0^2, the variance of words of similar frequency.
        weight: a.
    """

    r: Floats
    number: Ints
    mean: Floats
    squares: Floats
    common: Floats
    weight: float

    @classmethod
    def of(cls, r: Floats, h: Floats) -> "_Spread":
        number = np.isfinite(r).sum(axis=0)
        mean = np.nanmean(r, axis=0)
        squares = np.nansum((r - mean) ** 2, axis=0)
        variance = squares / (number - 1)
        common = np.maximum(_Curve.of(h, variance)(h), np.finfo(np.float64).tiny)
        return cls(r, number, mean, squares, common, _weight(variance / common, number - 1))

    def z(self, r: Floats) -> Floats:
        """Return the z of observed r (V,)."""
        return np.asarray((r - self.mean) / self._scale(self.squares, self.number))

    def at(self, z: float) -> Floats:
        """Return the r of each word at some z, (V,)."""
        return np.asarray(self.mean + z * self._scale(self.squares, self.number))

    def left_out(self) -> Floats:
        """Return the z of each permutation against the others, (K, V)."""
        rest = self.number - 1
        mean = (self.mean * self.number - self.r) / rest
        squares = np.maximum(self.squares - (self.r - self.mean) ** 2 * self.number / rest, 0)
        return np.asarray((self.r - mean) / self._scale(squares, rest))

    def _scale(self, squares: Floats, number: Ints) -> Floats:
        variance = (self.weight * self.common + squares) / (self.weight + number - 1)
        return np.asarray(np.sqrt(variance * (1 + 1 / number)))


def _weight(ratios: Floats, freedom: Ints) -> float:
    """Return a, from the variances of words by that of words like them: Smyth 2004, section 6.2."""
    logs = np.log(np.maximum(ratios, 1e-12))
    excess = float(np.var(logs) - polygamma(1, freedom / 2).mean())
    if len(logs) < 2 or excess <= polygamma(1, LOOSE / 2):
        return LOOSE
    return float(brentq(lambda a: polygamma(1, a / 2) - excess, 1e-3, LOOSE))


def _pooled(z: Floats, null: Floats) -> Floats:
    """Return p (V,)."""
    values = np.sort(null[np.isfinite(null)])
    above = len(values) - np.searchsorted(values, z, side="left")
    return np.where(np.isfinite(z), (1 + above) / (1 + len(values)), np.nan)


def _step_down(z: Floats, null: Floats) -> Floats:
    """Return the adjusted p (V,)."""
    words = np.flatnonzero(np.isfinite(z))
    order = words[np.argsort(z[words], kind="stable")]  # the least first
    maxima = np.fmax.accumulate(null[:, order], axis=1)  # (K, V) over the words up to each
    share = (1 + (maxima >= z[order]).sum(axis=0)) / (1 + len(null))
    adjusted = np.full(len(z), np.nan)
    adjusted[order] = np.maximum.accumulate(share[::-1])[::-1]
    return adjusted


def _false_share(p: Floats) -> Floats:
    """Return q (V,)."""
    tested = np.isfinite(p)
    q = np.full(len(p), np.nan)
    if tested.any():
        q[tested] = false_discovery_control(p[tested])
    return q
