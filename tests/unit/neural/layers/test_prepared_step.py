"""A prepared step of a search gives what the decoder's own steps give."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.recurrent_decoder import DecoderState, Memory, RecurrentDecoder
from firth.neural.layers.state import rows_of

P, W, S, D, H = 3, 2, 5, 6, 8


@pytest.mark.parametrize("kind", ["dot", "scaled", "general", "additive"])
@pytest.mark.parametrize("local", ["none", "monotonic"])
def test_step_by_step_as_all_at_once(kind, local):
    torch.manual_seed(3)
    decoder = RecurrentDecoder(D, H, H, attention=kind, local=local, window=1, dropout=0.5).eval().double()
    memory = decoder.remember(torch.randn(P, S, H).double(), torch.tensor([5, 2, 4]))
    rows = torch.arange(P).repeat_interleave(W)
    x, start = torch.randn(P * W, 4, D).double(), DecoderState(*rows_of(decoder.start(memory, None), rows))
    with torch.no_grad():
        outputs, weights, last = decoder(x, Memory(*rows_of(memory, rows)), start)
        read, state = decoder.prepared(), start
        for t in range(4):
            output, weight, state = read(x[:, t : t + 1], memory, state)
            torch.testing.assert_close(output[:, 0], outputs[:, t])
            torch.testing.assert_close(weight[:, 0], weights[:, t])
    torch.testing.assert_close(tuple(state), tuple(last))


def test_training_keeps_dropout():
    decoder = RecurrentDecoder(D, H, H, dropout=0.5)
    assert decoder.prepared() is decoder
