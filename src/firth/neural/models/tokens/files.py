"""Readers of words in the folders of models: taggers and parsers save theirs alike."""

from typing import Any

import numpy as np

from firth.neural.models.tokens.embedders import embedder_config, embedder_folders, restored_embedders
from firth.neural.models.tokens.reader import COLUMNS, TokenReader
from firth.neural.saved import Field, Saved, describing
from firth.storage.model_folder import ModelFolder

COUNTS = "word_counts"


def write_reader(reader: TokenReader) -> Saved:
    """Return what a folder holds of a reader: words, characters, and the encoders of its embedders."""
    rules = {
        "characters": reader.characters,
        "given": reader.given,
        "vector_dim": reader.vector_dim,
        "columns": [[name, values] for name, values in reader.columns.items()],
        "lowercase": reader.lowercase,
    }
    return Saved(
        arrays={COUNTS: reader.counts},
        texts={"vocab": reader.words, "tokens": rules},
        config=embedder_config(reader.embedders),
        subfolders=embedder_folders(reader.embedders),
    )


def reader_field(name: str) -> Field:
    """Return the field of a reader of sentences."""
    return Field(name, write_reader, lambda content, options: restored_reader(content), (COUNTS,))


def restored_reader(content: ModelFolder) -> TokenReader:
    """Return the reader of a folder."""
    words = content.words()
    counts = content.counts(COUNTS, len(words))
    with describing(content, "the words of a model", "tokens.json does"):
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
