"""Options that dependency parsers share, and what a parser supplies: vocabulary, module, task."""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

from firth.neural.models.parsers.data import ParserVocabulary
from firth.neural.models.parsers.module import ParserModule
from firth.neural.models.tokens.embedders import ContextualEmbedder
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.task import Task
from firth.options import check
from firth.readers.conllu import DependencySentence
from firth.storage.model_folder import ModelFolder
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
        """Columns that are read besides the words: names of `firth.neural.models.parsers.data.COLUMNS`."""

    @abc.abstractmethod
    def vocabulary(
        self,
        sentences: Sequence[DependencySentence],
        vectors: WordVectors | None,
        embedders: tuple[ContextualEmbedder, ...] = (),
    ) -> ParserVocabulary:
        """Return the vocabulary of training sentences.

        Args:
            sentences: with trees.
            vectors: to start from; words without one begin at random.
            embedders: of words in context.

        Raises:
            OptionError: the parser takes no embedders.
        """

    @abc.abstractmethod
    def vocabulary_of(self, content: ModelFolder) -> ParserVocabulary:
        """Return the vocabulary of a folder.

        Raises:
            FormatError: a list that it needs is missing or damaged.
            OptionError: what the folder holds is no vocabulary.
        """

    @abc.abstractmethod
    def build(self, vocabulary: Any, vectors: WordVectors | None) -> ParserModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            vocabulary: as `vocabulary` or `vocabulary_of` returned it.
            vectors: to start from; None for random ones.
        """

    @abc.abstractmethod
    def task(
        self,
        module: Any,
        sentences: Sequence[DependencySentence],
        held_out: Sequence[DependencySentence],
        config: RunConfig,
    ) -> Task:
        """Return what `firth.neural.training.loop.fit` trains.

        Args:
            module: as `build` returned it.
            sentences: to train on.
            held_out: that select the model.
            config: of the run.
        """
