"""What every test of a recipe needs: a cache of its own, and the recipe's names."""

import runpy
from pathlib import Path

import pytest

RECIPES = Path(__file__).resolve().parents[2] / "recipes"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def recipe(request):
    """The recipe that a module tests: test_NAME.py that of NAME.py."""
    return runpy.run_path(str(RECIPES / request.path.name.removeprefix("test_")))
