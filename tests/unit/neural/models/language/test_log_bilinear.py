"""The log-bilinear model, one prediction worked by hand."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from tests.unit.neural.models.language.test_feedforward import set_to
from tests.unit.neural.models.language.tiny import text_of, untrained


@pytest.mark.parametrize("maps", ["full", "diagonal"])
def test_a_prediction_by_hand(tmp_path, maps):
    """n = 3, D = 2, word i has r_i = (i, 1) and q_i = (0.1 i, -0.1), bias 0. After words 2 and 1:

    full: r_hat = C_1 r_1 + C_2 r_2 with C_1 = [[1, 2], [0, 1]] and C_2 = [[0, 1], [1, 0]]
    = (1 * 1 + 2 * 1, 1) + (1, 2) = (4, 3); score of i: 0.4 i - 0.3.
    diagonal: r_hat = (3, 2) r_1 + (5, 7) r_2 = (3 + 10, 2 + 7) = (13, 9); score of i: 1.3 i - 0.9.
    """
    text = text_of(tmp_path)
    model = untrained(firth.LogBilinearLM(order=3, dim=2, context_matrices=maps), text)
    numbers = torch.arange(len(text.vocabulary), dtype=torch.float64)
    ones = torch.ones_like(numbers)
    set_to(model.module.embedding.weight, torch.stack([numbers, ones], 1).tolist())
    set_to(model.module.output.weight, torch.stack([0.1 * numbers, -0.1 * ones], 1).tolist())
    set_to(model.module.output.bias, (0 * numbers).tolist())
    if maps == "full":  # the oldest word's first; rows are dimensions of r, columns of r_hat
        set_to(model.module.context_matrices, [[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [2.0, 1.0]]])
    else:
        set_to(model.module.context_matrices, [[5.0, 7.0], [3.0, 2.0]])
    expected = torch.log_softmax((0.4 if maps == "full" else 1.3) * numbers, 0)
    assert model.start([[2, 1]])[0][0] == pytest.approx(expected.numpy(), abs=1e-5)


def test_the_first_prediction_is_the_mean_of_the_vectors(tmp_path):
    for maps in ("full", "diagonal"):
        model = untrained(firth.LogBilinearLM(order=4, dim=6, context_matrices=maps), text_of(tmp_path))
        rows = model.module.embedding.weight
        hidden, _ = model.module(torch.tensor([[3, 1, 2]]))
        assert hidden[0, -1].tolist() == pytest.approx(rows[[3, 1, 2]].mean(0).tolist(), abs=1e-6)


def test_tied_words_are_read_by_what_they_are_predicted_by(tmp_path):
    tied, own = (untrained(firth.LogBilinearLM(dim=6, tie_weights=tie), text_of(tmp_path)) for tie in (True, False))
    assert tied.module.output.weight is tied.module.embedding.weight
    counts = [sum(p.numel() for p in model.module.parameters()) for model in (tied, own)]
    assert counts[1] - counts[0] == 6 * len(tied.vocabulary)
