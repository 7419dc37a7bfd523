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
import numpy.typing as npt
import torch

import firth
from firth.errors import FirthError, OptionError
from firth.language.text import TextRules, check_readable
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.neural_model import NeuralLanguageModel, seeded_module
from firth.neural.models.language.options import LanguageOptions
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.vocabulary import Vocabulary

KIND, COUNTS = "firth-language-model", "counts"
HOME = "firth.neural.models.language."
LEAST = 10_000  # a number that any option may be
HUNG = ("output.inner_nodes", "output.leaf_words", "output.weight", "output.bias")  # a learned tree has other shapes


def save(model: NeuralLanguageModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a folder.

    Args:
        model: the model.
        path: the folder; one of firth's that is there is replaced.

    Raises:
        OptionError: the path is a folder of something else, which is never replaced, or the metadata is not JSON.
        OSError: the folder cannot be written.
    """
    options = dataclasses.asdict(model.options)
    facts = {
        "model": type(model.options).__name__,
        "options": options,
        "rules": dataclasses.asdict(model.rules),
        "begin": model.module.begin,
        "total": model.vocabulary.total,
    }
    content = ModelFolder(
        kind=KIND,
        arrays={**_arrays(model.module), COUNTS: np.asarray(model.vocabulary.counts)},
        texts={"vocab": list(model.vocabulary.words)},
        config=facts,
        metadata=model.metadata,
        card=_card(model, options),
    )
    model_folder.write(path, content)


def restore(content: ModelFolder) -> NeuralLanguageModel:
    """Return the model that a folder holds.

    Args:
        content: of the folder.

    Raises:
        FormatError: it is damaged, or holds a model that this version does not know.
    """
    words = content.words()
    try:
        rules = TextRules.from_config(content.config["rules"])
        begin, total = int(content.config["begin"]), int(content.config["total"])
        options = _options(content.config["model"], content.config["options"])
        vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), total)
        check_readable(vocabulary, rules)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a language model ({error})") from error
    if not 0 <= begin < len(words):
        raise content.damaged(f"config.json says begin={begin}, expected the number of one of {len(words):,} words")
    _check_sizes(options, content)
    try:
        module = seeded_module(options, vocabulary, begin, seed=0)
    except (FirthError, RuntimeError, MemoryError) as error:  # torch's word for too little memory
        raise content.damaged(f"config.json does not describe a language model ({error})") from error
    _fill(module, content)
    return NeuralLanguageModel(module, options, vocabulary, rules, content.metadata)


def _options(name: str, values: dict[str, Any]) -> LanguageOptions:
    known = {name for name, home in firth._MODULES.items() if home.startswith(HOME)}
    if name not in known:
        raise OptionError(f"model {name!r}, expected one of {', '.join(sorted(known))}")
    options: LanguageOptions = getattr(firth, name)(**values)
    return options


def _arrays(module: LanguageModule) -> dict[str, npt.NDArray[Any]]:
    """Parameters and buffers by name, each once: a tied weight has the name that comes first."""
    return {
        name: tensor.detach().cpu().numpy() for name, tensor in module.state_dict().items() if name not in _tied(module)
    }


def _tied(module: LanguageModule) -> set[str]:
    once = {name for name, _ in module.named_parameters()}
    return {name for name, _ in module.named_parameters(remove_duplicate=False)} - once


def _check_sizes(options: LanguageOptions, content: ModelFolder) -> None:
    """Refuse options that ask for far more than the folder holds, before there is memory for it.

    Raises:
        FormatError: they do.
    """
    there = max(sum(array.size for array in content.arrays.values()), LEAST)
    for name, value in dataclasses.asdict(options).items():
        if isinstance(value, int) and value > there:
            raise content.damaged(f"the option {name}={value:,} in config.json for {there:,} numbers")


def _fill(module: LanguageModule, content: ModelFolder) -> None:
    """Give a module the saved numbers; those of a tree that was learned bring other shapes along."""
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in content.arrays.items() if name != COUNTS}
    expected = set(module.state_dict()) - _tied(module)
    if set(tensors) != expected:
        odd = ", ".join(sorted(set(tensors) ^ expected))
        raise content.damaged(f"tensors that the model lacks, or that lack: {odd}")
    computed = {name: buffer.clone() for name, buffer in module.named_buffers() if buffer.dtype == torch.int64}
    try:
        module.load_state_dict(tensors, strict=False)
    except (RuntimeError, FirthError) as error:  # torch's word for another shape
        raise content.damaged(f"tensors of other shapes ({' '.join(str(error).split())})") from error
    for (
        name,
        own,
    ) in computed.items():  # which word is where follows from the counts; a tree is checked when it is taken
        if name in tensors and name not in HUNG and not torch.equal(module.get_buffer(name), own):
            raise content.damaged(f"tensor {name!r} is not that of words of these counts")


def _card(model: NeuralLanguageModel, options: dict[str, Any]) -> str:
    return (
        f"# A language model\n\n{type(model.options).__name__} of {len(model.vocabulary):,} words, trained by firth "
        f"{firth.__version__}.\n\n```json\n{json.dumps(options, indent=2)}\n```\n\n```python\nimport firth\n\n"
        'model = firth.load("this folder")\nmodel.perplexity(["some text"])\n```\n'
    )
