import pytest

from firth.errors import OptionError
from firth.plots import training_curves

WORDS = {"loss": [4.0, 3.0, 2.0], "unit": "words"}
CELLS = {"loss": [0.5, 0.1], "unit": "cells"}


def test_each_epoch_is_a_point():
    picture = training_curves({"one": WORDS})
    curve, ends = picture.marks
    assert curve.xy.tolist() == [[1, 4], [2, 3], [3, 2]]
    assert ends.xy.tolist() == [[3, 2]]
    assert list(ends.labels) == ["one"]
    assert list(picture.rows) == [{"model": "one", "epoch": i, "loss": loss} for i, loss in [(1, 4), (2, 3), (3, 2)]]
    assert picture.y.name == "loss, nats per prediction"
    assert picture.caption == ""


def test_models_of_several_units_name_none_and_are_warned_of():
    picture = training_curves({"one": WORDS, "two": CELLS})
    assert picture.y.name == "loss"
    assert "different units" in picture.caption


def test_relative_losses_are_shares_of_the_first_epochs():
    picture = training_curves({"one": WORDS, "two": CELLS}, relative=True)
    assert [row["loss"] for row in picture.rows] == pytest.approx([1, 0.75, 0.5, 1, 0.2])


def test_models_without_losses_are_left_out_with_a_note():
    picture = training_curves({"one": WORDS, "ppmi": {"loss": []}, "old": {}})
    assert list(picture.notes) == ["left out, because they have no epochs: ppmi, old"]
    with pytest.raises(OptionError, match="no losses in ppmi"):
        training_curves({"ppmi": {"loss": []}})


def test_a_loss_that_is_not_finite_ends_the_curve():
    assert len(training_curves({"one": {"loss": [2.0, 1.0, float("nan"), 3.0]}}).rows) == 2


def test_the_loss_on_a_sample_is_drawn_where_it_was_measured():
    sampled = {**WORDS, "sample_loss": [5.0, 4.0, 3.5]}
    picture = training_curves({"one": sampled, "two": WORDS})
    assert [row["loss"] for row in picture.rows] == [5, 4, 3.5, 4, 3, 2]
    assert picture.caption.startswith("Loss on a fixed sample")
    assert list(picture.notes) == ["training loss, because no sample was measured: two"]
    training = training_curves({"one": sampled}, loss="training")
    assert [row["loss"] for row in training.rows] == [4, 3, 2]
    assert training.caption == ""
    with pytest.raises(OptionError, match="expected one of sample, training"):
        training_curves({"one": sampled}, loss="held-out")
