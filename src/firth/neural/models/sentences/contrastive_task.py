"""Contrastive training of an encoder: the task, with alignment and uniformity on texts that it does not train on.

What: a model supplies losses for a batch, and the vectors of both sides of its positive pairs. Each evaluation reports
    their alignment and uniformity; given scored pairs of texts, also the rank correlation of cosines with scores, which
    selects the best model.
Source: Wang and Isola 2020, section 4; Gao, Yao and Chen 2021, section 2.3 (pairs with a high score as positives).
"""

import abc
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError
from firth.evaluation.similarity import spearman
from firth.neural.layers.contrastive import alignment, uniformity
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.supervised import SupervisedTask, mean_loss, on_device
from firth.neural.training.options import RunConfig
from firth.neural.training.task import Batches
from firth.randomness import generator
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


def contrastive_task(
    module: ContrastiveModule,
    model: SentenceEncoder,
    count: int,
    batches: Callable[..., Batches],
    held_out: Any,
    config: RunConfig,
    *,
    name: str,
    unit: str,
    facts: Callable[[int], Mapping[str, Any]],
) -> SupervisedTask:
    """Return a contrastive model with its data as a task.

    Without scored pairs, some items are set aside for alignment and uniformity, and no loss selects a model: the last
    one is kept.

    Args:
        batches: returns batches of items, given their numbers and `shuffle`.
        held_out: scored pairs, as a caller gave them.
        facts: about the data, given the number of items that are set aside.
    """
    scored = None if held_out is None else ScoredPairs.of(held_out)
    size = 0 if scored else set_aside(count)
    order = generator(config.seed, f"{name} set aside").permutation(count)
    aside = batches(order[:size], shuffle=False) if size else None

    def figures() -> Mapping[str, float]:
        if scored is not None:
            return scored.figures(model)
        if aside is None:
            return {}
        torch.manual_seed(EVAL_SEED)  # the loop restores the state of training
        sides = [module.pairs(batch) for batch in on_device(aside, module)]
        x, y = (torch.cat(side).float() for side in zip(*sides, strict=True))
        return {"alignment": alignment(x, y).item(), "uniformity": uniformity(x).item()}

    return SupervisedTask(
        module=module,
        batches=batches(order[size:], shuffle=True),
        loss=lambda batch, progress: mean_loss(module.losses(batch)),
        figures=figures,
        unit=unit,
        eval_predictions=2 * len(scored.first) if scored else size,
        facts=facts(size),
    )
