"""Folders of neural language models.

Besides the module and its options (`firth.neural.module_files`), a folder holds:

model.safetensors    "counts" (V,) int64
vocab.json           the V words
config.json          how text is read, the id before a text, and the caller's metadata
README.md            a model card
"""

import dataclasses
import json
import os
from typing import Any

import numpy as np

import firth
from firth.language.text import TextRules, check_readable
from firth.neural.models.language.neural_model import NeuralLanguageModel
from firth.neural.models.language.options import new_module
from firth.neural.module_files import module_arrays, module_facts, read_module, read_options
from firth.storage import model_folder
from firth.storage.former_names import NEURAL_CONFIG, current_names
from firth.storage.model_folder import ModelFolder
from firth.vocabulary import Vocabulary

KIND, COUNTS = "firth-language-model", "counts"
TREE = ("output.inner_nodes", "output.leaf_words", "output.weight", "output.bias")  # a learned tree has other shapes


def save(model: NeuralLanguageModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a folder; a firth folder at the path is replaced.

    Raises:
        OptionError: the path is a folder of something else, which is never replaced, or JSON cannot represent the
            metadata.
        OSError: the folder cannot be written.
    """
    facts = module_facts(model.options)
    content = ModelFolder(
        kind=KIND,
        arrays={**module_arrays(model.module), COUNTS: np.asarray(model.vocabulary.counts)},
        texts={"vocab": list(model.vocabulary.words)},
        config={
            **facts,
            "rules": dataclasses.asdict(model.rules),
            "bos": model.module.bos,
            "total": model.vocabulary.total,
        },
        metadata=model.metadata,
        card=_card(model, facts["options"]),
    )
    model_folder.write(path, content)


def restore(content: ModelFolder) -> NeuralLanguageModel:
    """Return the model of a folder.

    Raises:
        FormatError: the folder is damaged, or holds a model that this version does not know.
    """
    words = content.words()
    try:
        facts = current_names(content.config, ("bos",), NEURAL_CONFIG)
        rules = TextRules.from_config(facts["rules"])
        bos, total = int(facts["bos"]), int(facts["total"])
        options = read_options(content, __package__)
        vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), total)
        check_readable(vocabulary, rules)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a language model ({error})") from error
    if not 0 <= bos < len(words):
        raise content.damaged(f"config.json says bos={bos}, expected the number of one of {len(words):,} words")
    module = read_module(
        content, options, lambda: new_module(options, vocabulary, bos, seed=0), other=(COUNTS,), resized=TREE
    )
    return NeuralLanguageModel(module, options, vocabulary, rules, content.metadata)


def _card(model: NeuralLanguageModel, options: dict[str, Any]) -> str:
    return (
        f"# A language model\n\n{type(model.options).__name__} of {len(model.vocabulary):,} words, trained by firth "
        f"{firth.__version__}.\n\n```json\n{json.dumps(options, indent=2)}\n```\n\n```python\nimport firth\n\n"
        'model = firth.load("this folder")\nmodel.perplexity(["some text"])\n```\n'
    )
