"""Axes between poles, worked by hand in the plane and planted in space."""

import numpy as np
import pytest

from firth.directions import axis, axis_between, neutralise, project
from firth.errors import FormatError, OptionError, UnknownWordError
from firth.vectors.word_vectors import WordVectors

PLANE = WordVectors(
    ["cold", "hot", "cool", "warm", "stone"],
    np.array([[0, 2], [2, 0], [0.6, 0.8], [0.8, 0.6], [3, 4]], dtype=np.float32),
)
HALF = np.sqrt(0.5)


def planted(pairs: int = 20, dim: int = 12, seed: int = 0) -> tuple[WordVectors, np.ndarray]:
    """Pairs that lie on either side of random places, along one direction, with some noise."""
    stream = np.random.default_rng(seed)
    along = stream.normal(size=dim)
    along /= np.linalg.norm(along)
    middle = stream.normal(size=(pairs, dim))
    middle -= np.outer(middle @ along, along)
    noise = 0.05 * stream.normal(size=(2, pairs, dim))
    rows = np.concatenate([middle - along + noise[0], middle + along + noise[1]])
    words = [f"a{i}" for i in range(pairs)] + [f"b{i}" for i in range(pairs)]
    return WordVectors(words, rows.astype(np.float32)), along


def test_the_mean_of_differences_by_hand():
    """Unit vectors: cold (0, 1), hot (1, 0), cool (.6, .8), warm (.8, .6): differences (1, -1) and (.2, -.2)."""
    found = axis(PLANE, [("cold", "hot"), ("cool", "warm")])
    assert found.direction == pytest.approx([HALF, -HALF])
    assert found.poles == (("cold", "cool"), ("hot", "warm"))
    assert (found.missing, found.explained, found.name) == ((), None, "cold → hot")


def test_the_first_component_of_centred_pairs_by_hand():
    """The four centred vectors are +-(.5, -.5) and +-(.1, -.1): all on one line, which explains everything."""
    found = axis(PLANE, [("cold", "hot"), ("cool", "warm")], method="pca", name="heat")
    assert found.direction == pytest.approx([HALF, -HALF])
    assert found.explained == pytest.approx(1.0)
    assert found.name == "heat"


def test_the_component_is_that_of_the_paper_written_out():
    """Bolukbasi's covariance of the 2n centred vectors, by eigenvalues."""
    vectors, _ = planted()
    pairs = [(f"a{i}", f"b{i}") for i in range(20)]
    a, b = (vectors.get_vector([pair[side] for pair in pairs], norm=True).astype(np.float64) for side in (0, 1))
    centred = np.concatenate([a - (a + b) / 2, b - (a + b) / 2])
    values, columns = np.linalg.eigh(centred.T @ centred)
    found = axis(vectors, pairs, method="pca")
    assert abs(found.direction @ columns[:, -1]) == pytest.approx(1, abs=1e-7)
    assert found.explained == pytest.approx(values[-1] / values.sum())


@pytest.mark.parametrize("method", ["mean", "pca"])
def test_a_planted_direction_is_found_and_points_to_the_second_words(method):
    vectors, along = planted()
    found = axis(vectors, [(f"a{i}", f"b{i}") for i in range(20)], method=method)
    assert found.direction @ along > 0.98
    places = project(vectors, found)
    assert (places[:20] < 0).all()
    assert (places[20:] > 0).all()


def test_poles_that_are_not_paired():
    """The mean of hot (1, 0) and warm (.8, .6) is (.9, .3); less cold (0, 1): (.9, -.7) over sqrt(1.3)."""
    found = axis_between(PLANE, "cold", ["hot", "warm", "absent"])
    assert found.direction == pytest.approx(np.array([0.9, -0.7]) / np.sqrt(1.3))
    assert found.missing == ("absent",)


def test_places_are_cosines():
    """stone (3, 4) has length 5: cosine with (1, -1)/sqrt 2 is (3 - 4) / (5 sqrt 2)."""
    along = axis_between(PLANE, "cold", "hot")
    assert project(PLANE, along, ["stone", "hot", "cold"]) == pytest.approx([-1 / (5 * np.sqrt(2)), HALF, -HALF])
    zero = WordVectors(["nothing", "hot"], np.array([[0, 0], [1, 0]], dtype=np.float32))
    assert project(zero, along) == pytest.approx([0, HALF])


def test_neutral_words_have_nothing_along_the_axes_and_others_stay():
    vectors, _ = planted()
    axes = [axis_between(vectors, "a0", "b0"), axis_between(vectors, "a1", "b2")]
    found = neutralise(vectors, axes, ["a5", "b7", "absent"])
    for one in axes:
        assert project(found, one, ["a5", "b7"]) == pytest.approx([0, 0], abs=1e-6)
    kept = [i for i, word in enumerate(vectors.words) if word not in ("a5", "b7")]
    assert (found.vectors[kept] == vectors.vectors[kept]).all()
    assert found.metadata["postprocessing"][-1] == {
        "step": "neutralise", "axes": ["a0 → b0", "a1 → b2"], "words": 2
    }  # fmt: skip
    every = neutralise(vectors, axes[0])
    assert project(every, axes[0]) == pytest.approx(np.zeros(40), abs=1e-6)


def test_words_without_vectors_leave_their_pairs_out():
    found = axis(PLANE, [("cold", "hot"), ("icy", "warm")])
    assert found.missing == ("icy",)
    assert found.poles == (("cold",), ("hot",))


def test_what_cannot_be_an_axis():
    with pytest.raises(OptionError, match=r"none of 1 pairs has two words with vectors; unknown: icy"):
        axis(PLANE, [("icy", "hot")])
    with pytest.raises(OptionError, match=r"expected two different words"):
        axis(PLANE, [("hot", "hot")])
    with pytest.raises(OptionError, match=r"method 'median': expected one of mean, pca"):
        axis(PLANE, [("cold", "hot")], method="median")
    with pytest.raises(OptionError, match="have the same vector"):
        axis_between(PLANE, ["hot", "cold"], ["cold", "hot"])
    with pytest.raises(OptionError, match=r"a pole has no words"):
        axis_between(PLANE, [], "hot")
    with pytest.raises(UnknownWordError, match="icy"):
        axis_between(PLANE, ["icy"], "hot")
    broken = WordVectors(["a", "b"], np.array([[1, np.nan], [1, 0]], dtype=np.float32))
    with pytest.raises(FormatError, match=r"the vector of 'a' is not finite"):
        axis_between(broken, "a", "b")
    along = axis_between(PLANE, "cold", "hot")
    wide = WordVectors(["a"], np.ones((1, 3), dtype=np.float32))
    with pytest.raises(OptionError, match=r"an axis of dimension 2, vectors of dimension 3"):
        project(wide, along)
    with pytest.raises(OptionError, match=r"an axis of dimension 2, vectors of dimension 3"):
        neutralise(wide, along)
    with pytest.raises(OptionError, match="no axis to remove"):
        neutralise(PLANE, [])
