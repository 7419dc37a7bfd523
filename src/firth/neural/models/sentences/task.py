"""Sentences around a sentence: the task of skip-thought vectors."""

import abc
import math
from collections.abc import Mapping

import torch

from firth.neural.layers.state import State
from firth.neural.models.sentences.data import SentenceText, Triples, triples
from firth.neural.models.sentences.module import SentenceModule
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

EVAL_BATCH = 64  # sentences


class NeighbourModule(SentenceModule, abc.ABC):
    """A sentence encoder that also predicts the words of the neighbours."""

    @abc.abstractmethod
    def forward(self, batch: Triples) -> torch.Tensor:
        """Return the (N,) losses of the words of both neighbours."""

    @abc.abstractmethod
    def log_prob_of(self, batch: Triples) -> torch.Tensor:
        """Return the (N,) exact log-probabilities of the words of both neighbours."""


class NeighbourTask:
    """A sentence encoder with its text; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        text: training data.
        held_out: held-out text, or None.
        limit: words of a sentence that are read.
        batch_size: triples.
        seed: of the order.

    Attributes:
        module: as given.
        batches: triples of similar length.
        unit: what is predicted.
        eval_predictions: predictions of an evaluation.
    """

    def __init__(
        self,
        module: NeighbourModule,
        text: SentenceText,
        held_out: SentenceText | None = None,
        *,
        limit: int,
        batch_size: int,
        seed: int = 0,
    ) -> None:
        self.module: torch.nn.Module = module
        self.unit = text.rules.unit
        self._model = module
        self.batches: Batches = triples(text, limit=limit, batch_size=batch_size, seed=seed)
        self._held_out = None
        self.eval_predictions = 0
        if held_out is not None:
            self._held_out = triples(held_out, limit=limit, batch_size=EVAL_BATCH, shuffle=False)
            self.eval_predictions = int(2 * (self._held_out.lengths + 1).sum())  # neighbours are as long, on average

    def step(self, batch: Triples, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of the words of both neighbours; see `Task.step`."""
        losses = self.module(batch)  # (N,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats per word of the neighbours, and the perplexity; see `Task.evaluate`."""
        if self._held_out is None:
            return {}
        total, words = 0.0, 0
        device = next(self.module.parameters()).device
        with torch.no_grad():
            for batch in self._held_out.epoch(0):
                log_probs = self._model.log_prob_of(batch.to(device))
                total, words = total - log_probs.sum(dtype=torch.float64).item(), words + len(log_probs)
        loss = total / words
        return {"loss": loss, "perplexity": math.exp(min(loss, 700.0))}
