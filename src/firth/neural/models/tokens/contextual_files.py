"""Embedders in the folders of models: settings in config.json, each encoder in a folder of its own."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from firth.neural.models.tokens.embedders import KINDS, ContextualEmbedder
from firth.registry import restored
from firth.storage.model_folder import ModelFolder

EMBED = "embed"  # in config.json


def embedder_config(embedders: Sequence[ContextualEmbedder]) -> dict[str, Any]:
    """Return what config.json holds of embedders; nothing if there are none."""
    return {EMBED: [embedder.settings for embedder in embedders]} if embedders else {}


def embedder_folders(embedders: Sequence[ContextualEmbedder]) -> dict[str, Callable[[Path], None]]:
    """Return the functions that write the encoders, by the names of their folders."""
    return {f"model-{number}": _writer(embedder) for number, embedder in enumerate(embedders)}


def _writer(embedder: ContextualEmbedder) -> Callable[[str | os.PathLike[str]], None]:
    return lambda path: embedder.encoder.save(path)


def restored_embedders(content: ModelFolder) -> tuple[ContextualEmbedder, ...]:
    """Return the embedders of a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    listed = content.config.get(EMBED, [])
    found = []
    for number, settings in enumerate(listed if isinstance(listed, list) else [listed]):
        try:
            kind = KINDS[settings["kind"]]
            rest = {name: bool(value) for name, value in settings.items() if name != "kind"}
            found.append(kind(restored(content.part(f"model-{number}")), **rest))
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise content.damaged(f"config.json and model-{number} describe no embedder ({error})") from error
    return tuple(found)
