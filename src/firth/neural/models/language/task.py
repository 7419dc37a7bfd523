"""Learning to predict every next word of a text: one task for all neural language models."""

import math
from collections.abc import Mapping

import torch

from firth.language.text import LanguageText
from firth.neural.layers.state import State
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.reader import TextReader
from firth.neural.training.options import TrainingOptions
from firth.neural.training.stream import TextBatch
from firth.neural.training.task import Batches, Outcome

JUDGED = 20  # streams that held-out text is read in while a model trains
JUDGED_STEPS = 64


class LanguageTask:
    """A module and the text that it learns; it is `firth.neural.training.task.Task`.

    Args:
        module: whose parameters learn.
        text: to learn.
        held_out: to be judged by, or None.
        training: how many streams, and how many steps a batch.
        seed: of the steps, where they vary.

    Attributes:
        module: as given.
        batches: the text in parallel streams.
        unit: "words".
        judged: words of the held-out text.
    """

    unit = "words"

    def __init__(
        self,
        module: LanguageModule,
        text: LanguageText,
        held_out: LanguageText | None,
        training: TrainingOptions,
        seed: int,
    ) -> None:
        self.module: torch.nn.Module = module
        self._model = module
        self._text = TextReader(
            module,
            text,
            batch_size=training.batch_size,
            steps=training.steps,
            vary=training.vary_steps,
            seed=seed,
        )
        self.batches: Batches = self._text.stream
        self._held_out = None if held_out is None else TextReader(
            module, held_out, batch_size=JUDGED, steps=JUDGED_STEPS
        )  # fmt: skip
        self.judged = 0 if held_out is None else len(held_out)

    def step(self, batch: TextBatch, state: State) -> Outcome:
        """Return the mean loss of a batch's words; see `Task.step`."""
        hidden, state = self._text.hidden(batch, state)
        losses = self._model.output.loss(*batch.chosen(hidden))
        return Outcome(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses), state)

    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats a word, and the perplexity, of the held-out text; see `Task.evaluate`.

        It is read in a few streams at once, each of which begins without knowing what stands before it; a model that is
        done reads it in one (`NeuralLanguageModel.log_probs`), which is a little better. Losses are summed in float64
        over all words, and their mean is what is raised.
        """
        if self._held_out is None:
            return {}
        stream, total, state = self._held_out.stream, 0.0, None
        device = next(self._model.parameters()).device
        with torch.no_grad():
            for batch in stream.epoch(0):
                here = batch.to(device)
                hidden, state = self._held_out.hidden(here, state)
                total -= self._model.output.log_prob_of(*here.chosen(hidden)).sum(dtype=torch.float64).item()
        loss = total / len(stream.ids)
        return {"loss": loss, "perplexity": math.exp(min(loss, 700.0))}
