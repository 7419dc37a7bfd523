"""Pointer networks from their folders."""

from typing import Any

from firth.neural.models.pointers.pointer_model import PointerModel
from firth.neural.module_files import read_module, read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> PointerModel:
    """Return the network of a folder.

    Raises:
        FormatError: the folder is damaged, or holds a network that this version does not know.
    """
    try:
        options: Any = read_options(content, __package__)
        dim = int(content.config["dim"])
        if not 1 <= dim <= sum(array.size for array in content.arrays.values()):
            raise ValueError(f"dim={dim}")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a pointer network ({error})") from error
    module = read_module(content, options, lambda: options.build(dim))
    return PointerModel(module, options, dim, content.metadata)
