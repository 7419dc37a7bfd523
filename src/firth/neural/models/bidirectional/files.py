"""Bidirectional language models from their folders, which `BidirectionalLanguageModel.save` writes.

Besides the module and its options (`firth.neural.saved`), a folder holds:

model.safetensors    "counts" (V,) int64
vocab.json           the V words
config.json          how text is read, and the caller's metadata
README.md            a model card
"""

from firth.language.text import EOS, TextRules, check_readable
from firth.neural.models.bidirectional.bidirectional_model import COUNTS, BidirectionalLanguageModel
from firth.neural.models.bidirectional.train import new_module
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder
from firth.vocabulary import Vocabulary


def restore(content: ModelFolder) -> BidirectionalLanguageModel:
    """Return the model of a folder.

    Raises:
        FormatError: the folder is damaged, or holds a model that this version does not know.
    """
    words = content.words()
    try:
        rules = TextRules.from_config(content.config["rules"])
        options = read_options(content, __package__)
        vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), int(content.config["total"]))
        check_readable(vocabulary, rules)
        bos = vocabulary.ids[EOS]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a bidirectional language model ({error})") from error
    module = read_module(content, options, lambda: new_module(options, vocabulary, bos, seed=0), other=(COUNTS,))
    return BidirectionalLanguageModel(module, options, vocabulary, rules, content.metadata)
