"""Derivatives of a loss by every parameter of a module, against central differences."""

import pytest
import torch

STEP = 2e-6


def check_parameters(module, loss, *, without=()):
    """Compare the derivatives of a loss, in float64, along two random directions per parameter.

    A direction moves every number of a parameter up or down, so that a wrong number anywhere changes its derivative.

    Args:
        module: whose parameters are moved.
        loss: returns the loss, without any argument.
        without: parameters whose first row is not learned, and is not moved.
    """
    loss().backward()
    random = torch.Generator().manual_seed(0)
    for name, parameter in module.named_parameters():
        before, gradient = parameter.detach().clone(), parameter.grad
        for _ in range(2):
            direction = 2.0 * torch.randint(2, parameter.shape, generator=random).double() - 1
            if name in without:
                direction[0] = 0
            losses = []
            for step in (STEP, -STEP):
                parameter.data.copy_(before + step * direction)
                with torch.no_grad():
                    losses.append(loss().item())
            parameter.data.copy_(before)
            derivative = (losses[0] - losses[1]) / (2 * STEP)
            assert (gradient * direction).sum().item() == pytest.approx(derivative, abs=1e-7, rel=1e-6), name
