"""The recurrent decoder: steps, padding, kinds of attention; gradients against differences."""

import itertools

import pytest
import torch

from firth.errors import OptionError
from firth.neural.layers.attention import KINDS
from firth.neural.layers.recurrent_decoder import RecurrentDecoder
from tests.gradients.neural.directions import check_inputs

B, T, S, D, H = 3, 5, 6, 4, 6
LENGTHS = torch.tensor([6, 4, 1])
HOWS = [
    {"attention": "none", "input_feeding": False},
    *({"attention": kind, "input_feeding": fed} for kind, fed in itertools.product(KINDS, (False, True))),
    {"attention": "additive", "coverage": True},
    {"attention": "general", "coverage": True, "input_feeding": False},
    {"attention": "general", "local": "monotonic", "window": 1},
    {"attention": "general", "local": "predictive", "window": 2, "input_feeding": False},
    {"attention": "dot", "cell": "gru", "layers": 2},
    {"attention": "general", "intra_temporal": True, "intra_decoder": True},
    {"attention": "additive", "intra_temporal": True, "intra_decoder": True, "coverage": True, "cell": "gru"},
    {"attention": "dot", "intra_temporal": True, "intra_decoder": True, "input_feeding": False},
]


def made(how):
    torch.manual_seed(0)
    decoder = RecurrentDecoder(D, H, H, **how).double()
    if decoder.coverage is not None:
        torch.nn.init.normal_(decoder.coverage)
    x = torch.randn(B, T, D, dtype=torch.float64)
    states = torch.randn(B, S, H, dtype=torch.float64)
    return decoder, x, states


def run(decoder, x, states, lengths=LENGTHS):
    memory = decoder.remember(states, lengths)
    return decoder(x, memory, decoder.start(memory, None))


@pytest.mark.parametrize("how", HOWS, ids=str)
def test_steps_one_by_one_give_the_same(how):
    decoder, x, states = made(how)
    outputs, weights, end = run(decoder, x, states)
    memory = decoder.remember(states, LENGTHS)
    state, parts = decoder.start(memory, None), []
    for t in range(T):
        *part, state = decoder(x[:, t : t + 1], memory, state)
        parts.append(part)
    assert torch.allclose(outputs, torch.cat([part[0] for part in parts], 1))
    assert torch.allclose(weights, torch.cat([part[1] for part in parts], 1))
    assert torch.equal(end.step, state.step)
    if how["attention"] != "none":
        assert torch.allclose(end.coverage, weights.sum(1))


@pytest.mark.parametrize("how", HOWS, ids=str)
def test_padding_changes_nothing(how):
    decoder, x, states = made(how)
    outputs, weights, _ = run(decoder, x, states)
    for row, length in enumerate(LENGTHS.tolist()):
        alone, its_weights, _ = run(decoder, x[row : row + 1], states[row : row + 1, :length], LENGTHS[row : row + 1])
        assert torch.allclose(outputs[row], alone[0])
        assert torch.allclose(weights[row, :, :length], its_weights[0])
        assert (weights[row, :, length:] == 0).all()


@pytest.mark.parametrize("how", HOWS[1:], ids=str)
def test_weights_sum_to_one(how):
    decoder, x, states = made(how)
    _, weights, _ = run(decoder, x, states)
    if how.get("local") == "predictive":  # the Gaussian lowers them
        assert (weights.sum(2) <= 1).all()
    else:
        assert torch.allclose(weights.sum(2), torch.ones(B, T, dtype=torch.float64))


def test_local_attention_stays_in_its_window():
    decoder, x, states = made({"attention": "general", "local": "monotonic", "window": 1})
    _, weights, _ = run(decoder, x, states)
    for row, length in enumerate(LENGTHS.tolist()):
        for t in range(T):
            centre = min(t, length - 1)
            inside = [s for s in range(length) if abs(s - centre) <= 1]
            assert weights[row, t].nonzero().flatten().tolist() == inside


def test_coverage_changes_the_scores_by_what_was_read():
    decoder, x, states = made({"attention": "additive", "coverage": True, "input_feeding": False})
    with torch.no_grad():
        _, before, _ = run(decoder, x, states)
        decoder.coverage.zero_()
        _, without, _ = run(decoder, x, states)
    assert torch.allclose(before[:, 0], without[:, 0])  # nothing was read yet
    assert not torch.allclose(before[:2, 1:], without[:2, 1:])


@pytest.mark.parametrize("how", [HOWS[5], HOWS[9], HOWS[11], HOWS[12], *HOWS[-3:]], ids=str)
def test_gradients_equal_differences(how):
    decoder, x, states = made(how)
    check_inputs(lambda a, b: run(decoder, a, b)[0], x, states)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"attention": "concat"}, "expected one of dot, scaled, general, additive"),
        ({"attention": "none"}, "these need attention"),
        ({"local": "near"}, "expected one of none, monotonic, predictive"),
    ],
)
def test_bad_options(how, message):
    with pytest.raises(OptionError, match=message):
        RecurrentDecoder(D, H, H, **how)
    with pytest.raises(OptionError, match="expected as many, or attention='general'"):
        RecurrentDecoder(D, H, H + 1, attention="dot")
