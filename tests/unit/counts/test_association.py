"""Associations beside the formulas in dense NumPy."""

import numpy as np
import pytest
from scipy import sparse

import firth
from firth.counts.association import correlation, pmi
from firth.errors import OptionError


@pytest.fixture(scope="module")
def counts(english, tmp_path_factory):
    return firth.Cooccurrence(window=4).count(english, cache=tmp_path_factory.mktemp("counts"))


def test_pmi_by_hand():
    """N = 8, r = (5, 3), c = (4, 4): log(4 * 8 / (5 * 4)), log(1 * 8 / (5 * 4)), log(3 * 8 / (3 * 4))."""
    made = pmi(sparse.csr_array([[4.0, 1.0], [0.0, 3.0]]), positive=False).toarray()
    np.testing.assert_allclose(made, np.log([[1.6, 0.4], [1, 2]]), atol=1e-12)


@pytest.mark.parametrize("shift", [1.0, 5.0])
@pytest.mark.parametrize("smoothing", [1.0, 0.75])
def test_ppmi_is_the_dense_formula(counts, shift, smoothing):
    x = counts.to_scipy().toarray().astype(np.float64)
    rows, smoothed = x.sum(1), x.sum(0) ** smoothing
    with np.errstate(divide="ignore"):
        dense = np.log(x / rows[:, None] / (smoothed / smoothed.sum())) - np.log(shift)
    made = pmi(counts, shift=shift, smoothing=smoothing)
    np.testing.assert_allclose(made.toarray(), np.maximum(dense, 0), atol=1e-6)
    assert (made.data > 0).all()
    kept = pmi(counts, shift=shift, smoothing=smoothing, positive=False)
    np.testing.assert_allclose(kept.toarray(), np.where(x > 0, dense, 0), atol=1e-6)


def test_correlation_is_pearsons(counts):
    """COALS's value is the root of the correlation, over all pairs, of "the word is i" and "the context is j"."""
    x = np.round(counts.to_scipy().toarray()[:12, :12] * 2).astype(int)
    pairs = np.array([(i, j) for i in range(12) for j in range(12) for _ in range(x[i, j])])
    dense = np.zeros((12, 12))
    for i in range(12):
        for j in range(12):
            rho = np.corrcoef(pairs[:, 0] == i, pairs[:, 1] == j)[0, 1]
            dense[i, j] = np.sqrt(max(rho, 0))
    np.testing.assert_allclose(correlation(sparse.csr_array(x)).toarray(), dense, atol=1e-6)


def test_words_that_never_meet_are_nothing():
    empty = sparse.csr_array(np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    assert np.isfinite(pmi(empty, smoothing=0.5).data).all()
    assert np.isfinite(correlation(empty).data).all()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"shift": 0}, "shift=0"), ({"shift": float("nan")}, "shift=nan"), ({"smoothing": 1.5}, "smoothing=1.5")],
)
def test_options_out_of_range(counts, wrong, said):
    with pytest.raises(OptionError, match=said):
        pmi(counts, **wrong)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_counts_that_are_none(bad):
    with pytest.raises(OptionError, match="negative numbers, NaN or infinity"):
        correlation(sparse.csr_array([[bad, 1.0], [1.0, 1.0]]))
