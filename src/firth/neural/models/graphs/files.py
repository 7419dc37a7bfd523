"""Graph networks from their folders."""

from typing import Any

from firth.neural.models.graphs.node_model import NodeModel
from firth.neural.module_files import read_module, read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> NodeModel:
    """Return the network of a folder.

    Raises:
        FormatError: the folder is damaged, or holds a network that this version does not know.
    """
    try:
        options: Any = read_options(content, __package__)
        dim, labels = int(content.config["dim"]), content.words("labels")
        if not 1 <= dim <= sum(array.size for array in content.arrays.values()) or len(set(labels)) != len(labels):
            raise ValueError(f"dim={dim}, {len(labels)} labels")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a graph network ({error})") from error
    module = read_module(content, options, lambda: options.build(dim, len(labels)))
    return NodeModel(module, options, labels, dim, content.metadata)
