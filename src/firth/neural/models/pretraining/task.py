"""The task of every pretraining: batches of windows, an objective, its figures on held-out text."""

import abc
from collections.abc import Mapping, Sequence

import torch

from firth.neural.layers.masking import MaskedPrediction
from firth.neural.layers.state import State
from firth.neural.models.pretraining.corruption import ReplacedPrediction
from firth.neural.models.pretraining.data import WindowBatch, Windows
from firth.neural.models.pretraining.network import EncoderNetwork
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

EVAL_SEED = 0  # of the masks, the same in every evaluation


Measures = Mapping[str, torch.Tensor]


class Objective(torch.nn.Module, abc.ABC):
    """An encoder with what is needed to train it.

    Attributes:
        encoder: the network that is kept.
    """

    encoder: EncoderNetwork

    @abc.abstractmethod
    def loss(self, ids: torch.Tensor) -> tuple[torch.Tensor, int]:
        """Return the loss of (B, T) ids, a scalar in nats, and the number of tokens that it is a mean over."""

    @abc.abstractmethod
    def measure(self, ids: torch.Tensor) -> Measures:
        """Return values per prediction of (B, T) held-out ids, by name; `figures` gets those of all batches joined."""

    @abc.abstractmethod
    def figures(self, measures: Measures) -> dict[str, float]:
        """Return figures of all held-out text, "loss" among them, which selects the best model."""

    @property
    def head(self) -> MaskedPrediction | ReplacedPrediction | None:
        """The head that is saved with the encoder: `MaskedPrediction`, `ReplacedPrediction`, or None."""
        return None


class PretrainingTask:
    """An objective with its text; implements `firth.neural.training.task.Task`.

    Attributes:
        unit: what is predicted.
        eval_predictions: about as many predictions as an evaluation makes.
    """

    def __init__(self, module: Objective, batches: Windows, held_out: Windows | None, rate: float) -> None:
        self.module: torch.nn.Module = module
        self._objective, self._held_out = module, held_out
        self.batches: Batches = batches
        self.unit = "hidden tokens"
        self.eval_predictions = 0 if held_out is None else round(rate * len(held_out.text.ids))

    def step(self, batch: WindowBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the loss of a batch; see `Task.step`."""
        loss, count = self._objective.loss(batch.ids)
        return StepOutput(loss, loss.detach().double() * count, count)

    def evaluate(self) -> Mapping[str, float]:
        """Return the figures of the objective on held-out text; the same tokens are hidden in every evaluation."""
        if self._held_out is None:
            return {}
        device = next(self.module.parameters()).device
        torch.manual_seed(EVAL_SEED)  # the loop restores the state of training
        measured = [self._objective.measure(batch.to(device).ids) for batch in self._held_out.epoch(0)]
        return self._objective.figures(joined(measured))


def joined(measured: Sequence[Measures]) -> Measures:
    """Return the values of several batches as one."""
    return {name: torch.cat([each[name] for each in measured]).double().cpu() for name in measured[0]}


def auc(scores: torch.Tensor, positive: torch.Tensor) -> float | None:
    """Return the probability that a positive item has a higher score than another, ties counting half.

    Args:
        scores: (N,).
        positive: (N,) of 0 and 1.

    Returns:
        None if there is no positive item, or no other.
    """
    count = float(positive.sum())
    if not 0 < count < len(positive):
        return None
    _, groups, sizes = torch.unique(scores, return_inverse=True, return_counts=True)
    ranks = sizes.cumsum(0) - (sizes - 1) / 2  # the mean rank of equal scores, from 1
    total = float(ranks[groups][positive.bool()].sum())
    return (total - count * (count + 1) / 2) / (count * (len(positive) - count))
