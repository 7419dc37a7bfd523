"""Lattice language models from their folders, which `LatticeModel.save` writes.

Besides the module and its options (`firth.neural.saved`), a folder holds:

model.safetensors    "counts" (V,) int64; "chunks" (C, L) int64, token ids of each, and -1 behind shorter ones
vocab.json           the V tokens
config.json          how text is read, the id before a text, and the caller's metadata
README.md            a model card
"""

import dataclasses
from typing import Any

import numpy as np

from firth.language.text import TextRules, check_readable
from firth.neural.models.lattices.predict import CHUNKS, COUNTS, LatticeModel
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder
from firth.vocabulary import Vocabulary

UNIT_ROWS = "unit_weight", "unit_bias"  # of the module


def restore(content: ModelFolder) -> LatticeModel:
    """Return the model of a folder."""
    words = content.words()
    try:
        rules = TextRules.from_config(content.config["rules"])
        bos, total = int(content.config["bos"]), int(content.config["total"])
        options: Any = read_options(content, __package__)
        vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), total)
        check_readable(vocabulary, rules)
        table = content.arrays[CHUNKS]
        if table.dtype.kind != "i" or table.ndim != 2 or table.shape[1] != options.max_length:
            raise ValueError(f"chunks {table.shape}, max_length={options.max_length}")
        chunks = [tuple(token for token in row if token >= 0) for row in table.tolist()]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a lattice language model ({error})") from error
    if not 0 <= bos < len(words):
        raise content.damaged(f"config.json says bos={bos}, expected the number of one of {len(words):,} words")
    content = _with_unit_rows(content, options.senses)
    module = read_module(content, options, lambda: options.build(len(words), chunks, bos), other=(COUNTS, CHUNKS))
    return LatticeModel(module, options, vocabulary, rules, content.metadata)


def _with_unit_rows(content: ModelFolder, senses: int) -> ModelFolder:
    """Return the folder, of an earlier version with rows of 0 that senses share: each had a row of its own then."""
    if senses == 1 or "weight" not in content.arrays or any(name in content.arrays for name in UNIT_ROWS):
        return content
    rows, *width = content.arrays["weight"].shape
    shapes = (rows // senses, *width), (rows // senses,)
    shared = {name: np.zeros(shape, np.float32) for name, shape in zip(UNIT_ROWS, shapes, strict=True)}
    return dataclasses.replace(content, arrays={**content.arrays, **shared})
