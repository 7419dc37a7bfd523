"""context2vec from its folders, which `ContextModel.save` writes."""

from typing import Any

from firth.language.text import EOS, UNK, TextRules, check_readable
from firth.neural.models.contexts.context_model import COUNTS, ContextModel
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder
from firth.vocabulary import Vocabulary


def restore(content: ModelFolder) -> ContextModel:
    """Return the model of a folder.

    Raises:
        FormatError: the folder is damaged, or holds a model that this version does not know.
    """
    words = content.words()
    try:
        rules = TextRules.from_config(content.config["rules"])
        options: Any = read_options(content, __package__)
        vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), int(content.config["total"]))
        check_readable(vocabulary, rules)
        missing = {UNK, EOS} - set(words)
        if missing:
            raise ValueError(f"no word {min(missing)!r}")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe context2vec ({error})") from error
    module = read_module(content, options, lambda: options.build(vocabulary), other=(COUNTS,))
    return ContextModel(module, options, vocabulary, rules, content.metadata)
