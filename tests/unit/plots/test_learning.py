"""Learning curves of language models."""

import math

import pytest

from firth.errors import OptionError
from firth.plots.learning import learning_curves
from firth.plots.picture import Curve, Lines


def rows(*losses, held_out=None):
    made = [{"seconds": 60.0 * (i + 1), "loss": loss} for i, loss in enumerate(losses)]
    return [
        row | ({} if held_out is None else {"held_out_loss": value})
        for row, value in zip(made, held_out or losses, strict=True)
    ]


def test_one_model_shows_held_out_and_training_text():
    """e^(log 8) = 8 after a minute, 4 after two; of the training text 6 and 2."""
    picture = learning_curves({"lstm": rows(math.log(6), math.log(2), held_out=[math.log(8), math.log(4)])})
    held_out, training = [mark for mark in picture.marks if isinstance(mark, Curve)]
    assert (held_out.name, training.name) == ("held-out text", "training text")
    assert held_out.xy.tolist() == [[1, pytest.approx(8)], [2, pytest.approx(4)]]
    assert training.xy[:, 1].tolist() == [pytest.approx(6), pytest.approx(2)]
    assert picture.y.log


def test_several_models_show_held_out_text_with_ngrams_as_baselines():
    models = {"lstm": rows(5.0, 4.0, held_out=[5.5, 5.0]), "gru": rows(5.0, held_out=[5.4])}
    picture = learning_curves(models, {"kneser-ney": 200.0})
    assert [mark.name for mark in picture.marks if isinstance(mark, Curve)] == ["lstm", "gru"]
    (level,) = [mark for mark in picture.marks if isinstance(mark, Lines)]
    assert level.ends[0].tolist() == [[0, 200], [pytest.approx(2 * 1.3), 200]]
    assert list(picture.marks[-1].labels) == ["kneser-ney"]
    assert {row["model"] for row in picture.rows} == {"lstm", "gru"}


def test_ticks_are_round_numbers_around_the_curves():
    """Perplexities from 148 to 245: 100 below, 300 above."""
    picture = learning_curves({"lstm": rows(5.5, 5.0), "gru": rows(5.1)})
    assert list(picture.y.ticks) == [(100, "100"), (150, "150"), (200, "200"), (300, "300")]


def test_without_held_out_text_training_is_shown():
    picture = learning_curves({"lstm": rows(2.0, 1.0)})
    assert [row["perplexity"] for row in picture.rows] == [pytest.approx(math.e**2), pytest.approx(math.e)]


def test_a_loss_that_is_not_a_number_is_left_out():
    assert len(learning_curves({"lstm": [*rows(2.0), {"seconds": 90.0, "loss": None}]}).rows) == 1


def test_models_that_have_no_rows_are_refused():
    with pytest.raises(OptionError, match="no losses in ngrams"):
        learning_curves({"ngrams": []})
