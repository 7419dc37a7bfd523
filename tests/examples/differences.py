"""Gradients of the plain files against differences of their losses, in float64."""

import numpy as np

STEP = 1e-6  # of a number of size 1: truncation costs about STEP^2, rounding 1e-16 / STEP = 1e-10
TOLERANCE = 1e-6


def check_gradients(loss, arrays, gradients):
    """Compare gradients with central differences of `loss()`, number by number.

    Args:
        loss: returns the loss, from the arrays as they are when it is called.
        arrays: of float64, changed and restored.
        gradients: of the loss with respect to each array.
    """
    for array, gradient in zip(arrays, gradients, strict=True):
        assert array.shape == gradient.shape
        for index in np.ndindex(array.shape):
            value = array[index]
            array[index] = value + STEP
            above = loss()
            array[index] = value - STEP
            below = loss()
            array[index] = value
            numeric = (above - below) / (2 * STEP)
            assert abs(numeric - gradient[index]) < TOLERANCE * max(1, abs(numeric)), (index, numeric, gradient[index])


def check_directions(module, loss, directions=3):
    """Compare a module's gradient with differences of its loss along random directions of all parameters at once.

    Args:
        module: of PyTorch, in float64, without dropout.
        loss: returns the loss, a scalar tensor.
        directions: how many.
    """
    import torch

    parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
    assert all(parameter.dtype == torch.float64 for parameter in parameters)
    gradients = torch.autograd.grad(loss(), parameters)
    generator = torch.Generator().manual_seed(0)
    for _ in range(directions):
        steps = [torch.randn(p.shape, generator=generator, dtype=p.dtype) for p in parameters]
        analytic = sum(float((g * s).sum()) for g, s in zip(gradients, steps, strict=True))

        def moved(size, steps=steps):
            with torch.no_grad():
                for parameter, step in zip(parameters, steps, strict=True):
                    parameter += size * step
                value = float(loss())
                for parameter, step in zip(parameters, steps, strict=True):
                    parameter -= size * step
            return value

        numeric = (moved(STEP) - moved(-STEP)) / (2 * STEP)
        assert abs(numeric - analytic) < TOLERANCE * max(1, abs(numeric)), (numeric, analytic)
        assert abs(numeric) > 1e-4  # a direction that says something
