"""The whole loss of each model of texts with labels, from ids to mean cross entropy, against central differences."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.texts.options import new_module
from firth.neural.models.texts.reader import TextReader
from firth.neural.models.texts.task import cross_entropy
from tests.unit.neural.models.texts.tiny import SMALL

STEP = 2e-6
CASES = [(name, pairs) for name in SMALL for pairs in (None, "entailment")]


@pytest.mark.parametrize(("name", "pairs"), CASES)
def test_every_parameter(name, pairs):
    """In float64, texts of different lengths; two directions per parameter."""
    options = dataclasses.replace(SMALL[name], pairs=pairs)
    reader = TextReader([chr(97 + i) for i in range(12)], "characters", 30)
    module = new_module(options, reader, 3, seed=1).double().train()
    random = np.random.default_rng(0)
    inputs = reader.collate([random.integers(2, 14, length) for length in (9, 5, 7, 8)])
    rows = 2 if pairs else 4
    targets = torch.from_numpy(random.dirichlet(np.ones(3), rows))

    def loss():
        return cross_entropy(module(inputs), targets).mean()

    loss().backward()
    directions = torch.Generator().manual_seed(0)
    for parameter_name, parameter in module.named_parameters():
        before, gradient = parameter.detach().clone(), parameter.grad
        for _ in range(2):
            direction = 2.0 * torch.randint(2, parameter.shape, generator=directions).double() - 1
            losses = []
            for step in (STEP, -STEP):
                parameter.data.copy_(before + step * direction)
                with torch.no_grad():
                    losses.append(loss().item())
            parameter.data.copy_(before)
            derivative = (losses[0] - losses[1]) / (2 * STEP)
            assert (gradient * direction).sum().item() == pytest.approx(derivative, abs=1e-7, rel=1e-6), parameter_name
