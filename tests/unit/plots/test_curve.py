import importlib.util
from pathlib import Path

import pytest

from firth.errors import OptionError
from firth.plots import training_curves
from firth.storage.kinds import LOADERS

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


NEURAL = [
    {"epoch": 0.5, "loss": 4.0, "held_out_loss": 4.5},
    {"epoch": 1.0, "loss": 3.0, "held_out_loss": 4.0},
    {"epoch": 1.5, "loss": None, "held_out_loss": 3.9},
]


def test_a_neural_model_shows_held_out_and_training_loss_per_evaluation():
    picture = training_curves({"tagger": {"rows": NEURAL}})
    held_out, training, ends = picture.marks
    assert (held_out.name, training.name) == ("tagger: held-out", "tagger: training")
    assert held_out.xy.tolist() == [[0.5, 4.5], [1, 4], [1.5, 3.9]]
    assert training.xy.tolist() == [[0.5, 4], [1, 3]]
    assert ends.xy.tolist() == [[1.5, 3.9], [1, 3]]
    assert picture.title == "Loss of 1 model, per epoch"
    assert picture.x.low <= 0.5
    relative = training_curves({"tagger": {"rows": NEURAL}}, relative=True)
    assert [row["loss"] for row in relative.rows] == pytest.approx([1, 4 / 4.5, 3.9 / 4.5, 1, 0.75])


def test_a_neural_model_without_held_out_data_has_one_curve():
    rows = [{"epoch": 0.1, "loss": 2.0}, {"epoch": 0.2, "loss": 1.0}]
    assert [mark.name for mark in training_curves({"lm": {"rows": rows}}).marks[:-1]] == ["lm"]
    assert [row["epoch"] for row in training_curves({"t": {"rows": NEURAL}}, loss="training").rows] == [0.5, 1]
    picture = training_curves({"lm": {"rows": rows}, "vectors": {**WORDS, "sample_loss": [5.0, 4.0, 3.5]}})
    assert not picture.notes


def test_each_phase_of_a_training_has_its_curves():
    """As of a ranker before clusters, and of a reward after the likelihood."""
    picture = training_curves({"m": {"rows": NEURAL, "ranking": {"rows": NEURAL[:2]}, "options": {"lr": 1}}})
    assert {row["model"] for row in picture.rows} == {
        "m: held-out", "m: training", "m: ranking: held-out", "m: ranking: training",
    }  # fmt: skip
    assert sum(row["model"].startswith("m: ranking") for row in picture.rows) == 4
    later = training_curves({"m": {"reinforcement": {"rows": NEURAL[:1]}}})
    assert len(later.rows) == 2


def test_boltzmann_machines_show_what_a_step_changes():
    picture = training_curves({"rbm": {"changed": [0.2, 0.1], "texts": 9}})
    assert [row["loss"] for row in picture.rows] == [0.2, 0.1]
    assert picture.y.name == "loss, share of units changed"


def test_every_neural_training_is_written_down_by_the_loop():
    """All that train with PyTorch call the one loop, whose rows are drawn; none writes losses of its own."""
    homes = {location.partition(":")[0] for location in LOADERS.values() if ".neural.models." in location}
    packages = {Path(importlib.util.find_spec(home.rpartition(".")[0]).origin).parent for home in homes}
    assert len(packages) > 15
    for package in packages:
        own = "\n".join(path.read_text(encoding="utf-8") for path in package.glob("*.py"))
        assert "fit_model(" in own or "train_translator(" in own, package
        assert '"rows":' not in own, package
