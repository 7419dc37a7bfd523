import json
import math

import numpy as np
import pytest

from firth.errors import OptionError
from firth.language.comparison import compare_models
from tests.unit.language.toys import TABLE, TableModel, random_model, random_text

LINES = random_text(400, 5)


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))


def test_by_hand():
    """Every token .5 by the one and .25 by the other: perplexities 2 and 4, twice as much, in every resample."""
    one, other = TableModel([[0.5, 0.0, 0.5, 0.0]] * 5), TableModel([[0.25] * 4] * 5)
    found = compare_models({"other": other, "one": one}, ["a a", "a"] * 4)
    assert list(found.figures) == ["one", "other"]
    assert found.figures["one"].value == pytest.approx(2)
    (pair,) = found.pairs
    assert pair.names == ("one", "other")
    assert pair.ratio == pytest.approx(2)
    assert pair.interval == pytest.approx((2, 2))
    assert (pair.wins, pair.weight) == (1.0, pytest.approx(1, abs=1e-6))
    assert pair.mixture == pytest.approx(2, abs=1e-5)
    assert math.isnan(pair.correlation)


def test_figures_are_those_of_the_models_alone():
    models = {"x": random_model(0), "y": random_model(1), "z": random_model(2)}
    found = compare_models(models, LINES)
    assert {name: figure.value for name, figure in found.figures.items()} == {
        name: model.perplexity(LINES).value for name, model in models.items()
    }
    assert len(found.pairs) == 3
    for pair in found.pairs:
        better, worse = (found.figures[name].value for name in pair.names)
        assert pair.ratio == pytest.approx(worse / better, rel=1e-9)
        assert pair.interval[0] < pair.ratio < pair.interval[1]


def test_a_pair_is_drawn_together():
    """Two models whose losses differ by a constant: each interval is wide, that of the ratio has no width."""
    table = np.array(TABLE)
    one, other = TableModel(table), TableModel(np.hstack([table[:, :2] * 0.9, table[:, 2:] * 0.9]))
    (pair,) = compare_models({"one": one, "other": other}, LINES).pairs
    assert pair.interval == pytest.approx((1 / 0.9, 1 / 0.9), rel=1e-9)
    assert pair.correlation == pytest.approx(1)


def test_a_mixture_is_not_fitted_on_what_it_is_told_of():
    """Even sentences are all a, which one model expects, odd ones all b, which the other does.

    Weights fitted on the text itself would be even and the mixture would do well; fitted on the other half each, the
    weight of the wrong model goes to 1.
    """
    one, other = TableModel([[0.9, 0.05, 0.04, 0.01]] * 5), TableModel([[0.05, 0.9, 0.04, 0.01]] * 5)
    (pair,) = compare_models({"one": one, "other": other}, ["a a a a", "b b b b"] * 50).pairs
    assert pair.mixture > 10
    assert pair.weight == pytest.approx(0.5, abs=0.01)


def test_models_that_err_elsewhere_gain_by_mixing():
    """One knows that a comes after a, the other that b comes after b; the text holds both, the halves alike."""
    one = TableModel([[0.8, 0.1, 0.05, 0.05], *[[0.3, 0.3, 0.3, 0.1]] * 4])
    other = TableModel([[0.3, 0.3, 0.3, 0.1], [0.1, 0.8, 0.05, 0.05], *[[0.3, 0.3, 0.3, 0.1]] * 3])
    found = compare_models({"one": one, "other": other}, ["a a a a b b b b"] * 40)
    assert found.pairs[0].mixture < 0.95 * min(figure.value for figure in found.figures.values())


def test_tells_all_of_it():
    found = compare_models({"x": random_model(0), "y": random_model(1)}, LINES)
    told = str(found).splitlines()
    assert told[0].endswith(" 400 sentence ends")
    assert [line.split()[0] for line in told[2:4]] == list(found.figures)
    assert "times the perplexity (" in told[4]
    assert "mixture: " in told[5]
    *models, pair = found.described()
    assert [row["model"] for row in models] == list(found.figures)
    assert (pair["better"], pair["worse"]) == found.pairs[0].names
    assert json.loads(json.dumps(pair)) == pair


def test_two_at_least_and_alike():
    with pytest.raises(OptionError, match="1 models; expected at least 2"):
        compare_models({"x": random_model(0)}, LINES)
    with pytest.raises(OptionError, match="x and y have 4 and 3 words"):
        compare_models(
            {"x": random_model(0), "y": random_model(0, ["a", "b", "<unk>"], rules=random_model(0).rules)}, LINES
        )
