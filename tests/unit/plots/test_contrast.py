import dataclasses

import numpy as np
import pytest

import firth
from firth import plots
from firth.errors import RareWordError
from firth.plots.picture import Lines, Points
from tests.unit.alignment.grouped import documents


@pytest.fixture(scope="module")
def contrast():
    model = firth.Word2Vec(dim=4, epochs=1, sample=0)
    with pytest.warns(UserWarning, match="permutations=4"):
        return firth.contrast(model, documents(6, 1), documents(6, 2), permutations=4, runs=2, progress=False)


def test_words_with_interval_and_chance_level(contrast):
    picture = plots.contrast_summary(contrast, number=3)
    words = contrast.most_changed(3)
    levels, _, intervals, points = picture.marks
    assert isinstance(points, Points)
    assert all(isinstance(mark, Lines) for mark in (levels, intervals))
    facts = [contrast.facts(word) for word in words]
    assert points.xy.tolist() == [[row["distance"], 2 - i] for i, row in enumerate(facts)]
    assert levels.ends[:, 1, 0].tolist() == [row["chance"] for row in facts]
    assert intervals.ends[:, :, 0].tolist() == [[row["low"], row["high"]] for row in facts]
    assert points.hollow == [True] * 3  # four permutations tell nothing
    assert [label for _, label in picture.y.ticks] == words
    assert all(word in label for word, label in zip(words, points.labels, strict=True))


def test_words_that_are_asked_for(contrast, monkeypatch):
    chosen = contrast.words[:5]
    assert [row["word"] for row in plots.contrast_summary(contrast, chosen).rows] == chosen
    monkeypatch.setattr("firth.plots.contrast.MOST", 2)
    picture = plots.contrast_summary(contrast, chosen)
    assert ([row["word"] for row in picture.rows], picture.notes) == (
        chosen[:2], ["the first 2 of 5 words are drawn"],
    )  # fmt: skip
    rare = next(word for word in contrast.tally.vocabularies[0] if word not in contrast)
    with pytest.raises(RareWordError):
        plots.contrast_summary(contrast, [rare])


def test_without_runs_there_are_no_intervals(contrast):
    nothing = np.full(len(contrast), np.nan)
    picture = plots.contrast_summary(dataclasses.replace(contrast, low=nothing, high=nothing), number=3)
    assert len(picture.marks[2].ends) == 0
