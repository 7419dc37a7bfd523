"""The `train` method of models that train on a corpus or on counts, and its arguments as one value."""

import dataclasses
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, Unpack, get_args

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.corpus.size_defaults import chosen_options, log_advice, log_choice
from firth.embeddings.replicas import SHARDS
from firth.errors import OptionError
from firth.kernels.threads import usable_threads
from firth.options import wrong_kind
from firth.progress import Progress, check_progress, heeding
from firth.storage.checkpoints import checkpoint_of

Data = TypeVar("Data")
Start = TypeVar("Start")
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class TrainingArguments(Generic[Start]):
    """The arguments of a training, without the options and the corpus.

    Attributes:
        start: vectors to continue from, or None.
        freeze: whether the vectors of words that `start` has stay as they are.
        progress: how progress is shown; see `firth.progress`.
        checkpoint: folder for checkpoints, or None.
        deterministic: whether the result must not depend on the number of threads.
        chosen: options that were chosen from the size of the corpus, by name.
        parts: number of shards of a deterministic training.
        runner: is called with the `firth.embeddings.training.TrainingRun` in place of its `train`: a cluster's.

    Raises:
        ArgumentTypeError: the checkpoint is not a path.
        OptionError: `progress` is something else than None, True, False or a function.
    """

    seed: int
    threads: int
    start: Start | None = None
    freeze: bool = False
    progress: Progress = None
    checkpoint: str | os.PathLike[str] | None = None
    deterministic: bool = False
    chosen: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    parts: int = SHARDS
    runner: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        checkpoint_of(self.checkpoint)  # raises
        check_progress(self.progress)

    @property
    def frozen(self) -> set[str] | None:
        """Words whose vectors stay as they are, or None."""
        start: Any = self.start
        return set(start.words) if self.freeze else None

    @property
    def shards(self) -> int:
        """Number of shards: one per thread, or a fixed number in deterministic trainings."""
        return self.parts if self.deterministic else self.threads

    @property
    def writers(self) -> int:
        """Number of threads that write to the same matrix."""
        return 1 if self.deterministic else self.threads

    def with_subfolder(self, name: str) -> "TrainingArguments[Start]":
        """Return the same arguments with checkpoints in a subfolder, for one of several trainings in a row."""
        checkpoint = checkpoint_of(self.checkpoint)
        return dataclasses.replace(self, checkpoint=checkpoint and checkpoint.below(name))


class Trainer(ABC, Generic[Data, Start, Result]):
    """A model that trains: an options class that inherits this one and defines `read` and `train_on`.

    Attributes:
        any_threads: whether a training can be the same with any number of threads.
        freezes: whether a training can leave the vectors of old words as they are.
    """

    any_threads: ClassVar[bool] = False
    freezes: ClassVar[bool] = False

    @explained
    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        start: Start | None = None,
        freeze: bool = False,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        deterministic: bool = False,
        **text: Unpack[TextArguments],
    ) -> Result:
        """Train on a corpus.

        Args:
            corpus: an encoded corpus, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table. Models
                of co-occurrence counts also take counts.
            seed: random seed; with one thread, or with `deterministic`, it decides every bit of the result.
            start: vectors to continue from. Words that it lacks start at random; words that only it has are kept. The
                docstring of the class says how else a model uses it.
            freeze: keep every bit of the vectors of words that `start` has, and train those of new words only. Output
                vectors, which are not the result, are trained for all words.
            checkpoint: folder for checkpoints, or `firth.Checkpoint(folder, every="30s")`; otherwise one is written
                every five minutes, and after an epoch unless that would take over a twentieth of the time. A later call
                with the same corpus, options, seed and threads resumes.
            deterministic: the same bits for any number of threads, also after an interruption and with another number.
                Takes five times the memory of the vectors, and some of the speed. GloVe always works so.
            **text: options of `Corpus.build` for a text that is not encoded yet, such as min_count=2, column="body".

        Returns:
            The trained vectors, with `metadata["training"]`: options, which of them were chosen from the size of the
            corpus, seed, threads, loss (nats per prediction, one value per epoch), words, seconds.

        Raises:
            CorpusError: the text cannot be read, or has no words.
            OptionError: `threads` is below 1, `start` does not fit the options, the checkpoint belongs to another run,
                the model has no deterministic training or cannot freeze vectors, or `freeze` is given without `start`.
            ArgumentTypeError: `start` is a path.
            ShapeError: `start` has another width.
            DivergenceError: the training diverged.

        Warns:
            UserWarning: the training was interrupted or made no prediction, or `freeze` leaves no word to train.
        """
        count = usable_threads(threads)
        check_start(start)
        check_freeze(freeze, start, type(self))
        check_deterministic(deterministic, type(self))
        arguments = TrainingArguments(
            seed=seed, threads=count, start=start, freeze=freeze, progress=progress, checkpoint=checkpoint,
            deterministic=deterministic,
        )  # fmt: skip
        model, data, arguments = self.prepare(corpus, text, arguments)
        with heeding(progress):
            trained: Result = model.train_on(data, arguments)
        return trained

    def prepare(
        self, corpus: Any, text: Mapping[str, Any], arguments: TrainingArguments[Start]
    ) -> tuple[Any, Any, TrainingArguments[Start]]:
        """Read the data, and choose the options that follow from its size: return options, data and arguments."""
        data: Any = self.read(corpus, text, arguments)
        model: Any = self
        log_advice(model, getattr(data, "num_tokens", 0))
        if chosen := chosen_options(model, words := getattr(data, "num_tokens", 0)):
            log_choice(chosen, words)
            model, arguments = dataclasses.replace(model, **chosen), dataclasses.replace(arguments, chosen=chosen)
        return model, data, arguments

    @abstractmethod
    def read(self, corpus: Any, text: Mapping[str, Any], arguments: TrainingArguments[Start]) -> Data:
        """Return the training data; `text` holds the options of `Corpus.build`."""

    @abstractmethod
    def train_on(self, data: Data, arguments: TrainingArguments[Start], /) -> Result:
        """Train on data that has been read; see `Trainer.train`."""


class CorpusTrainer(Trainer[Corpus, Start, Result]):
    """A model that trains on an encoded corpus: an options class that inherits this one and defines `train_on`."""

    def read(self, corpus: Any, text: Mapping[str, Any], arguments: TrainingArguments[Start]) -> Corpus:
        """Return the encoded corpus."""
        return as_corpus(corpus, text, threads=arguments.threads, progress=arguments.progress)


def check_start(start: Any, name: str = "start") -> None:
    """Check that the vectors to continue from are vectors, not the path of some or anything else."""
    if isinstance(start, str | os.PathLike):
        raise wrong_kind(name, start, f"vectors: firth.load({os.fspath(start)!r})")
    if start is not None and (isinstance(start, type) or not (hasattr(start, "words") and hasattr(start, "vectors"))):
        raise wrong_kind(name, start, "vectors, as firth.load or a training returns them")


def check_freeze(freeze: Any, start: Any, model: "type[Trainer[Any, Any, Any]]") -> None:
    """Check the option of the same name."""
    if not isinstance(freeze, bool):
        raise OptionError(f"freeze={freeze!r}: expected True or False")
    if freeze and not model.freezes:
        raise OptionError(
            f"freeze=True: {model.__name__} cannot leave the vectors of old words as they are; expected Word2Vec, "
            "FastText or StructuredWord2Vec; leave it out"
        )
    if freeze and start is None:
        raise OptionError(
            "freeze=True without start: expected start=, the vectors of the old words, which are to stay as they are; "
            "name them, or leave freeze out"
        )


def check_deterministic(deterministic: Any, model: "type[Trainer[Any, Any, Any]] | None" = None) -> None:
    """Check the option of the same name; None for a model that can do both."""
    if not isinstance(deterministic, bool):
        raise OptionError(f"deterministic={deterministic!r}: expected True or False")
    if deterministic and model is not None and not model.any_threads:
        raise OptionError(
            f"deterministic=True: {model.__name__} has no training that is the same with any number of threads; leave "
            "it out and use threads=1, with which the seed decides every bit"
        )


def result_type(model: Any) -> Any:
    """Return the class that a model's `train` returns."""
    if issubclass(model, Trainer):
        return get_args(vars(model)["__orig_bases__"][0])[-1]
    return model.train.__annotations__["return"]
