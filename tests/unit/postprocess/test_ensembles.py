"""Averages and concatenations of models."""

import numpy as np
import pytest

from firth import postprocess
from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors


def model(name, rows, counts=None):
    words, matrix = zip(*rows.items(), strict=True)
    return WordVectors(list(words), np.array(matrix, dtype=np.float32), counts=counts, metadata={"name": name})


@pytest.fixture
def models():
    wide = model("wide", {"cat": [3, 0, 4], "dog": [0, 2, 0], "eel": [1, 0, 0]}, [30, 20, 10])
    narrow = model("narrow", {"dog": [3, 4], "cat": [0, 5], "fox": [0, 1]}, [8, 7, 6])
    return [wide, narrow]


def random_models(words=200):
    random = np.random.default_rng(0)
    names = [f"w{i}" for i in range(words)]
    return [WordVectors(names, random.normal(size=(words, dim))) for dim in (5, 8, 8)]


def test_average_by_hand(models):
    """cat: ((0.6, 0, 0.8) + (0, 1, 0)) / 2; dog: ((0, 1, 0) + (0.6, 0.8, 0)) / 2. eel and fox are known to one only."""
    result = postprocess.average(models)
    assert result.words == ["cat", "dog"]
    assert result.vectors == pytest.approx(np.array([[0.3, 0.5, 0.4], [0.3, 0.9, 0]]))
    assert result.counts.tolist() == [30, 20]
    entry = result.metadata["postprocessing"][-1]
    assert entry["models"] == ["wide", "narrow"]
    assert entry["dims"] == [3, 2]


def test_average_over_all_words_by_hand(models):
    """Weights 1 and 3: cat is ((0.6, 0, 0.8) + 3 (0, 1, 0)) / 4; who is known to one model has that one's vector."""
    result = postprocess.average(models, words="union", weights=[1, 3])
    assert result.words == ["cat", "dog", "eel", "fox"]
    assert result["cat"] == pytest.approx(np.array([0.15, 0.75, 0.2]))
    assert result["eel"].tolist() == [1, 0, 0]
    assert result["fox"].tolist() == [0, 1, 0]
    assert result.counts.tolist() == [30, 20, 10, 6]
    assert result.metadata["postprocessing"][-1]["words_missing"] == [1, 1]


def test_concatenation_by_hand(models):
    result = postprocess.concatenate(models, words="union", weights=[1, 2])
    assert result["cat"] == pytest.approx(np.array([0.6, 0, 0.8, 0, 2]))
    assert result["dog"] == pytest.approx(np.array([0, 1, 0, 1.2, 1.6]))
    assert result["eel"].tolist() == [1, 0, 0, 0, 0]
    assert result["fox"].tolist() == [0, 0, 0, 0, 2]


def test_concatenation_reduced_is_the_truncated_svd():
    whole = postprocess.concatenate(random_models())
    left, values, _ = np.linalg.svd(whole.vectors, full_matrices=False)
    result = postprocess.concatenate(random_models(), dim=6)
    assert result.vectors.shape == (200, 6)
    assert np.abs(result.vectors) == pytest.approx(np.abs(left[:, :6] * values[:6]), abs=1e-9)
    kept = result.metadata["postprocessing"][-1]["share_kept"]
    assert kept == pytest.approx((values[:6] ** 2).sum() / (values**2).sum())


def test_averaging_is_concatenation_to_a_constant_where_models_are_orthogonal():
    """Coates and Bollegala's reason: padded to spaces that share no axis, both give the same cosines."""
    one, other, _ = random_models()
    apart = WordVectors(other.words, np.pad(other.vectors, ((0, 0), (5, 0))))
    average, both = postprocess.average([one, apart]), postprocess.concatenate([one, other])
    assert 2 * average.vectors == pytest.approx(both.vectors, abs=1e-12)


@pytest.mark.parametrize("join", [postprocess.average, postprocess.concatenate])
def test_models_that_cannot_be_joined(join, models):
    with pytest.raises(OptionError, match="1 model: expected at least two"):
        join(models[:1])
    with pytest.raises(OptionError, match="the 2 models have no word in common"):
        join([models[0], model("other", {"katze": [1, 2]})])
    with pytest.raises(OptionError, match="words='both': expected common or union"):
        join(models, words="both")
    with pytest.raises(OptionError, match=r"weights=\[1.0\] for 2 models: expected one per model, each above 0"):
        join(models, weights=[1])
    with pytest.raises(OptionError, match="each above 0"):
        join(models, weights=[1, 0])
    models[1].vectors[1, 0] = np.inf
    with pytest.raises(FormatError, match="the vector of 'cat': number 1 is inf"):
        join(models)


def test_a_width_beyond_all_models(models):
    with pytest.raises(OptionError, match="dim=6: expected 1 to 5"):
        postprocess.concatenate(models, dim=6)
