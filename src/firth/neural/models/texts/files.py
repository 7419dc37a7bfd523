"""Models of texts or trees with labels from their folders, which `LabelledModel.save` writes.

Besides the module and its options (`firth.neural.saved`), a folder holds:

model.safetensors    "label_counts" (L,) int64
vocab.json           the V words, or characters
labels.json          the L labels
tokenizer.json       word pieces, for a model over a pretrained encoder
config.json          how many words were counted, sizes of that encoder, and the caller's metadata
README.md            a model card
"""

import dataclasses
import json
from typing import Any, TypeVar

from firth.classify.labels import LabelSet
from firth.errors import FormatError, OptionError
from firth.neural.models.pretraining.network import EncoderConfig
from firth.neural.models.texts.classifier import new_module
from firth.neural.models.texts.labelled_model import COUNTS, LabelledModel
from firth.neural.models.texts.predict import LabelModel
from firth.neural.models.texts.reader import TextReader
from firth.neural.models.tokens.embedders import restored_embedders
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder
from firth.text.wordpieces import WordPieces

Model = TypeVar("Model", bound=LabelledModel)


def restore(content: ModelFolder) -> LabelModel:
    """Return the model of a folder; see `restored`."""
    return restored(content, LabelModel, __package__)


def _reader(content: ModelFolder, words: list[str], options: Any, facts: dict[str, Any]) -> TextReader:
    tokens, max_length = options.reads
    if "tokenizer" not in content.texts:
        return TextReader(words, tokens, max_length, **facts, embedders=restored_embedders(content))
    try:
        pieces, sizes = WordPieces(json.dumps(content.texts["tokenizer"])), EncoderConfig(**content.config["encoder"])
    except (KeyError, TypeError, FormatError, OptionError) as error:
        raise content.damaged(f"no word pieces or no sizes of an encoder ({error})") from None
    numbers = sum(array.size for array in content.arrays.values())
    large = [name for name, size in vars(sizes).items() if isinstance(size, int) and size > numbers]
    if large or len(pieces) > sizes.vocabulary or pieces.vocabulary != words:
        raise content.damaged(f"sizes of an encoder that do not fit its word pieces and tensors: {sizes}")
    reader = TextReader(words, tokens, min(max_length, sizes.max_length - 2), **facts)
    return dataclasses.replace(reader, pieces=pieces, sizes=sizes)


def restored(content: ModelFolder, kind: type[Model], package: str) -> Model:
    """Return the model of a folder."""
    words, names = content.words(), content.words("labels")
    try:
        options: Any = read_options(content, package)
        facts = {name: int(content.config[name]) for name in ("min_count", "counted")}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a model of {kind.inputs} ({error})") from error
    if len(names) < 2 or len(set(names)) != len(names) or len(set(words)) != len(words):
        raise content.damaged(f"{len(words):,} words and {len(names):,} labels; expected two labels and no duplicates")
    labels = LabelSet(names, content.counts(COUNTS, len(names)))
    reader = _reader(content, words, options, facts)
    counters = [name for name in content.arrays if name.endswith("num_batches_tracked")]  # of batch normalisation
    module = read_module(
        content, options, lambda: new_module(options, reader, len(names), seed=0), other=(COUNTS,), resized=counters
    )
    return kind(module, options, reader, labels, content.metadata)
