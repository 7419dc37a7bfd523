"""Contrastive training of an encoder: the task, with alignment and uniformity on texts that it does not train on.

What: a model supplies losses for a batch, and the vectors of both sides of its positive pairs. Each evaluation reports
    their alignment and uniformity; given scored pairs of texts, also the rank correlation of cosines with scores, which
    selects the best model.
Source: Wang and Isola 2020, section 4; Gao, Yao and Chen 2021, section 2.3 (pairs with a high score as positives).
"""

import abc
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError
from firth.evaluation.similarity import spearman
from firth.neural.layers.contrastive import alignment, uniformity
from firth.neural.layers.state import State
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.training.batching import Buckets
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.readers.sentence_pairs import SentencePairs, read_file

SET_ASIDE, MOST = 0.05, 1000  # share of the texts that figures are computed on, if there are no scored pairs; at most
TOP = 0.2  # share of the range of scores whose pairs are positives
EVAL_SEED = 0


class ContrastiveModule(torch.nn.Module, abc.ABC):
    """An encoder with what contrastive training adds to it."""

    @abc.abstractmethod
    def losses(self, batch: Any) -> torch.Tensor:
        """Return the (N,) losses of a batch, one per anchor, in nats."""

    @abc.abstractmethod
    def pairs(self, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors of positive pairs, (N, D) each, as `encode` gives them."""


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs of texts with scores.

    Attributes:
        first: N texts.
        second: N texts.
        scores: (N,) float64; higher is more similar.
    """

    first: list[str]
    second: list[str]
    scores: npt.NDArray[np.float64]

    @classmethod
    def of(cls, source: Any) -> "ScoredPairs":
        """Return pairs that a caller gave as (text, text, score), as `SentencePairs`, or as a file of them.

        Raises:
            OptionError: it is none of these, or all scores are equal.
        """
        if isinstance(source, str | os.PathLike):
            source = read_file(source, None)
        if isinstance(source, SentencePairs):
            if source.scores is None:
                raise OptionError("held_out: pairs with labels, expected pairs with scores")
            source = list(zip(source.first, source.second, source.scores, strict=True))
        try:
            first, second, scores = zip(*source, strict=True)
            values = np.array(scores, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise OptionError(
                f"held_out: found {type(source).__name__}, expected pairs of texts with scores: a list of (text, text, "
                "score)"
            ) from error
        if not all(isinstance(text, str) for text in (*first, *second)) or not np.isfinite(values).all():
            raise OptionError("held_out: a pair is not (text, text, score), with strings and a finite number")
        if len(values) < 2 or values.min() == values.max():
            raise OptionError(f"held_out: {len(values)} pairs of one score, expected two scores or more to rank")
        return cls(list(first), list(second), values)

    def figures(self, model: SentenceEncoder) -> dict[str, float]:
        """Return the rank correlation, and alignment and uniformity, of a model's vectors."""
        x, y = (torch.from_numpy(model.encode(texts, progress=False)) for texts in (self.first, self.second))
        cosines = torch.nn.functional.cosine_similarity(x, y)
        correlation = spearman(cosines.numpy(), self.scores)
        low, high = self.scores.min(), self.scores.max()
        top = torch.from_numpy(self.scores >= high - TOP * (high - low))
        return {
            "loss": 1 - correlation,
            "spearman": correlation,
            "alignment": alignment(x[top], y[top]).item(),
            "uniformity": uniformity(torch.cat((x, y))).item(),
        }


def check_batches(batch_size: int) -> None:
    """Check that a batch holds negatives.

    Raises:
        OptionError: it has one text only.
    """
    if batch_size < 2:
        raise OptionError(f"batch_size={batch_size}: the other texts of a batch are the negatives; expected at least 2")


def set_aside(count: int) -> int:
    """Return how many of `count` texts are kept from training for alignment and uniformity."""
    return min(MOST, max(2, round(SET_ASIDE * count))) if count >= 4 else 0


class ContrastiveTask:
    """A contrastive model with its data; implements `firth.neural.training.task.Task`.

    Attributes:
        eval_predictions: texts of an evaluation.
    """

    def __init__(
        self,
        module: ContrastiveModule,
        model: SentenceEncoder,
        batches: Batches,
        *,
        aside: Buckets[Any] | None,
        scored: ScoredPairs | None,
        unit: str = "texts",
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit = batches, unit
        self._contrastive, self._model, self._aside, self._scored = module, model, aside, scored
        self.eval_predictions = 2 * len(scored.first) if scored else 0
        if aside is not None:
            self.eval_predictions += len(aside.items)
        self.facts: Mapping[str, Any] = facts or {}

    def step(self, batch: Any, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch's anchors; see `Task.step`."""
        losses = self._contrastive.losses(batch)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return alignment and uniformity; with scored pairs, theirs and "loss", 1 - Spearman; see `Task.evaluate`.

        Without scored pairs there is no loss that selects a model: the last one is kept.
        """
        if self._scored is not None:
            return self._scored.figures(self._model)
        if self._aside is None:
            return {}
        torch.manual_seed(EVAL_SEED)  # the loop restores the state of training
        device = next(self.module.parameters()).device
        sides = [self._contrastive.pairs(batch.to(device)) for batch in self._aside.epoch(0)]
        x, y = (torch.cat(side).float() for side in zip(*sides, strict=True))
        return {"alignment": alignment(x, y).item(), "uniformity": uniformity(x).item()}
