"""Dependency parsers from their folders, which `ParserModel.save` writes.

Besides the module and its options (`firth.neural.saved`), a folder holds:

labels.json          the L relations
vocab.json and more  the rest of the vocabulary: words, tags, characters
config.json          the caller's metadata
README.md            a model card
"""

from firth.errors import FirthError
from firth.neural.models.parsers.parser import ParserOptions
from firth.neural.models.parsers.predict import ParserModel
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> ParserModel:
    """Return the parser of a folder."""
    try:
        options: ParserOptions = read_options(content, __package__)
        vocabulary = options.vocabulary_of(content)
    except (KeyError, TypeError, ValueError, OverflowError, FirthError) as error:
        raise content.damaged(f"config.json does not describe a parser ({error})") from error
    module = read_module(content, options, lambda: options.build(vocabulary, None), other=tuple(vocabulary.arrays))
    return ParserModel(module, options, vocabulary, content.metadata)
