"""The method `train` of every neural language model: read the text, create a module, run the training loop."""

import copy
import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import torch

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, OptionError, warn_caller
from firth.language.files import load_language_model
from firth.language.text import UNK, LanguageText, TextRules, held_out_text, training_text
from firth.neural.models.language.language_model import (
    LanguageModule,
    LanguageOptions,
    language_task,
    learned_tree,
    new_module,
)
from firth.neural.models.language.learned_tree import LanguageRun, with_learned_tree
from firth.neural.models.language.predict import NeuralLanguageModel
from firth.neural.saved import module_arrays
from firth.neural.supervised import digest as data_digest
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, text_options
from firth.options import wrong_kind
from firth.progress import Progress
from firth.registry import plain_name
from firth.timing import running_clock
from firth.vocabulary import Vocabulary

FREE = frozenset({"dropout", "dropout_kind", "word_dropout", "zoneout", "bptt", "vary_bptt"})  # not of the network
READING = frozenset({"column", "cache"})  # options of a text that a start leaves open
UNSPELLED = (
    "the model reads characters, but {share:.1f} % of the training text is {unknown}, which has lost its spelling: "
    "build the corpus with min_count=1, and limit the vocabulary with min_count or max_size of train"
)


def opened_start(start: Any) -> NeuralLanguageModel:
    """Return the model to start from.

    Raises:
        OptionError: it is no neural language model.
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
        given = ", ".join(f"{name}={value!r}" for name, (value, _) in different.items())
        expected = ", ".join(f"{name}={value!r}" for name, (_, value) in different.items())
        raise OptionError(f"{given} with a start that has {expected}: {advice}")


def text_for(
    vocabulary: Vocabulary, rules: TextRules, corpus: Any, options: Mapping[str, Any], progress: Progress = None
) -> LanguageText:
    """Return a training text in the vocabulary of a start.

    Args:
        vocabulary: of the start.
        rules: by which it reads text.
        corpus: a corpus that was built with the tokens of the start and every word of its text; a text that the start
            has read; or anything that `Corpus.build` takes.
        options: of `Corpus.build`: `column` and `cache`.

    Raises:
        OptionError: another option is given, or the corpus has other tokens.
    """
    given = [f"{name}={options[name]!r}" for name in options if name not in READING]
    if given:
        raise OptionError(f"{', '.join(given)} with start: the text is read like that of the start; leave them out")
    if not isinstance(corpus, LanguageText):
        reading = {**rules.corpus_options(), "min_count": 1}
        corpus = as_corpus(corpus, options, defaults=reading, progress=progress)
        if str(corpus.options.described()["tokens"]) != rules.tokens:
            raise OptionError(
                f"the corpus has other tokens than the start, which reads {rules}; give the text itself in place of "
                "the corpus"
            )
    return held_out_text(corpus, vocabulary, rules, name="text", progress=progress)


def started_module(options: LanguageOptions, start: NeuralLanguageModel, seed: int) -> LanguageModule:
    """Return a new module with the parameters of a start."""
    module = new_module(options, start.vocabulary, start.module.bos, seed, copies=2)
    if learned_tree(options.output) is not None:  # new ones begin with another tree
        module.output = copy.deepcopy(start.module.output)
    module.load_state_dict(start.module.state_dict())
    return module


def digest(module: torch.nn.Module) -> str:
    """Return a digest of the parameters of a model's module."""
    return data_digest(sorted(module_arrays(module).items()))


@explained(unknown=UNK, tokens="subwords")
def train_language_model(
    options: LanguageOptions,
    corpus: Corpus | LanguageText | Any,
    *,
    held_out: Any = None,
    start: NeuralLanguageModel | str | os.PathLike[str] | None = None,
    old_held_out: Any = None,
    **arguments: Unpack[TextRunArguments],
) -> NeuralLanguageModel:
    """Train a neural language model.

    Args:
        options: of the model.
        corpus: training text: a corpus built with `unknown="<unk>"` or with every word, a text that has been read, or
            anything that `Corpus.build` takes, which is read as subwords that are learned from it, unless `tokens` says
            otherwise; a model that reads characters reads words.
        held_out: text that selects the best epoch: anything that `Corpus.build` takes, or a text with the same
            vocabulary. Without it, the last epoch is kept.
        start: trained model, or its path, to start from: its parameters, vocabulary and text rules. The options must be
            its own, such as `start.options`; only dropout and bptt may differ.
        old_held_out: with `start`, held-out text of the kind that the start was trained on. Its perplexity before and
            after training is in `metadata["old_held_out"]`.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no
            corpus yet, such as tokens="words", max_size=4000. A model that reads characters also takes min_count and
            max_size with a corpus: they limit what it predicts.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Warns:
        UserWarning: the model reads characters, and the corpus has `<unk>` in place of rare words.

    Raises:
        CorpusError: the text is empty, the corpus has left words out, or no word of the held-out text is known.
        OptionError: an option is out of its range or contradicts the start, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        if start is not None:
            return _continue(options, opened_start(start), corpus, held_out, old_held_out, config, given)
        if old_held_out is not None:
            raise OptionError("old_held_out without start: it is text of the kind that the start was trained on")
        tokens = options.default_tokens
        text = training_text(corpus, given, spelled=options.spells, tokens=tokens, progress=config.progress)
        text = _checked(text)
        if held_out is not None:
            held_out = held_out_text(held_out, text.vocabulary, text.rules, progress=config.progress)
        bos = text.unk_id if text.eos_id is None else text.eos_id
        module = new_module(options, text.vocabulary, bos, config.seed, copies=2)
        if module.spells and not text.unknown_words and (share := float(np.mean(text.ids == text.unk_id))):
            warn_caller(UNSPELLED.format(share=100 * share, unknown=UNK))
        return with_learned_tree(train_module)(LanguageRun(options, module, text, held_out, config))


def _continue(
    options: LanguageOptions,
    start: NeuralLanguageModel,
    corpus: Any,
    held_out: Any,
    old_held_out: Any,
    config: RunConfig,
    given: Mapping[str, Any],
) -> NeuralLanguageModel:
    """Train a model that starts with the parameters of another."""
    check_options(options, start)
    progress = config.progress
    text = text_for(start.vocabulary, start.rules, corpus, given, progress)
    held_out, old = (
        None if source is None else start.read(source, progress=progress) for source in (held_out, old_held_out)
    )
    before = None if old is None else start.perplexity(old, progress=progress)
    module = started_module(options, start, config.seed)
    model = train_module(LanguageRun(options, module, text, held_out, config, start))
    model.metadata["start"] = dict(start.metadata)
    if old is not None and before is not None:
        after = model.perplexity(old, progress=progress)
        model.metadata["old_held_out"] = {"before": before.described(), "after": after.described()}
    return model


def train_module(run: LanguageRun) -> NeuralLanguageModel:
    """Train a module and return it as a model.

    Raises:
        OptionError: there is held-out text, and the output layer gives no probabilities.
    """
    options, module, text, held_out, config, start = run
    if held_out is not None and not module.output.normalised:
        raise OptionError(
            f"output={options.output!r} gives scores, not probabilities, so held-out text has no perplexity: train "
            "without held_out, or with another output"
        )
    task = language_task(
        module,
        text,
        held_out,
        batch_size=config.training.batch_size,
        bptt=options.bptt,
        vary_bptt=options.vary_bptt,
        seed=config.seed,
    )
    data = {"text": _digest(text, module), "words": len(text)}
    if start is not None:
        data["start"] = digest(start.module)
    facts = fit_model(task, options, config, data)
    return NeuralLanguageModel(module, options, text.vocabulary, text.rules, {"training": facts})


def _checked(text: LanguageText) -> LanguageText:
    words = len(text.vocabulary)
    if text.rules.unit != "words":  # bytes and subwords that do not occur are no burden
        words = int(np.count_nonzero(text.vocabulary.counts))
    if words > len(text):
        raise CorpusError(
            f"a vocabulary of {words:,} {text.rules.unit} for a text of {len(text):,}: expected more text than "
            "words; give more text, or build the corpus with a higher min_count"
        )
    return text


def _digest(text: LanguageText, module: LanguageModule) -> str:
    """Return a digest of a text as a module reads it."""
    ids, words = text.ids, list(text.vocabulary.words)
    if module.spells:
        ids, words = text.input_ids, [*words, *text.unknown_words]
    return data_digest(ids, "\n".join(words))
