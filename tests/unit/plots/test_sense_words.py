"""The senses of a word and the words nearest to each, as bars."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError, UnknownWordError
from firth.plots.sense_words import sense_words
from firth.vectors.sense_readers import Centroids

WORDS = ["bank", "loan", "river", "of"]


def model(reader=True):
    """bank is money by .3 and water by .7; the context vectors are along three axes."""
    vectors = np.array([[1, 0, 0], [0, 1, 0], [1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], dtype=np.float32)
    context = np.array([[0.6, 0.8, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    return firth.SenseVectors(
        WORDS,
        [0, 2, 3, 4, 5],
        vectors,
        priors=[0.3, 0.7, 1, 1, 1],
        labels=["money", "water", "", "", ""],
        reader=Centroids(context, np.ones(4), vectors) if reader else None,
    )


def test_the_most_likely_sense_is_on_top():
    """By the cosines with the centres (0, 1, 0) and (1, 0, 0)."""
    picture = sense_words(model(), "bank", number=2)
    assert [(row["label"], row["word"], pytest.approx(row["cosine"], abs=1e-6)) for row in picture.rows] == [
        ("water", "river", 1.0), ("water", "bank", 0.8), ("money", "loan", 1.0), ("money", "bank", 0.6),
    ]  # fmt: skip
    assert picture.groups == ["water, 70%", "money, 30%"]
    lines, points = picture.marks
    assert lines.ends[1].tolist() == [[0, -1], [pytest.approx(0.8), -1]]
    assert np.diff(points.xy[:, 1]).max() < 0


def test_without_centres_other_senses_are_near():
    picture = sense_words(model(reader=False), "bank", number=1)
    assert [(row["sense"], row["word"]) for row in picture.rows] == [(1, "river"), (0, "loan")]


def test_only_common_words_are_looked_through():
    assert {row["word"] for row in sense_words(model(), "bank", number=3, among=2).rows} == {"bank", "loan"}


def test_too_many_bars_are_refused():
    picture = sense_words(model(), "bank", number=60)
    assert picture.notes == ["the 1 most likely of 2 senses are drawn"]


def test_wrong_arguments_are_refused():
    with pytest.raises(UnknownWordError, match="bunk"):
        sense_words(model(), "bunk")
    for number in (0, 61):
        with pytest.raises(OptionError, match=f"number={number}"):
            sense_words(model(), "bank", number=number)
    with pytest.raises(OptionError, match="among=0"):
        sense_words(model(), "bank", among=0)


def test_it_is_drawn(tmp_path):
    sense_words(model(), "bank").save(tmp_path / "bank.svg")
    assert "river" in (tmp_path / "bank.svg").read_text(encoding="utf-8")
