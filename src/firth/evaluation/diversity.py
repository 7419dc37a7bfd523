"""How many ways of saying things a text has: the entropy of its patterns.

What: every example (a generated sentence, a member of a cluster) is of one pattern or holds several: the example as it
stands, its n-grams, or whatever a function makes of it, such as its parts of speech. The more patterns, and the more
evenly they are used, the more diverse the examples are.

Objective: pattern x stands c(x) times among N, K patterns are different, p(x) = c(x) / N:

    H      = - sum_x p(x) log p(x)                      in nats
    H_MM   = H + (K - 1) / (2 N)                        without most of the bias of H
    effective number of patterns = exp(H_MM)            as many patterns used evenly are as diverse
    distinct = K / N                                    of n-grams: distinct-n
    K_m    = sum_x [1 - C(N - c(x), m) / C(N, m)]       different ones to expect among m of the N
    unseen = #{x: c(x) = 1} / N                         the chance that one more would be of a new pattern

Source: Shannon 1948 for H; Miller 1955, "Note on the bias of information estimates", for H_MM; Li et al. 2016, "A
diversity-promoting objective function for neural conversation models", section 5.1, for distinct-n; Hurlbert 1971,
"The nonconcept of species diversity", for K_m; Good 1953, "The population frequencies of species", equation 9, for the
unseen. The interval is the basic bootstrap's (Efron and Tibshirani 1993,
section 13.3; Davison and Hinkley 1997, equation 5.6).

Departures: distinct-n is divided by the number of n-grams, as in most programs, where the paper has the number of
tokens. Examples are drawn again whole, for the n-grams of one example depend on each other. The percentile interval
would lie too low, since a resample misses patterns that the sample has, as the sample misses some of the truth: so the
error is what is resampled, H_MM of a resample less H of the sample. Where most patterns stand there once, so that much
is unseen, the entropy is a lower bound whatever is done, and the interval, made to hold the estimate, is none. distinct
and K have no interval: a bootstrap knows nothing of patterns that were never seen.

Cost: R resamples of n examples that hold N patterns take R N additions; memory is bounded.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import gammaln

from firth.errors import OptionError
from firth.resampling import LEVEL, Floats, Ints, draws
from firth.text.given import several
from firth.text.tokenise import Tokeniser, tokeniser

Patterns = str | int | Callable[[str], Iterable[Hashable]]

RESAMPLES = 500
_CELLS = 1 << 22  # counts of resamples held at once


@dataclass(frozen=True, kw_only=True)
class Diversity:
    """How diverse some examples are.

    Attributes:
        examples: how many there were.
        counts: (K,) how often each pattern stands in them.
        entropy: H, in nats, with the shares of the patterns taken as they are.
        corrected: H_MM, in nats: what more examples would bring nearer to the truth.
        low: lower end of the 95 % interval of `corrected`, by the bootstrap over examples.
        high: upper end.
    """

    examples: int
    counts: Ints
    entropy: float
    corrected: float
    low: float
    high: float

    @property
    def total(self) -> int:
        """N, patterns counted."""
        return int(self.counts.sum())

    @property
    def patterns(self) -> int:
        """K, different patterns."""
        return len(self.counts)

    @property
    def distinct(self) -> float:
        """K / N; of n-grams: distinct-n. It falls as a text grows: see `among` for texts of different lengths."""
        return self.patterns / self.total

    @property
    def unseen(self) -> float:
        """The estimated chance that one more would be of a pattern never seen: the share of those seen once."""
        return int((self.counts == 1).sum()) / self.total

    @property
    def effective(self) -> float:
        """How many patterns, used evenly, would be as diverse: the exponential of `corrected`."""
        return math.exp(self.corrected)

    def among(self, m: int) -> float:
        """Return how many different patterns to expect among m of those counted, drawn without replacement.

        Args:
            m: such as the smallest `total` of several texts, which makes their figures comparable.

        Raises:
            OptionError: m is below 1 or above `total`.

        Source:
            Hurlbert 1971.
        """
        n = self.total
        if not 1 <= m <= n:
            raise OptionError(f"m={m}: expected 1 to {n}, for so many patterns were counted")
        missed = np.where(n - self.counts >= m, n - self.counts, n)  # a pattern with c > N - m cannot be missed
        log_chances = _log_choose(missed, m) - _log_choose(np.array(float(n)), m)
        return float(np.where(n - self.counts >= m, -np.expm1(log_chances), 1.0).sum())


def diversity(
    examples: Iterable[str],
    *,
    patterns: Patterns = "line",
    tokens: str | Tokeniser = "unicode",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Diversity:
    """Measure how diverse some texts are.

    Args:
        examples: the texts, such as the sentences that a model generated.
        patterns: "line": each example is one pattern, as it stands; a number n: its n-grams of tokens; a function: what
            it makes of an example, one or more patterns that can be hashed.
        tokens: what the tokens of n-grams are: "unicode", "whitespace", "text8", or a function from text to tokens.
        resamples: of the bootstrap over examples.
        seed: of the bootstrap.

    Returns:
        Counts, entropies, and the interval.

    Raises:
        OptionError: there is no example, or none holds a pattern; or `patterns`, `tokens` or `resamples` is none.
    """
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected a whole number of at least 1")
    maker = _maker(patterns, tokeniser(tokens))
    found = [list(maker(example)) for example in several(examples, "examples")]
    if not found:
        raise OptionError("no examples: expected at least one text")
    numbers = _numbered(chain.from_iterable(found))
    if len(numbers) == 0:
        raise OptionError(
            f"patterns={patterns!r}: none in {len(found)} examples; expected a smaller n, or longer examples"
        )
    return _measured(_table(numbers, [len(one) for one in found]), resamples, seed)


def entropy(counts: npt.ArrayLike) -> float:
    """Return the entropy of shares c(x) / N, in nats.

    Args:
        counts: (K,) how often each pattern stands there; zeros add nothing.

    Source:
        Shannon 1948.
    """
    return float(_entropies(np.asarray(counts, dtype=np.int64)[:, None])[0])


def _maker(patterns: Patterns, tokenise: Tokeniser) -> Callable[[str], Iterable[Hashable]]:
    if callable(patterns):
        return patterns
    if patterns == "line":
        return lambda example: (example,)
    if isinstance(patterns, int) and not isinstance(patterns, bool) and patterns >= 1:
        return lambda example: _ngrams(tokenise(example), patterns)
    raise OptionError(f"patterns={patterns!r}: expected 'line', a whole number of at least 1, or a function")


def _ngrams(tokens: Sequence[str], n: int) -> Iterable[Hashable]:
    return zip(*(tokens[start:] for start in range(n)), strict=False)


def _numbered(patterns: Iterable[Hashable]) -> npt.NDArray[np.intp]:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(pattern, len(numbers)) for pattern in patterns], dtype=np.intp)


def _table(numbers: npt.NDArray[np.intp], sizes: Sequence[int]) -> csr_array:
    """(K, n) how often each pattern stands in each example."""
    examples = np.repeat(np.arange(len(sizes)), sizes)
    ones = np.ones(len(numbers), dtype=np.int64)
    return csr_array((ones, (numbers, examples)), shape=(int(numbers.max()) + 1, len(sizes)))


def _measured(table: csr_array, resamples: int, seed: int) -> Diversity:
    counts = np.asarray(table.sum(axis=1), dtype=np.int64)
    plain, corrected = entropy(counts), float(_corrected(counts[:, None])[0])
    drawn = draws(table.shape[1], resamples=resamples, seed=seed)
    errors = np.concatenate([_corrected_of(table, weights) for weights in drawn]) - plain
    low, high = np.nanquantile(errors, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])  # NaN: no example with a pattern was drawn
    low, high = corrected - max(float(high), 0.0), corrected - min(float(low), 0.0)
    return Diversity(
        examples=table.shape[1], counts=counts, entropy=plain, corrected=corrected, low=max(low, 0.0), high=high
    )


def _corrected_of(table: csr_array, weights: Ints) -> Floats:
    """(r,) H_MM of r resamples; few of them at a time where there are many patterns."""
    rows = max(1, _CELLS // table.shape[0])
    parts = [weights[start : start + rows] for start in range(0, len(weights), rows)]
    return np.concatenate([_corrected(np.asarray(table @ part.T)) for part in parts])


def _corrected(counts: Ints) -> Floats:
    """H_MM of each column of (K, r) counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        missing: Floats = (np.count_nonzero(counts, axis=0) - 1) / (2 * counts.sum(axis=0))
    return _entropies(counts) + missing


def _entropies(counts: Ints) -> Floats:
    """H of each column of (K, r) counts: log N - sum c log c / N."""
    whole = np.arange(1, counts.max(initial=0) + 1)
    terms = np.concatenate([[0.0], whole * np.log(whole)])  # looked up: a logarithm costs more
    total = counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.log(total) - terms[counts].sum(axis=0) / total
    return np.maximum(found, 0.0)


def _log_choose(n: npt.NDArray[np.float64] | Ints, m: int) -> Floats:
    return np.asarray(gammaln(n + 1.0) - gammaln(m + 1.0) - gammaln(n - m + 1.0))
