"""Codes of each kind: closed-form divergences against sampling and sums, densities, draws, priors of labels."""

import itertools
import math

import pytest
import torch

from firth.neural.models.autoencoders.codes import GaussianCode, GumbelCode, QuantisedCode

KINDS = ("gaussian", "gumbel", "vq")


def code_of(kind, labels=0):
    torch.manual_seed(1)
    if kind == "gaussian":
        code = GaussianCode(3, labels, 4)
    elif kind == "gumbel":
        code = GumbelCode(2, 3, 4, labels, 4, hard=False, schedule=(1.0, 0.5, 0.0))
    else:
        code = QuantisedCode(2, 3, 4, labels, commitment=0.25)
    if labels and kind != "vq":
        torch.nn.init.normal_(code.prior_network[-1].weight, std=0.3)
    return code.eval()


@pytest.mark.parametrize("labels", [0, 2])
def test_the_closed_form_of_normal_codes_equals_monte_carlo(labels):
    code = code_of("gaussian", labels)
    posterior = torch.randn(2, 6)
    prior = code.prior(torch.tensor([0, 1]) if labels else None, 2)
    many, before = (each.double().repeat_interleave(200_000, 0) for each in (posterior, prior))
    codes = code.draw(many, torch.Generator().manual_seed(0))
    sampled = (code.log_prob(codes, many) - code.log_prob(codes, before)).view(2, -1)
    exact = code.kl(posterior, prior).sum(1).double()
    error = sampled.std(1) / math.sqrt(sampled.shape[1])
    assert ((sampled.mean(1) - exact).abs() < 5 * error).all()
    assert (error < 0.02).all()


@pytest.mark.parametrize("labels", [0, 2])
def test_the_divergence_of_categories_is_the_sum_over_all_codes(labels):
    code = code_of("gumbel", labels)
    posterior = code.distribution(torch.randn(2, 6))
    prior = code.prior(torch.tensor([0, 1]) if labels else None, 2)
    every = torch.tensor(list(itertools.product(range(3), repeat=2)))[:, None]  # (9, 1, M)
    own, before = code.log_prob(every, posterior[None]), code.log_prob(every, prior[None])
    torch.testing.assert_close(own.exp().sum(0), torch.ones(2))
    torch.testing.assert_close(before.exp().sum(0), torch.ones(2))
    torch.testing.assert_close(code.kl(posterior, prior).sum(1), (own.exp() * (own - before)).sum(0))


def test_a_quantised_code_has_the_divergence_of_its_surprise():
    code = code_of("vq")
    raw = torch.randn(5, 8)
    posterior = code.distribution(raw)
    codes = code.best(posterior)
    assert torch.equal(codes, code.quantiser.nearest(raw.view(5, 2, 4)))
    assert torch.equal(code.draw(posterior), codes)
    torch.testing.assert_close(code.kl(posterior, code.prior(None, 5)), torch.full((5, 2), math.log(3)))
    code.fit_prior(codes, torch.zeros(5))
    shares = [((codes[:, slot] == codes[0, slot]).sum() + 1) / 8 for slot in range(2)]
    torch.testing.assert_close(code.kl(posterior, code.prior(None, 5))[0], -torch.stack(shares).log())


def test_a_quantised_code_has_a_prior_per_label():
    code = code_of("vq", 2)
    code.fit_prior(torch.tensor([[0, 1], [0, 1], [2, 2]]), torch.tensor([0, 0, 1]))
    prior = code.prior(torch.tensor([0, 1, 0]), 3)
    torch.testing.assert_close(prior.exp()[0], torch.tensor([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2]]))
    torch.testing.assert_close(prior.exp()[1, 0], torch.tensor([0.25, 0.25, 0.5]))
    assert torch.equal(prior[0], prior[2])


@pytest.mark.parametrize("kind", KINDS)
def test_training_reads_vectors_of_codes(kind):
    """A draw at a low temperature or variance is the vector of the best code; gradients reach what gave the code."""
    code = code_of(kind)
    raw = torch.randn(4, code.inputs)
    if kind == "gaussian":
        raw[:, 3:] = -40.0
    if kind == "gumbel":
        raw, code.schedule = raw * 1000, (0.1, 0.1, 0.0)
    raw.requires_grad_()
    vectors, losses = code.train_draw(raw, step=0)
    torch.testing.assert_close(vectors, code.vectors(code.best(code.distribution(raw))), atol=1e-5, rtol=0)
    assert losses.shape == (4,)
    assert (losses > 0).all() == (kind == "vq")
    vectors.sum().backward()
    assert raw.grad is not None
    assert kind == "gumbel" or raw.grad.any()


def test_hard_draws_read_single_categories():
    code = code_of("gumbel")
    code.hard = True
    raw = torch.randn(6, code.inputs, requires_grad=True)
    vectors, _ = code.train_draw(raw, step=0)
    rows = code.rows.detach()
    for one in vectors.detach().view(6, 2, 4):
        assert all((one[slot] - rows[slot]).abs().sum(1).min() < 1e-5 for slot in range(2))
    vectors.square().sum().backward()
    assert raw.grad.any()


def test_draws_have_the_frequencies_of_their_distribution():
    code = code_of("gumbel")
    distribution = code.distribution(torch.randn(1, 6))
    codes = code.draw(distribution.expand(20_000, -1, -1), torch.Generator().manual_seed(0))
    shares = torch.stack([torch.bincount(codes[:, slot], minlength=3) for slot in range(2)]) / 20_000
    torch.testing.assert_close(shares, distribution[0].exp(), atol=0.015, rtol=0)
