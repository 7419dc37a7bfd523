"""Numbers that leave a model: kinds of numbers and messages; then every kind of model with huge finite weights."""

import numpy as np
import pytest

import firth
from firth.embeddings.compositional import Composition, Tensor
from firth.errors import FormatError
from firth.finite import check_finite

TEXTS = ["the cat sat", "a dog"]
BAD = (np.nan, np.inf, -np.inf)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 4)])
def test_the_first_item_that_is_not_finite_is_named(bad, shape):
    numbers = np.zeros(shape, np.float32)
    check_finite(numbers, "a model", "abc")
    numbers.reshape(3, -1)[1:, -1] = bad
    message = r"sentence 11 \('b'\): NaN or infinity from 'a model'; expected finite numbers: its weights are damaged"
    with pytest.raises(FormatError, match=message):
        check_finite(numbers, "a model", "abc", "sentence", first=10)


def test_nothing_and_the_impossible():
    check_finite(np.zeros((0, 3)), "a model", [])
    check_finite(np.array([-np.inf, -1.0]), "a model", "ab", impossible=True)
    for bad in (np.nan, np.inf):
        with pytest.raises(FormatError, match=r"text 1 \('b'\)"):
            check_finite(np.array([-np.inf, bad]), "a model", "ab", impossible=True)


def test_averages_of_large_vectors():
    vectors = firth.WordVectors(["the", "cat"], np.array([[3e38, 0], [3e38, 1]], np.float32))
    with np.errstate(over="ignore"), pytest.raises(FormatError, match=r"text 1 \('the cat'\): NaN or infinity from "):
        firth.SentenceAverages(vectors, "mean").encode(["cat", "the cat"])


def test_compositions_of_large_functions():
    shapes = ((2, 1, 2), (2, 1, 2), (2,), (2, 2), (2, 2))
    vectors = firth.WordVectors(["old", "cat"], np.eye(2, dtype=np.float32))
    model = Composition({"pair": Tensor(*(np.full(shape, 3e38, np.float32) for shape in shapes))}, vectors)
    with np.errstate(over="ignore"), pytest.raises(FormatError, match=r"phrase 0 \(\('old', 'cat'\)\)"):
        model.compose([("old", "cat")])
