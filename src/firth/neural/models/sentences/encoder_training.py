"""The method `train` of models that train an encoder of token vectors: read the text, create a module, run the loop."""

import abc
import dataclasses
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Unpack, cast

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.language.text import LanguageText, TextRules, training_text
from firth.neural.models.language.train import digest, text_for
from firth.neural.models.sentences.encoder import EncoderModule, EncoderOptions
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.supervised import SupervisedTask
from firth.neural.supervised import digest as data_digest
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, text_options
from firth.options import options_class
from firth.registry import load_folder, plain_name
from firth.storage.files import check_exists
from firth.timing import running_clock
from firth.vocabulary import Vocabulary


@explained(**EncoderOptions.text)
def train_encoder(
    options: "TextOptions",
    corpus: Any,
    *,
    held_out: Any = None,
    start: SentenceEncoder | str | os.PathLike[str] | None = None,
    **arguments: Unpack[TextRunArguments],
) -> SentenceEncoder:
    """Train a sentence encoder on a text.

    Args:
        options: of the model.
        corpus: training text: anything that `Corpus.build` takes, which is split into sentences and read as subwords
            that are learned from it, unless `tokens` says otherwise; or a text that has been read.
        held_out: data that select the best model. A masked language model takes text. A contrastive model takes scored
            pairs of texts: a file, or a list of (text, text, score); the best model is that of the highest Spearman
            correlation. Without it, the last model is kept.
        start: trained encoder, or its path, to start from: its network, its parameters, its vocabulary and text rules.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no
            corpus yet, such as max_size=8000.

    Returns:
        The model of the best evaluation on held-out data, or the last.

    Raises:
        CorpusError: the text is empty, or no word of it is known to the start.
        OptionError: an option is out of its range or contradicts the start, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, arguments)
    build_task = partial(options.build_task, held_out=held_out)
    return train_on_text(options, corpus, start, config, text_options(arguments), build_task)


@options_class
class TextOptions(EncoderOptions):
    """Options of models that train an encoder on a text."""

    train = train_encoder

    @abc.abstractmethod
    def build_task(
        self, model: SentenceEncoder, text: LanguageText, held_out: Any, config: RunConfig
    ) -> SupervisedTask:
        """Return the task."""


def train_on_text(
    options: EncoderOptions,
    corpus: Any,
    start: Any,
    config: RunConfig,
    given: Mapping[str, Any],
    build_task: Callable[..., SupervisedTask],
) -> SentenceEncoder:
    """Read a text and train a model on it."""
    with running_clock():
        before = opened_start(start)
        if before is None:
            if not isinstance(corpus, Corpus | LanguageText):
                given = {**options.text, **given}
            text = training_text(corpus, given, eos=False, tokens="subwords", progress=config.progress)
        else:
            given = dict(given)
            sentences = given.pop("sentences", options.text["sentences"] if options.reads_documents else None)
            rules = dataclasses.replace(before.rules, sentences=sentences or before.rules.sentences)
            text = text_for(before.vocabulary, rules, corpus, given, config.progress)
        model = new_model(options, text.vocabulary, text.rules, before, config.seed)
        return run(model, build_task(model, text, config=config), before, config, data_digest(text.ids, text.offsets))


def opened_start(start: Any) -> SentenceEncoder | None:
    """Return the model to start from, or None without one.

    Raises:
        OptionError: it is no encoder of token vectors.
    """
    if start is None:
        return None
    model: Any = start
    if isinstance(start, str | os.PathLike):
        check_exists(Path(start), "a sentence encoder saved by `firth sentences train`")
        model = load_folder(start)
    if isinstance(model, SentenceEncoder) and isinstance(model.module, EncoderModule):
        return model
    kind = type(model.options).__name__ if isinstance(model, SentenceEncoder) else plain_name(model)
    raise OptionError(f"start: found {kind}, expected a sentence encoder that a masked or contrastive model trained")


def new_model(
    options: EncoderOptions, vocabulary: Vocabulary, rules: TextRules, start: SentenceEncoder | None, seed: int
) -> SentenceEncoder:
    """Return a model before training: with random parameters, or those of a start."""
    options = options.with_defaults(None if start is None else cast("EncoderOptions", start.options))
    module = new_module(seed, options.build_module, vocabulary, copies=2)
    if start is not None:
        module.start_from(cast("EncoderModule", start.module))
    return SentenceEncoder(module, options, vocabulary, rules)


def run(
    model: SentenceEncoder, task: SupervisedTask, start: SentenceEncoder | None, config: RunConfig, data: str
) -> SentenceEncoder:
    """Train a model and return it with the facts of its training."""
    identity = {"data": data} if start is None else {"data": data, "start": digest(start.module)}
    metadata: dict[str, Any] = {"training": fit_model(task, model.options, config, identity, facts=task.facts)}
    if start is not None:
        metadata["start"] = dict(start.metadata)
    return SentenceEncoder(model.module, model.options, model.vocabulary, model.rules, metadata=metadata)
