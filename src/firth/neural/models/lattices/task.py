"""The probability of a text, summed over its segmentations: the task of lattice language models."""

import math
from collections.abc import Mapping

import torch

from firth.language.text import LanguageText
from firth.neural.layers.state import State
from firth.neural.models.language.data import TextBatch, TextStream
from firth.neural.models.lattices.module import LatticeModule
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

EVAL_STREAMS, EVAL_BPTT = 20, 64  # of held-out text during training


class LatticeTask:
    """A lattice language model with its text; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        text: training data.
        held_out: text that selects the model, or None.
        batch_size: streams.
        bptt: tokens per stream and batch.

    Attributes:
        module: as given.
        batches: the text in parallel streams.
        unit: what the text is read in, such as "characters".
        eval_predictions: tokens of the held-out text.
    """

    def __init__(
        self, module: LatticeModule, text: LanguageText, held_out: LanguageText | None, *, batch_size: int, bptt: int
    ) -> None:
        self.module: torch.nn.Module = module
        self.unit, self._lattice = text.rules.unit, module
        self.batches: Batches = TextStream(ids=text.ids, batch_size=batch_size, bptt=bptt, bos=module.bos)
        self._held_out = None
        if held_out is not None:
            streams = min(EVAL_STREAMS, max(len(held_out) // EVAL_BPTT, 1))  # each costs its end's chunks
            self._held_out = TextStream(ids=held_out.ids, batch_size=streams, bptt=EVAL_BPTT, bos=module.bos)
        self.eval_predictions = 0 if held_out is None else len(held_out)

    def step(self, batch: TextBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss per token of a batch; see `Task.step`."""
        losses, state = self._losses(batch, state)
        tokens = batch.targets.numel() if batch.predicted is None else int(batch.predicted.sum())
        total = losses.sum()
        return StepOutput((total / tokens).float(), total.detach(), tokens, state)

    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats per token, and the perplexity, of the held-out text; see `Task.evaluate`.

        The text is read in a few streams at once, and each begins without context.
        """
        if self._held_out is None:
            return {}
        total, state = 0.0, None
        device = next(self.module.parameters()).device
        with torch.no_grad():
            for batch in self._held_out.epoch(0):
                losses, state = self._losses(batch.to(device), state)
                total += losses.sum().item()
        loss = total / self.eval_predictions
        return {"loss": loss, "perplexity": math.exp(min(loss, 700.0))}

    def _losses(self, batch: TextBatch, state: State) -> tuple[torch.Tensor, State]:
        """Return the (B,) float64 losses of a batch's tokens, and the state after it."""
        reading = self.module(batch.targets, self._lattice.start(batch.inputs[:, 0]) if state is None else state)
        first = self._lattice.units.max_length - 1  # the node where the batch begins
        if batch.predicted is None:
            return -reading.nodes.totals[-1], reading.state
        ends = (first + batch.predicted.sum(1)).unsqueeze(0)
        return -reading.nodes.totals.gather(0, ends)[0], reading.state
