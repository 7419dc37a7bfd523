"""How well an alignment translates: the rank of the right translation among all words of the other side.

What: each source word of a dictionary that no map was learned from asks for translations, by cosine or by CSLS, among
all words of the target. Any of its translations in the dictionary is right.

Objective: P@k is the share of asked words of which a right translation is among the k best; MRR the mean of 1 / rank of
the first right one.

Source: Mikolov, Le and Sutskever 2013, section 4 (precision at k); Conneau et al. 2018, section 3, for the protocol:
words, not pairs, are counted.

Departures: words without a vector are not asked, and told: `asked` of `given`. Every figure has its bootstrap interval
over words.

Cost: 2 n W D flops for n words asked of W.
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

BATCH = 256  # words asked at once


@dataclass(frozen=True)
class Figure:
    """A figure with its interval, as a share.

    Attributes:
        value: of all words asked.
        low: the lower end.
        high: the upper end.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Retrieval:
    """How well one metric translates.

    Attributes:
        metric: "cosine" or "csls".
        precision: P@k by k.
        mrr: the mean of 1 / rank.
        ranks: (n,) of the first right translation of each word asked, from 1.
        given: different source words of the dictionary.
        asked: those of which the word and a translation have vectors.
        pairs: what was given and used.
    """

    metric: Metric
    precision: dict[int, Figure]
    mrr: Figure
    ranks: npt.NDArray[np.int64]
    given: int
    asked: int
    pairs: dict[str, int]

    @property
    def facts(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        shown = {f"p@{k}": figure for k, figure in self.precision.items()} | {"mrr": self.mrr}
        values = {name: figure.value for name, figure in shown.items()}
        intervals = {f"{name}_interval": [figure.low, figure.high] for name, figure in shown.items()}
        return {"metric": self.metric, **values, **intervals, "asked": self.asked, "given": self.given}


def evaluate(
    alignment: Alignment,
    pairs: Iterable[Pair],
    *,
    metrics: Sequence[Metric] = ("cosine", "csls"),
    at: Sequence[int] = (1, 5, 10),
    level: float = LEVEL,
    seed: int = 0,
) -> list[Retrieval]:
    """Return how well an alignment translates words.

    Args:
        alignment: the alignment.
        pairs: (source word, target word), none of which the maps were learned from.
        metrics: how translations are ranked.
        at: the k of P@k.
        level: the share of resamples that an interval holds.
        seed: of the resamples.

    Raises:
        OptionError: pairs are among those that the maps were learned from, none has two words with vectors, or there is
            no such metric.
    """
    for metric in metrics:
        if metric not in METRICS:
            raise OptionError(f"metric={metric!r}: expected cosine or csls")
    listed = list(pairs)
    check_held_out(alignment.pivots, listed)
    dictionary = Dictionary.of(alignment.source, alignment.target, listed, "test pairs")

    def figure(scores: npt.NDArray[Any]) -> Figure:
        mean = Mean(scores.astype(np.float64))
        return Figure(float(scores.mean()), *bootstrap_interval(mean, len(scores), level=level, seed=seed))

    found = []
    for metric in metrics:
        ranks = _ranks(alignment, dictionary.rows, metric)
        precision = {k: figure(ranks <= k) for k in at}
        told = dictionary.asked, len(ranks), dictionary.facts
        found.append(Retrieval(metric, precision, figure(1 / ranks), ranks, *told))
    return found


def check_held_out(pivots: Iterable[Pair], pairs: Iterable[Pair]) -> None:
    """Make sure that no pair is both learned from and asked for.

    Raises:
        OptionError: some are; the message says how many.
    """
    learned, asked = set(pivots), list(dict.fromkeys(pairs))
    both = [pair for pair in asked if pair in learned]
    if both:
        named = ", ".join(" ".join(pair) for pair in both[:SHOWN])
        raise OptionError(
            f"{len(both):,} of {len(asked):,} test pairs are among the pivots ({named}{', ...' * (len(both) > SHOWN)}):"
            " expected pairs that the map was not learned from; take them out of one of the two"
        )


def _ranks(alignment: Alignment, rows: npt.NDArray[np.int64], metric: Metric) -> npt.NDArray[np.int64]:
    """The rank of the best right target row of each different source row, from 1; among equals the lower row first."""
    words, owners = np.unique(rows[:, 0], return_inverse=True)
    ranks = np.empty(len(words), dtype=np.int64)
    target = alignment.target
    for start in range(0, len(words), BATCH):
        some = words[start : start + BATCH]
        scores = neighbours.cosines(target.vectors, target.norms, alignment.source.vectors[some])
        if metric == "csls":  # r of the asked word is the same for all its candidates
            scores = 2 * scores - alignment.around[1]
        of = (owners >= start) & (owners < start + len(some))
        ranks[start : start + len(some)] = _best_ranks(scores, owners[of] - start, rows[of, 1])
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
