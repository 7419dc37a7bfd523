"""Losses over the antecedents of mentions: pairs, ranking by a margin, ranking by likelihood.

What
    Each mention has a row of scores: of having no antecedent, and of each candidate. Several may be right.
Objective
    With s the scores of a mention, G its right antecedents (or "none") and D(a) the cost of a wrong antecedent a, which
    is false_new where "none" is wrong, false_link where any link is wrong, and wrong_link for a link to another chain:

        pairs       sum_a log(1 + exp(-y_a s_a)) over the candidates, y_a = 1 if a is in G, else -1
        margin      max_a D(a) (1 + s_a - max_{g in G} s_g)
        likelihood  log sum_a exp(s_a + D(a)) - log sum_{g in G} exp(s_g)

Source
    Soon, Ng and Lim 2001 (pairs); Wiseman et al. 2015, section 3.1, and Clark and Manning 2016, section 3.3 (the
    slack-rescaled margin); Durrett and Klein 2013, section 3.3 (the likelihood with costs).
Departures
    Pairs are all candidates, not those between a mention and its nearest antecedent: each mention counts alike.
Cost
    O(M K) for M mentions with K candidates.
"""

from dataclasses import dataclass

import torch
from torch.nn.functional import softplus

from firth.neural.models.coreference.pair_scores import NONE


@dataclass(frozen=True)
class Costs:
    """Costs of wrong antecedents.

    Attributes:
        false_link: of any antecedent where a mention has none.
        false_new: of none where it has one.
        wrong_link: of one in another chain.
    """

    false_link: float
    false_new: float
    wrong_link: float

    def table(self, gold: torch.Tensor) -> torch.Tensor:
        """Return (M, K + 1) costs of M mentions whose right antecedents are given."""
        costs = torch.full(gold.shape, self.wrong_link, device=gold.device)
        costs[:, 0] = self.false_new
        costs[gold[:, 0]] = self.false_link
        return costs.masked_fill(gold, 0.0)


def pair_losses(table: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    """Return (M,) mean logistic losses in nats of the candidates of M mentions.

    Args:
        table: (M, K + 1) scores; -1e9 where there is no candidate.
        gold: (M, K + 1) which are right.
    """
    scores, right = table[:, 1:], gold[:, 1:]
    real = scores > NONE / 2
    losses = softplus(torch.where(right, -scores, scores)) * real
    return losses.sum(1) / real.sum(1).clamp(min=1)


def margin_losses(table: torch.Tensor, gold: torch.Tensor, costs: Costs) -> torch.Tensor:
    """Return (M,) slack-rescaled margins; the arguments are those of `pair_losses`."""
    best = table.masked_fill(~gold, NONE).amax(1, keepdim=True)
    slack = costs.table(gold) * (1 + table - best)
    return slack.masked_fill(table <= NONE / 2, 0.0).amax(1)


def likelihood_losses(table: torch.Tensor, gold: torch.Tensor, costs: Costs) -> torch.Tensor:
    """Return (M,) negative log-likelihoods in nats, with costs added to the scores; as `pair_losses`."""
    every = torch.logsumexp(table + costs.table(gold), dim=1)
    return every - torch.logsumexp(table.masked_fill(~gold, NONE), dim=1)
