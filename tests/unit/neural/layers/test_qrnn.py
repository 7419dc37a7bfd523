"""The quasi-recurrent layer: its equations, chunks with their window, padding, zoneout."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.qrnn import Qrnn

each_pooling = pytest.mark.parametrize("pooling", ["f", "fo", "ifo"])
each_window = pytest.mark.parametrize("window", [1, 2, 3])


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(13)


def written_out(layer, x):
    """One sequence, a step at a time, by the equations of the paper with a masked convolution."""
    padded = torch.cat([x.new_zeros(layer.window - 1, x.shape[1]), x])
    c, outputs = x.new_zeros(layer.width), []
    for t in range(len(x)):
        p = layer.weight @ padded[t : t + layer.window].flatten() + layer.bias
        z, f, *rest = p.chunk(len(p) // layer.width)
        z, f, rest = torch.tanh(z), torch.sigmoid(f), [torch.sigmoid(gate) for gate in rest]
        c = f * c + (rest[1] if layer.pooling == "ifo" else 1 - f) * z
        outputs.append(c if layer.pooling == "f" else rest[0] * c)
    return torch.stack(outputs)


@each_pooling
@each_window
def test_outputs_equal_the_equations(pooling, window):
    layer = Qrnn(3, 4, window=window, pooling=pooling)
    x = torch.randn(2, 9, 3)
    y, _ = layer(x)
    for row in range(2):
        torch.testing.assert_close(y[row], written_out(layer, x[row]), atol=1e-5, rtol=0)


@each_pooling
@each_window
def test_chunks_shorter_than_the_window_equal_one_run(pooling, window):
    layer = Qrnn(3, 4, window=window, pooling=pooling)
    x = torch.randn(2, 9, 3)
    whole, end = layer(x)
    state, parts = None, []
    for chunk in x.split([1, 1, 5, 2], dim=1):
        part, state = layer(chunk, state)
        parts.append(part)
    torch.testing.assert_close(torch.cat(parts, 1), whole, atol=1e-6, rtol=0)
    torch.testing.assert_close(state, end, atol=1e-6, rtol=0)


@each_window
def test_the_state_at_a_sequences_end_is_that_of_the_sequence_alone(window):
    layer = Qrnn(3, 4, window=window)
    x = torch.randn(3, 6, 3)
    lengths = torch.tensor([2, 6, 1])
    _, ends = layer(x, None, lengths)
    for row, length in enumerate(lengths.tolist()):
        _, alone = layer(x[row : row + 1, :length])
        torch.testing.assert_close(tuple(part[row : row + 1] for part in ends), alone, atol=1e-6, rtol=0)


def test_no_step_sees_a_later_one():
    layer = Qrnn(3, 4, window=3)
    x = torch.randn(1, 7, 3)
    y, _ = layer(x)
    x[0, 4:] = 9.0
    torch.testing.assert_close(layer(x)[0][0, :4], y[0, :4], atol=0, rtol=0)


def test_zoneout_keeps_numbers_and_adds_nothing_to_them():
    layer = Qrnn(3, 50, pooling="ifo", dropout=Dropouts(zoneout=0.3))
    start = (torch.full((20, 50), 7.0), torch.zeros(20, 1, 3))
    _, (c, _) = layer(torch.randn(20, 1, 3), start)
    assert (c == 7.0).float().mean().item() == pytest.approx(0.3, abs=0.05)


@each_pooling
def test_zoneout_in_use_is_its_expectation(pooling):
    layer = Qrnn(3, 4, pooling=pooling, dropout=Dropouts(zoneout=0.4))
    x, start = torch.randn(1, 1, 3), (torch.randn(1, 4), torch.randn(1, 1, 3))
    many = 20_000
    _, (noisy, _) = layer(x.expand(many, 1, 3), (start[0].expand(many, 4), start[1].expand(many, 1, 3)))
    _, (exact, _) = layer.eval()(x, start)
    assert ((noisy.mean(0) - exact[0]).abs() < 3 * noisy.std(0) / many**0.5 + 1e-6).all()


def test_what_cannot_be_is_refused():
    with pytest.raises(OptionError, match="pooling='max': expected one of f, fo, ifo"):
        Qrnn(3, 4, pooling="max")
    with pytest.raises(OptionError, match="window=0: expected at least 1"):
        Qrnn(3, 4, window=0)
    with pytest.raises(OptionError, match="expected zoneout"):
        Qrnn(3, 4, dropout=Dropouts(recurrent=0.1))
