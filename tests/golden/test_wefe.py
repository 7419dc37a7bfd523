"""Measures of bias and debiased vectors are wefe's, on the same vectors, to 1e-6."""

import json

import numpy as np
import pytest

from firth import bias
from firth.bias.double_hard_debiasing import double_hard_debias
from firth.bias.query import units
from firth.vectors.word_vectors import WordVectors
from tests.golden.wefe_small import COUNT, EQUAL, FILE, KEPT, PAIRS, SETS, SPECIFIC, made, named, paired

WEFE = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return WordVectors(*made())


def asked(targets, attributes) -> bias.Query:
    return bias.Query.of(targets, attributes)


X, Y, A, B, MORE = (named(name) for name in SETS)


def test_weat(vectors):
    found = bias.weat(vectors, asked([X, Y], [A, B]))
    assert found.value == pytest.approx(WEFE["weat"]["effect_size"], abs=1e-6)
    assert found.facts["statistic"] == pytest.approx(WEFE["weat"]["weat"], abs=1e-6)


@pytest.mark.parametrize(("key", "unit"), [("rnd", False), ("rnd-unit", True)])
def test_rnd(vectors, key, unit):
    found = bias.rnd(vectors, asked([X, Y], [A]), unit=unit)
    assert found.value == pytest.approx(WEFE[key]["rnd"], abs=1e-6)
    assert found.by_word == pytest.approx(WEFE[key]["distance_by_word"], abs=1e-6)


def test_ripa(vectors):
    found = bias.ripa(vectors, asked(paired(), [A]))
    assert found.value == pytest.approx(WEFE["ripa"]["ripa"], abs=1e-6)
    told = WEFE["ripa"]["word_values"]
    assert found.by_word == pytest.approx({word: each["mean"] for word, each in told.items()}, abs=1e-6)
    assert found.facts["sd_by_word"] == pytest.approx({word: each["std"] for word, each in told.items()}, abs=1e-6)


def test_ect(vectors):
    assert bias.ect(vectors, asked([X, Y], [A + B])).value == pytest.approx(WEFE["ect"]["ect"], abs=1e-9)


def test_mac(vectors):
    found = bias.mac(vectors, asked([X, Y, MORE], [A, B]))
    assert found.value == pytest.approx(WEFE["mac"]["mac"], abs=1e-6)


def test_rnsb(vectors):
    found = bias.rnsb(vectors, asked([X, Y, MORE], [A, B]))
    assert found.value == pytest.approx(WEFE["rnsb"]["rnsb"], abs=1e-6)
    assert found.by_word == pytest.approx(WEFE["rnsb"]["negative_sentiment_probabilities"], abs=1e-6)


def test_hard_debias(vectors):
    made_neutral = bias.hard_debias(vectors, PAIRS, equalise_pairs=EQUAL, specific=SPECIFIC)
    # wefe brings words that it leaves alone to length 1 likewise.
    for word, row in WEFE["hard"].items():
        assert made_neutral.get_vector(word) == pytest.approx(row, abs=1e-6), word


def test_half_sibling_regression(vectors):
    found = bias.half_sibling_regression(vectors, KEPT)
    for word, row in WEFE["half-sibling"].items():
        assert found.get_vector(word) == pytest.approx(row, abs=1e-6 * np.abs(row).max()), word


@pytest.mark.parametrize("component", range(4))
def test_double_hard_debias(vectors, component, monkeypatch):
    """Each of the four components, whichever the clusters choose; wefe leaves the lengths as they come out."""
    agreed = [1.0] * 4
    agreed[component] = 0.5
    monkeypatch.setattr("firth.bias.double_hard_debiasing._agreements", lambda *_: agreed)
    unit = WordVectors(vectors.words, units(vectors.vectors.astype(np.float64)))
    found = double_hard_debias(unit, PAIRS, equalise_pairs=EQUAL, specific=SPECIFIC, count=COUNT)
    assert len(WEFE["double-hard"][str(component)]) == 2 * COUNT // 8
    for word, row in WEFE["double-hard"][str(component)].items():
        assert found.get_vector(word) == pytest.approx(units(np.array(row)), abs=1e-6), word
