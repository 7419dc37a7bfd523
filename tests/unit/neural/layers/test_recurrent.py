"""The recurrent stack: torch's layers, chunks, directions, padding, connections."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.recurrent import RecurrentStack

PEERS = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
each_cell = pytest.mark.parametrize("cell", sorted(PEERS))


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(5)


def same_as_torch(stack, peer):
    """Copies a stack's weights into torch's layer; names differ by the number of the layer alone."""
    for number, layer in enumerate(stack.layers):
        for name, value in layer.named_parameters():
            getattr(peer, f"{name}_l{number}").data.copy_(value)
    return peer


@each_cell
@pytest.mark.parametrize("lengths", [None, torch.tensor([4, 7, 1])])
def test_two_layers_equal_torchs_with_the_same_weights(cell, lengths):
    stack = RecurrentStack(3, 5, 2, cell=cell)
    peer = same_as_torch(stack, PEERS[cell](3, 5, 2, batch_first=True))
    x = torch.randn(3, 7, 3)
    ours, ends = stack(x, None, lengths)
    if lengths is None:
        theirs, last = peer(x)
    else:
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        theirs, last = peer(packed)
        theirs, _ = torch.nn.utils.rnn.pad_packed_sequence(theirs, batch_first=True)
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=0)
    for number, end in enumerate(ends):
        for mine, its in zip(end, last if cell == "lstm" else (last,), strict=True):
            torch.testing.assert_close(mine, its[number], atol=1e-6, rtol=0)


@each_cell
@pytest.mark.parametrize("connection", ["plain", "residual", "highway", "dense"])
def test_chunks_with_their_state_equal_one_run(cell, connection):
    stack = RecurrentStack(3, 4, 3, cell=cell, connection=connection)
    x = torch.randn(2, 9, 3)
    whole, end = stack(x)
    state, parts = None, []
    for chunk in x.split([2, 1, 6], dim=1):
        part, state = stack(chunk, state)
        parts.append(part)
    torch.testing.assert_close(torch.cat(parts, 1), whole, atol=1e-6, rtol=0)
    torch.testing.assert_close(state, end, atol=1e-6, rtol=0)


NOISE = Dropouts(inputs=0.2, layers=0.2, outputs=0.2, recurrent=0.2, zoneout=0.1, zoneout_output=0.1, locked=True)


@pytest.mark.parametrize("cell", [*sorted(PEERS), "qrnn"])
@pytest.mark.parametrize("connection", ["plain", "highway"])
@pytest.mark.parametrize("lengths", [None, torch.tensor([4, 7, 1])])
@pytest.mark.parametrize("noisy", [False, True])
def test_half_precision_by_autocast_is_near_and_learns(cell, connection, lengths, noisy):
    """bfloat16 has 8 bits: answers below 1 move by some hundredths after three layers, and gradients are float32's."""
    noise = dataclasses.replace(NOISE, recurrent=0.0) if cell == "qrnn" else NOISE
    stack = RecurrentStack(6, 8, 3, cell=cell, connection=connection, dropout=noise if noisy else 0.0)
    x = torch.randn(3, 7, 6)
    torch.manual_seed(2)
    exact, _ = stack(x, None, lengths)
    torch.manual_seed(2)
    with torch.autocast("cpu", torch.bfloat16):
        y, state = stack(x, None, lengths)
        stack(x, state, lengths)
    assert (y - exact).abs().max() < 0.05
    y.float().square().sum().backward()
    assert all(part.grad is not None and torch.isfinite(part.grad).all() for part in stack.parameters())


def test_unknown_choices_are_refused():
    with pytest.raises(OptionError, match="cell='elman': expected one of rnn, lstm, gru, qrnn"):
        RecurrentStack(3, 4, cell="elman")
    with pytest.raises(OptionError, match="connection='skip': expected one of"):
        RecurrentStack(3, 4, connection="skip")
    with pytest.raises(OptionError, match="layers=0: expected at least 1"):
        RecurrentStack(3, 4, 0)
