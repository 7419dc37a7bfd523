"""The whole loss of each model of texts with labels, from ids to mean cross entropy, against central differences."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.classification.classifier import cross_entropy, new_module
from firth.neural.models.classification.reader import TextReader
from tests.gradients.neural.directions import check_parameters
from tests.unit.neural.models.classification.tiny import SMALL

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

    check_parameters(module, loss)
