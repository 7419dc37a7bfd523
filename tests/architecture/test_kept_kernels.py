"""Kernels that are kept on disk: an edit of any function that they call must reach them."""

import importlib
import importlib.util
import pkgutil

from numba.core.dispatcher import Dispatcher

import firth


def modules() -> list[str]:
    """Every module of the package, but the neural ones where PyTorch is not installed: they hold no kernels."""
    names = [name for _, name, _ in pkgutil.walk_packages(firth.__path__, "firth.") if not name.endswith("__main__")]
    torch = importlib.util.find_spec("torch") is not None
    return [name for name in names if torch or not name.startswith("firth.neural")]


def test_kernels_call_functions_of_their_own_file_or_of_the_kernels_folder():
    """`firth.kernels.compiled` digests the files of firth.kernels; Numba looks at the kernel's own file alone."""
    foreign = []
    for name in modules():
        functions = [value for value in vars(importlib.import_module(name)).values() if isinstance(value, Dispatcher)]
        others = [each for each in functions if not each.__module__.startswith((name, "firth.kernels."))]
        called_from_python = [each for each in others if "-" in each.py_func.__qualname__]
        foreign += [f"{name}: {each.__module__}.{each.__name__}" for each in others if each not in called_from_python]
    assert foreign == []
