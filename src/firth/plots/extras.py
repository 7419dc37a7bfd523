"""Optional libraries of some pictures, and how to install them."""

import importlib
from typing import Any

from firth.errors import MissingExtraError


def library(module: str, purpose: str, extra: str = "plots") -> Any:
    """Import a module of an optional library, such as "matplotlib.figure".

    Args:
        purpose: what it is needed for, as the end of "... is needed to".

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(module.partition(".")[0], extra, purpose) from None
