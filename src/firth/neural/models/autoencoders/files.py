"""Sentence autoencoders from their folders.

Besides the module and its options (`firth.neural.saved`), a folder holds:

model.safetensors    "counts" (V,) int64
vocab.json           the V words
labels.json          the L labels; none for a model without
tokens.json          how sentences are split
"""

from typing import Any

from firth.neural.models.autoencoders.data import SentenceItems
from firth.neural.models.autoencoders.predict import COUNTS, LABELS, UNITS, AutoencoderModel
from firth.neural.models.translation.units import SPECIAL, Units
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder
from firth.text.subwords import Subwords


def restore(content: ModelFolder) -> AutoencoderModel:
    """Return the autoencoder of a folder."""
    try:
        options: Any = read_options(content, __package__)
        units, labels = _units(content, options), content.texts[LABELS]
        if not isinstance(labels, list) or sorted(set(labels)) != labels or len(labels) == 1:
            raise ValueError(f"labels {labels!r:.80}")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe an autoencoder of sentences ({error})") from error
    module = read_module(content, options, lambda: options.build(units, len(labels)), other=(COUNTS,))
    return AutoencoderModel(module, options, SentenceItems(units, labels, options.max_length), content.metadata)


def _units(content: ModelFolder, options: Any) -> Units:
    words, facts = content.words(), content.texts[UNITS]
    if tuple(words[: len(SPECIAL)]) != SPECIAL or len(set(words)) != len(words):
        raise ValueError(f"{len(words)} words that begin with {words[: len(SPECIAL)]}")
    rules = facts["subwords"]
    if facts["lowercase"] != options.lowercase or (rules is not None) != (options.units == "subwords"):
        raise ValueError(f"{UNITS}.json does not describe the {options.units} of the options")
    subwords = None if rules is None else Subwords(str(rules))
    if subwords is not None and list(words[len(SPECIAL) :]) != subwords.vocabulary:
        raise ValueError("the words are not the subwords")
    return Units(tuple(words), content.counts(COUNTS, len(words)), options.lowercase, subwords)
