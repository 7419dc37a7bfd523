"""All of PyTorch, and only here: layers, the one training loop, and the models that stand on them."""

import importlib

try:
    importlib.import_module("torch")  # looked for here once, so that every module below may import it plainly
except ImportError as error:
    from firth.errors import MissingExtraError

    raise MissingExtraError("torch", "neural", "train and use neural models") from error
