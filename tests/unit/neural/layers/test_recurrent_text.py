"""Recurrent stacks on real text: bits a character of documentation, beside what one letter tells about the next."""

import math
from collections import Counter
from functools import partial

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.initialise import initialise
from firth.neural.layers.qrnn import Qrnn
from firth.neural.layers.recurrent import RecurrentStack
from firth.neural.layers.state import detached

STREAMS, STEPS, UPDATES = 16, 32, 110


@pytest.fixture(scope="module")
def streams(english_text):
    """(2, STREAMS, N) characters of two parts of the text, the second held out; rare ones are one character."""
    text = english_text.read_text(encoding="ascii")[: 2 * STREAMS * (STEPS * UPDATES + 1)]
    common = {character: code for code, (character, _) in enumerate(Counter(text).most_common(49), 1)}
    return torch.tensor([common.get(character, 0) for character in text]).reshape(2, STREAMS, -1)


def bits_of_pairs(streams):
    """Bits a held-out character by the one before it, counted in the other part, one added to each count."""
    learnt, held = (part[:, :-1] * 50 + part[:, 1:] for part in streams)
    counts = torch.bincount(learnt.flatten(), minlength=2500).reshape(50, 50) + 1.0
    chances = counts / counts.sum(1, keepdim=True)
    return -chances.flatten()[held[:, :1000]].log2().mean().item()


class Reader(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.embed = torch.nn.Embedding(50, 32)
        self.stack = RecurrentStack(32, 64, **options)
        self.out = torch.nn.Linear(self.stack.width, 50)

    def bits(self, ids, state):
        hidden, state = self.stack(self.embed(ids[:, :-1]), state)
        loss = torch.nn.functional.cross_entropy(self.out(hidden).flatten(0, 1), ids[:, 1:].flatten())
        return loss / math.log(2), state


def held_out_bits(streams, **options):
    """After 110 updates of Adam, the state carried from chunk to chunk in learning and in judging alike."""
    torch.manual_seed(3)
    torch.set_num_threads(1)
    reader = Reader(**options)
    initialise(reader, seed=3)
    optimiser = torch.optim.Adam(reader.parameters(), lr=0.02)
    state = None
    for start in range(0, STEPS * UPDATES, STEPS):
        loss, state = reader.bits(streams[0, :, start : start + STEPS + 1], state)
        state = detached(state)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
    reader.eval()
    with torch.no_grad():
        return reader.bits(streams[1, :, :1001], None)[0].item()


STACKS = {
    "gru, variational": {"cell": "gru", "dropout": Dropouts.variational(0.05)},
    "lstm, zoneout": {"cell": "lstm", "dropout": Dropouts(zoneout=0.1, zoneout_output=0.05)},
    "qrnn, two highways": {"cell": partial(Qrnn, window=3), "layers": 2, "connection": "highway"},
}


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_knows_more_than_the_letter_before_and_nothing_of_the_letter_itself(name, streams):
    """A stack that saw ahead would be far below 2 bits; one without a state could at best equal the pairs."""
    bits, pairs = held_out_bits(streams, **STACKS[name]), bits_of_pairs(streams)
    assert 3.2 < pairs < 4.0
    assert 2.0 < bits < pairs - 0.15
