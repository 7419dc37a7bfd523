"""Output layers by name."""

import inspect
from collections.abc import Callable
from typing import Any

import torch

from firth.errors import OptionError
from firth.neural.layers.output.adaptive import AdaptiveSoftmax
from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.output.classes import ClassSoftmax
from firth.neural.layers.output.contrastive import ContrastiveSoftmax
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.output.importance import ImportanceSoftmax
from firth.neural.layers.output.negative import NegativeSampling
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


def make_output(
    kind: str,
    width: int,
    words: int,
    *,
    counts: Any = None,
    tied: torch.nn.Parameter | None = None,
    seed: int = 0,
    **options: Any,
) -> OutputLayer:
    """Return a new output layer.

    Args:
        kind: one of `OUTPUTS`.
        width: D, of the hidden vectors.
        words: V.
        counts: (V,) whole numbers, how often each word stands in the training text: what trees, cut-offs, classes and
            noise come from. Vocabularies of firth are sorted by them, but no kind needs that.
        tied: (V, E) the weight of an embedding, to be shared; only where the kind has one row of weights a word.
        seed: of what is drawn while the layer is made, but for weights, which torch's default generator draws; left
            where nothing is.
        options: the kind's own, by their names.

    Raises:
        OptionError: there is no such kind, or an option is out of its range.
        ShapeError: there are not V counts, or the tied weight has not V rows.
    """
    known = options_of(kind)
    for name in options:
        if name not in known:
            raise OptionError(f"output={kind!r} has no option {name!r}; expected {', '.join(known)}")
    drawn = {"seed": seed} if "seed" in inspect.signature(OUTPUTS[kind]).parameters else {}
    return OUTPUTS[kind](width, words, counts=counts, tied=tied, **drawn, **options)


def options_of(kind: str) -> list[str]:
    """Return the names of the options that a kind has of its own.

    Args:
        kind: one of `OUTPUTS`.

    Raises:
        OptionError: there is no such kind.
    """
    if kind not in OUTPUTS:
        raise OptionError(f"output={kind!r}: expected one of {', '.join(OUTPUTS)}")
    shared = {"width", "words", "counts", "tied", "seed"}
    return [name for name in inspect.signature(OUTPUTS[kind]).parameters if name not in shared]
