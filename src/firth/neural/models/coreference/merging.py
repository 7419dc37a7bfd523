"""Clusters of mentions, built by merging: the states of a document, the actions of each, and what they are worth.

What
    Every mention starts as a cluster of its own. Mentions come in the order of their best antecedent's score, the
    surest first; at each, its cluster is merged with one that holds a likely antecedent, or left as it is.
Objective
    The features of merging clusters c and d are the pooled vectors of the scored pairs between them,

        [mean_{i in c, j in d} r(i, j); max_{i in c, j in d} r(i, j); log |c|; log |d|; log pairs]

    and the cost of an action is what it lacks to the best action of the state in B-cubed F1, in mentions.
Source
    Clark and Manning 2016, "Improving coreference resolution by learning entity-level distributed representations",
    sections 3.2, 3.4 and 4.
Departures
    A policy starts as the mean of the mean and the greatest score of the pairs, plus a network whose output is 0, so
    that it begins as good as the ranker. A mention that is linked already may stay at the score of this link. The cost
    is the B-cubed F1 right after the action, where the authors let a reference policy finish the document.
Cost
    A merge moves the pairs of one cluster to another: O(neighbours) rows of D numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from firth.documents.document import Span
from firth.evaluation.coreference import score_coreference
from firth.neural.models.coreference.pair_data import PairBatch, PairInputs, PairItem
from firth.neural.models.coreference.pair_module import PairModule, score_table, spans_of
from firth.neural.supervised import SupervisedTask, mean_loss
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
SIZES = 3  # features of sizes
STAY = 3  # features of leaving a cluster as it is
Policy = Callable[[Floats, Floats], Floats]  # (A, F) features of merges and (3,) of staying to (1 + A,) scores
SLACK = 2.0  # nats below the best antecedent that still make a link
BIASES = (-1.0, -0.5, -0.25, 0.0, 0.25, 0.5)


@dataclass(frozen=True)
class Scored:
    """M mentions with P scored pairs.

    Attributes:
        anaphors: (P,) later mention of each pair, ascending.
        antecedents: (P,) earlier one.
        vectors: (P, D) what is pooled.
        scores: (P,) of the pair as a link, above 0 for one.
        count: M.
    """

    anaphors: Ids
    antecedents: Ids
    vectors: Floats
    scores: Floats
    count: int


@dataclass
class Decision:
    """The actions of a state: to stay, and to merge.

    Attributes:
        stay: (3,) features of staying: the score of the best antecedent; that of the best one that is in the cluster
            already, 0 for none; the logarithm of the size of the cluster.
        merges: (A, F) features of merges.
        costs: (1 + A,) of staying and of the merges; 0 without gold chains.
    """

    stay: Floats
    merges: Floats
    costs: Floats


@dataclass
class Clustering:
    """A partition of mentions that grows by merges.

    Attributes:
        of: (M,) cluster of each mention.
        members: mentions of each cluster; none for one that was merged into another.
    """

    scored: Scored
    of: Ids = field(init=False)
    members: list[list[int]] = field(init=False)
    _rows: list[dict[int, int]] = field(init=False)  # of each cluster, the row of its pairs with another

    def __post_init__(self) -> None:
        scored = self.scored
        self.of, self.members = np.arange(scored.count), [[number] for number in range(scored.count)]
        self._rows = [{} for _ in range(scored.count)]
        for row, (later, earlier) in enumerate(zip(scored.anaphors.tolist(), scored.antecedents.tolist(), strict=True)):
            self._rows[later][earlier] = self._rows[earlier][later] = row
        self._sums, self._most = scored.vectors.copy(), scored.vectors.copy()
        self._pairs = np.ones(len(scored.anaphors), np.float32)

    def features(self, cluster: int, candidates: Sequence[int]) -> Floats:
        """Return (A, 2 D + 3) features of merging a cluster with each of A that it has a scored pair with."""
        rows = [self._rows[cluster][other] for other in candidates]
        sizes = np.array([[len(self.members[cluster]), len(self.members[other])] for other in candidates], np.float32)
        pairs = self._pairs[rows, None]
        parts = (self._sums[rows] / pairs, self._most[rows], np.log(sizes.reshape(-1, 2)), np.log(pairs))
        return np.concatenate(parts, axis=1)

    def merge(self, first: int, second: int) -> None:
        """Merge two clusters; the larger keeps its number."""
        into, other = first, second
        if len(self.members[into]) < len(self.members[other]):
            into, other = other, into
        self.of[self.members[other]] = into
        self.members[into] += self.members[other]
        self.members[other] = []
        kept, moved = self._rows[into], self._rows[other]
        kept.pop(other, None)
        moved.pop(into, None)
        both = [number for number in moved if number in kept]
        to, row = [kept[number] for number in both], [moved[number] for number in both]
        self._sums[to] += self._sums[row]
        self._most[to] = np.maximum(self._most[to], self._most[row])
        self._pairs[to] += self._pairs[row]
        for number, row_of in moved.items():
            del self._rows[number][other]
            if number not in kept:
                kept[number] = self._rows[number][into] = row_of
        self._rows[other] = {}


class Partition:
    """How well a partition fits gold chains, kept up to date: the two numerators of B-cubed.

    Args:
        chains: (M,) gold chain of each mention.
    """

    def __init__(self, chains: Ids) -> None:
        self._sizes = np.bincount(chains).astype(float)
        self._shared = [{int(chain): 1.0} for chain in chains.tolist()]  # of each cluster, mentions by chain
        self.recall, self.precision = float((1 / self._sizes[chains]).sum()), float(len(chains))

    def after(self, cluster: int, other: int) -> tuple[float, float]:
        """Return the numerators of recall and of precision if two clusters were merged."""
        first, second = self._shared[cluster], self._shared[other]
        recall = sum(2 * count * second.get(chain, 0.0) / self._sizes[chain] for chain, count in first.items())
        a, b = sum(first.values()), sum(second.values())
        squares = sum((count + second.get(chain, 0.0)) ** 2 for chain, count in first.items())
        squares += sum(count**2 for chain, count in second.items() if chain not in first)
        before = sum(count**2 for count in first.values()) / a + sum(count**2 for count in second.values()) / b
        return self.recall + recall, self.precision + squares / (a + b) - before

    def merge(self, kept: int, other: int) -> None:
        """Merge a cluster into another."""
        self.recall, self.precision = self.after(kept, other)
        for chain, count in self._shared[other].items():
            self._shared[kept][chain] = self._shared[kept].get(chain, 0.0) + count
        self._shared[other] = {}

    def f1(self, recall: float, precision: float) -> float:
        """Return B-cubed F1, in mentions."""
        return 2 * recall * precision / (recall + precision)


def run(
    scored: Scored, policy: Policy, *, merge_candidates: int, chains: Ids | None = None
) -> tuple[list[list[int]], list[Decision]]:
    """Merge clusters until every mention had its turn.

    Args:
        policy: scores of the actions; the best is taken.
        merge_candidates: so many antecedents of a mention, those with the best scores, name the clusters to merge with.
        chains: (M,) gold chain of each mention, for the costs; None for none.

    Returns:
        The clusters in the order of their first mentions, and the decisions.
    """
    clustering = Clustering(scored)
    gold = None if chains is None else Partition(chains)
    decisions = []
    for mention, antecedents, scores in _agenda(scored, merge_candidates):
        own = int(clustering.of[mention])
        inside = scores[clustering.of[antecedents] == own]
        candidates = sorted({int(clustering.of[antecedent]) for antecedent in antecedents} - {own})
        if not candidates:
            continue
        merges = clustering.features(own, candidates)
        linked = inside.max() if len(inside) else 0.0
        stay = np.array([scores[0], linked, np.log(len(clustering.members[own]))], np.float32)
        decisions.append(Decision(stay, merges, _costs(gold, own, candidates)))
        chosen = int(np.argmax(policy(merges, stay))) - 1
        if chosen >= 0:
            other = candidates[chosen]
            clustering.merge(own, other)
            if gold is not None:
                kept = own if clustering.members[own] else other
                gold.merge(kept, other if kept == own else own)
    clusters = [sorted(members) for members in clustering.members if members]
    return sorted(clusters), decisions


def _agenda(scored: Scored, merge_candidates: int) -> list[tuple[int, Ids, Floats]]:
    """Return mentions, the surest first, with their likely antecedents and the scores of these, the best first."""
    ends = np.searchsorted(scored.anaphors, np.arange(scored.count + 1))
    agenda = []
    for mention in range(scored.count):
        pairs = np.arange(ends[mention], ends[mention + 1])
        if len(pairs):
            best = pairs[np.argsort(-scored.scores[pairs], kind="stable")][:merge_candidates]
            agenda.append((mention, scored.antecedents[best], scored.scores[best]))
    return sorted(agenda, key=lambda item: -float(item[2][0]))


def _costs(gold: Partition | None, own: int, candidates: Sequence[int]) -> Floats:
    if gold is None:
        return np.zeros(1 + len(candidates), np.float32)
    values = [gold.f1(gold.recall, gold.precision), *(gold.f1(*gold.after(own, other)) for other in candidates)]
    return np.asarray(max(values) - np.array(values), np.float32)


class ClusterModule(nn.Module):
    """Scores of merging clusters and of leaving them.

    Attributes:
        bias: () added to the scores of staying; chosen on held-out documents.
    """

    bias: torch.Tensor

    def __init__(self, ranker: PairModule, *, hidden: int, merge_candidates: int) -> None:
        super().__init__()
        self.ranker, self.merge_candidates = ranker.requires_grad_(False), merge_candidates
        width = 2 * (ranker.layer.out_features + 2) + SIZES
        self.layer, self.score = nn.Linear(width, hidden), nn.Linear(hidden, 1)
        self.pooled = nn.Parameter(torch.full((2,), 0.5))  # weights of the mean and the greatest score of a pair
        self.stay = nn.Linear(STAY, 1)
        for parameter in (self.score.weight, self.score.bias, self.stay.weight, self.stay.bias):
            nn.init.zeros_(parameter)  # so that it starts with the ranker's scores
        self.register_buffer("bias", torch.zeros(()))

    def train(self, mode: bool = True) -> "ClusterModule":
        """Set the mode; the ranker is always in evaluation mode."""
        super().train(mode)
        self.ranker.eval()
        return self

    @torch.no_grad()
    def scored(self, inputs: PairInputs) -> Scored:
        """Return a document as the ranker scores it."""
        scores = self.ranker(inputs)
        new = scores.new + self.ranker.bias
        best = score_table(inputs, scores)[:, 1:].amax(1) if len(inputs.columns) else new
        over_none = (scores.pairs - new[inputs.anaphors]).float()
        # A pair links if it beats having no antecedent and is not much worse than the best: a ranking says no more.
        links = (scores.pairs - torch.maximum(new, best - SLACK)[inputs.anaphors]).float()
        vectors = torch.cat([scores.hidden.float(), over_none[:, None], links[:, None]], dim=1)
        later, earlier = inputs.anaphors.cpu().numpy(), inputs.antecedents.cpu().numpy()
        return Scored(later, earlier, vectors.cpu().numpy(), links.cpu().numpy(), len(inputs))

    def forward(self, merges: torch.Tensor) -> torch.Tensor:
        """Return (A,) scores of merges with (A, F) features."""
        width = (merges.shape[1] - SIZES) // 2
        links = merges[:, [width - 1, 2 * width - 1]]
        learned: torch.Tensor = self.score(torch.relu(self.layer(merges))).squeeze(1)
        return learned + links @ self.pooled

    def stays(self, features: torch.Tensor) -> torch.Tensor:
        """Return (..., 1) scores of staying with (..., 3) features."""
        learned: torch.Tensor = self.stay(features)
        return learned + features[..., 1:2] + self.bias

    def action_scores(self, decision: Decision) -> torch.Tensor:
        """Return (1 + A,) scores of staying and of the merges."""
        device = self.bias.device
        stay = self.stays(torch.from_numpy(decision.stay).to(device))
        return torch.cat([stay, self(torch.from_numpy(decision.merges).to(device))])

    def policy(self, merges: Floats, stay: Floats) -> Floats:
        """Return (1 + A,) scores of the actions of a state, without gradients."""
        with torch.no_grad():
            scores = self.action_scores(Decision(stay, merges, np.zeros(0, np.float32)))
        return np.asarray(scores.cpu().numpy())

    def chains(self, inputs: PairInputs) -> list[list[Span]]:
        """Return the chains of a document."""
        spans = spans_of(inputs)
        clusters, _ = run(self.scored(inputs), self.policy, merge_candidates=self.merge_candidates)
        return [[spans[mention] for mention in cluster] for cluster in clusters]


def best_bias(biases: Sequence[float], b_cubed: Callable[[float], float]) -> tuple[float, float]:
    """Return the bias with the best B-cubed F1, of equal ones the smallest in size, and this F1."""
    scores = {bias: b_cubed(bias) for bias in biases}
    best = max(biases, key=lambda bias: (scores[bias], -abs(bias)))
    return best, scores[best]


def cluster_task(module: ClusterModule, batches: Batches, held_out: Sequence[PairItem]) -> SupervisedTask:
    """Return a module to train on `PairBatch`es, with the expected cost of its decisions and its figures.

    The bias that B-cubed F1 is best with is kept in the module; the error is what this F1 lacks to 1.
    """

    def decisions_of(item: PairItem) -> list[Decision]:
        chains = item.chains.cpu().numpy()
        return run(module.scored(item.inputs), module.policy, merge_candidates=module.merge_candidates, chains=chains)[
            1
        ]

    def loss(batch: PairBatch, progress: TrainingProgress) -> StepOutput:
        module.bias.zero_()  # of the last evaluation
        decisions = [decision for item in batch.items for decision in decisions_of(item)]
        if decisions:
            return mean_loss(expected_costs(module, decisions))
        nothing = module.stay.bias.sum() * 0.0  # no mention of the batch has a candidate
        return StepOutput(nothing, nothing.detach().double(), 0)

    def figures() -> dict[str, float]:
        items = [item.to(module.bias.device) for item in held_out]

        def b_cubed(bias: float) -> float:
            module.bias.fill_(bias)
            chains = [module.chains(item.inputs) for item in items]
            assert [sum(map(len, of_item)) for of_item in chains] == [len(item.inputs) for item in items]
            return score_coreference([item.gold for item in items], chains).b_cubed.f1

        best, f1 = best_bias(BIASES, b_cubed)
        module.bias.fill_(best)
        losses = [expected_costs(module, decisions) for item in items if (decisions := decisions_of(item))]
        return {"loss": torch.cat(losses).mean().item() if losses else 0.0, "error": 1 - f1}

    mentions = sum(len(item.inputs) for item in held_out)
    return SupervisedTask(
        module=module, batches=batches, loss=loss, figures=figures, unit="decisions", eval_predictions=mentions
    )


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
