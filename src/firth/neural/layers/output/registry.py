"""Output layers by name."""

import inspect
from collections.abc import Callable
from typing import Any

from firth.errors import OptionError
from firth.neural.layers.output.adaptive import AdaptiveSoftmax
from firth.neural.layers.output.base import OutputConfig, OutputLayer
from firth.neural.layers.output.classes import ClassSoftmax
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.output.sampled import ContrastiveSoftmax, ImportanceSoftmax, NegativeSampling
from firth.neural.layers.output.tree import TreeSoftmax

OUTPUTS: dict[str, Callable[..., OutputLayer]] = {
    "full": FullSoftmax,
    "tree": TreeSoftmax,
    "classes": ClassSoftmax,
    "adaptive": AdaptiveSoftmax,
    "importance": ImportanceSoftmax,
    "nce": ContrastiveSoftmax,
    "negative": NegativeSampling,
}


def make_output(kind: str, config: OutputConfig, **options: Any) -> OutputLayer:
    """Return a new output layer.

    Args:
        config: width, words, counts, tied weight and seed.
    """
    names = options_of(kind)
    for name in options:
        if name not in names:
            raise OptionError(f"output={kind!r} has no option {name!r}; expected {', '.join(names)}")
    return OUTPUTS[kind](config, **options)


def options_of(kind: str) -> list[str]:
    """Return the names of a kind's own options."""
    if kind not in OUTPUTS:
        raise OptionError(f"output={kind!r}: expected one of {', '.join(OUTPUTS)}")
    return list(inspect.signature(OUTPUTS[kind]).parameters)[1:]
