"""Scheduled sampling: a model learns to continue its own words, not only the true ones.

What: a sequence is read step by step. At each step, and independently for each sequence, a coin decides whether the
    input is the true previous word or the model's own: a sample, or the mean of all word vectors under its distribution
    (differentiable: the loss of a step reaches the scores of the previous one). The probability of true words falls
    during training.
Objective: probability of true words at step i: linear max(least, 1 - i / span), exponential k^i, inverse sigmoid
    k / (k + e^(i / k)). Input at step t instead of the vector e(y_{t-1}): e(y), y ~ softmax(s_{t-1}) ("draw");
    sum_y softmax(s_{t-1} / tau)_y e(y) ("soft"); the same over s_{t-1} + Gumbel noise ("gumbel").
Source: Bengio, Vinyals, Jaitly and Shazeer 2015, section 2.4; Goyal, Dyer and Berg-Kirkpatrick 2017, sections 3.1
    (soft: the relaxed arg max, alpha = 1 / tau) and 3.2 (gumbel: the relaxed draw).
Departures: with a probability of 1 the sequence is read in one pass, with the same bits as without scheduled sampling,
    and without random numbers. The first step always has the true word.
Cost: T sequential steps instead of one pass; for "soft" and "gumbel" also a (B, V) by (V, D) product per step.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from firth.errors import OptionError
from firth.neural.layers.state import State
from firth.neural.layers.stochastic import gumbel_max, gumbel_noise

Decoder = Callable[[torch.Tensor, State], tuple[torch.Tensor, State]]  # (B, t, D), state -> (B, t, V) scores, state
KINDS = ("draw", "soft", "gumbel")


def linear_share(step: int, *, span: float, least: float = 0.0) -> float:
    """Return the probability of true words, which falls by 1 / span per step.

    Args:
        step: from 0.
        span: steps until it would be 0, above 0.
        least: minimum.
    """
    return max(least, 1.0 - step / span)


def exponential_share(step: int, *, k: float) -> float:
    """Return the probability of true words k^step.

    Args:
        step: from 0.
        k: from 0 to 1.
    """
    return float(k**step)


def inverse_sigmoid_share(step: int, *, k: float) -> float:
    """Return the probability of true words k / (k + e^(step / k)): near 1 at first, 0.5 at k ln k.

    Args:
        step: from 0.
        k: at least 1; higher values fall later.
    """
    exponent = step / k - math.log(k)  # 1 / (1 + e^exponent), written so that a late step does not overflow
    return 1 / (1 + math.exp(exponent)) if exponent < 0 else math.exp(-exponent) / (1 + math.exp(-exponent))


@dataclass(frozen=True, kw_only=True)
class Feeding:
    """The input of a model at each step.

    Attributes:
        share: probability of the true word, from 0 to 1; otherwise the model's own.
        own: "draw", "soft" or "gumbel": the kind of its own word.
        temperature: tau of "soft" and "gumbel", above 0.

    Raises:
        OptionError: a value is out of its range.
    """

    share: float = 1.0
    own: str = "draw"
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise OptionError(f"share={self.share!r}: expected a number from 0 to 1, the share of true words")
        if self.own not in KINDS:
            raise OptionError(f"own={self.own!r}: expected one of {', '.join(KINDS)}")
        if not 0 < self.temperature < math.inf:
            raise OptionError(f"temperature={self.temperature!r}: expected a finite number above 0")


def scheduled_scores(
    decoder: Decoder,
    words: torch.Tensor,
    ids: torch.Tensor,
    state: State,
    feeding: Feeding,
    *,
    generator: torch.Generator | None = None,
) -> tuple[torch.Tensor, State]:
    """Return the scores of each step of sequences, with the model's own words as part of the input.

    Args:
        decoder: turns vectors and a state into scores and the next state.
        words: (V, D) the vector of each word.
        ids: (B, T) int64, the true word before each step.
        state: the initial state.
        feeding: the inputs.
        generator: of coins and draws; None for torch's own.

    Returns:
        (B, T, V) scores and the state.
    """
    true = torch.nn.functional.embedding(ids, words)  # (B, T, D)
    if feeding.share == 1:
        return decoder(true, state)
    scores, state = decoder(true[:, :1], state)
    steps = [scores]
    for t in range(1, ids.shape[1]):
        coins = torch.rand(len(ids), 1, 1, generator=generator, device=ids.device) < feeding.share
        own = _own(steps[-1], words, feeding, generator)
        scores, state = decoder(torch.where(coins, true[:, t : t + 1], own), state)
        steps.append(scores)
    return torch.cat(steps, 1), state


def _own(
    scores: torch.Tensor, words: torch.Tensor, feeding: Feeding, generator: torch.Generator | None
) -> torch.Tensor:
    """The (B, 1, D) vector that stands for the model's own word after (B, 1, V) scores."""
    if feeding.own == "draw":
        return torch.nn.functional.embedding(gumbel_max(scores, generator=generator), words)
    noise = gumbel_noise(scores, generator=generator) if feeding.own == "gumbel" else 0.0
    return ((scores + noise) / feeding.temperature).softmax(-1) @ words
