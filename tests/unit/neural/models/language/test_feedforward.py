"""Bengio's model, one prediction worked by hand."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from tests.unit.neural.models.language.tiny import text_of, untrained


def set_to(parameter, values):
    with torch.no_grad():
        parameter.copy_(torch.tensor(values, dtype=parameter.dtype).reshape(parameter.shape))


@pytest.mark.parametrize("direct", [False, True])
def test_a_prediction_by_hand(tmp_path, direct):
    """n = 3, D = 1, H = 1, words of vectors a = 0.1 a number: word i is 0.1 i; begin is word 0.

    After the words 3 and 5: x = (C(w_{t-2}), C(w_{t-1})) = (0.3, 0.5) and h = tanh(d + H x) = tanh(0.2 + 2 * 0.3 - 0.5)
    = tanh(0.3). Score of word i: 0.01 i + i h, and with direct connections + i * 0.3 - 2 i * 0.5 = - 0.7 i.
    """
    text = text_of(tmp_path)
    words = len(text.vocabulary)
    model = untrained(firth.FeedForwardLM(order=3, dim=1, hidden=1, dropout=0.0, direct=direct), text)
    module, numbers = model.module, torch.arange(words, dtype=torch.float32)
    set_to(module.embedding.weight, (0.1 * numbers).tolist())
    set_to(module.hidden.weight, [2.0, -1.0])
    set_to(module.hidden.bias, [0.2])
    set_to(module.output.bias, (0.01 * numbers).tolist())
    rows = torch.stack([numbers, numbers, -2 * numbers], 1) if direct else numbers[:, None]
    set_to(module.output.weight, rows.tolist())
    slope = 0.01 + math.tanh(0.3) - (0.7 if direct else 0.0)
    expected = torch.log_softmax(slope * numbers.double(), 0)
    assert model.start([[3, 5]])[0][0] == pytest.approx(expected.numpy(), abs=1e-6)


def test_words_before_the_window_do_not_matter(tmp_path):
    model = untrained(firth.FeedForwardLM(order=3, dim=4, hidden=4), text_of(tmp_path))
    scores, _ = model.start([[1, 3, 5], [2, 3, 5], [1, 4, 5]])
    assert (scores[0] == scores[1]).all()
    assert (scores[0] != scores[2]).any()


def test_options_out_of_range_are_refused():
    with pytest.raises(OptionError, match="order=1: expected a whole number of at least 2"):
        firth.FeedForwardLM(order=1)
    with pytest.raises(OptionError, match="output='softmax': expected one of full"):
        firth.FeedForwardLM(output="softmax")
