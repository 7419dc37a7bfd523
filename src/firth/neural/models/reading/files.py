"""Readers from their folders."""

from typing import Any

from firth.neural.models.reading.data import PassageReader
from firth.neural.models.reading.predict import ReadingModel
from firth.neural.models.reading.reader import new_module
from firth.neural.models.tags.predict import TaggerModel
from firth.neural.models.tokens.files import COUNTS, restored_reader
from firth.neural.saved import read_module, read_options
from firth.registry import restored
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> ReadingModel:
    """Return the reader of a folder."""
    tokens = restored_reader(content)
    try:
        options: Any = read_options(content, __package__)
        count = int(content.config["taggers"])
        first = len(tokens.embedders)
        taggers = tuple(restored(content.part(f"model-{number}")) for number in range(first, first + count))
        if not all(isinstance(tagger, TaggerModel) for tagger in taggers):
            raise ValueError("a tagger that is none")
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise content.damaged(f"config.json does not describe a reader ({error})") from error
    reader = PassageReader(tokens, taggers)
    module = read_module(content, options, lambda: new_module(options, reader, seed=0), other=(COUNTS,))
    return ReadingModel(module, options, reader, content.metadata)
