"""What every test of a recipe needs: a cache of its own, and the recipe's names. All of them are slow."""

import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
RECIPES = HERE.parents[1] / "recipes"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what stands here as slow: recipes train models, however small."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def recipe(request):
    """The recipe that a module tests: test_NAME.py that of NAME.py."""
    return runpy.run_path(str(RECIPES / request.path.name.removeprefix("test_")))
