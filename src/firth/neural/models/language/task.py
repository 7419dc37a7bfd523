"""Next-word prediction: the task of every neural language model."""

import math
from collections.abc import Mapping

import torch

from firth.language.text import LanguageText
from firth.neural.layers.state import State
from firth.neural.models.language.data import TextBatch, TextReader
from firth.neural.models.language.module import LanguageModule
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

EVAL_STREAMS, EVAL_BPTT = 20, 64  # of held-out text during training


class LanguageTask:
    """A language model with its text; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        text: training data.
        held_out: held-out text, or None.
        batch_size: streams.
        bptt: words per stream and batch.
        vary_bptt: whether `bptt` is random.
        seed: of random `bptt`.

    Attributes:
        module: as given.
        batches: the text in parallel streams.
        unit: what the text is read in, such as "subwords".
        eval_predictions: words of the held-out text.
    """

    def __init__(
        self,
        module: LanguageModule,
        text: LanguageText,
        held_out: LanguageText | None = None,
        *,
        batch_size: int,
        bptt: int,
        vary_bptt: bool = False,
        seed: int = 0,
    ) -> None:
        self.module: torch.nn.Module = module
        self.unit = text.rules.unit
        self._output = module.output
        self._text = TextReader(module, text, batch_size=batch_size, bptt=bptt, vary_bptt=vary_bptt, seed=seed)
        self.batches: Batches = self._text.stream
        self._held_out = None
        if held_out is not None:
            self._held_out = TextReader(module, held_out, batch_size=EVAL_STREAMS, bptt=EVAL_BPTT)
        self.eval_predictions = 0 if held_out is None else len(held_out)

    def step(self, batch: TextBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch's words; see `Task.step`."""
        hidden, state = self._text.hidden(batch, state)  # (B, T, D)
        losses = self._output.loss(*batch.predicted_rows(hidden))  # (N,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses), state)

    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats per word, and the perplexity, of the held-out text; see `Task.evaluate`.

        The text is read in a few streams at once, and each begins without context. A trained model reads it in one
        stream (`NeuralLanguageModel.log_probs`), which gives a slightly lower perplexity. Losses are summed in float64
        over all words.
        """
        if self._held_out is None:
            return {}
        stream, total, state = self._held_out.stream, 0.0, None
        device = next(self.module.parameters()).device
        with torch.no_grad():
            for batch in stream.epoch(0):
                on_device = batch.to(device)
                hidden, state = self._held_out.hidden(on_device, state)
                total -= self._output.log_prob_of(*on_device.predicted_rows(hidden)).sum(dtype=torch.float64).item()
        loss = total / len(stream.ids)
        return {"loss": loss, "perplexity": math.exp(min(loss, 700.0))}
