"""Initial weights: their spread by the papers' formulas, their biases, their seed."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.characters import CharacterCNN
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.highway import Highway
from firth.neural.layers.initialise import initialise
from firth.neural.layers.recurrent import RecurrentStack


@pytest.mark.parametrize(
    ("scheme", "spread"),
    [
        ("xavier-uniform", (2 / 500) ** 0.5),
        ("xavier-normal", (2 / 500) ** 0.5),
        ("he-uniform", (2 / 200) ** 0.5),
        ("he-normal", (2 / 200) ** 0.5),
        ("lecun-uniform", (1 / 200) ** 0.5),
        ("lecun-normal", (1 / 200) ** 0.5),
    ],
)
def test_spread_of_a_matrix_of_200_to_300(scheme, spread):
    """n_in = 200, n_out = 300; of 60,000 numbers, the deviation is known to half a percent."""
    layer = torch.nn.Linear(200, 300)
    initialise(layer, weights=scheme)
    assert layer.weight.std().item() == pytest.approx(spread, rel=0.015)
    if scheme.endswith("uniform"):
        assert layer.weight.abs().max().item() <= spread * 3**0.5 + 1e-7
    assert (layer.bias == 0).all()


def test_recurrent_blocks_are_orthogonal_and_the_forget_gate_is_open():
    stack = RecurrentStack(6, 5, 2, cell="lstm")
    initialise(stack, forget_bias=1.0)
    for layer in stack.layers:
        for block in layer.weight_hh.chunk(4):
            torch.testing.assert_close(block @ block.t(), torch.eye(5), atol=1e-6, rtol=0)
        assert (layer.bias_ih + layer.bias_hh).reshape(4, 5)[:, 0].tolist() == [0.0, 1.0, 0.0, 0.0]


def test_fans_of_a_gate_are_its_own_block():
    """Four blocks of 100 x 100 each: sqrt(2 / 200) = 0.1, not sqrt(2 / 500)."""
    stack = RecurrentStack(100, 100, cell="lstm")
    initialise(stack)
    assert stack.layers[0].weight_ih.std().item() == pytest.approx(0.1, rel=0.02)


def everything():
    layers = [WordEmbedding(7, 4), CharacterCNN(["ab"], char_dim=3, filters=(2, 2)), Highway(4, bias=-3.0)]
    stacks = [RecurrentStack(4, 4, cell=cell, connection="highway") for cell in ("rnn", "lstm", "gru", "qrnn")]
    return torch.nn.ModuleList([*layers, *stacks, torch.nn.Linear(2, 2), torch.nn.Embedding(3, 2)])


def test_a_seed_decides_every_weight():
    first, second, third = everything(), everything(), everything()
    for module, seed in ((first, 1), (second, 1), (third, 2)):
        initialise(module, seed=seed)
    for (name, one), (_, same), (_, other) in zip(*(m.named_parameters() for m in (first, second, third)), strict=True):
        assert torch.equal(one, same), name
        assert "bias" in name or not torch.equal(one, other), name


def test_gates_stay_shut_and_blank_characters_blank():
    module = everything()
    initialise(module)
    assert (module[2].gates[0].transform.bias == -3.0).all()
    assert (module[3].connections[0].gate.transform.bias == -2.0).all()
    assert (module[1].characters.weight[0] == 0).all()


def test_unknown_schemes_are_refused():
    with pytest.raises(OptionError, match="'glorot' is not an initialisation scheme: expected one of xavier-uniform"):
        initialise(torch.nn.Linear(2, 2), weights="glorot")
