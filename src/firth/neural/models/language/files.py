"""Neural language models in firth's own format: parameters that are mapped, options that are numbers and words.

    model.safetensors    every parameter and buffer of the module by its name; "counts" (V,) int64
    vocab.json           the V words
    config.json          format, version, the model's class and options, how text is read, and the caller's metadata
    README.md            a model card

The module is made anew from its options, then takes the saved numbers. Nothing is executed that a folder names: the
class is looked up among firth's public names of language models, and options are checked as a user's are.
"""

import dataclasses
import json
import os
from typing import Any

import numpy as np
import torch

import firth
from firth.errors import OptionError
from firth.language.text import TextRules
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.neural_model import NeuralLanguageModel, seeded_module
from firth.neural.models.language.options import LanguageOptions
from firth.vectors.io import saved
from firth.vectors.io.saved import Saved
from firth.vocabulary import Vocabulary

KIND = "firth-language-model"
HOME = "firth.neural.models.language."


def save(model: NeuralLanguageModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a folder.

    Args:
        model: the model.
        path: the folder; one of firth's that is there is replaced.

    Raises:
        OptionError: the path is a folder of something else, which is never replaced, or the metadata is not JSON.
        OSError: the folder cannot be written.
    """
    tensors = {name: tensor.detach().cpu() for name, tensor in _distinct(model.module).items()}
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    options = dataclasses.asdict(model.options)
    facts = {
        "model": type(model.options).__name__,
        "options": options,
        "rules": dataclasses.asdict(model.rules),
        "begin": model.module.begin,
        "total": model.vocabulary.total,
    }
    content = Saved(
        kind=KIND,
        arrays={**arrays, "counts": np.asarray(model.vocabulary.counts)},
        texts={"vocab": list(model.vocabulary.words)},
        facts=facts,
        metadata=model.metadata,
        card=_card(model, options),
    )
    saved.write(path, content)


def restore(content: Saved) -> NeuralLanguageModel:
    """Return the model that a folder holds.

    Args:
        content: of the folder.

    Raises:
        FormatError: it is damaged, or holds a model that this version does not know.
    """
    words = content.words()
    try:
        rules = TextRules(**content.facts["rules"])
        begin, total = int(content.facts["begin"]), int(content.facts["total"])
        options = _options(content.facts["model"], content.facts["options"])
    except (KeyError, TypeError, ValueError) as error:
        raise content.damaged(f"config.json tells no language model ({error})") from error
    vocabulary = Vocabulary(words, content.array("counts", (len(words),), "i"), total)
    module = seeded_module(options, vocabulary, begin, seed=0)
    _fill(module, content)
    return NeuralLanguageModel(module, options, vocabulary, rules, content.metadata)


def _options(name: str, values: dict[str, Any]) -> LanguageOptions:
    known = {name for name, home in firth._HOMES.items() if home.startswith(HOME)}
    if name not in known:
        raise OptionError(f"model {name!r}, expected one of {', '.join(sorted(known))}")
    options: LanguageOptions = getattr(firth, name)(**values)
    return options


def _distinct(module: LanguageModule) -> dict[str, torch.Tensor]:
    """Parameters and buffers by name, each once: a tied weight has the name that comes first."""
    buffers = {name: tensor for name, tensor in module.named_buffers() if name in module.state_dict()}
    return {**dict(module.named_parameters()), **buffers}


def _fill(module: LanguageModule, content: Saved) -> None:
    for name, tensor in _distinct(module).items():
        kind = "f" if tensor.dtype.is_floating_point else "b" if tensor.dtype == torch.bool else "i"
        array = content.array(name, tuple(tensor.shape), kind)
        with torch.no_grad():
            tensor.copy_(torch.from_numpy(np.array(array)))


def _card(model: NeuralLanguageModel, options: dict[str, Any]) -> str:
    return (
        f"# A language model\n\n{type(model.options).__name__} of {len(model.vocabulary):,} words, trained by firth "
        f"{firth.__version__}.\n\n```json\n{json.dumps(options, indent=2)}\n```\n\n```python\nimport firth\n\n"
        'model = firth.load("this folder")\nmodel.perplexity(["some text"])\n```\n'
    )
