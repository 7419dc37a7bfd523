import importlib.util
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from firth.errors import MissingExtraError, OptionError
from firth.plots.projection import project


def needs(module):
    missing = importlib.util.find_spec(module) is None
    return pytest.mark.skipif(missing, reason=f"{module} is not installed: pip install 'firth[maps]'")


# What umap-learn compiles at its first use takes a quarter of a minute.
UMAP = pytest.param("umap", marks=[needs("umap"), pytest.mark.slow])
EVERY = ["pca", "stress", pytest.param("tsne", marks=needs("openTSNE")), UMAP]


@pytest.fixture
def bunches():
    """Three tight bunches of ten rows of length 1."""
    random = np.random.default_rng(0)
    rows = np.repeat(random.normal(size=(3, 20)), 10, axis=0) + 0.4 * random.normal(size=(30, 20))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("method", EVERY)
def test_a_bunch_stays_together_and_a_seed_gives_the_same_places(bunches, method):
    """The nearest place to each row's is of its own bunch; run again, not one bit differs."""
    places, caption = project(bunches, method, seed=3)
    assert places.shape == (30, 2)
    assert caption.endswith(".")
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.diag([np.inf] * 30)
    np.testing.assert_array_equal(apart.argmin(axis=1) // 10, np.arange(30) // 10)
    np.testing.assert_array_equal(places, project(bunches, method, seed=3)[0])


@needs("umap")
@pytest.mark.slow
def test_another_seed_gives_other_places(bunches):
    assert not np.array_equal(project(bunches, "umap", seed=3)[0], project(bunches, "umap", seed=4)[0])


class Stand:
    """UMAP's form without its work: keeps what it was told, and gives the first two columns."""

    def __init__(self, **told):
        self.told = told

    def fit_transform(self, rows):
        assert rows.dtype == np.float32
        assert self.told == {"n_neighbors": 15, "metric": "cosine", "init": "pca", "random_state": 3, "n_jobs": 1}
        return rows[:, :2]


def test_umap_is_asked_for_cosines_with_one_thread_and_the_seed(bunches, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=Stand))
    places, caption = project(bunches, "umap", seed=3)
    np.testing.assert_allclose(places, bunches[:, :2], rtol=1e-6)
    assert places.dtype == np.float64
    assert "UMAP of cosines, 15 neighbours" in caption


def test_principal_components_by_hand():
    """Rows at (3, 1), (3, -1), (-3, 1), (-3, -1): 36 of 40 of the variance on the first axis."""
    places, caption = project(np.array([[3.0, 1], [3, -1], [-3, 1], [-3, -1]]), "pca")
    np.testing.assert_allclose(np.abs(places), [[3, 1]] * 4, atol=1e-12)
    assert "100 % of their variance" in caption


def test_the_usual_method_depends_on_how_many(bunches):
    assert project(bunches)[1].startswith("Stress")
    assert project(np.random.default_rng(0).normal(size=(201, 5)))[1].startswith("Two principal components")


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_too_few_rows_are_refused(bunches, method):
    pytest.importorskip("openTSNE", reason="openTSNE is not installed: pip install 'firth[maps]'")
    with pytest.raises(OptionError, match="for 4 words: expected at least 5; take pca or stress"):
        project(bunches[:4], method)


def test_an_unknown_method_and_too_much_of_stress_are_refused(bunches):
    with pytest.raises(OptionError, match="method='mds': expected stress, pca, tsne, umap"):
        project(bunches, "mds")
    with pytest.raises(OptionError, match="201 words: expected at most 200"):
        project(np.ones((201, 2)), "stress")


@pytest.mark.parametrize(("method", "module", "name"), [("tsne", "openTSNE", "openTSNE"), ("umap", "umap", "umap")])
def test_a_missing_library_is_an_error_with_the_command_to_install_it(bunches, method, module, name, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"{name} is needed .*: pip install .*\[maps\]"):
        project(bunches, method)
