"""Word translation retrieval: evaluates an alignment by the rank of the correct translation.

What: each source word of a test dictionary is translated, by cosine or CSLS, among all target words. Each of its
translations in the dictionary counts as correct.

Objective: P@k is the share of words with a correct translation among the k best; MRR is the mean of 1 / rank of the
first correct one.

Source: Mikolov, Le and Sutskever 2013, section 4 (precision at k); Conneau et al. 2018, section 3, for the protocol:
words, not pairs, are counted.

Departures: words without a vector are skipped and reported: `asked` of `given`. Each figure has a bootstrap interval
over words.

Cost: 2 n W D flops for n test words and W target words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.alignment.alignment import METRICS, Alignment, Metric
from firth.alignment.dictionary import SHOWN, Dictionary, Pair
from firth.errors import OptionError
from firth.resampling import LEVEL, Mean, bootstrap_interval
from firth.vectors import neighbours

BATCH = 256  # words per batch


@dataclass(frozen=True)
class Estimate:
    """A share with its bootstrap interval.

    Attributes:
        low: lower end of the interval.
        high: upper end of the interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Retrieval:
    """Accuracy of word translation with one metric.

    Attributes:
        metric: "cosine" or "csls".
        precision: P@k by k.
        mrr: mean of 1 / rank.
        ranks: (n,) rank of the first correct translation of each test word, from 1.
        given: number of different source words in the dictionary.
        asked: number of test words: source words with a vector that have a translation with a vector.
        pairs: number of given and used pairs.
    """

    metric: Metric
    precision: dict[int, Estimate]
    mrr: Estimate
    ranks: npt.NDArray[np.int64]
    given: int
    asked: int
    pairs: dict[str, int]

    @property
    def facts(self) -> dict[str, Any]:
        """The figures, for JSON."""
        figures = {f"p@{k}": figure for k, figure in self.precision.items()} | {"mrr": self.mrr}
        values = {name: figure.value for name, figure in figures.items()}
        intervals = {f"{name}_interval": [figure.low, figure.high] for name, figure in figures.items()}
        return {"metric": self.metric, **values, **intervals, "asked": self.asked, "given": self.given}


def evaluate_retrieval(
    alignment: Alignment,
    pairs: Iterable[Pair],
    *,
    metrics: Sequence[Metric] = ("cosine", "csls"),
    at: Sequence[int] = (1, 5, 10),
    level: float = LEVEL,
    seed: int = 0,
) -> list[Retrieval]:
    """Evaluate an alignment by word translation, once per metric.

    Args:
        alignment: the alignment.
        pairs: (source word, target word) test pairs; the maps must not be learned from them.
        metrics: how to rank translations.
        at: values of k for P@k.
        level: confidence level of the intervals.
        seed: seed of the bootstrap.

    Raises:
        OptionError: the maps were learned from some of the pairs, none has two words with vectors, or there is
            no such metric.
    """
    for metric in metrics:
        if metric not in METRICS:
            raise OptionError(f"metric={metric!r}: expected cosine or csls")
    words = list(pairs)
    check_held_out(alignment.pivots, words)
    dictionary = Dictionary.of(alignment.source, alignment.target, words, "test pairs")

    def figure(scores: npt.NDArray[Any]) -> Estimate:
        mean = Mean(scores.astype(np.float64))
        return Estimate(float(scores.mean()), *bootstrap_interval(mean, len(scores), level=level, seed=seed))

    results = []
    for metric in metrics:
        ranks = _ranks(alignment, dictionary.rows, metric)
        precision = {k: figure(ranks <= k) for k in at}
        counts = dictionary.asked, len(ranks), dictionary.facts
        results.append(Retrieval(metric, precision, figure(1 / ranks), ranks, *counts))
    return results


def check_held_out(pivots: Iterable[Pair], pairs: Iterable[Pair]) -> None:
    """Check that no test pair is among the pivots."""
    training, test = set(pivots), list(dict.fromkeys(pairs))
    both = [pair for pair in test if pair in training]
    if both:
        shown = ", ".join(" ".join(pair) for pair in both[:SHOWN])
        raise OptionError(
            f"{len(both):,} of {len(test):,} test pairs are among the pivots ({shown}{', ...' * (len(both) > SHOWN)}):"
            " expected different pairs; remove them from one of the two"
        )


def _ranks(alignment: Alignment, rows: npt.NDArray[np.int64], metric: Metric) -> npt.NDArray[np.int64]:
    """Return the rank, from 1, of the best correct target row of each source row; ties: the lower row first."""
    words, owners = np.unique(rows[:, 0], return_inverse=True)
    ranks = np.empty(len(words), dtype=np.int64)
    target = alignment.target
    for start in range(0, len(words), BATCH):
        batch = words[start : start + BATCH]
        scores = neighbours.cosines(target.vectors, target.norms, alignment.source.vectors[batch])
        if metric == "csls":  # r of the source word is the same for all candidates
            scores = 2 * scores - alignment.around[1]
        of = (owners >= start) & (owners < start + len(batch))
        ranks[start : start + len(batch)] = _best_ranks(scores, owners[of] - start, rows[of, 1])
    return ranks


def _best_ranks(
    scores: npt.NDArray[Any], owners: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    own = scores[owners, right][:, None]
    ahead = (scores[owners] > own).sum(axis=1)
    equal = (scores[owners] == own) & (np.arange(scores.shape[1]) < right[:, None])
    best = np.full(len(scores), scores.shape[1], dtype=np.int64)
    np.minimum.at(best, owners, ahead + equal.sum(axis=1) + 1)
    return best
