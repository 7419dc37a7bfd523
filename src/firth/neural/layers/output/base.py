"""What every output layer answers to, and what several of them need."""

import abc
import math
import numbers
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError, ShapeError


class OutputLayer(torch.nn.Module, abc.ABC):
    """Hidden vectors to words: one slot, whatever stands in it.

    Every one is made as `Kind(width, words, *, counts=None, tied=None, ...)`, so that `make_output` can make any; one
    that has no row of weights a word refuses `tied`. Weights are drawn by torch's default generator; a kind that draws
    more while it is made, as a random tree, takes a `seed` for that.

    Args:
        width: D, of the hidden vectors.
        words: V.

    Attributes:
        width: as given.
        words: as given.
        normalised: whether its probabilities are ones, so that a perplexity can be told.
    """

    normalised: ClassVar[bool] = True

    def __init__(self, width: int, words: int) -> None:
        super().__init__()
        if width < 1 or words < 1:
            raise ShapeError(f"an output layer of width {width} for {words} words: expected at least 1 of both")
        self.width = width
        self.words = words

    @abc.abstractmethod
    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return what is trained: for exact layers -log p(target), for others what stands for it.

        Args:
            hidden: (N, D).
            targets: (N,) int64.

        Returns:
            (N,) in nats.
        """

    @abc.abstractmethod
    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the logarithm of every word's probability, which sum to one.

        Args:
            hidden: (N, D).

        Returns:
            (N, V) in nats.

        Raises:
            OptionError: what was trained gives no probabilities.
        """

    @abc.abstractmethod
    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the logarithm of the targets' probabilities; exact, and as cheap as the kind allows.

        Args:
            hidden: (N, D).
            targets: (N,) int64.

        Returns:
            (N,) in nats.

        Raises:
            OptionError: what was trained gives no probabilities.
        """


def refuse_tied(kind: str, tied: torch.Tensor | None) -> None:
    """Refuse a tied weight where there is no row a word that could be shared.

    Args:
        kind: of the output layer.
        tied: the weight.

    Raises:
        OptionError: there is one.
    """
    if tied is not None:
        raise OptionError(
            f"output={kind!r} with tied weights: expected an output that has one row of weights a word (full, "
            "importance, nce or negative); take one of those, or tied=False"
        )


def checked_number(
    name: str,
    value: Any,
    least: float | None = None,
    most: float | None = None,
    *,
    whole: bool = False,
    above: bool = False,
) -> Any:
    """Return an option that is a number.

    Args:
        name: of the option.
        value: given for it.
        least: the least allowed.
        most: the most allowed.
        whole: whether it has to be a whole number.
        above: whether `least` itself is forbidden.

    Raises:
        OptionError: it is no finite number, too small or too large.
    """
    kinds: Any = numbers.Integral if whole else numbers.Real
    fits = not isinstance(value, bool) and isinstance(value, kinds) and abs(value) < math.inf
    fits = fits and (most is None or value <= most)
    if fits and (least is None or value > least or (value == least and not above)):
        return int(value) if whole else float(value)
    limit = "" if least is None else f" {'above' if above else 'of at least'} {least:g}"
    limit += "" if most is None else f" and at most {most:g}"
    raise OptionError(f"{name}={value!r}: expected a {'whole ' if whole else ''}number{limit}")


def checked_switch(name: str, value: Any) -> bool:
    """Return an option that is True or False.

    Args:
        name: of the option.
        value: given for it.

    Raises:
        OptionError: it is neither.
    """
    if isinstance(value, bool):
        return value
    raise OptionError(f"{name}={value!r}: expected True or False (yes or no)")


def checked_counts(counts: Any, words: int) -> npt.NDArray[np.int64]:
    """Return the words' counts as an array.

    Args:
        counts: V numbers.
        words: V.

    Raises:
        ShapeError: there are more or fewer, or one is negative.
    """
    array = np.asarray(counts)
    if array.shape != (words,) or array.dtype.kind not in "iu" or (array < 0).any():
        raise ShapeError(f"counts of shape {array.shape}: expected {words} whole numbers of at least 0, one a word")
    return array.astype(np.int64)


def shares(counts: Any, words: int, power: float = 1.0) -> npt.NDArray[np.float64]:
    """Return each word's share of a text, a word without a count taken as met once; equal shares without counts.

    Args:
        counts: (V,) or None.
        words: V.
        power: that counts are raised to before they are divided by their sum.
    """
    if counts is None:
        return np.full(words, 1 / words)
    weights: npt.NDArray[np.float64] = np.maximum(checked_counts(counts, words), 1) ** power
    share: npt.NDArray[np.float64] = weights / weights.sum()
    return share


def start_uniform(weight: torch.Tensor, width: int) -> torch.nn.Parameter:
    """Return new weights, drawn evenly between -1 / sqrt(D) and 1 / sqrt(D) by torch's default generator.

    Args:
        weight: of the shape that is wanted; overwritten.
        width: D.
    """
    bound = width**-0.5
    return torch.nn.Parameter(weight.uniform_(-bound, bound))
