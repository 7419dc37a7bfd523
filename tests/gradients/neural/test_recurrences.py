"""Recurrences with a way back of their own, against central differences in float64."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.characters import CharacterCNN, CharacterLSTM
from firth.neural.layers.conditional import ConditionalLayer
from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.highway import Highway
from firth.neural.layers.packed import Packing
from firth.neural.layers.pooling import pool
from firth.neural.layers.qrnn import Qrnn
from firth.neural.layers.recurrence import CELL_STEPS, run
from firth.neural.layers.recurrent import RecurrentStack
from firth.neural.layers.tree_levels import tree_levels
from firth.neural.layers.tree_recurrence import run_child_sum, run_nary
from tests.gradients.neural.directions import check_inputs


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(17)


@pytest.mark.parametrize("kind", sorted(CELL_STEPS))
@pytest.mark.parametrize("noisy", [False, True])
def test_recurrence(kind, noisy):
    cell, steps, batch, hidden = CELL_STEPS[kind], 4, 2, 3
    x, weight = torch.randn(steps, batch, cell.gates * hidden), torch.randn(cell.gates * hidden, hidden)
    start = [torch.randn(batch, hidden) for _ in range(cell.tensors)]
    bias = [torch.randn(cell.gates * hidden)] if cell.separate_input else []
    mask = torch.tensor([[0.0, 2.0, 2.0], [2.0, 0.0, 2.0]]).double() if noisy else None
    keep = tuple(torch.rand(steps, batch, hidden).double() for _ in start) if noisy else None

    def function(x, weight, *rest):
        return run(kind, x, weight, rest[0] if bias else None, rest[len(bias) :], mask=mask, keep=keep)

    check_inputs(function, x, weight, *bias, *start)


def test_pooling():
    check_inputs(pool, torch.rand(4, 2, 3), torch.randn(4, 2, 3), torch.randn(2, 3))


def module_check(module, *inputs, call):
    """As `check_inputs`, for the module's parameters as well."""
    module = module.double()
    names = [name for name, _ in module.named_parameters()]

    def function(*values):
        parameters = dict(zip(names, values, strict=False))
        return torch.func.functional_call(module, parameters, call(*values[len(names) :]))

    check_inputs(function, *module.parameters(), *inputs)


@pytest.mark.parametrize("pooling", ["f", "fo", "ifo"])
def test_qrnn(pooling):
    layer = Qrnn(2, 3, window=2, pooling=pooling)
    module_check(layer, torch.randn(2, 4, 2), torch.randn(2, 3), torch.randn(2, 1, 2), call=lambda x, c, w: (x, (c, w)))


@pytest.mark.parametrize("kind", sorted(CELL_STEPS))
def test_layer_over_sequences_of_several_lengths(kind):
    layer = RecurrentLayer(kind, 2, 3)
    module_check(layer, torch.randn(2, 4, 2), call=lambda x: (x, None, torch.tensor([2, 4])))


@pytest.mark.parametrize("kind", sorted(CELL_STEPS))
def test_conditional_layer_over_packed_sequences(kind):
    packing = Packing(torch.tensor([2, 1, 3]))
    layer = ConditionalLayer(kind, 2, 2, condition=2)
    module_check(layer, torch.randn(6, 2), torch.randn(3, 2), call=lambda x, c: (x, packing, c))


def test_zoneout_in_use():
    layer = RecurrentLayer("lstm", 2, 3, dropout=Dropouts(zoneout=0.4, zoneout_output=0.2)).eval()
    module_check(layer, torch.randn(2, 4, 2), call=lambda x: (x,))


@pytest.mark.parametrize("kind", [CharacterCNN, CharacterLSTM])
def test_encoders_of_characters(kind):
    sizes = {"filters": (2, 2, 1)} if kind is CharacterCNN else {"hidden": 2}
    encoder = kind(["ab", "babba", "a"], char_dim=2, width=3, **sizes)
    module_check(encoder, call=lambda: (torch.tensor([0, 2, 1, 0]),))


def test_highway():
    module_check(Highway(3, layers=2), torch.randn(4, 3), call=lambda x: (x,))


@pytest.mark.parametrize("connection", ["plain", "residual", "highway", "dense"])
def test_stack_read_both_ways(connection):
    stack = RecurrentStack(2, 2, 2, cell="gru", connection=connection, bidirectional=True)
    module_check(stack, torch.randn(2, 3, 2), call=lambda x: (x, None, torch.tensor([3, 2])))


@pytest.mark.parametrize("run_trees", [run_child_sum, run_nary])
def test_trees(run_trees):
    """Two trees: a root above a node with two leaves and a third leaf; a root above one leaf."""
    levels, H = tree_levels([[-1, 0, 1, 1, 0], [1, -1]]), 2
    inner, K = len(levels) - levels.leaves, 1 if run_trees is run_child_sum else 2
    leaves, weight = torch.randn(levels.leaves, 3 * H), torch.randn((3 + K) * H, K * H)
    check_inputs(lambda *given: run_trees(*given, levels), leaves, torch.randn(inner, 4 * H), weight)
