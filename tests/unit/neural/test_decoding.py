"""Scores on a device give the candidates of the array that they stand for, ties included."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.inference.scorer import as_float64, scores_at, top_candidates
from firth.neural.decoding import TensorScores


def reference(array, k):
    """The k best by score, then by id, of every row sorted as a whole."""
    order = np.argsort(-array, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(array, order, axis=1), order


@pytest.mark.parametrize("words", [7, 1500, 5000])
@pytest.mark.parametrize("levels", [3, 40, 10**6])  # few levels: most scores tie, at the limit too
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_candidates_are_those_of_the_array(words, levels, dtype):
    random = np.random.default_rng(words + levels)
    tensor = torch.from_numpy(-random.integers(0, levels, (6, words)) / 7).to(dtype)
    tensor[0, random.integers(words, size=words // 2)] = -torch.inf
    scores = TensorScores(tensor)
    array = as_float64(scores)
    for k in (1, 5, 9):
        expected, order = reference(array, k)
        for candidates in (scores.top(min(k, words)), top_candidates(scores, k), top_candidates(array, k)):
            assert candidates.ids.tolist() == order.tolist()
            assert candidates.scores.tolist() == expected.tolist()
    rows, ids = np.array([5, 0]), np.array([words - 1, 2])
    assert scores_at(scores, rows, ids).tolist() == scores_at(array, rows, ids).tolist()


def test_it_reads_as_an_array_of_double_precision():
    scores = TensorScores(torch.tensor([[0.1, 0.2]]))
    assert scores.shape == (1, 2)
    assert len(scores) == 1
    assert np.asarray(scores).dtype == np.float64
    assert scores[0].tolist() == np.float32([0.1, 0.2]).astype(np.float64).tolist()


def test_a_copy_leaves_the_scores_as_they_are():
    """Penalties are applied to a copy: a score that is read afterwards is the model's own."""
    scores = TensorScores(torch.full((1, 2), -0.5, dtype=torch.float64))
    as_float64(scores)[0, 0] = -np.inf
    assert scores_at(scores, np.array([0]), np.array([0])).tolist() == [-0.5]


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("make", [lambda array: TensorScores(torch.from_numpy(array)), lambda array: array])
def test_nan_counts_as_the_largest_and_other_rows_keep_their_candidates(k, make):
    array = np.array([[1.0, 2, 3, 3], [np.nan, 3, 3, 3], [np.nan] * 4, [5.0, 4, 3, 2]])
    candidates = top_candidates(make(array), k)
    assert candidates.ids[0].tolist() == [2, 3][:k]
    assert np.isnan(candidates.scores[1:3]).any(axis=1).all()  # a search ends such a text
    assert candidates.ids[3].tolist() == [0, 1][:k]


def test_scores_less_a_normaliser():
    raw = torch.tensor([[1.0, 3, 3, 2], [0.0, -1, -1, -5]])
    scores = TensorScores(raw, raw.logsumexp(1))
    array = as_float64(TensorScores(raw.double().log_softmax(1)))
    assert np.abs(np.asarray(scores) - array).max() < 1e-6
    candidates, rows = scores.top(2), np.array([1, 0])
    assert candidates.ids.tolist() == [[1, 2], [0, 1]]
    assert candidates.scores.tolist() == np.take_along_axis(np.asarray(scores), candidates.ids, 1).tolist()
    assert scores_at(scores, rows, rows).tolist() == np.asarray(scores)[rows, rows].tolist()


@pytest.mark.parametrize("levels", [3, 10**6])
def test_words_without_a_column_have_probability_0(levels):
    random = np.random.default_rng(levels)
    tensor = torch.from_numpy(-random.integers(0, levels, (4, 400)) / 7)
    columns = np.sort(random.choice(np.arange(1, 1000), 400, replace=False))
    less = torch.from_numpy(random.random(4))
    scores = TensorScores(tensor, less, (columns, 1000))
    array = np.full((4, 1000), -np.inf)
    array[:, columns] = tensor.numpy() - less.numpy()[:, None]
    assert scores.shape == (4, 1000)
    assert as_float64(scores).tolist() == array.tolist()
    for k in (1, 7, 400):
        expected, order = reference(array, k)
        assert scores.top(k).ids.tolist() == order.tolist()
        assert scores.top(k).scores.tolist() == expected.tolist()
    assert scores.top(500).ids.shape == (4, 400)
    rows, ids = np.repeat(np.arange(4), 1000), np.tile(np.arange(1000), 4)
    assert scores_at(scores, rows, ids).tolist() == array.ravel().tolist()
