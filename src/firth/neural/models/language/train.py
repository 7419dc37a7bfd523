"""One way of training for all neural language models: read the text, draw a module, hand it to the loop."""

import dataclasses
import hashlib
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, OptionError
from firth.language.text import UNK, LanguageText, held_out_text, training_text
from firth.neural.models.language.learned_tree import LearnedTree, hang
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.neural_model import NeuralLanguageModel, seeded_module
from firth.neural.models.language.options import LanguageOptions, learned_tree
from firth.neural.models.language.task import LanguageTask
from firth.neural.training.loop import fit
from firth.neural.training.monitor import Callback
from firth.neural.training.options import TrainingOptions
from firth.progress import Progress
from firth.timing import counted

UNSPELLED = (
    "the model reads words by their characters, but {share:.1f} % of the training text is {unknown}, whose spelling is "
    "lost: build the corpus with min_count=1, and limit what is predicted by min_count or max_size of train"
)
SHARE = 0.25  # of the minutes for training, for the model with a random tree that a learned one needs


def train_language_model(
    how: LanguageOptions,
    corpus: Corpus | LanguageText | Any,
    *,
    held_out: Any = None,
    training: TrainingOptions | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
    callbacks: Sequence[Callback] = (),
    **options: Any,
) -> NeuralLanguageModel:
    """Train a neural language model: the method `train` of every options class.

    Args:
        how: the model's options.
        corpus: to learn from, built with `unknown="<unk>"` or with every word; or a text that has been read; or
            whatever `Corpus.build` takes, of which rare words become "<unk>".
        held_out: to choose the best epoch by: whatever `Corpus.build` takes, or a text of the same vocabulary; None
            keeps the last.
        training: how to train; None for the model's usual way.
        seed: of every random draw; with one thread it decides every bit of the result.
        threads: how many; None for what suits the model (`firth.neural.training.devices`).
        progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
        checkpoint: a folder in which the state is kept; a later call with the same text, options and seed goes on.
        callbacks: called with a plain dict after each evaluation; `firth.neural.training.callbacks` has some ready.
        **options: of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body". For a model
            that reads characters min_count and max_size limit only what is predicted, and may be given with a corpus.

    Returns:
        The model that did best on held-out text, or the last.

    Warns:
        UserWarning: the model reads words by their characters, and the corpus has `<unk>` in the place of rare ones.

    Raises:
        CorpusError: there is no text, it left words out, or the held-out text has no word that is known.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: losses grew as no learning could make them.
    """
    with counted():
        text = _checked(training_text(corpus, options, spelled=how.spells, progress=progress))
        judged = None if held_out is None else held_out_text(held_out, text.vocabulary, text.rules, progress=progress)
        learning = Learning(text, judged, training or how.training, seed, threads, progress, checkpoint, callbacks)
        module = learning.begun(how)
        if module.spells and not text.unknown_words and (lost := float(np.mean(text.ids == text.unk_id))):
            warnings.warn(UNSPELLED.format(share=100 * lost, unknown=UNK), stacklevel=2)
        if learned_tree(how.output) is not None:
            learning = learning.within(1 - SHARE)
        return learning.of(how, module)


@dataclass(frozen=True)
class Learning:
    """All that training needs beside a model: the text, and how it is gone through.

    Attributes:
        text: to learn from.
        held_out: to choose the best epoch by, or None.
        training: how to train.
        seed: of every random draw.
        threads: how many, or None.
        progress: how to show progress.
        checkpoint: a folder for the state, or None.
        callbacks: called after each evaluation.
    """

    text: LanguageText
    held_out: LanguageText | None
    training: TrainingOptions
    seed: int = 0
    threads: int | None = None
    progress: Progress = None
    checkpoint: str | os.PathLike[str] | None = None
    callbacks: Sequence[Callback] = ()

    def drawn(self, how: LanguageOptions) -> LanguageModule:
        """Return a module with parameters drawn for the seed.

        Args:
            how: the model's options.
        """
        begin = self.text.unk_id if self.text.eos_id is None else self.text.eos_id
        return seeded_module(how, self.text.vocabulary, begin, self.seed, copies=2)

    def begun(self, how: LanguageOptions) -> LanguageModule:
        """Return a module that is ready to learn: drawn, and with its tree where that has to be learned first.

        Args:
            how: the model's options.
        """
        module, tree = self.drawn(how), learned_tree(how.output)
        if tree is not None:
            first = self._first(how, tree)
            codes = tree.codes(first.module, self.text, self.seed)
            hang(module, codes, self.text.vocabulary, self.seed)
        return module

    def within(self, share: float) -> "Learning":
        """Return the same with a share of the minutes, where there is a limit.

        Args:
            share: from 0 to 1.
        """
        if self.training.minutes is None:
            return self
        training = dataclasses.replace(self.training, minutes=self.training.minutes * share)
        return dataclasses.replace(self, training=training)

    def _first(self, how: LanguageOptions, tree: LearnedTree) -> NeuralLanguageModel:
        """Return a model with a random tree, after a short training."""
        plain: Any = how  # every model's options are a dataclass with an output
        random = dataclasses.replace(plain, output="tree:tree=random")
        within = self.within(SHARE)
        training = dataclasses.replace(within.training, epochs=tree.bootstrap, patience=0)
        aside = None if self.checkpoint is None else Path(self.checkpoint) / "random-tree"
        learning = dataclasses.replace(within, held_out=None, training=training, checkpoint=aside, callbacks=())
        return learning.of(random, learning.drawn(random))

    def of(self, how: LanguageOptions, module: LanguageModule) -> NeuralLanguageModel:
        """Return a model whose module has learned.

        Args:
            how: the model's options.
            module: whose parameters are changed.

        Raises:
            OptionError: the output layer cannot be judged on held-out text.
        """
        if self.held_out is not None and not module.output.normalised:
            raise OptionError(
                f"output={how.output!r} gives scores and no probabilities, so that held-out text has no perplexity: "
                "train without held_out, or with another output"
            )
        task = LanguageTask(module, self.text, self.held_out, self.training, self.seed)
        identity = self._identity(how, module)
        history = fit(
            task,
            self.training,
            seed=self.seed,
            threads=self.threads,
            progress=self.progress,
            checkpoint=self.checkpoint,
            callbacks=self.callbacks,
            identity=identity,
        )
        facts = {**identity, **dataclasses.asdict(self.training), **history.described()}
        return NeuralLanguageModel(module, how, self.text.vocabulary, self.text.rules, {"training": facts})

    def _identity(self, how: LanguageOptions, module: LanguageModule) -> dict[str, Any]:
        options = {"model": type(how).__name__, **dataclasses.asdict(how)}
        return {"options": options, "seed": self.seed, "text": _digest(self.text, module), "words": len(self.text)}


def _checked(text: LanguageText) -> LanguageText:
    if len(text.vocabulary) > len(text):
        raise CorpusError(
            f"a vocabulary of {len(text.vocabulary):,} words for a text of {len(text):,}: expected more text than "
            "words; give more text, or build the corpus with a higher min_count"
        )
    return text


def _digest(text: LanguageText, module: LanguageModule) -> str:
    """Return what tells texts apart, as a module reads them."""
    ids, words = text.ids, list(text.vocabulary.words)
    if module.spells:
        ids, words = text.input_ids, [*words, *text.unknown_words]
    digest = hashlib.blake2b(ids.tobytes(), digest_size=16)
    digest.update("\n".join(words).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
