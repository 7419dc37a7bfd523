"""Centring, top components, whitening, PCA, normalisation: by hand, and beside plain NumPy in one line each."""

import numpy as np
import pytest

from firth import postprocess
from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors

COUNTS = np.array([500, 90, 7, 3])


def made(rows, **more):
    return WordVectors([f"w{i}" for i in range(len(rows))], np.asarray(rows), **more)


def random_vectors(size=3000, dim=7, seed=0, dtype=np.float64):
    """Rows of unequal spread, far from the origin, with counts that fall."""
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(size, dim)) @ random.normal(size=(dim, dim)) + 3 * random.normal(size=dim)
    return made(mixed.astype(dtype), counts=np.arange(size, 0, -1) ** 2)


def covariance(rows, weights=None):
    return np.cov(rows.astype(np.float64), rowvar=False, aweights=weights, bias=True)


def last(vectors):
    return vectors.metadata["postprocessing"][-1]


def test_centre_by_hand():
    """The mean of (1, 2), (3, 2), (5, 8) is (3, 4), of length 5."""
    result = postprocess.centre(made([[1.0, 2.0], [3.0, 2.0], [5.0, 8.0]]))
    assert result.vectors.tolist() == [[-2, -2], [0, -2], [2, 4]]
    assert last(result) == {"step": "centre", "frequency": False, "mean_length": 5.0}


def test_centre_by_frequency():
    """Counts 3 and 1: the mean of (0, 4) and (4, 0) is 3/4 (0, 4) + 1/4 (4, 0) = (1, 3)."""
    result = postprocess.centre(made([[0.0, 4.0], [4.0, 0.0]], counts=[3, 1]), frequency=True)
    assert result.vectors.tolist() == [[-1, 1], [3, -3]]


def test_a_component_removed_by_hand():
    """(4, 1), (-4, 1), (0, 2), (0, 0) have the mean (0, 1) and spread most along the first axis, which goes."""
    result = postprocess.remove_components(made([[4.0, 1.0], [-4.0, 1.0], [0.0, 2.0], [0.0, 0.0]]), 1)
    assert result.vectors == pytest.approx(np.array([[0, 0], [0, 0], [0, 1], [0, -1]]), abs=1e-12)
    assert last(result)["variance_removed"] == pytest.approx(32 / 34)  # axes: 16 + 16, 1 + 1


@pytest.mark.parametrize("frequency", [False, True])
def test_all_but_the_top_is_plain_numpy(frequency):
    vectors = random_vectors()
    weights = vectors.counts / vectors.counts.sum() if frequency else np.full(3000, 1 / 3000)
    centred = vectors.vectors - weights @ vectors.vectors
    top = np.linalg.svd(np.sqrt(weights)[:, None] * centred, full_matrices=False)[2][:2]
    expected = centred - centred @ top.T @ top
    result = postprocess.remove_components(vectors, 2, frequency=frequency)
    assert result.vectors == pytest.approx(expected, abs=1e-9)


def test_by_default_one_component_of_each_hundred():
    assert last(postprocess.remove_components(random_vectors(400, 300)))["count"] == 3
    assert last(postprocess.remove_components(random_vectors(400, 20)))["count"] == 1


@pytest.mark.parametrize("method", ["pca", "zca"])
@pytest.mark.parametrize("frequency", [False, True])
def test_whitened_vectors_have_the_identity_covariance(method, frequency):
    vectors = random_vectors()
    weights = vectors.counts if frequency else None
    result = postprocess.whiten(vectors, method, frequency=frequency).vectors
    assert covariance(result, weights) == pytest.approx(np.eye(7), abs=1e-9)
    assert np.average(result, axis=0, weights=weights) == pytest.approx(np.zeros(7), abs=1e-9)


def test_zca_is_the_inverse_root_of_the_covariance_and_stays_nearest():
    vectors = random_vectors()
    centred = vectors.vectors - vectors.vectors.mean(axis=0)
    values, directions = np.linalg.eigh(covariance(vectors.vectors))
    root = directions @ np.diag(values**-0.5) @ directions.T
    zca, pca = (postprocess.whiten(vectors, method).vectors for method in ("zca", "pca"))
    assert zca == pytest.approx(centred @ root, abs=1e-9)
    assert np.linalg.norm(zca - centred) < np.linalg.norm(pca - centred)


def test_a_ridge_whitens_what_is_singular():
    """Variances 4 and 0, mean 2: with a ridge of one half of it, 5 and 1 divide 4 and 0."""
    vectors = made([[2.0, 1.0], [-2.0, 1.0]])
    result = postprocess.whiten(vectors, ridge=0.5)
    assert np.abs(result.vectors) == pytest.approx(np.array([[2 / 5**0.5, 0], [2 / 5**0.5, 0]]))
    assert last(result)["rank"] == 1


def test_reduced_vectors_are_the_first_principal_components():
    vectors = random_vectors()
    centred = vectors.vectors - vectors.vectors.mean(axis=0)
    _, values, directions = np.linalg.svd(centred, full_matrices=False)
    result = postprocess.reduce(vectors, 3)
    assert np.abs(result.vectors) == pytest.approx(np.abs(centred @ directions[:3].T), abs=1e-9)
    assert last(result)["variance_kept"] == pytest.approx((values[:3] ** 2).sum() / (values**2).sum())
    assert last(result)["rank"] == 7


@pytest.mark.peer
def test_reduced_vectors_are_those_of_scikit_learn():
    decomposition = pytest.importorskip(
        "sklearn.decomposition", reason="compares with scikit-learn: pip install scikit-learn"
    )
    vectors = random_vectors()
    theirs = decomposition.PCA(4, svd_solver="full").fit(vectors.vectors)
    result = postprocess.reduce(vectors, 4)
    assert np.abs(result.vectors) == pytest.approx(np.abs(theirs.transform(vectors.vectors)), abs=1e-8)
    assert last(result)["variance_kept"] == pytest.approx(theirs.explained_variance_ratio_.sum())


def test_reduction_between_removals_is_the_three_steps():
    vectors = random_vectors()
    one = postprocess.reduce(vectors, 4, components=2)
    other = postprocess.remove_components(vectors, 2)
    other = postprocess.remove_components(postprocess.reduce(other, 4), 2)
    assert np.array_equal(one.vectors, other.vectors)
    assert [each["step"] for each in one.metadata["postprocessing"]] == [
        "remove-components", "reduce", "remove-components"
    ]  # fmt: skip


def test_normalise_by_hand():
    """(3, -4) has the length 5 and the largest number 4."""
    vectors = made([[3.0, -4.0], [0.0, 0.0]])
    assert postprocess.normalise(vectors).vectors == pytest.approx(np.array([[0.6, -0.8], [0, 0]]))
    result = postprocess.normalise(vectors, "max")
    assert result.vectors.tolist() == [[0.75, -1.0], [0, 0]]
    assert last(result)["zero_vectors"] == 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_precision_stays_and_sums_are_double(dtype):
    """Rows of 1 + 1/1024 and 1 - 1/1024: a mean in half precision of 20,000 of them would stop at 2,048."""
    rows = np.ones((20_000, 4), dtype=dtype)
    rows[::2] += dtype(2**-10)
    rows[1::2] -= dtype(2**-10)
    result = postprocess.centre(made(rows))
    assert result.vectors.dtype == dtype
    assert np.abs(result.vectors).max() == pytest.approx(2**-10, rel=1e-8)


def test_blocks_change_nothing(monkeypatch):
    vectors = random_vectors(500)
    whole = postprocess.whiten(vectors).vectors
    monkeypatch.setattr("firth.postprocess.transforms.BLOCK", 30)
    assert postprocess.whiten(vectors).vectors == pytest.approx(whole, abs=1e-10)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda v: postprocess.remove_components(v, 7), "count=7 components of vectors of dimension 7: expected 1"),
        (lambda v: postprocess.remove_components(v, 0), "expected 1 to 6"),
        (lambda v: postprocess.reduce(v, 8), "dim=8 for vectors of dimension 7: expected 1 to 7"),
        (lambda v: postprocess.reduce(v, 0), "dim=0"),
        (lambda v: postprocess.whiten(v, "cholesky"), "method='cholesky': expected pca or zca"),
        (lambda v: postprocess.whiten(v, ridge=-1), "ridge=-1: expected a number of at least 0"),
        (lambda v: postprocess.normalise(v, "l1"), "norm='l1': expected l2 or max"),
    ],
)  # fmt: skip
def test_options_out_of_their_range(step, message):
    with pytest.raises(OptionError, match=message):
        step(random_vectors(50))


def test_frequency_needs_counts():
    with pytest.raises(OptionError, match="the words have no counts"):
        postprocess.centre(made([[1.0, 2.0], [3.0, 4.0]]), frequency=True)


def test_singular_whitening():
    """The third number is the sum of the first two, and there is rounding in it."""
    rows = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    rows[:, 2] = rows[:, 0] + rows[:, 1]
    message = "200 words x 3 dimensions is singular, of rank 2: reduce to 2 dimensions first, or pass ridge=0.01"
    with pytest.raises(OptionError, match=message):
        postprocess.whiten(made(rows))
    result = postprocess.whiten(postprocess.reduce(made(rows), 2))
    assert covariance(result.vectors) == pytest.approx(np.eye(2), abs=1e-5)
    with pytest.raises(OptionError, match="has rank 2; expected at most 2"):
        postprocess.reduce(made(rows), 3)


def test_vectors_that_are_all_alike():
    with pytest.raises(OptionError, match="of rank 0: all vectors are equal"):
        postprocess.whiten(made(np.ones((5, 3))), ridge=0.1)


@pytest.mark.parametrize("step", [postprocess.centre, postprocess.whiten, postprocess.remove_components])
def test_one_word_lies_in_no_direction(step):
    with pytest.raises(OptionError, match="1 word: expected at least 2"):
        step(made([[1.0, 2.0]]))


def test_a_number_that_is_not_finite():
    rows = np.ones((4, 3))
    rows[2, 1] = np.nan
    with pytest.raises(FormatError, match="the vector of 'w2': number 2 is nan"):
        postprocess.normalise(made(rows))
