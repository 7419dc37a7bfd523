"""The table of the metrics of bias, and `measure`, which computes one of them by name."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from firth.bias.metrics import ect, mac, ripa, rnd, rnsb, sc_weat, weat
from firth.bias.query import BiasScore, Query, Vectors, title_of
from firth.errors import OptionError, RareWordError, brief
from firth.runs.runs import Runs
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class BiasMetric:
    """A metric in the table.

    Attributes:
        run: computes the score from vectors and a query.
        targets: number of target sets; None is one or more.
        zero: the value without bias.
        seeded: whether it takes a random seed.
    """

    run: Callable[..., BiasScore]
    targets: int | None
    attributes: int | None
    zero: float
    seeded: bool = False


METRICS: Mapping[str, BiasMetric] = {
    "weat": BiasMetric(weat, 2, 2, 0.0, seeded=True),
    "sc-weat": BiasMetric(sc_weat, 1, 2, 0.0, seeded=True),
    "rnd": BiasMetric(rnd, 2, 1, 0.0),
    "rnsb": BiasMetric(rnsb, None, 2, 0.0, seeded=True),
    "ripa": BiasMetric(ripa, 2, 1, 0.0),
    "ect": BiasMetric(ect, 2, 1, 1.0),
    "mac": BiasMetric(mac, None, None, 1.0),
}


def measure(vectors: Vectors | Runs, query: Query, metric: str = "weat", *, seed: int = 0) -> list[BiasScore]:
    """Compute a metric; a query with more sets than it takes is split.

    A metric with one attribute set, such as `rnd`, is computed for each attribute set; one with one target set, such as
    `sc-weat`, for each target set.

    Args:
        vectors: the vectors; or runs, whose mean value is returned with its interval over runs, and the rest of whose
            score is that of their consensus.
        query: sets of words.
        metric: one of `METRICS`.
        seed: random seed.

    Raises:
        OptionError: the metric does not exist, or as in the function of the metric.
        FormatError: the vector of a word is not finite.
    """
    if metric not in METRICS:
        raise OptionError(f"metric {metric!r}: expected one of {', '.join(METRICS)}")
    description = METRICS[metric]
    options: dict[str, Any] = {"seed": seed} if description.seeded else {}
    run = partial(description.run, **options)
    parts = _parts(query, description)
    if isinstance(vectors, Runs):
        return [_over_runs(vectors, part, run) for part in parts]
    return [run(vectors, part) for part in parts]


def _over_runs(runs: Runs, query: Query, run: Callable[[Vectors, Query], BiasScore]) -> BiasScore:
    """Return the score of the consensus with the mean value, and interval, of the runs that have all of its words."""
    score = run(runs.consensus, query)
    words = [word for coverage in score.coverage.values() for word in coverage.used]
    lacking = Counter[str]()

    def value(vectors: WordVectors) -> float:
        lacking.update(missing := [word for word in words if word not in vectors])
        return math.nan if missing else run(vectors, query).value

    estimate = runs.estimate(value)
    if not estimate.runs:
        ((word, number),) = lacking.most_common(1)
        raise RareWordError(
            word,
            f"{title_of(query.name) or 'the query'}: no run has all of its words, and {number} of {len(runs)} runs "
            f"lack {brief(word)}; expected words of many documents: leave out rare ones, or train on more text",
        )
    low, high = (float(end) if math.isfinite(end) else None for end in (estimate.low, estimate.high))
    note = f"mean and interval of {estimate.runs} runs{'' if score.p is None else '; p is that of their consensus'}"
    return replace(score, value=estimate.value, low=low, high=high, notes=(*score.notes, note))


def _parts(query: Query, description: BiasMetric) -> Iterator[Query]:
    targets = _separate(query.targets) if description.targets == 1 else [query.targets]
    attributes = _separate(query.attributes) if description.attributes == 1 else [query.attributes]
    for part_targets in targets:
        for part_attributes in attributes:
            is_whole = len(targets) == len(attributes) == 1
            name = (
                query.name
                if is_whole
                else f"{query.name}: {', '.join(part_targets if len(targets) > 1 else part_attributes)}"
            )
            yield Query(part_targets, part_attributes, name)


def _separate(sets: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{name: words} for name, words in sets.items()]
