"""Losses over antecedents against loops over the formula's terms."""

import math

import pytest
import torch

from firth.neural.models.coreference.coreference import Costs, likelihood_losses, margin_losses, pair_losses
from firth.neural.models.coreference.pair_module import NONE

COSTS = Costs(0.7, 0.3, 1.1)


def table(seed=0):
    """Scores of five mentions with up to four candidates, and which are right."""
    random = torch.Generator().manual_seed(seed)
    scores = torch.randn(5, 5, generator=random, dtype=torch.float64)
    for mention in range(5):
        scores[mention, mention + 1 :] = NONE  # mention i has i candidates
    gold = torch.rand(5, 5, generator=random) < 0.4
    gold &= scores > NONE / 2
    gold[:, 0] = ~gold[:, 1:].any(1)
    return scores.requires_grad_(), gold


def cost(mention, column, gold):
    if gold[mention, column]:
        return 0.0
    if column == 0:
        return COSTS.false_new
    return COSTS.false_link if gold[mention, 0] else COSTS.wrong_link


@pytest.mark.parametrize("seed", range(5))
def test_margin_and_likelihood(seed):
    scores, gold = table(seed)
    margins, likelihoods = margin_losses(scores, gold, COSTS), likelihood_losses(scores, gold, COSTS)
    for mention in range(5):
        row, columns = scores[mention].tolist(), range(mention + 1)
        best = max(row[column] for column in columns if gold[mention, column])
        expected = max(cost(mention, column, gold) * (1 + row[column] - best) for column in columns)
        assert margins[mention].item() == pytest.approx(expected, abs=1e-6)
        every = sum(math.exp(row[column] + cost(mention, column, gold)) for column in columns)
        right = sum(math.exp(row[column]) for column in columns if gold[mention, column])
        assert likelihoods[mention].item() == pytest.approx(math.log(every / right), abs=1e-6)


def test_the_likelihood_of_one_right_antecedent_is_the_cross_entropy():
    scores = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))
    target = torch.tensor([0, 1, 2, 3, 0, 2])
    gold = torch.nn.functional.one_hot(target, 4).bool()
    losses = likelihood_losses(scores, gold, Costs(0, 0, 0))
    torch.testing.assert_close(losses, torch.nn.functional.cross_entropy(scores, target, reduction="none"))


def test_pairs():
    scores, gold = table(3)
    losses = pair_losses(scores, gold)
    for mention in range(5):
        signs = [1 if gold[mention, column] else -1 for column in range(1, mention + 1)]
        terms = [math.log1p(math.exp(-s * scores[mention, c].item())) for c, s in enumerate(signs, 1)]
        assert losses[mention].item() == pytest.approx(sum(terms) / max(len(terms), 1), abs=1e-6)


@pytest.mark.parametrize("losses", [pair_losses, lambda s, g: margin_losses(s, g, COSTS),
                                    lambda s, g: likelihood_losses(s, g, COSTS)])  # fmt: skip
def test_gradients_are_finite_and_none_for_what_is_no_candidate(losses):
    scores, gold = table(2)
    losses(scores, gold).sum().backward()
    assert torch.isfinite(scores.grad).all()
    assert (scores.grad[scores <= NONE / 2] == 0).all()
