"""The causal stack: the same outputs however the text is cut, and nothing of what comes later."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.state import rows_of
from firth.neural.layers.transformer import TransformerConfig
from firth.neural.layers.transformer_stack import TransformerStack

WIDTH, CONTEXT = 16, 6
KINDS = ["learned", "sinusoidal", "relative", "rotary", "none"]
each_kind = pytest.mark.parametrize("positions", KINDS)


def stack(positions, norm="pre", context=CONTEXT, **other):
    torch.manual_seed(0)
    shape = TransformerConfig(width=WIDTH, heads=2, norm=norm, dropout=0.0)
    return TransformerStack(shape, 3, context=context, positions=positions, **other).double().eval()


def in_pieces(model, x, sizes):
    outputs, state, place = [], None, 0
    for size in sizes:
        output, state = model(x[:, place : place + size], state)
        outputs.append(output)
        place += size
    return torch.cat(outputs, 1), state


@each_kind
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("context", [1, 2, CONTEXT, 50])
def test_a_text_may_be_cut_anywhere(positions, norm, context):
    model, x = stack(positions, norm, context), torch.randn(2, 23, WIDTH, dtype=torch.float64)
    whole, _ = model(x)
    for sizes in ([1] * 23, [1, 5, 7, 3, 7], [12, 11]):
        found, state = in_pieces(model, x, sizes)
        torch.testing.assert_close(found, whole, atol=1e-12, rtol=0)
        assert all(part.shape[0] == 2 and part.shape[1] <= context for part in state)


@each_kind
def test_what_comes_later_changes_no_bit(positions):
    model, x = stack(positions).float(), torch.randn(2, 23, WIDTH)
    later = x.clone()
    later[:, 9:] = torch.randn(2, 14, WIDTH)
    first, second = model(x)[0], model(later)[0]
    assert torch.equal(first[:, :9], second[:, :9])
    assert not torch.equal(first[:, 9], second[:, 9])


def seen_by(positions, step, steps=23):
    """The first step whose change reaches a given one, in a stack of one layer."""
    torch.manual_seed(0)
    shape = TransformerConfig(width=WIDTH, heads=2, dropout=0.0)
    model = TransformerStack(shape, 1, context=CONTEXT, positions=positions).double().eval()
    x = torch.randn(1, steps, WIDTH, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(model(x)[0][0, step].sum() + model(x)[0][0, step].square().sum(), x)
    return int(gradient[0].abs().sum(-1).nonzero()[0])


@pytest.mark.parametrize("positions", ["relative", "rotary", "none"])
def test_a_sliding_window_holds_the_whole_context(positions):
    """Step t sees t - 5 ... t of context 6, and all where there are fewer."""
    assert [seen_by(positions, step) for step in (0, 4, 5, 6, 12, 22)] == [0, 0, 0, 1, 7, 17]


@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_added_positions_begin_anew_every_half_context(positions):
    """Context 6: steps 0 ... 5 see from 0; 6, 7, 8 from 3; 9, 10, 11 from 6: each sees 4 to 6 steps."""
    assert [seen_by(positions, step) for step in (0, 5, 6, 8, 9, 11, 12)] == [0, 0, 3, 3, 6, 6, 9]


@torch.no_grad()
def changes(positions, layers, steps=15):
    """(steps, steps) which outputs change, column by column, when one input, of the row, is another; context 4."""
    torch.manual_seed(0)
    shape = TransformerConfig(width=WIDTH, heads=2, dropout=0.0)
    model = TransformerStack(shape, layers, context=4, positions=positions).double().eval()
    x, other = torch.randn(2, 1, steps, WIDTH, dtype=torch.float64)
    output, changed = model(x)[0], []
    for place in range(steps):
        here = (torch.arange(steps) == place)[:, None]
        changed.append((model(torch.where(here, other, x))[0] != output).any(2)[0])
    return torch.stack(changed), model.reach


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("positions", ["relative", "rotary", "none"])
def test_a_change_reaches_as_many_steps_as_layers_and_context_allow(positions, layers):
    """Context 4: the outputs that another input changes are exactly its own and the next 3 L."""
    changed, reach = changes(positions, layers)
    steps = torch.arange(len(changed))
    distance = steps - steps[:, None]
    assert reach == 3 * layers + 1
    assert torch.equal(changed, (distance >= 0) & (distance < reach))


@pytest.mark.parametrize("layers", [1, 3])
def test_with_added_positions_layers_reach_no_further(layers):
    """Context 4: steps 0 to 3 see from 0, 4 and 5 from 2, 6 and 7 from 4, and so on."""
    changed, reach = changes("learned", layers)
    steps = torch.arange(len(changed))
    first = (steps // 2 * 2 - 2).clamp(min=0)
    assert reach == 4
    assert torch.equal(changed, (steps[:, None] >= first) & (steps[:, None] <= steps))


@each_kind
def test_rows_of_a_state_go_on_by_themselves(positions):
    model, x = stack(positions), torch.randn(3, 11, WIDTH, dtype=torch.float64)
    _, state = model(x[:, :10])
    chosen = torch.tensor([2, 0, 2])
    found, _ = model(x[chosen, 10:], rows_of(state, chosen))
    torch.testing.assert_close(found, model(x)[0][chosen, 10:], atol=1e-12, rtol=0)


def test_a_decoder_looks_at_its_memory_whenever_it_is_called():
    model = stack("rotary", memory=True)
    x, memory = (torch.randn(2, steps, WIDTH, dtype=torch.float64) for steps in (8, 4))
    whole, _ = model(x, memory=memory)
    first, state = model(x[:, :5], memory=memory)
    second, _ = model(x[:, 5:], state, memory=memory)
    torch.testing.assert_close(torch.cat((first, second), 1), whole, atol=1e-12, rtol=0)
    assert not torch.allclose(model(x, memory=memory + 1)[0], whole)


def test_a_context_of_no_step():
    with pytest.raises(OptionError, match="context=0: expected at least 1 step"):
        stack("learned", context=0)
