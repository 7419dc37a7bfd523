"""Bounds and measures: exact sums where codes can be counted, and limits that are known."""

import itertools
import math

import pytest
import torch

from firth.neural.models.autoencoders.measures import (
    _of_batch,
    active_units,
    code_perplexity,
    measure,
    mutual_information,
)
from tests.unit.neural.models.autoencoders.tiny import LABELS, SENTENCES, untrained


def batches_of(model, labels=None, size=8):
    return model.items.batches(model._items(SENTENCES, labels), size, shuffle=False)


@pytest.mark.parametrize("labels", [None, LABELS])
@pytest.mark.parametrize("code", ["gaussian", "gumbel", "vq"])
def test_one_sample_of_the_importance_weighted_bound_is_the_elbo_of_that_sample(code, labels):
    """log p(x | z) + log p(z) - log q(z | x) of the same z, whose mean over many z is the ELBO with the closed KL."""
    model = untrained(code=code, labels=labels is not None)
    batch = model.items.collate(model._items(SENTENCES[:3], None if labels is None else labels[:3]))
    _, _, one, _ = _of_batch(model.module, batch, 1, torch.Generator().manual_seed(4))
    module = model.module
    with torch.no_grad():
        posterior = module.code.distribution(module.encoder(batch))
        prior = module.code.prior(batch.labels, 3)
        codes = module.code.draw(posterior, torch.Generator().manual_seed(4))
        given = -module.reconstruction(batch, module.condition(module.code.vectors(codes), batch.labels))
        by_hand = given + module.code.log_prob(codes, prior) - module.code.log_prob(codes, posterior)
    torch.testing.assert_close(one[:, 0], by_hand, atol=1e-5, rtol=0)
    _, kl, many, likelihoods = _of_batch(module, batch, 4000, torch.Generator().manual_seed(5))
    error = (many.std(1) + likelihoods.std(1)) / math.sqrt(4000)
    assert ((many.mean(1) - (likelihoods.mean(1) - kl.sum(1))).abs() <= 5 * error + 1e-5).all()


def test_the_importance_weighted_bound_rises_to_the_likelihood():
    """Of 16 codes, the likelihood is a sum; means over sets of k samples rise with k and stay below it."""
    model = untrained(code="gumbel")
    module = model.module
    batch = model.items.collate(model._items(SENTENCES[:3], None))
    every = torch.tensor(list(itertools.product(range(4), repeat=2)))
    with torch.no_grad():
        many = batch.repeated(len(every))
        codes = every.repeat(3, 1)
        given = -module.reconstruction(many, module.condition(module.code.vectors(codes), None)).view(3, -1)
        exact = torch.logsumexp(given - math.log(len(every)), 1)
    _, _, weights, _ = _of_batch(module, batch, 6400, torch.Generator().manual_seed(0))
    bounds = [(torch.logsumexp(weights.view(3, -1, k), 2) - math.log(k)).mean(1) for k in (1, 4, 64, 6400)]
    for lower, higher in itertools.pairwise(bounds):
        assert (lower < higher).all()
    torch.testing.assert_close(bounds[-1], exact, atol=0.02, rtol=0)
    assert (bounds[1] < exact).all()


def test_scores_do_not_depend_on_batches_and_add_up():
    model = untrained()
    whole = measure(model.module, batches_of(model, size=27), samples=200)
    parts = measure(model.module, batches_of(model, size=4), samples=200)
    assert whole.kl == pytest.approx(parts.kl, abs=1e-5)
    assert whole.elbo == pytest.approx(parts.elbo, abs=0.05)
    assert whole.elbo == pytest.approx(whole.reconstruction - whole.kl)
    assert whole.kl == pytest.approx(sum(whole.kl_by_unit))
    assert whole.low < whole.elbo < whole.high
    assert whole.elbo < whole.importance_weighted
    assert whole.words == sum(len(model.items.units.split(text)) + 1 for text in SENTENCES)
    bound = -whole.importance_weighted * whole.sentences / whole.words
    assert whole.perplexity == pytest.approx(math.exp(bound))
    assert measure(model.module, batches_of(model)).importance_weighted is None


def test_mutual_information_has_the_limits_that_are_known():
    model = untrained()
    module = model.module
    same, generator = torch.zeros(40, 6), torch.Generator().manual_seed(0)
    assert mutual_information(module, same, generator) == pytest.approx(0, abs=1e-9)
    apart = torch.cat([torch.arange(40)[:, None] * torch.tensor([[100.0, 0, 0]]), torch.zeros(40, 3)], 1)
    assert mutual_information(module, apart, generator) == pytest.approx(math.log(40), abs=1e-6)
    halves = torch.where(torch.arange(40)[:, None] < 20, apart[:1], apart[-1:])
    assert mutual_information(module, halves, generator) == pytest.approx(math.log(2), abs=1e-6)


def test_mutual_information_of_categories_is_a_difference_of_entropies():
    """With one slot: H(mean of q) - mean of H(q), here from one sample of each of many sentences."""
    model = untrained(code="gumbel", slots=1)
    torch.manual_seed(0)
    posterior = model.module.code.distribution(2 * torch.randn(10, 4)).repeat(200, 1, 1)
    share = posterior.exp().mean(0)[0]
    entropy = -(share * share.log()).sum() + (posterior.exp() * posterior).sum(2).mean()
    found = mutual_information(model.module, posterior, torch.Generator().manual_seed(0))
    assert found == pytest.approx(entropy.item(), abs=0.05)


def test_active_units_and_code_perplexity_by_hand():
    gaussian, gumbel = untrained().module, untrained(code="gumbel").module
    means = torch.zeros(4, 6)
    means[:2, 0], means[0, 1] = 1.0, 0.1  # variances .25 and .0019
    assert active_units(gaussian, means) == 1
    assert code_perplexity(gaussian, means) == ()
    log = torch.full((4, 2, 4), -1e30)
    log[:, 0, 0] = 0.0
    log[range(4), 1, [0, 0, 1, 1]] = 0.0
    assert code_perplexity(gumbel, log) == pytest.approx((1, 2))
    assert active_units(gumbel, log) == 1
    vague = gumbel.code.distribution(torch.zeros(4, 8))  # all categories alike, for all sentences
    assert active_units(gumbel, vague) == 0
    assert code_perplexity(gumbel, vague) == pytest.approx((1, 1))
