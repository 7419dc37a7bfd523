"""A detector that is the generator itself, and pieces that are told from originals."""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks.replaced_pieces import areas, likelihood_ratio
from tests.unit.neural.models.pretraining.encoders import trained
from tests.unit.neural.models.sentences.encoders import sentences


def area(scores, replaced, original):
    """The probability that a replaced piece has the higher score, ties counting half; masses by piece."""
    won = sum(
        r * o * (1 if scores[x] > scores[y] else 0.5 if scores[x] == scores[y] else 0)
        for (x, r), (y, o) in itertools.product(enumerate(replaced), enumerate(original))
    )
    return won / (sum(replaced) * sum(original))


def test_the_ratio_is_the_best_score_there_is():
    """Four pieces: p_D = (.4, .3, .2, .1), p_G = (.1, .6, .25, .05), a fifth of the pieces sampled.

    Replaced, p_G (1 - p_D): .06, .42, .2, .045. Original, p_D (1 - .2 + .2 p_G): .328, .276, .17, .081. The quotients
    are .183, 1.522, 1.176, .556: -log p_D puts the last piece first, which is rare in the text and rarer in samples.
    """
    p_d, p_g = torch.tensor([0.4, 0.3, 0.2, 0.1]), torch.tensor([0.1, 0.6, 0.25, 0.05])
    replaced, original = [0.06, 0.42, 0.2, 0.045], [0.328, 0.276, 0.17, 0.081]
    ratio = likelihood_ratio(p_g.log(), p_d.log(), rate=0.2)
    expected = [r / o for r, o in zip(replaced, original, strict=True)]
    torch.testing.assert_close(ratio.exp(), torch.tensor(expected, dtype=torch.float64), rtol=1e-5, atol=0)
    every = [area(order, replaced, original) for order in itertools.permutations(range(4))]
    best = area(ratio.tolist(), replaced, original)
    assert best == pytest.approx(max(every), abs=1e-12)
    assert area((-p_d.log()).tolist(), replaced, original) < best - 0.02


def test_a_generator_as_good_as_the_text():
    """With p_G = p_D the plain ratio says nothing; replaced pieces are the less probable ones all the same."""
    log_p = torch.tensor([0.7, 0.2, 0.1]).log()
    assert likelihood_ratio(log_p, log_p).argsort().tolist() == [0, 1, 2]
    assert torch.isfinite(likelihood_ratio(torch.tensor([-50.0, 0.0]), torch.tensor([0.0, -50.0]))).all()


def test_figures():
    model = trained("masked")
    text = "\n".join(" ".join(sentences()[first : first + 30]) for first in range(0, 90, 30))
    found = areas(model, model, text, windows=8, length=24)
    assert found["windows"] == 8
    assert 0.02 < found["replaced"] < 0.25
    assert 0 < found["auc_seen"] < 1
    assert 0 < found["auc_hidden"] < 1
    assert found["auc_ratio"] == 0.5  # the detector is the generator: all scores are 0
    assert found["auc_best"] == pytest.approx(found["auc_hidden"], abs=1e-3)
    assert found == areas(model, model, text, windows=8, length=24)
