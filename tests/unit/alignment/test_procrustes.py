"""Alignment by a dictionary: what it finds, what it keeps, what is refused."""

import numpy as np
import pytest

from firth.alignment.procrustes import Procrustes
from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors
from tests.unit.alignment.spaces import translations, twins


@pytest.mark.parametrize("method", ["orthogonal", "least-squares", "weighted"])
def test_words_that_were_not_told_are_translated(method):
    source, target = twins(noise=0.1)
    found = Procrustes(method=method).align(source, target, translations(0, 60), progress=False)
    right = [found.translate(f"a{i}", 1)[0][0] == f"b{i}" for i in range(60, 300)]
    assert np.mean(right) > 0.95


def test_a_turned_space_is_turned_back_exactly():
    source, target = twins()
    found = Procrustes(normalise="none").align(source, target, translations(0, 50), progress=False)
    turn = found.placements[0].matrix
    assert np.abs(turn.T @ turn - np.eye(20)).max() < 1e-10
    assert np.abs(found.source.vectors - target.vectors).max() < 1e-4
    assert np.array_equal(found.target.vectors, target.vectors)


def test_lengths_and_counts_stay_and_inputs_too():
    source, target = twins()
    before = source.vectors.copy()
    found = Procrustes().align(source, target, translations(0, 50), progress=False)
    assert np.array_equal(source.vectors, before)
    assert found.source.words == source.words
    assert found.source.norms == pytest.approx(1, abs=1e-5)
    assert found.metadata["pairs"]["used"] == 50
    assert (found.metadata["source"], found.metadata["target"]) == ("A", "B")
    assert found.source.metadata["postprocessing"][0]["step"] == "align"


def test_refinement_mends_a_map_of_few_pairs():
    """Ten pairs do not determine a turn of twenty directions; the pairs that it finds then do."""
    source, target = twins(noise=0.15)
    few = translations(0, 10)
    right = []
    for rounds in (0, 5):
        found = Procrustes(refine=rounds).align(source, target, few, progress=False)
        right.append(np.mean([found.translate(f"a{i}", 1)[0][0] == f"b{i}" for i in range(10, 300)]))
    assert right[0] < 0.7
    assert right[1] > 0.95
    pairs = found.metadata["pairs_of_rounds"]
    assert (pairs[0], len(pairs)) == (10, 6)
    assert pairs[-1] > 200


def test_progress_is_told():
    source, target = twins()
    told = []
    Procrustes(refine=3).align(source, target, translations(0, 30), progress=told.append)
    assert [(each.stage, each.done, each.total) for each in told] == [("refining", i, 3) for i in (1, 2, 3)]


def test_unlike_widths():
    source, _ = twins(dim=20)
    _, target = twins(dim=12)
    with pytest.raises(OptionError, match="vectors of dimensions 20 and 12"):
        Procrustes().align(source, target, translations(0, 60), progress=False)
    with pytest.warns(UserWarning, match="of 60 held-out words"):  # 20 dimensions do not fit into 12
        found = Procrustes(method="least-squares").align(source, target, translations(0, 60), progress=False)
    assert found.source.dim == found.target.dim == 12


def test_not_a_number():
    source, target = twins()
    rows = source.vectors.copy()
    rows[3, 4] = np.nan
    with pytest.raises(FormatError, match="a3"):
        Procrustes().align(WordVectors(source.words, rows), target, translations(0, 50), progress=False)


@pytest.mark.parametrize("options", [{"method": "affine"}, {"normalise": "l2"}, {"refine": -1}, {"refine_cutoff": 0}])
def test_options(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        Procrustes(**options)
