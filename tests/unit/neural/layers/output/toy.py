"""Fifty words, a few hidden vectors: the gradient of maximum likelihood, and means of what estimates it."""

import numpy as np
import torch

from firth.neural.layers.output.base import OutputConfig

D, V, N = 8, 50, 40
COUNTS = (1000 / np.arange(1, V + 1)).astype(np.int64)


def toy(kind, scale=0.3, **options):
    """A layer in double precision with rows of size `scale`, hidden vectors, and targets drawn by their counts."""
    torch.manual_seed(14)
    layer = kind(OutputConfig(D, V, counts=COUNTS), **options).double()
    with torch.no_grad():
        layer.full.weight.normal_(std=scale)
    hidden = torch.randn(N, D, dtype=torch.float64)
    return layer, hidden, torch.multinomial(torch.from_numpy(COUNTS / COUNTS.sum()), N, replacement=True)


def exact_gradient(layer, hidden, targets):
    """Of the mean of -log p(target) by the words' rows, flat."""
    loss = -layer.log_prob_of(hidden, targets).mean()
    return torch.autograd.grad(loss, layer.full.weight)[0].ravel()


def mean_gradient(layer, hidden, targets, draws):
    """The mean over draws of the gradient of what the layer trains, flat."""
    total = torch.zeros(V * D, dtype=torch.float64)
    for seed in range(draws):
        torch.manual_seed(seed)
        total += torch.autograd.grad(layer.loss(hidden, targets).mean(), layer.full.weight)[0].ravel()
    return total / draws
