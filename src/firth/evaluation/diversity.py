"""Diversity of texts: entropy, distinct-n and effective number of patterns.

What: each example (a generated sentence, a member of a cluster) has one or more patterns: the text itself, its n-grams,
or the results of a function, such as its parts of speech. Examples with more patterns, used more evenly, are more
diverse.

Objective: pattern x occurs c(x) times among N, K patterns are different, p(x) = c(x) / N:

    H      = - sum_x p(x) log p(x)                      in nats
    H_MM   = H + (K - 1) / (2 N)                        corrects most of the bias of H
    effective number of patterns = exp(H_MM)            that many patterns, used evenly, are as diverse
    distinct = K / N                                    for n-grams: distinct-n
    K_m    = sum_x [1 - C(N - c(x), m) / C(N, m)]       expected number of different patterns among m of the N
    unseen = #{x: c(x) = 1} / N                         probability that the next pattern is a new one

Source: Shannon 1948 for H; Miller 1955, "Note on the bias of information estimates", for H_MM; Li et al. 2016, "A
diversity-promoting objective function for neural conversation models", section 5.1, for distinct-n; Hurlbert 1971,
"The nonconcept of species diversity", for K_m; Good 1953, "The population frequencies of species", equation 9, for the
unseen. The interval is the basic bootstrap's (Efron and Tibshirani 1993,
section 13.3; Davison and Hinkley 1997, equation 5.6).

Departures: distinct-n is divided by the number of n-grams, as in most programs; the paper divides by the number of
tokens. Whole examples are resampled, because the n-grams of one example are dependent. A percentile interval would be
too low, since a resample lacks patterns of the sample as the sample lacks patterns of the population; the interval
therefore resamples the error, H_MM of a resample minus H of the sample. If most patterns occur once, much is unseen:
the entropy is then only a lower bound, and the interval, which is extended to include the estimate, is not reliable.
distinct and K have no interval: a bootstrap cannot add unseen patterns.

Cost: R resamples of n examples with N patterns take R N additions; memory is bounded.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import gammaln

from firth.arguments import explained
from firth.errors import OptionError
from firth.resampling import LEVEL, Floats, Ints, draws
from firth.text.inputs import check_items
from firth.text.tokenise import Tokeniser, tokeniser

Patterns = str | int | Callable[[str], Iterable[Hashable]]

RESAMPLES = 500
_CELLS = 1 << 22  # counts per block of resamples


@dataclass(frozen=True, kw_only=True)
class Diversity:
    """Diversity of examples.

    Attributes:
        counts: (K,) count of each pattern.
        entropy: H in nats, from the relative frequencies.
        corrected: H_MM in nats, with the Miller-Madow bias correction.
        low: lower bound of the 95 % interval of `corrected`, by a bootstrap over examples.
        high: upper bound.
    """

    examples: int
    counts: Ints
    entropy: float
    corrected: float
    low: float
    high: float

    @property
    def total(self) -> int:
        """N, the number of patterns with repetitions."""
        return int(self.counts.sum())

    @property
    def patterns(self) -> int:
        """K, the number of different patterns."""
        return len(self.counts)

    @property
    def distinct(self) -> float:
        """K / N; for n-grams, distinct-n. It decreases with text length: compare texts by `expected_patterns`."""
        return self.patterns / self.total

    @property
    def unseen(self) -> float:
        """The Good-Turing estimate of the probability that the next pattern is new: the share that occurred once."""
        return int((self.counts == 1).sum()) / self.total

    @property
    def effective(self) -> float:
        """The effective number of patterns, exp of `corrected`: that many, used evenly, are as diverse."""
        return math.exp(self.corrected)

    def expected_patterns(self, m: int) -> float:
        """Return the expected number of different patterns among m of the N, drawn without replacement.

        Args:
            m: such as the smallest `total` of several texts, to make them comparable.

        Raises:
            OptionError: m is below 1 or above `total`.

        Source:
            Hurlbert 1971.
        """
        n = self.total
        if not 1 <= m <= n:
            raise OptionError(f"m={m}: expected 1 to {n}, the number of patterns")
        missed = np.where(n - self.counts >= m, n - self.counts, n)  # a pattern with c > N - m is always drawn
        log_missed = _log_choose(missed, m) - _log_choose(np.array(float(n)), m)
        return float(np.where(n - self.counts >= m, -np.expm1(log_missed), 1.0).sum())


@explained
def diversity(
    examples: Iterable[str],
    *,
    patterns: Patterns = "line",
    tokens: str | Tokeniser = "words",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Diversity:
    """Measure the diversity of texts.

    Args:
        examples: the texts, such as generated sentences.
        patterns: "line": each example is one pattern; a number n: its token n-grams; a function: the hashable patterns
            that it returns for an example.
        tokens: tokeniser for n-grams, such as "words" or "whitespace", or a function from text to tokens.
        resamples: resamples of the bootstrap over examples.
        seed: random seed of the bootstrap.

    Returns:
        Counts, entropies and the interval.

    Raises:
        OptionError: there is no example, or none has a pattern; or `patterns`, `tokens` or `resamples` is invalid.
    """
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected a whole number of at least 1")
    extract = _extractor(patterns, tokeniser(tokens))
    lists = [list(extract(example)) for example in check_items(examples, "examples")]
    if not lists:
        raise OptionError("no examples: expected at least one text")
    table = pattern_table(lists)
    if not table.shape[0]:
        raise OptionError(
            f"patterns={patterns!r}: none in {len(lists)} examples; expected a smaller n, or longer examples"
        )
    return _diversity(table, resamples, seed)


def entropy(counts: npt.ArrayLike) -> float:
    """Return the entropy of the relative frequencies c(x) / N, in nats.

    Args:
        counts: (K,) count of each pattern; zeros add nothing.

    Source:
        Shannon 1948.
    """
    return float(_entropies(np.asarray(counts, dtype=np.int64)[:, None])[0])


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Return the runs of n tokens.

    Args:
        tokens: T tokens.
        n: at least 1.
    """
    return list(zip(*(tokens[start:] for start in range(n)), strict=False))


def pattern_table(lists: Sequence[Sequence[Hashable]]) -> csr_array:
    """Count the patterns of each of n examples.

    Returns:
        (K, n) count of each different pattern in each example; patterns in the order of their first occurrence.
    """
    ids: dict[Hashable, int] = {}
    numbers = np.array([ids.setdefault(pattern, len(ids)) for pattern in chain.from_iterable(lists)], dtype=np.intp)
    examples = np.repeat(np.arange(len(lists)), [len(ngrams) for ngrams in lists])
    ones = np.ones(len(numbers), dtype=np.int64)
    return csr_array((ones, (numbers, examples)), shape=(len(ids), len(lists)))


def _extractor(patterns: Patterns, tokenise: Tokeniser) -> Callable[[str], Iterable[Hashable]]:
    if callable(patterns):
        return patterns
    if patterns == "line":
        return lambda example: (example,)
    if isinstance(patterns, int) and not isinstance(patterns, bool) and patterns >= 1:
        return lambda example: ngrams(tokenise(example), patterns)
    raise OptionError(f"patterns={patterns!r}: expected 'line', a whole number of at least 1, or a function")


def _diversity(table: csr_array, resamples: int, seed: int) -> Diversity:
    counts = np.asarray(table.sum(axis=1), dtype=np.int64)
    plain, corrected = entropy(counts), float(_corrected(counts[:, None])[0])
    samples = draws(table.shape[1], resamples=resamples, seed=seed)
    errors = np.concatenate([_corrected_of(table, weights) for weights in samples]) - plain
    low, high = np.nanquantile(errors, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])  # NaN: a resample without patterns
    low, high = corrected - max(float(high), 0.0), corrected - min(float(low), 0.0)
    return Diversity(
        examples=table.shape[1], counts=counts, entropy=plain, corrected=corrected, low=max(low, 0.0), high=high
    )


def _corrected_of(table: csr_array, weights: Ints) -> Floats:
    """(r,) H_MM of r resamples, in blocks."""
    rows = max(1, _CELLS // table.shape[0])
    parts = [weights[start : start + rows] for start in range(0, len(weights), rows)]
    return np.concatenate([_corrected(np.asarray(table @ part.T)) for part in parts])


def _corrected(counts: Ints) -> Floats:
    """H_MM of each column of (K, r) counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        correction: Floats = (np.count_nonzero(counts, axis=0) - 1) / (2 * counts.sum(axis=0))
    return _entropies(counts) + correction


def _entropies(counts: Ints) -> Floats:
    """H of each column of (K, r) counts: log N - sum c log c / N."""
    integers = np.arange(1, counts.max(initial=0) + 1)
    terms = np.concatenate([[0.0], integers * np.log(integers)])  # a table, which is faster than logarithms
    total = counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropies: Floats = np.log(total) - terms[counts].sum(axis=0) / total
    return np.maximum(entropies, 0.0)


def _log_choose(n: npt.NDArray[np.float64] | Ints, m: int) -> Floats:
    return np.asarray(gammaln(n + 1.0) - gammaln(m + 1.0) - gammaln(n - m + 1.0))
