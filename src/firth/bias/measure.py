"""The table of the metrics of bias, and `measure`, which computes one of them by name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firth.bias.metrics import ect, mac, ripa, rnd, rnsb, sc_weat, weat
from firth.bias.query import BiasScore, Query, Vectors
from firth.errors import OptionError


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


def measure(vectors: Vectors, query: Query, metric: str = "weat", *, seed: int = 0) -> list[BiasScore]:
    """Compute a metric; a query with more sets than it takes is split.

    A metric with one attribute set, such as `rnd`, is computed for each attribute set; one with one target set, such as
    `sc-weat`, for each target set.

    Args:
        vectors: the vectors.
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
    return [description.run(vectors, part, **options) for part in _parts(query, description)]


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
