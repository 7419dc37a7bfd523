"""Tags of words as a task."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from firth.evaluation.tags import tag_error
from firth.neural.layers.state import State
from firth.neural.models.tags.data import TagBatch
from firth.neural.models.tags.examples import Tags
from firth.neural.models.tags.module import TaggerModule
from firth.neural.models.tags.tag_set import UNKNOWN_TAG, TagSet
from firth.neural.structs.chains import best_tags
from firth.neural.training.batching import Buckets
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class TagTask:
    """A module with its sentences; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: to train on.
        held_out: batches that select the model.
        gold: of each target, the gold tags of the held-out sentences.
        sets: the tags of each target.

    Attributes:
        module: as given.
        batches: as given.
        unit: "words".
        eval_predictions: words in `held_out`.
    """

    def __init__(
        self,
        module: TaggerModule,
        batches: Batches,
        held_out: Buckets[Any],
        *,
        gold: Sequence[Sequence[Tags]],
        sets: Sequence[TagSet],
    ) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit, self._tagger = batches, "words", module
        self._held_out, self._gold, self._sets = held_out, gold, sets
        self.eval_predictions = int(held_out.lengths.sum())

    def step(self, batch: TagBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the loss of a batch per word; see `Task.step`."""
        total, words = self._tagger.losses(batch.inputs, batch.tags).sum(), int(batch.inputs.lengths.sum())
        return StepOutput(total / words, total.detach().double(), words)

    def evaluate(self) -> Mapping[str, float]:
        """Return the loss per word, and what is missed: 1 - F1 of spans, or the share of wrong tags.

        Of several targets it is the mean. Sentences with a tag that the training data lack are left out of the loss.
        """
        device = next(self.module.parameters()).device
        found: list[list[list[Tags]]] = [[] for _ in self._sets]
        loss, words, right, ranked = 0.0, 0, 0, 0
        for batch in self._held_out.epoch(0):
            on_device = batch.to(device)
            inputs, lengths = on_device.inputs, on_device.inputs.lengths
            known = torch.stack([(tags != UNKNOWN_TAG).all(1) for tags in on_device.tags]).all(0)
            tags = tuple(each.clamp(min=0) for each in on_device.tags)
            loss += float(self._tagger.losses(inputs, tags)[known].sum())
            words += int(lengths[known.cpu()].sum())
            if self._tagger.margin is not None:
                higher, compared = self._tagger.ranked(inputs, tags)
                right, ranked = right + higher, ranked + compared
            for column, head, scores, each in zip(
                found, self._tagger.target_heads, self._tagger(inputs), self._sets, strict=True
            ):
                chain, shown = head.sequences(scores, lengths, each)
                column.append([shown.decode(path) for path in best_tags(chain)])
        errors = [
            tag_error(gold, self._held_out.in_item_order(column), spans=each.scheme is not None)
            for gold, column, each in zip(self._gold, found, self._sets, strict=True)
        ]
        figures = {"loss": loss / max(words, 1), "error": sum(errors) / len(errors)}
        return {**figures, **({"ranking": right / ranked} if ranked else {})}
