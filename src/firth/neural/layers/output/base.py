"""Interface of output layers, and helpers for several of them."""

import abc
import dataclasses
import math
import numbers
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError, ShapeError


@dataclasses.dataclass(frozen=True, eq=False)
class OutputConfig:
    """What every output layer is made from.

    Attributes:
        width: D, of the hidden states.
        words: V.
        counts: (V,) word counts of the training text, in any order, or None. They determine initial biases, trees,
            cut-offs, classes and noise.
        tied: (V, E) weight of an embedding to share, for kinds with one row of weights per word.
        seed: of random trees; weights come from torch's default generator.

    Raises:
        ShapeError: the width or the number of words is below 1.
    """

    width: int
    words: int
    counts: Any = None
    tied: torch.nn.Parameter | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.width < 1 or self.words < 1:
            raise ShapeError(
                f"an output layer of width {self.width} for {self.words} words: expected at least 1 of both"
            )

    def shares(self, power: float = 1.0) -> npt.NDArray[np.float64]:
        """Return (V,) relative frequencies of words, from counts to a power; see `shares`."""
        return shares(self.counts, self.words, power)

    def refuse_tied(self, kind: str) -> None:
        """Refuse weight tying for a kind without one row of weights per word.

        Raises:
            OptionError: there is a tied weight.
        """
        if self.tied is not None:
            raise OptionError(
                f"output={kind!r} with tied weights: expected an output with one row of weights per word (full, "
                "importance, nce or negative); use one of those, or tie_weights=False"
            )


PreparedScores = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor | None]]  # see `OutputLayer.prepared`


class OutputLayer(torch.nn.Module, abc.ABC):
    """An output layer: hidden states to losses and log-probabilities of words.

    The constructor of each kind takes an `OutputConfig`, and its own options by name.

    Attributes:
        width: D, of the hidden states.
        words: V.
        normalised: whether the layer gives probabilities, so that a perplexity exists.
    """

    normalised: ClassVar[bool] = True

    def __init__(self, config: OutputConfig) -> None:
        super().__init__()
        self.width = config.width
        self.words = config.words

    @abc.abstractmethod
    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the (N,) training loss in nats: -log p(target) for exact layers, an estimate for others.

        Args:
            hidden: (N, D).
            targets: (N,) int64.
        """

    @abc.abstractmethod
    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log-probabilities of all words, in nats, for (N, D) hidden states."""

    def prepared(self) -> "PreparedScores":
        """Return what scores words in a search, without gradients, with the weights as they are now.

        It returns (N, V) scores of all words for (N, D) hidden states, and (N,) numbers less which the scores are
        log-probabilities, or None where they are that already.
        """
        return lambda hidden: (self.log_prob(hidden), None)

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) exact log-probabilities of the targets, in nats, as cheaply as the kind allows."""
        return -self.loss(hidden, targets)


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
        whole: whether it must be a whole number.
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
    """Return an option that is True or False."""
    if isinstance(value, bool):
        return value
    raise OptionError(f"{name}={value!r}: expected True or False (yes or no)")


def checked_counts(counts: Any, words: int) -> npt.NDArray[np.int64]:
    """Return (V,) word counts as an int64 array."""
    array = np.asarray(counts)
    if array.shape != (words,) or array.dtype.kind not in "iu" or (array < 0).any():
        raise ShapeError(f"counts of shape {array.shape}: expected {words} whole numbers of at least 0, one per word")
    return array.astype(np.int64)


def shares(counts: Any, words: int, power: float = 1.0) -> npt.NDArray[np.float64]:
    """Return (V,) relative frequencies of words; a count of 0 is taken as 1. Uniform without counts.

    Args:
        counts: (V,) or None.
        words: V.
    """
    if counts is None:
        return np.full(words, 1 / words)
    weights: npt.NDArray[np.float64] = np.maximum(checked_counts(counts, words), 1) ** power
    share: npt.NDArray[np.float64] = weights / weights.sum()
    return share


def start_uniform(weight: torch.Tensor, width: int) -> torch.nn.Parameter:
    """Return new weights, uniform between -1 / sqrt(D) and 1 / sqrt(D); `weight` gives the shape and is overwritten."""
    bound = width**-0.5
    return torch.nn.Parameter(weight.uniform_(-bound, bound))
