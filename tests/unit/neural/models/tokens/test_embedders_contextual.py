"""Vectors of encoders at the places of a network, by hand."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.tokens.features import ContextualVectors, joined
from tests.unit.neural.models.bidirectional.tiny import untrained

SENTENCES = [("Ada", "apples", "sees"), ("Bo",)]


class Known:
    """Features that are told apart from what the encoder would give."""

    def __init__(self, states):
        self.states = states

    def batch(self, sentences):
        return self.states if sentences == SENTENCES else None


@torch.no_grad()
def test_every_place_has_its_own_mix_or_the_top_layer():
    """ELMo: gamma times the sum of the normalised layers with weights softmax(w); TagLM: the last layer."""
    first, second = untrained(), untrained(seed=1, dim=4)
    part = ContextualVectors([firth.ELMo(first, output=True), firth.TagLM(second), firth.ELMo(second)])
    assert part.widths == {"input": 12 + 8, "middle": 8, "output": 12}
    assert sorted(part.mixes) == ["0_input", "0_output", "2_input"]
    for mix in part.mixes.values():
        for parameter in mix.parameters():
            parameter.normal_()

    def mixed(name, states):
        mix = part.mixes[name]
        centred = states - states.mean(3, keepdim=True)
        layers = centred / (centred.square().mean(3, keepdim=True) + 1e-5).sqrt()
        return mix.gamma * (layers * mix.weights.softmax(0)[:, None]).sum(2)

    one, two = first.token_states(SENTENCES), second.token_states(SENTENCES)
    for known in (None, Known(one + 1)):
        part.features = () if known is None else (known, None, None)
        states = one if known is None else known.states
        found = part(SENTENCES)
        assert sorted(found) == ["input", "middle", "output"]
        torch.testing.assert_close(found["input"], torch.cat([mixed("0_input", states), mixed("2_input", two)], 2))
        torch.testing.assert_close(found["output"], mixed("0_output", states))
        torch.testing.assert_close(found["middle"], two[:, :, -1])
    other = SENTENCES[:1]
    torch.testing.assert_close(part(other)["output"], mixed("0_output", first.token_states(other)))


def test_vectors_are_put_behind_those_of_a_network():
    x, vectors = torch.ones(1, 2, 3), {"input": torch.zeros(1, 2, 2, dtype=torch.float64)}
    found = joined(x, vectors, "input")
    assert found.dtype == x.dtype
    assert found[0].tolist() == [[1, 1, 1, 0, 0]] * 2
    assert joined(x, vectors, "middle") is x
