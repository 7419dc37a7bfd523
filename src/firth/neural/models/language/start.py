"""Training that starts from a trained model: on more text, or on other text (fine-tuning).

What: the new model has the network, the vocabulary and the text rules of the start; its parameters begin with those
    of the start. The optimiser and the learning rate begin anew.
Objective: that of the model, on the new text alone. What is forgotten of the old text shows in the perplexity of a
    held-out part of it, before and after.
Source: Howard and Ruder 2018, "Universal language model fine-tuning for text classification", section 3.2, without its
    learning rates by layer and without its slanted triangular schedule.
Departures: words that only the new text has are `<unk>`; with subwords or characters there are none.
Cost: that of training, and two passes over the old held-out text.
"""

import copy
import dataclasses
import hashlib
import os
from collections.abc import Mapping
from typing import Any, Protocol

import torch

from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.language.files import load_language_model
from firth.language.text import LanguageText, TextRules, held_out_text
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.neural_model import NeuralLanguageModel
from firth.neural.models.language.options import LanguageOptions, learned_tree, new_module
from firth.neural.saved import module_arrays
from firth.options import wrong_kind
from firth.progress import Progress
from firth.registry import plain_name
from firth.vocabulary import Vocabulary

FREE = frozenset({"dropout", "dropout_kind", "word_dropout", "zoneout", "bptt", "vary_bptt"})  # not of the network
READING = frozenset({"column", "cache"})  # options of a text that a start leaves open


def opened_start(start: Any) -> NeuralLanguageModel:
    """Return the model to start from.

    Args:
        start: a model, or the path of one.

    Raises:
        OptionError: it is no neural language model.
        FormatError: the path holds something else.
    """
    model = load_language_model(start) if isinstance(start, str | os.PathLike) else start
    if isinstance(model, NeuralLanguageModel):
        return model
    if model is start:
        raise wrong_kind("start", start, "a neural language model, or the path of one")
    raise OptionError(f"start: {start} holds {plain_name(model)}, expected a neural language model")


def differences(options: LanguageOptions, start: LanguageOptions) -> dict[str, tuple[Any, Any]]:
    """Return the options of the network that differ from those of a start of the same class: name to both values."""
    pairs = {
        field.name: (getattr(options, field.name), getattr(start, field.name))
        for field in dataclasses.fields(options)
        if field.name not in FREE
    }
    return {name: (own, theirs) for name, (own, theirs) in pairs.items() if own != theirs}


def check_options(options: LanguageOptions, start: NeuralLanguageModel) -> None:
    """Check that options describe the network of a start.

    Raises:
        OptionError: they do not; the message names the differences.
    """
    own, theirs = type(options).__name__, type(start.options).__name__
    advice = "a start keeps its network: train with its own options, start.options.train(text, start=start)"
    if own != theirs:
        raise OptionError(f"{own} with a start that is a {theirs}: {advice}")
    different = differences(options, start.options)
    if different:
        found = ", ".join(f"{name}={value!r}" for name, (value, _) in different.items())
        expected = ", ".join(f"{name}={value!r}" for name, (_, value) in different.items())
        raise OptionError(f"{found} with a start that has {expected}: {advice}")


class Reader(Protocol):
    """What reads text for a trained model."""

    @property
    def vocabulary(self) -> Vocabulary:
        """V words."""
        ...

    @property
    def rules(self) -> TextRules:
        """How the text is tokenised."""
        ...


def text_for(start: Reader, corpus: Any, options: Mapping[str, Any], progress: Progress = None) -> LanguageText:
    """Return a training text in the vocabulary of a start.

    Args:
        start: the model to start from.
        corpus: a corpus that was built with the tokens of the start and every word of its text; a text that the start
            has read; or anything that `Corpus.build` takes.
        options: of `Corpus.build`: `column` and `cache`.
        progress: how to show progress; see `firth.progress`.

    Raises:
        OptionError: another option is given, or the corpus has other tokens.
        CorpusError: no word of the text is known.
    """
    given = [f"{name}={options[name]!r}" for name in options if name not in READING]
    if given:
        raise OptionError(f"{', '.join(given)} with start: the text is read like that of the start; leave them out")
    rules = start.rules
    if not isinstance(corpus, LanguageText):
        how = {"tokens": rules.tokens, "sentences": rules.sentences, "min_count": 1}
        corpus = as_corpus(corpus, options, defaults=how, progress=progress)
        _check_tokens(corpus, start)
    return held_out_text(corpus, start.vocabulary, rules, name="text", progress=progress)


def _check_tokens(corpus: Corpus, start: Reader) -> None:
    tokens = str(corpus.options.described()["tokens"])
    if tokens != start.rules.tokens:
        raise OptionError(
            f"the corpus has other tokens than the start, which reads {start.rules}; give the text itself in place of "
            "the corpus"
        )


def started_module(options: LanguageOptions, start: NeuralLanguageModel, seed: int) -> LanguageModule:
    """Return a new module with the parameters of a start."""
    module = new_module(options, start.vocabulary, start.module.bos, seed, copies=2)
    if learned_tree(options.output) is not None:  # new ones begin with another tree
        module.output = copy.deepcopy(start.module.output)
    module.load_state_dict(start.module.state_dict())
    return module


def digest(module: torch.nn.Module) -> str:
    """Return a digest of the parameters of a model's module."""
    content = hashlib.blake2b(digest_size=16)
    for name, array in sorted(module_arrays(module).items()):
        content.update(name.encode())
        content.update(array.tobytes())
    return content.hexdigest()
