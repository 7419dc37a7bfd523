"""Readers of words in the folders of models: taggers and parsers save theirs alike."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from firth.neural.models.tokens.embedders import embedder_config, embedder_folders, restored_embedders
from firth.neural.models.tokens.reader import COLUMNS, Ids, TokenReader
from firth.storage.model_folder import ModelFolder

COUNTS = "word_counts"


def reader_config(reader: TokenReader) -> dict[str, Any]:
    """Return what config.json holds of a reader: its embedders."""
    return embedder_config(reader.embedders)


def reader_folders(reader: TokenReader) -> dict[str, Callable[[Path], None]]:
    """Return the functions that write what a folder holds of a reader in subfolders: its encoders."""
    return embedder_folders(reader.embedders)


def reader_arrays(reader: TokenReader) -> dict[str, Ids]:
    """Return the arrays that a folder holds of a reader."""
    return {COUNTS: reader.counts}


def reader_texts(reader: TokenReader) -> dict[str, Any]:
    """Return the JSON values that a folder holds of a reader."""
    return {
        "vocab": reader.words,
        "tokens": {
            "characters": reader.characters,
            "given": reader.given,
            "vector_dim": reader.vector_dim,
            "columns": [[name, values] for name, values in reader.columns.items()],
            "lowercase": reader.lowercase,
        },
    }


def restored_reader(content: ModelFolder) -> TokenReader:
    """Return the reader of a folder."""
    words = content.words()
    counts = content.counts(COUNTS, len(words))
    try:
        facts = content.texts["tokens"]
        reader = TokenReader(
            words=words,
            counts=counts.astype(np.int64),
            characters=_names(facts["characters"]),
            given=_names(facts["given"]),
            vector_dim=int(facts["vector_dim"]),
            columns={str(name): _names(values) for name, values in facts["columns"]},
            lowercase=bool(facts["lowercase"]),
            embedders=restored_embedders(content),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"tokens.json does not describe the words of a model ({error})") from error
    if any(len(character) != 1 for character in reader.characters) or not set(reader.columns) <= set(COLUMNS):
        raise content.damaged("tokens.json holds characters or columns that are none")
    if bool(reader.given) != (reader.vector_dim > 0):
        raise content.damaged(f"tokens.json: {len(reader.given):,} given vectors of width {reader.vector_dim}")
    return reader


def _names(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("expected a list of texts")
    if len(set(values)) != len(values):
        raise ValueError("a list with duplicates")
    return values
