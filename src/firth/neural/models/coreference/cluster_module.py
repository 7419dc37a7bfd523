"""Cluster merging over a trained mention ranker; see `firth.neural.models.coreference.merging`."""

import numpy as np
import torch
from torch import nn

from firth.documents.document import Span
from firth.neural.models.coreference.chains import spans_of
from firth.neural.models.coreference.merging import SIZES, STAY, Decision, Floats, Scored, run
from firth.neural.models.coreference.pair_data import PairInputs
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.coreference.pair_scores import score_table

SLACK = 2.0  # nats below the best antecedent that still make a link


class ClusterModule(nn.Module):
    """Scores of merging clusters and of leaving them.

    Args:
        ranker: a mention ranker, which stays as it is.
        hidden: width of the hidden layer over pooled pairs.
        likely: antecedents of a mention that name the clusters to merge with.

    Attributes:
        ranker: as given.
        bias: () added to the scores of staying; chosen on held-out documents.
    """

    bias: torch.Tensor

    def __init__(self, ranker: PairModule, *, hidden: int, likely: int) -> None:
        super().__init__()
        self.ranker, self.likely = ranker.requires_grad_(False), likely
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
        # A pair links if it beats having no antecedent and is not much worse than the best: rankings compare no others.
        links = (scores.pairs - torch.maximum(new, best - SLACK)[inputs.anaphors]).float()
        vectors = torch.cat([scores.hidden.float(), over_none[:, None], links[:, None]], dim=1)
        later, earlier, rows, sure = (
            each.cpu().numpy() for each in (inputs.anaphors, inputs.antecedents, vectors, links)
        )
        return Scored(later, earlier, rows, sure, len(inputs))

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
        clusters, _ = run(self.scored(inputs), self.policy, likely=self.likely)
        return [[spans[mention] for mention in cluster] for cluster in clusters]
