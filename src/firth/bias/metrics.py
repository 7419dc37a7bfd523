"""The measures by their names, with the sets of words each takes, so that one query serves several."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firth.bias.association import sc_weat, weat
from firth.bias.coherence import ect
from firth.bias.inner_product import ripa
from firth.bias.mean_cosine import mac
from firth.bias.norm_distance import rnd
from firth.bias.query import Measured, Query, Vectors
from firth.bias.sentiment import rnsb
from firth.errors import OptionError


@dataclass(frozen=True)
class Metric:
    """A measure.

    Attributes:
        run: of vectors and a query it makes the figure.
        targets: how many target sets it takes; None is one or more.
        attributes: how many attribute sets.
        zero: the figure of vectors without this bias.
        seeded: whether it draws at random.
    """

    run: Callable[..., Measured]
    targets: int | None
    attributes: int | None
    zero: float
    seeded: bool = False


METRICS: Mapping[str, Metric] = {
    "weat": Metric(weat, 2, 2, 0.0, seeded=True),
    "sc-weat": Metric(sc_weat, 1, 2, 0.0, seeded=True),
    "rnd": Metric(rnd, 2, 1, 0.0),
    "rnsb": Metric(rnsb, None, 2, 0.0, seeded=True),
    "ripa": Metric(ripa, 2, 1, 0.0),
    "ect": Metric(ect, 2, 1, 1.0),
    "mac": Metric(mac, None, None, 1.0),
}


def measure(vectors: Vectors, query: Query, metric: str = "weat", *, seed: int = 0) -> list[Measured]:
    """Return the figures of a measure; a query of more sets than it takes is asked part by part.

    A measure of one attribute set, as `rnd`, is asked once for each, and one of one target set, as `sc-weat`, likewise.

    Args:
        vectors: of words.
        query: sets of words.
        metric: one of `METRICS`.
        seed: of whatever it draws.

    Raises:
        OptionError: there is no such metric, or as in the metric's own function.
        FormatError: the vector of a word is not finite.
    """
    if metric not in METRICS:
        raise OptionError(f"metric {metric!r}: expected one of {', '.join(METRICS)}")
    how = METRICS[metric]
    options: dict[str, Any] = {"seed": seed} if how.seeded else {}
    return [how.run(vectors, part, **options) for part in _parts(query, how)]


def _parts(query: Query, how: Metric) -> Iterator[Query]:
    targets = _each(query.targets) if how.targets == 1 else [query.targets]
    attributes = _each(query.attributes) if how.attributes == 1 else [query.attributes]
    for some in targets:
        for others in attributes:
            one = len(targets) == len(attributes) == 1
            name = query.name if one else f"{query.name}: {', '.join(some if len(targets) > 1 else others)}"
            yield Query(some, others, name)


def _each(sets: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{name: words} for name, words in sets.items()]
