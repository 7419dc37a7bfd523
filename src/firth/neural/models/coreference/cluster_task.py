"""Merging clusters: the task of learning a policy.

The policy runs through a document, and learns from the actions of every state that it comes to:

    L = mean over states of sum_u pi(u | x) cost(u)

(Clark and Manning 2016, equation 5 and algorithm 1).
"""

from collections.abc import Mapping, Sequence

import torch

from firth.evaluation.coreference import score_coreference
from firth.neural.layers.state import State
from firth.neural.models.coreference.chains import spans_of
from firth.neural.models.coreference.cluster_module import ClusterModule
from firth.neural.models.coreference.merging import Decision, run
from firth.neural.models.coreference.pair_data import PairBatch, PairItem
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

BIASES = (-1.0, -0.5, -0.25, 0.0, 0.25, 0.5)


class ClusterTask:
    """A module with documents; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: `PairBatch`es to train on.
        held_out: documents that select the model.

    Attributes:
        module: as given.
        batches: as given.
        unit: "decisions".
        eval_predictions: mentions in `held_out`.
    """

    def __init__(self, module: ClusterModule, batches: Batches, held_out: Sequence[PairItem]) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit, self._policy, self._held_out = batches, "decisions", module, held_out
        self.eval_predictions = sum(len(item.inputs) for item in held_out)

    def step(self, batch: PairBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean expected cost of the decisions of a batch; see `Task.step`."""
        self._policy.bias.zero_()  # of the last evaluation
        decisions = [decision for item in batch.items for decision in self._decisions(item)]
        if not decisions:  # no mention of the batch has a candidate
            nothing = self._policy.stay.bias.sum() * 0.0
            return StepOutput(nothing, nothing.detach().double(), 0)
        losses = expected_costs(self._policy, decisions)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the expected cost of a decision, and what is missing from the best B-cubed F1; keeps its bias."""
        device = next(self.module.parameters()).device
        items = [PairBatch((item,)).to(device).items[0] for item in self._held_out]
        figures = {bias: self._b_cubed(items, bias) for bias in BIASES}
        best = max(BIASES, key=lambda bias: (figures[bias], -abs(bias)))
        self._policy.bias.fill_(best)
        losses = [expected_costs(self._policy, found) for item in items if (found := self._decisions(item))]
        loss = torch.cat(losses).mean().item() if losses else 0.0
        return {"loss": loss, "error": 1 - figures[best]}

    def _decisions(self, item: PairItem) -> list[Decision]:
        scored, chains = self._policy.scored(item.inputs), item.chains.cpu().numpy()
        return run(scored, self._policy.policy, likely=self._policy.likely, chains=chains)[1]

    def _b_cubed(self, items: Sequence[PairItem], bias: float) -> float:
        self._policy.bias.fill_(bias)
        found = [self._policy.chains(item.inputs) for item in items]
        assert all(len(spans_of(item.inputs)) == sum(map(len, each)) for item, each in zip(items, found, strict=True))
        return score_coreference([item.gold for item in items], found).b_cubed.f1


def expected_costs(module: ClusterModule, decisions: Sequence[Decision]) -> torch.Tensor:
    """Return (S,) expected costs of S decisions, in mentions."""
    device = module.bias.device
    sizes = [len(decision.merges) for decision in decisions]
    merges = module(torch.cat([torch.from_numpy(decision.merges) for decision in decisions]).to(device))
    stays = module.stays(torch.stack([torch.from_numpy(decision.stay) for decision in decisions]).to(device))
    state = torch.repeat_interleave(torch.arange(len(decisions), device=device), torch.tensor(sizes, device=device))
    first = torch.cumsum(torch.tensor(sizes, device=device), 0) - torch.tensor(sizes, device=device)
    table = stays.new_full((len(decisions), max(sizes) + 1), -1e9)
    costs = torch.zeros_like(table)
    columns = torch.arange(len(state), device=device) - first[state] + 1
    table = torch.cat([stays, table[:, 1:].index_put((state, columns - 1), merges)], dim=1)
    for row, decision in enumerate(decisions):
        costs[row, : len(decision.costs)] = torch.from_numpy(decision.costs)
    return (table.softmax(1) * costs).sum(1)
