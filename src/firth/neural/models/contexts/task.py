"""Words in their contexts: the task of context2vec."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from firth.errors import CorpusError
from firth.neural.layers.state import State
from firth.neural.models.sentences.data import Padded, SentenceText
from firth.neural.training.batching import Buckets, pad
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

SHORTEST = 2  # words: one word alone has no context


class Sentences(Padded):
    """B sentences as a batch of training; see `firth.neural.training.task`."""

    fresh, scale = True, 1.0

    def to(self, device: torch.device) -> "Sentences":
        """Return the sentences with their ids on a device."""
        return Sentences(self.ids.to(device), self.lengths)


def sentence_batches(
    text: SentenceText, *, limit: int, batch_size: int, shuffle: bool = True, seed: int = 0
) -> Buckets[int]:
    """Return the sentences of a text with at least two words, in batches of similar length.

    Args:
        text: the text.
        limit: words of a sentence that are read.
        batch_size: B.
        shuffle: whether each epoch has a new random order.
        seed: of the order.

    Raises:
        CorpusError: there is no such sentence.
    """
    numbers = np.flatnonzero(text.lengths >= SHORTEST)
    if not len(numbers):
        raise CorpusError(f"none of {len(text):,} sentences has {SHORTEST} words: a word alone has no context")

    def collate(rows: Sequence[int]) -> Sentences:
        return Sentences(*pad([text.sentence(row, limit) for row in rows]))

    items: Any = numbers  # an array of N numbers is a sequence of them
    lengths = np.minimum(text.lengths[numbers], limit)
    return Buckets(items=items, lengths=lengths, collate=collate, batch_size=batch_size, shuffle=shuffle, seed=seed)


class ContextTask:
    """A module with its sentences; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: of sentences to train on.
        held_out: batches that select the best epoch, or None.

    Attributes:
        module: as given.
        batches: as given.
        unit: "words".
        eval_predictions: words of `held_out`, at most: unknown ones are not predicted.
    """

    def __init__(self, module: torch.nn.Module, batches: Batches, held_out: Buckets[int] | None) -> None:
        self.module, self.batches, self.unit = module, batches, "words"
        self._held_out = held_out
        self.eval_predictions = 0 if held_out is None else int(held_out.lengths.sum())

    def step(self, batch: Sentences, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch's words; see `Task.step`."""
        losses = self._losses(batch)
        total = losses.detach().sum(dtype=torch.float64)
        return StepOutput(losses.sum() / max(len(losses), 1), total, len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the loss per word of the held-out sentences, with the same noise words in each evaluation."""
        if self._held_out is None:
            return {}
        device = next(self.module.parameters()).device
        total, words = 0.0, 0
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(0)
            for batch in self._held_out.epoch(0):
                losses = self._losses(batch.to(device))
                total, words = total + float(losses.sum(dtype=torch.float64)), words + len(losses)
        return {"loss": total / max(words, 1)}

    def _losses(self, batch: Sentences) -> torch.Tensor:
        """Return the (N,) losses of the words that are targets."""
        module: Any = self.module
        vectors = module(batch.ids, batch.lengths)
        steps = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        counted = steps < batch.lengths.to(steps.device)[:, None]
        counted &= ~torch.isin(batch.ids, module.silent.to(steps.device))
        losses: torch.Tensor = module.output.loss(vectors[counted], batch.ids[counted])
        return losses
