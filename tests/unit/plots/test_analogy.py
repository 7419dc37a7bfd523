import numpy as np
import pytest

from firth.errors import OptionError, UnknownWordError
from firth.plots import analogy_arrows
from firth.vectors.word_vectors import WordVectors

# Unit vectors: a square on the sphere, so that both offsets are (0, -2, 0) / sqrt(6).
SQUARE = np.array([[2, 1, 1], [2, -1, 1], [2, 1, -1], [2, -1, -1]]) / np.sqrt(6)


@pytest.fixture
def square():
    return WordVectors(["man", "king", "woman", "queen"], 5 * SQUARE)


def test_a_perfect_analogy_is_a_parallelogram(square):
    """Offsets are the same in space, so they are on any plane: here of length 2 / sqrt(6), and their cosine is 1."""
    picture = analogy_arrows(square, [("man", "king"), ("woman", "queen")])
    guides, arrows, points = picture.marks
    offsets = arrows.ends[:, 1] - arrows.ends[:, 0]
    np.testing.assert_allclose(offsets[0], offsets[1], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(offsets, axis=1), 2 / np.sqrt(6), rtol=1e-6)
    np.testing.assert_allclose(guides.ends[0], [arrows.ends[0, 0], arrows.ends[1, 0]])
    np.testing.assert_allclose(guides.ends[1], [arrows.ends[0, 1], arrows.ends[1, 1]])
    assert "mean cosine between the arrows in all dimensions: 1.00" in picture.caption
    assert "100 % of the variance" in picture.caption
    assert picture.equal
    assert dict(zip(points.labels, points.groups, strict=True)) == {"man": 0, "king": 1, "woman": 0, "queen": 1}
    assert picture.rows[0] == {
        "a": "man", "b": "king", "from": arrows.ends[0, 0].tolist(), "to": arrows.ends[0, 1].tolist()
    }  # fmt: skip


def test_opposite_arrows_have_a_negative_mean_cosine(square):
    """Offsets (0, -2, 0) and (0, 2, 0): cosine -1."""
    assert "in all dimensions: -1.00" in analogy_arrows(square, [("man", "king"), ("queen", "woman")]).caption


def test_pairs_without_vectors_are_left_out_with_a_note(square):
    picture = analogy_arrows(square, [("man", "king"), ("boy", "prince"), ("woman", "queen")])
    assert [(row["a"], row["b"]) for row in picture.rows] == [("man", "king"), ("woman", "queen")]
    assert picture.notes[0] == "2 of 6 words have no vector: boy, prince"


def test_wrong_pairs_are_refused(square):
    with pytest.raises(OptionError, match="no pairs to draw"):
        analogy_arrows(square, [])
    with pytest.raises(OptionError, match="the pair man man"):
        analogy_arrows(square, [("man", "man")])
    with pytest.raises(UnknownWordError, match="'prince'"):
        analogy_arrows(square, [("man", "prince")])
