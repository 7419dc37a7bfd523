"""Sentence encoders from their folders, which `SentenceEncoder.save` writes.

Besides the module and its options (`firth.neural.saved`), a folder holds:

model.safetensors    "counts" (V,) int64; with added words "added" (U, E) float32
vocab.json           the V words
names.json           the U added words, if there are any
config.json          how text is read, and the caller's metadata
README.md            a model card
"""

from firth.language.text import TextRules, check_readable
from firth.neural.models.sentences.options import new_module
from firth.neural.models.sentences.predict import ADDED, COUNTS, NAMES, SentenceEncoder
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary


def restore(content: ModelFolder) -> SentenceEncoder:
    """Return the model of a folder."""
    words = content.words()
    try:
        rules = TextRules.from_config(content.config["rules"])
        options = read_options(content, __package__)
        vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), int(content.config["total"]))
        check_readable(vocabulary, rules)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a sentence encoder ({error})") from error
    added = _added(content, vocabulary)
    module = read_module(content, options, lambda: new_module(options, vocabulary, seed=0), other=(COUNTS, ADDED))
    table = module.input_table
    if added is not None and (table is None or table.shape[1] != added.dim):
        raise content.damaged(f"tensor {ADDED!r} has {added.dim} columns, unlike the input vectors of the encoder")
    return SentenceEncoder(module, options, vocabulary, rules, content.metadata, added)


def _added(content: ModelFolder, vocabulary: Vocabulary) -> WordVectors | None:
    if ADDED not in content.arrays:
        return None
    words = content.words(NAMES)
    rows = content.array(ADDED, (len(words), None))
    if len(set(words)) < len(words) or not vocabulary.ids.keys().isdisjoint(words):
        raise content.damaged(f"{NAMES}.json repeats a word")
    return WordVectors(words, rows)
