"""Answers as a task: starts and ends are learned, F1 on held-out questions selects the model."""

from collections.abc import Mapping, Sequence

import torch

from firth.evaluation.answers import f1
from firth.neural.layers.state import State
from firth.neural.models.reading.answering import found_spans, windows_of
from firth.neural.models.reading.data import Pair, ReadingBatch, pair_batches
from firth.neural.models.reading.examples import ReadQuestions
from firth.neural.models.reading.module import ReadingModule
from firth.neural.models.reading.options import ReadingOptions
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.batching import Buckets
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

EVAL_BATCH = 64  # questions per batch of an evaluation


class ReadingTask:
    """A module with its questions; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: to train on.
        options: of the reader.
        tokens: its vocabulary.
        held_out: questions that select the model.
        pairs: those of them that have a loss.

    Attributes:
        module: as given.
        batches: as given.
        unit: "questions".
        eval_predictions: number of held-out questions.
    """

    def __init__(
        self,
        module: ReadingModule,
        batches: Batches,
        *,
        options: ReadingOptions,
        tokens: TokenReader,
        held_out: ReadQuestions,
        pairs: Sequence[Pair],
    ) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit, self.eval_predictions = batches, "questions", len(held_out.questions)
        self._reader, self._options, self._tokens, self._held_out = module, options, tokens, held_out
        self._losses: Buckets[Pair] = pair_batches(tokens, pairs, batch_size=EVAL_BATCH, shuffle=False)
        self._count = len(pairs)

    def step(self, batch: ReadingBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch; see `Task.step`."""
        losses = self._reader.losses(batch)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return 1 - F1 of the answers to held-out questions, and their loss in nats."""
        device = next(self.module.parameters()).device
        losses = [self._reader.losses(batch.to(device)) for batch in self._losses.epoch(0)]
        read = self._held_out
        windows = [
            windows_of(asked, [paragraph], self._options.window)
            for asked, paragraph in zip(read.asked, read.paragraphs, strict=True)
        ]
        found = found_spans(self._reader, self._tokens, windows, longest=self._options.longest)
        scores = []
        for question, spans in zip(read.questions, found, strict=True):
            answer = "" if spans[0].no_answer else question.paragraph[spans[0].start : spans[0].end]
            scores.append(f1(answer, [each.text for each in question.answers]))
        loss = sum(float(each.sum(dtype=torch.float64)) for each in losses) / self._count
        return {"loss": loss, "error": 1 - sum(scores) / len(scores)}
