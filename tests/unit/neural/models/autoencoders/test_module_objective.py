"""Annealing and free bits by hand."""

import math

import pytest
import torch

from firth.neural.models.autoencoders.module import kl_weight, penalty


def test_the_weight_rises_to_one():
    assert [kl_weight("linear", t, 0.5) for t in (0, 0.25, 0.5, 1)] == [0, 0.5, 1, 1]
    logistic = [kl_weight("logistic", t, 0.5) for t in (0, 0.25, 0.4999, 0.5)]
    assert logistic[:2] == [pytest.approx(1 / (1 + math.exp(6))), 0.5]
    assert 0.99 < logistic[2] < logistic[3] == 1
    assert kl_weight("none", 0, 0.5) == kl_weight("linear", 0, 0) == 1


def test_free_bits_cost_the_limit_and_have_no_gradient():
    """Two dimensions with means .5 and .1 of the batch: with .2 free nats the second counts .2."""
    kl = torch.tensor([[0.4, 0.0], [0.6, 0.2]], requires_grad=True)
    assert penalty(kl, 0.0).item() == pytest.approx(0.6)
    loss = penalty(kl, 0.2)
    assert loss.item() == pytest.approx(0.7)
    loss.backward()
    assert kl.grad.tolist() == [[0.5, 0.0], [0.5, 0.0]]
