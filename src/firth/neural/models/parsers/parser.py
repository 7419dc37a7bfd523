"""Options that dependency parsers share, and what a parser supplies: vocabulary, module, task."""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

from firth.arguments import explained
from firth.errors import counted
from firth.evaluation.baselines import warn_if_trivial
from firth.neural.models.parsers.data import (
    ParserModule,
    ParserVocabulary,
    Sentences,
    chain_score,
    development_split,
    read_sentences,
    warn_of_empty_columns,
)
from firth.neural.models.parsers.predict import ParserModel
from firth.neural.models.tokens.embedders import ContextualEmbedder, Embedders, embedders_digest, embedders_of
from firth.neural.models.tokens.features import cached_features
from firth.neural.models.tokens.options import with_vectors
from firth.neural.supervised import digest
from firth.neural.training.by_size import with_size_defaults
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.task import Task
from firth.options import check
from firth.storage.model_folder import ModelFolder
from firth.storage.skipping import SKIP
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors


class ParserOptions(abc.ABC):
    """What options of dependency parsers share; their fields are those of the subclasses.

    A parser sets `train`, `predicts`, and `training` to its default training options.
    """

    training: ClassVar[TrainingOptions]
    predicts: ClassVar[tuple[str, ...]]  # what prediction may be told: "beam", "precision"
    own_words: ClassVar[bool] = False  # whether static vectors stand beside trained ones, which have their own width
    embedding: str
    extra_words: int

    def __post_init__(self) -> None:
        check(self)

    @property
    @abc.abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Columns that are read besides the words: names of `firth.neural.models.tokens.reader.COLUMNS`."""

    @abc.abstractmethod
    def size_defaults(self, sentences: Sentences) -> dict[str, Any]:
        """Return options of the parser and of its training for a treebank: those that the caller may leave out."""

    @abc.abstractmethod
    def vocabulary(
        self, sentences: Sentences, vectors: WordVectors | None, embedders: Embedders = ()
    ) -> ParserVocabulary:
        """Return the vocabulary of training sentences."""

    @abc.abstractmethod
    def vocabulary_of(self, content: ModelFolder) -> ParserVocabulary:
        """Return the vocabulary of a folder."""

    @abc.abstractmethod
    def build(self, vocabulary: Any, vectors: WordVectors | None = None) -> ParserModule:
        """Return a module with random parameters from torch's default generator."""

    @abc.abstractmethod
    def task(self, module: Any, sentences: Sentences, held_out: Sentences, config: RunConfig) -> Task:
        """Return what `firth.neural.training.loop.fit` trains."""


@explained
def train_parser(
    options: ParserOptions,
    source: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    embed: Any = None,
    on_error: str = SKIP,
    **run: Unpack[RunArguments],
) -> ParserModel:
    """Train a dependency parser on a treebank.

    Args:
        options: of the parser.
        source: sentences with tags and trees: a CoNLL-U file, plain or `.gz`, several, or a list of
            `firth.readers.conllu.DependencySentence`.
        held_out: sentences that select the best epoch, in any form of `source`. Without them the last tenth of the
            training sentences is held out; test data never select a model.
        vectors: word vectors to start from; words without one begin at random.
        embed: vectors of words in context, beside those of a biaffine parser's own: `firth.ELMo(model)`,
            `firth.TagLM(model)`, `firth.CoVe(translator)`, several in a list, or a trained encoder or its folder.
        on_error: "skip" sentences of CoNLL-U that are damaged or whose heads form no tree, or "stop" at the first.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The parser of the best evaluation on held-out sentences.

    Warns:
        UserWarning: sentences were skipped; it gives their number and lines. Or `tag` names a column that is empty; or
            the parser is no better than a tree in which each word depends on its neighbour.

    Raises:
        CorpusError: the source is missing or holds no sentence, or a sentence has no tree.
        FormatError: a file is damaged; the message names the line.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    options = with_vectors(options, vectors, own_words=options.own_words)
    config = RunConfig.of(options.training, run)
    with running_clock():
        sentences = read_sentences(source, on_error=on_error)
        if held_out is None:
            sentences, validation = development_split(sentences)
        else:
            validation = read_sentences(held_out, on_error=on_error)
        size = f"{counted(len(sentences), 'sentence')}, {counted(sum(map(len, sentences)), 'word')}"
        options, config = with_size_defaults(options, config, options.size_defaults(sentences), size)
        warn_of_empty_columns(sentences, options.columns)
        embedders = embedders_of(embed)
        vocabulary = options.vocabulary(sentences, vectors, embedders)
        module = new_module(config.seed, options.build, vocabulary, vectors, copies=2)
        task = options.task(module, sentences, validation, config)
        everything = [*sentences, *validation]
        data = {"sentences": len(sentences), "examples": _digest(everything, vectors, embedders)}
        facts = {"held_out_sentences": len(validation), "tokens": sum(map(len, sentences))}
        with cached_features(module, (item.words for item in everything if len(item)), config.progress):
            facts = fit_model(task, options, config, data, facts=facts)
    _warn_if_trivial(facts, sentences, validation)
    return ParserModel(module, options, vocabulary, {"training": facts})


def _warn_if_trivial(facts: dict[str, Any], sentences: Sentences, held_out: Sentences) -> None:
    """Warn where the parser is no better on held-out sentences than a tree that needs none."""
    baseline, trivial = chain_score(sentences, held_out)
    if facts["best"] is not None and trivial < 1:
        warn_if_trivial(
            1 - facts["best"]["held_out_error"],
            trivial,
            measure="LAS",
            data=counted(len(held_out), "held-out sentence"),
            baseline=baseline,
            remedy="give more sentences, more epochs, or vectors= of the language",
        )


def _digest(sentences: Sentences, vectors: WordVectors | None, embedders: Sequence[ContextualEmbedder]) -> str:
    """Return a digest of the data of a run."""
    return digest((f"{sentence}\n\n" for sentence in sentences), vectors, embedders_digest(embedders))
