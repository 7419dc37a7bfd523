"""What goes in stays as it is; what comes out has the words, counts and metadata, and says what was done."""

import numpy as np
import pytest

from firth import postprocess
from firth.errors import OptionError
from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests.unit.vectors.io.subwords import some


@pytest.fixture
def vectors():
    made = WordVectors(
        ["the", "cat", "sat"],
        np.array([[1, 2], [3, 2], [5, 8]], dtype=np.float32),
        counts=[9, 5, 4],
        output_vectors=np.zeros((3, 2)),
        metadata={"name": "test"},
    )
    made.set_vecattr("the", "note", "article")
    return made


def test_words_counts_attributes_and_metadata_stay(vectors):
    result = postprocess.normalise(postprocess.centre(vectors))
    assert result.words == ["the", "cat", "sat"]
    assert result.counts.tolist() == [9, 5, 4]
    assert result.get_vecattr("the", "note") == "article"
    assert result.output_vectors is None
    assert result.metadata["name"] == "test"
    assert [each["step"] for each in result.metadata["postprocessing"]] == ["centre", "normalise"]


def test_what_goes_in_stays_as_it_is(vectors):
    before = vectors.vectors.copy()
    result = postprocess.centre(vectors)
    result.add_vector("mat", [1, 1])
    result.set_vecattr("cat", "count", 7)
    result.vectors[:] = 0
    assert np.array_equal(vectors.vectors, before)
    assert vectors.words == ["the", "cat", "sat"]
    assert vectors.counts.tolist() == [9, 5, 4]
    assert vectors.metadata == {"name": "test"}


def test_what_was_done_is_saved(vectors, tmp_path):
    postprocess.whiten(vectors, ridge=0.1).save(tmp_path / "v")
    (entry,) = load(tmp_path / "v").metadata["postprocessing"]
    assert entry["step"] == "whiten"
    assert entry["ridge"] == 0.1


def test_n_grams_cannot_follow():
    with pytest.raises(OptionError, match=r"built from n-grams, which would be lost: pass vectors\.known"):
        postprocess.normalise(some())
    result = postprocess.normalise(some().known)
    assert result.norms == pytest.approx(1)
    assert "never-seen" not in result


def test_no_words():
    with pytest.raises(OptionError, match="0 words x 3 dimensions: expected at least one vector"):
        postprocess.centre(WordVectors([], np.empty((0, 3))))
