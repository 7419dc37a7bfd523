"""Antecedents of mentions: the task of mention pairs and of mention ranking."""

from collections.abc import Callable, Mapping, Sequence

import torch

from firth.documents.document import Span
from firth.evaluation.coreference import score_coreference
from firth.neural.layers.state import State
from firth.neural.models.coreference.chains import best_chains
from firth.neural.models.coreference.pair_data import PairBatch, PairItem
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.coreference.pair_scores import PairScores, gold_table, score_table
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

BIASES = (-2.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
Losses = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class PairTask:
    """A module with documents; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: `PairBatch`es to train on.
        losses: returns (M,) losses of (M, K + 1) scores and (M, K + 1) right antecedents.
        held_out: documents that select the model.

    Attributes:
        module: as given.
        batches: as given.
        unit: "mentions".
        eval_predictions: mentions in `held_out`.
    """

    def __init__(self, module: PairModule, batches: Batches, losses: Losses, held_out: Sequence[PairItem]) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit, self._scorer = batches, "mentions", module
        self._losses, self._held_out = losses, held_out
        self.eval_predictions = sum(len(item.inputs) for item in held_out)

    def step(self, batch: PairBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of the mentions of a batch; see `Task.step`."""
        losses = torch.cat([self._losses_of(item, self.module(item.inputs)) for item in batch.items])
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the loss per mention, and what is missing from the best B-cubed F1.

        The bias of the scores of having no antecedent that B-cubed is best with is kept in the module.
        """
        device = next(self.module.parameters()).device
        items = [PairBatch((item,)).to(device).items[0] for item in self._held_out]
        scores = [self.module(item.inputs) for item in items]
        losses = [self._losses_of(item, each).sum().item() for item, each in zip(items, scores, strict=True)]
        figures = {bias: self._b_cubed(items, scores, bias) for bias in BIASES}
        best = max(BIASES, key=lambda bias: (figures[bias], -abs(bias)))
        self._scorer.bias.fill_(best)
        return {"loss": sum(losses) / self.eval_predictions, "error": 1 - figures[best]}

    def _losses_of(self, item: PairItem, scores: PairScores) -> torch.Tensor:
        table = score_table(item.inputs, scores).float()
        return self._losses(table, gold_table(item.inputs, item.chains, table.shape[1]))

    def _b_cubed(self, items: Sequence[PairItem], scores: Sequence[PairScores], bias: float) -> float:
        found: list[list[list[Span]]] = [
            best_chains(item.inputs, each, bias) for item, each in zip(items, scores, strict=True)
        ]
        return score_coreference([item.gold for item in items], found).b_cubed.f1
