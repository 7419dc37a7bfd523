"""Derivatives by every parameter of a module, or by every input of a function, against central differences.

A direction moves every number up or down, so that a wrong number anywhere changes the derivative along it; several
directions, so that wrong numbers that cancel out in one of them do not in another. Where all parts move at once, one of
many rectified numbers may cross zero: if the derivatives differ, those along directions of each part alone decide.
"""

import pytest
import torch

STEP = 3e-7
TOGETHER, ALONE = 6, 2  # directions


def check_parameters(module, loss, *, without=()):
    """Compare the derivatives of a loss, in float64, along directions in which all parameters move.

    Args:
        module: whose parameters are moved.
        loss: returns the loss, without any argument.
        without: parameters whose first row is not learned, and is not moved.
    """
    loss().backward()
    named = dict(module.named_parameters())
    fixed = [number for number, name in enumerate(named) if name in without]
    wrong = _differing(list(named.values()), [part.grad for part in named.values()], lambda: loss().item(), fixed)
    assert not wrong, {name: wrong[number] for number, name in enumerate(named) if number in wrong}


def check_inputs(function, *inputs):
    """Compare the derivatives of a weighted sum of a function's outputs along directions in which all inputs move.

    Args:
        function: the same at every call; returns a tensor, or sequences of them.
        inputs: tensors, which are taken as float64.
    """
    inputs = [part.detach().double().clone().requires_grad_() for part in inputs]
    weights = [torch.randn_like(part) for part in flat(function(*inputs)) if part.requires_grad]

    def total():
        made = [part for part in flat(function(*inputs)) if part.numel()]
        return sum((w * part).sum() for w, part in zip(weights, made, strict=True))

    exact = torch.autograd.grad(total(), inputs)
    wrong = _differing(inputs, exact, lambda: total().item())
    assert not wrong, wrong


def flat(outputs):
    """The tensors in sequences of sequences."""
    if torch.is_tensor(outputs):
        return [outputs]
    return [part for group in outputs for part in flat(group)]


def _differing(parts, gradients, value, fixed=()):
    """By the number of a part, two derivatives along a direction that differ."""
    random = torch.Generator().manual_seed(0)

    def pairs(numbers, count):
        chosen = [parts[number] for number in numbers], [gradients[number] for number in numbers]
        for _ in range(count):
            directions = [_direction(parts[number], number in fixed, random) for number in numbers]
            yield _derivatives(*chosen, value, directions)

    if all(map(_agree, pairs(range(len(parts)), TOGETHER))):
        return {}
    return {number: pair for number in range(len(parts)) for pair in pairs([number], ALONE) if not _agree(pair)}


def _agree(pair):
    return pair[0] == pytest.approx(pair[1], abs=1e-7, rel=1e-6)


def _direction(part, fixed, random):
    direction = 2.0 * torch.randint(2, part.shape, generator=random).double() - 1
    if fixed:
        direction[0] = 0
    return direction


def _derivatives(parts, gradients, value, direction):
    """By the gradients, and by a central difference."""
    before = [part.detach().clone() for part in parts]
    values = []
    with torch.no_grad():
        for step in (STEP, -STEP):
            for part, old, way in zip(parts, before, direction, strict=True):
                part.data.copy_(old + step * way)
            values.append(value())
        for part, old in zip(parts, before, strict=True):
            part.data.copy_(old)
    exact = sum((slope * way).sum().item() for slope, way in zip(gradients, direction, strict=True))
    return exact, (values[0] - values[1]) / (2 * STEP)
