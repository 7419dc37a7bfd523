"""The loop over time with masks: what it gives equals the equations written out with autograd."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.recurrence import CELL_STEPS, run

each_kind = pytest.mark.parametrize("kind", sorted(CELL_STEPS))


def written_out(kind, x, weight, bias, start, mask, keep):
    """The same recurrence in the letters of the papers, a step at a time, for autograd to go back through."""
    state, outputs = list(start), []
    for t in range(len(x)):
        masked = state[0] if mask is None else state[0] * mask
        u = masked @ weight.t() + (0 if bias is None else bias)
        if kind == "rnn":
            made = [torch.tanh(x[t] + u)]
        elif kind == "lstm":
            i, f, g, o = (x[t] + u).chunk(4, -1)
            c = torch.sigmoid(f) * state[1] + torch.sigmoid(i) * torch.tanh(g)
            made = [torch.sigmoid(o) * torch.tanh(c), c]
        else:
            (xr, xz, xn), (ur, uz, un) = x[t].chunk(3, -1), u.chunk(3, -1)
            n, z = torch.tanh(xn + torch.sigmoid(xr + ur) * un), torch.sigmoid(xz + uz)
            made = [(1 - z) * n + z * state[0]]
        if keep is not None:
            made = [k[t] * old + (1 - k[t]) * new for k, old, new in zip(keep, state, made, strict=True)]
        state = made
        outputs.append(state[0])
    return torch.stack(outputs), tuple(state)


def material(kind, *, masked, kept, steps=6, batch=3, hidden=4):
    torch.manual_seed(11)
    cell = CELL_STEPS[kind]
    x = torch.randn(steps, batch, cell.gates * hidden, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(cell.gates * hidden, hidden, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(cell.gates * hidden, dtype=torch.float64, requires_grad=True) if cell.separate_input else None
    start = tuple(torch.randn(batch, hidden, dtype=torch.float64, requires_grad=True) for _ in range(cell.tensors))
    mask = torch.bernoulli(torch.full((batch, hidden), 0.5, dtype=torch.float64)) * 2 if masked else None
    keep = tuple(torch.rand(steps, batch, hidden, dtype=torch.float64) for _ in start) if kept else None
    return x, weight, bias, start, mask, keep


@each_kind
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("kept", [False, True])
def test_outputs_states_and_gradients_equal_the_equations(kind, masked, kept):
    x, weight, bias, start, mask, keep = material(kind, masked=masked, kept=kept)
    inputs = [part for part in (x, weight, bias, *start) if part is not None]

    def gradients(y, ends):
        total = y.sin().sum() + sum((n + 2) * end.cos().sum() for n, end in enumerate(ends))
        return torch.autograd.grad(total, inputs)

    ours = run(kind, x, weight, bias, start, mask=mask, keep=keep)
    theirs = written_out(kind, x, weight, bias, start, mask, keep)
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)
    torch.testing.assert_close(gradients(*ours), gradients(*theirs), atol=1e-10, rtol=0)


def test_a_step_of_a_plain_cell_by_hand():
    """Weight 1/2, mask 2, h = 1, x = 0: h = tanh(0 + 1/2 * 2 * 1) = tanh 1 = 0.7616.

    A quarter of the state kept: 1/4 * 1 + 3/4 * 0.7616 = 0.8212.
    """
    one = torch.ones(1, 1)
    made, _ = run("rnn", torch.zeros(1, 1, 1), one / 2, None, (one,), mask=2 * one)
    assert made.item() == pytest.approx(0.7616, abs=5e-5)
    kept, _ = run("rnn", torch.zeros(1, 1, 1), one / 2, None, (one,), mask=2 * one, keep=(one.reshape(1, 1, 1) / 4,))
    assert kept.item() == pytest.approx(0.8212, abs=5e-5)


@each_kind
def test_half_precision_keeps_its_sums_in_float32(kind):
    x, weight, bias, start, _, _ = material(kind, masked=False, kept=False, steps=40)
    half = [None if part is None else part.detach().to(torch.bfloat16).requires_grad_() for part in (x, weight, bias)]
    narrow = tuple(part.detach().float() for part in start)
    y, ends = run(kind, *half, narrow)
    exact, _ = run(kind, *(None if part is None else part.detach().float() for part in half), narrow)
    assert y.dtype == ends[-1].dtype == torch.float32
    assert (y - exact).abs().max() < 0.05
    y.sum().backward()
    assert half[0].grad.dtype == half[1].grad.dtype == torch.bfloat16


@each_kind
def test_a_second_derivative_is_refused(kind):
    x, weight, bias, start, _, _ = material(kind, masked=False, kept=False)
    y, _ = run(kind, x, weight, bias, start)
    (slope,) = torch.autograd.grad(y.square().sum(), [x], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()
