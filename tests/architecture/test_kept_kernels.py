"""Kernels that are kept on disk: an edit of any brick that they call must reach them."""

import importlib
import pkgutil

import pytest
from numba.core.dispatcher import Dispatcher

import firth

MODULES = [name for _, name, _ in pkgutil.walk_packages(firth.__path__, "firth.") if not name.endswith("__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_bricks_come_from_the_kernels(name):
    """`firth.kernels.compiled` digests the files of firth.kernels; Numba itself looks at the kept kernel's own file."""
    if name.startswith("firth.neural"):
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    bricks = [value for value in vars(importlib.import_module(name)).values() if isinstance(value, Dispatcher)]
    others = [brick for brick in bricks if not brick.__module__.startswith((name, "firth.kernels."))]
    kept = [brick for brick in others if "-" in brick.py_func.__qualname__]  # called from Python
    assert [f"{brick.__module__}.{brick.__name__}" for brick in others if brick not in kept] == []
