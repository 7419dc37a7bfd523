"""Everything that needs PyTorch: layers, the training loop, and neural models."""

import importlib

try:
    importlib.import_module("torch")  # looked for here once, so that every module below may import it plainly
except ImportError as error:
    from firth.errors import MissingExtraError

    raise MissingExtraError("torch", "neural", "train and use neural models") from error

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
