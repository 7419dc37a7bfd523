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
    and without random numbers. The first step always has the true word. `true_share` has the three curves over a whole
    run, whatever its length: half of the fall is over at 50 % (linear), 23 % (exponential) and 50 % (inverse sigmoid).
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
SCHEDULES = ("constant", "linear", "exponential", "inverse_sigmoid")


def linear_share(step: int, *, span: float, least: float = 0.0) -> float:
    """Return the probability of true words, which falls by 1 / span per step.

    Args:
        step: from 0.
        span: steps until it would be 0, above 0.
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


def true_share(schedule: str, rate: float, fraction: float) -> float:
    """Return the probability of true words at a point of a run, which falls from 1 to about 1 - rate.

    Args:
        schedule: of `SCHEDULES`; "constant" is 1 - rate from the start.
        rate: probability of the model's own words at the end.
        fraction: of the run that is over, from 0 to 1.
    """
    step = round(1000 * fraction)  # of 1,000 steps
    shares = {
        "constant": 0.0,
        "linear": linear_share(step, span=1000),
        "exponential": exponential_share(step, k=0.997),
        "inverse_sigmoid": inverse_sigmoid_share(step, k=107),
    }
    return 1 - rate * (1 - shares[schedule])


@dataclass(frozen=True, kw_only=True)
class FeedingOptions:
    """The input of a model at each step.

    Attributes:
        share: probability of the true word, from 0 to 1; otherwise the model's own.
        own: "draw", "soft" or "gumbel": the kind of its own word.
        temperature: tau of "soft" and "gumbel", above 0.
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
    feeding: FeedingOptions,
    *,
    generator: torch.Generator | None = None,
) -> tuple[torch.Tensor, State]:
    """Return the scores of each step of sequences, with the model's own words as part of the input.

    Args:
        decoder: turns vectors and a state into scores and the next state.
        words: (V, D) the vector of each word.
        ids: (B, T) int64, the true word before each step.
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
        scores, state = decoder(mixed_inputs(true[:, t : t + 1], steps[-1], words, feeding, generator=generator), state)
        steps.append(scores)
    return torch.cat(steps, 1), state


def mixed_inputs(
    true: torch.Tensor,
    scores: torch.Tensor,
    words: torch.Tensor,
    feeding: FeedingOptions,
    *,
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """Return (B, t, D) vectors: each that of the true word, or of the model's own.

    Args:
        true: (B, t, D) vectors of the true words.
        scores: (B, t, V) of the same words.
        words: (V, D) the vector of each word.
        generator: of coins and draws; None for torch's own.
    """
    coins = torch.rand(*true.shape[:2], 1, generator=generator, device=true.device) < feeding.share
    return torch.where(coins, true, _own(scores, words, feeding, generator))


def _own(
    scores: torch.Tensor, words: torch.Tensor, feeding: FeedingOptions, generator: torch.Generator | None
) -> torch.Tensor:
    """The (B, t, D) vectors that stand for the model's own words after (B, t, V) scores."""
    if feeding.own == "draw":
        return torch.nn.functional.embedding(gumbel_max(scores, generator=generator), words)
    noise = gumbel_noise(scores, generator=generator) if feeding.own == "gumbel" else 0.0
    return ((scores + noise) / feeding.temperature).softmax(-1) @ words
