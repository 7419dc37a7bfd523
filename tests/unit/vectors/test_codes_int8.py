"""A byte a number, with a scale a row."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.vectors.codes import int8_matrix
from firth.vectors.word_vectors import WordVectors


def test_by_hand():
    """The largest of (1, -2.54, 0.011) is 2.54 = 127 x 0.02: codes 50, -127 and 0.55, rounded to 1."""
    found = int8_matrix(np.array([[1.0, -2.54, 0.011], [0, 0, 0]]))
    assert found.codes.tolist() == [[50, -127, 1], [0, 0, 0]]
    assert found.scales == pytest.approx([0.02, 0])
    assert found.rows() == pytest.approx(np.array([[1, -2.54, 0.02], [0, 0, 0]]), abs=1e-7)
    assert found.shape == (2, 3)
    assert found.part([1]).rows([0]).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_is_off_by_half_a_step_at_most(scale, dtype):
    rows = (scale * np.random.default_rng(0).normal(size=(500, 40))).astype(dtype)
    found = int8_matrix(rows)
    assert np.abs(found.codes).max(axis=1).tolist() == [127] * 500
    assert (np.abs(found.rows() - rows) <= 0.5001 * found.scales[:, None]).all()


def test_rows_of_next_to_nothing_are_zeros():
    assert int8_matrix(np.full((2, 3), 1e-44, dtype=np.float32)).rows().tolist() == np.zeros((2, 3)).tolist()


def some(**more):
    rows = np.random.default_rng(0).normal(size=(300, 20)).astype(np.float32)
    return WordVectors([f"w{i}" for i in range(300)], rows, counts=np.arange(300, 0, -1), **more)


@pytest.mark.parametrize("kind", ["int8", "product"])
def test_quantised_vectors_answer_nearly_as_before(kind):
    vectors = some(metadata={"name": "some"}, output_vectors=np.zeros((300, 20)))
    small = vectors.quantise(kind)
    assert small.words == vectors.words
    assert small.counts.tolist() == vectors.counts.tolist()
    assert small.metadata == {"name": "some"}
    assert small.output_vectors is None
    off = small.similarity("w3", "w7") - vectors.similarity("w3", "w7")
    assert abs(off) < {"int8": 0.01, "product": 0.2}[kind]
    assert vectors.codes is None
    assert not small.vectors.flags.writeable


def test_codes_go_when_the_vectors_change():
    small = some().quantise("int8")
    small.add_vector("new", np.ones(20))
    assert small.codes is None
    again = some().quantise("int8")
    again.unit_normalize_all()
    assert again.codes is None
    assert again.norms == pytest.approx(1)


def test_what_cannot_be_quantised():
    with pytest.raises(OptionError, match="kind='int4': expected one of int8, product"):
        some().quantise("int4")
    with pytest.raises(OptionError, match="width=21: expected from 1 to 20"):
        some().quantise("product", width=21)
    rows = np.ones((2, 3))
    rows[1, 1] = np.inf
    with pytest.raises(FormatError, match="vector 1 has the length inf"):
        WordVectors(["a", "b"], rows).quantise("int8")


def test_the_first_words():
    vectors = some(output_vectors=np.ones((300, 20)))
    first = vectors.first(3)
    assert first.words == ["w0", "w1", "w2"]
    assert np.shares_memory(first.vectors, vectors.vectors)
    assert first.counts.tolist() == [300, 299, 298]
    assert first.output_vectors.shape == (3, 20)
    assert len(vectors.first(1000)) == 300
    with pytest.raises(OptionError, match="the first 0 words: expected at least 1"):
        vectors.first(0)
