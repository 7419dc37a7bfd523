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

STEP = 1e-6


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(17)


def check(function, *inputs):
    """Each input's gradient of a weighted sum of the outputs against (f(x + e) - f(x - e)) / 2 e, number by number."""
    inputs = [part.detach().double().requires_grad_() for part in inputs]
    outputs = [part for part in flat(function(*inputs)) if part.requires_grad]
    weights = [torch.randn_like(part) for part in outputs]

    def total(*values):
        made = [part for part in flat(function(*values)) if part.numel()]
        return sum((w * part).sum() for w, part in zip(weights, made, strict=True))

    exact = torch.autograd.grad(total(*inputs), inputs)
    with torch.no_grad():
        for number, part in enumerate(inputs):
            near = torch.empty(part.numel(), dtype=torch.float64)
            for place in range(part.numel()):
                moved = [value.clone() for value in inputs]
                moved[number].view(-1)[place] += STEP
                above = total(*moved)
                moved[number].view(-1)[place] -= 2 * STEP
                near[place] = (above - total(*moved)) / (2 * STEP)
            torch.testing.assert_close(exact[number].flatten(), near, atol=1e-8, rtol=1e-6)


def flat(outputs):
    if torch.is_tensor(outputs):
        return [outputs]
    return [part for group in outputs for part in flat(group)]


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

    check(function, x, weight, *bias, *start)


def test_pooling():
    check(pool, torch.rand(4, 2, 3), torch.randn(4, 2, 3), torch.randn(2, 3))


def module_check(module, *inputs, call):
    """As `check`, for the module's parameters as well."""
    module = module.double()
    names = [name for name, _ in module.named_parameters()]

    def function(*values):
        parameters = dict(zip(names, values, strict=False))
        return torch.func.functional_call(module, parameters, call(*values[len(names) :]))

    check(function, *module.parameters(), *inputs)


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
    check(lambda *given: run_trees(*given, levels), leaves, torch.randn(inner, 4 * H), weight)
