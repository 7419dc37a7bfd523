"""Translation as a task: the loss of each target token, given the source and the true tokens before.

Where words are spelled, the loss of a batch is that of its tokens plus that of the characters times a factor, both per
token (Luong and Manning 2016, section 4.3).
"""

from collections.abc import Callable, Mapping

import torch

from firth.neural.layers.scheduled_sampling import Feeding
from firth.neural.layers.state import State
from firth.neural.models.translation.data import PairBatch
from firth.neural.models.translation.module import TranslationModule
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class TranslationTask:
    """A module with its pairs; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: `PairBatch`es to train on.
        held_out: batches that select the model.
        predictions: target tokens in `held_out`, ends included.
        coverage_from: share of the run after which coverage and its loss are used.
        spelling_weight: factor on the loss of characters.
        feeding: what the decoder reads at a fraction of the run; None for true words.

    Attributes:
        module: as given.
        batches: as given.
        unit: "tokens".
        eval_predictions: as given.
        some_unused: whether the loss leaves out parameters at first: those of coverage.
    """

    def __init__(
        self,
        module: TranslationModule,
        batches: Batches,
        held_out: Batches,
        *,
        predictions: int,
        coverage_from: float = 0.0,
        spelling_weight: float = 1.0,
        feeding: Callable[[float], Feeding | None] = lambda _: None,
    ) -> None:
        self.module: torch.nn.Module = module
        self._net = module
        self.batches, self.unit = batches, "tokens"
        self._held_out, self.eval_predictions, self._coverage_from = held_out, predictions, coverage_from
        self._spelling_weight, self._feeding = spelling_weight, feeding
        self.some_unused = coverage_from > 0

    def step(self, batch: PairBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch; see `Task.step`."""
        covering = progress.fraction >= self._coverage_from
        self._net.cover(covering)
        losses, covered, spelled = self._net.losses(batch, feeding=self._feeding(progress.fraction))
        losses = losses + covered if covering else losses
        loss, total = losses.mean(), losses.detach().sum(dtype=torch.float64)
        if spelled is not None:
            loss = loss + self._spelling_weight / len(losses) * spelled
            total = total + self._spelling_weight * spelled.detach()
        return StepOutput(loss, total, len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per token, without label smoothing, each given the true ones before it.

        The coverage loss is added, also before it is trained, so that models are compared by one objective. So is the
        loss of characters, times its factor; `spelling_loss` is this loss alone, without the factor.
        """
        device = next(self.module.parameters()).device
        nats = characters = 0.0
        for batch in self._held_out.epoch(0):
            losses, covered, spelled = self._net.losses(batch.to(device), exact=True)
            nats += float((losses + covered).sum(dtype=torch.float64))
            characters += 0.0 if spelled is None else float(spelled)
        tokens = self.eval_predictions
        if self._net.speller is None:
            return {"loss": nats / tokens}
        return {"loss": (nats + self._spelling_weight * characters) / tokens, "spelling_loss": characters / tokens}
