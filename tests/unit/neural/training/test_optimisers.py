"""Optimisers: each one's first step by hand, parameters in groups, none twice."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.training.optimisers import OPTIMISERS, make_optimiser
from firth.neural.training.options import TrainingOptions

# From a weight of 1 with a gradient of 0.5 twice, at a rate of 0.1 (arithmetic beside each).
AFTER_TWO = {
    "sgd": 1 - 0.05 - 0.05,
    "nesterov": 1 - 0.1 * (0.5 + 0.9 * 0.5) - 0.1 * (0.5 + 0.9 * (0.9 * 0.5 + 0.5)),
    "adagrad": 1 - 0.1 - 0.1 * 0.5 / math.sqrt(0.5),  # sums of squares 0.25, 0.5
    "rmsprop": 1 - 0.1 * 0.5 / math.sqrt(0.0025) - 0.1 * 0.5 / math.sqrt(0.99 * 0.0025 + 0.0025),
    "adam": 1 - 0.1 - 0.1,  # both moments are those of a constant: every step is the rate
    "amsgrad": 1 - 0.1 - 0.1 * math.sqrt(1),
    "adamw": 1 - 0.1 - 0.1,
    "adamax": 1 - 0.1 - 0.1,
}


def weight_after_two(name: str, second: float = 0.5, **how: float) -> float:
    module = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        module.weight.fill_(1.0)
    optimiser = make_optimiser(module, name, lr=0.1, **how)
    for gradient in (0.5, second):
        module.weight.grad = torch.full((1, 1), gradient)
        optimiser.step()
    return module.weight.item()


@pytest.mark.parametrize("name", AFTER_TWO)
def test_two_steps_by_hand(name):
    assert weight_after_two(name) == pytest.approx(AFTER_TWO[name], abs=1e-5)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_every_one_goes_down(name):
    assert weight_after_two(name) < 1


def test_momentum_reaches_each_that_has_one():
    assert weight_after_two("sgd", momentum=0.5) == pytest.approx(1 - 0.05 - 0.1 * 0.75)
    for name, kind in OPTIMISERS.items():
        if kind.takes_momentum:  # a constant gradient would hide a first moment
            assert weight_after_two(name, momentum=0.3, second=-0.1) != weight_after_two(name, second=-0.1)
    with pytest.raises(OptionError, match="adagrad has none"):
        TrainingOptions(optimiser="adagrad", momentum=0.5)


def test_decay_spares_biases_and_norms_and_counts_tied_weights_once():
    module = torch.nn.ModuleDict(
        {"embed": torch.nn.Embedding(5, 3), "norm": torch.nn.LayerNorm(3), "out": torch.nn.Linear(3, 5)}
    )
    module["out"].weight = module["embed"].weight
    frozen = module["frozen"] = torch.nn.Linear(3, 3)
    frozen.requires_grad_(False)
    matrices, vectors = make_optimiser(module, "adam", lr=0.001, weight_decay=0.1).param_groups
    assert [id(p) for p in matrices["params"]] == [id(module["embed"].weight)]
    assert matrices["weight_decay"] == 0.1
    assert {id(p) for p in vectors["params"]} == {
        id(module["norm"].weight), id(module["norm"].bias), id(module["out"].bias)
    }  # fmt: skip
    assert vectors["weight_decay"] == 0


def test_nothing_to_learn_is_said():
    with pytest.raises(OptionError, match="no trainable parameter"):
        make_optimiser(torch.nn.Linear(1, 1).requires_grad_(False), "adam", lr=0.001)
    with pytest.raises(OptionError, match="nesterov"):
        make_optimiser(torch.nn.Linear(1, 1), "nesterov", lr=0.001, momentum=0)
