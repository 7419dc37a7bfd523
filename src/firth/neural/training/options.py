"""Options of the training loop, for every neural model."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypedDict

from firth.arguments import describe
from firth.corpus.options import TextArguments, TextOptions
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import OptionError
from firth.neural.training.monitor import Callback
from firth.neural.training.optimisers import OPTIMISERS
from firth.neural.training.schedules import SCHEDULES
from firth.options import check, check_kind, may_be_by_size, option, options_class
from firth.progress import Progress, check_progress
from firth.storage.checkpoints import checkpoint_of


@options_class
class TrainingOptions:
    """Options of the training loop. Each model class has its defaults in the class attribute `training`.

    `epochs`, `batch_size`, `lr`, `weight_decay`, `evaluate_every` and `patience` may be None: the default of the model,
    which may follow from the size of the training data. So `dataclasses.replace(firth.Tagger.training, lr=0.01)`
    changes one option and leaves the others to the model.

    Attributes:
        epochs: maximum number of passes over the training data.
        minutes: limit on wall-clock time; None for no limit. Time counts from the call of `train` (on the command line,
            from the start of the program) and includes reading the text, evaluations and checkpoints, but not saving
            the model. Time for the last evaluation is reserved, but half of what reading leaves is for steps, of which
            at least one is made: then a long evaluation ends late, and a warning says what took the time. Schedules go
            by the updates that the limit leaves time for, at the speed so far: warm-up ends by half of them, and a rate
            that falls to 0 gets there in time. The result then depends on the speed of the machine, and a seed no
            longer determines it.
        batch_size: B, sequences per batch.
        accumulate: batches of an update, whose gradients are added up: as one batch of so many times the size, in the
            memory of one.
        optimiser: a name of `firth.neural.training.optimisers.OPTIMISERS`.
        lr: highest learning rate.
        momentum: None for the optimiser's default: 0.9, but 0 for sgd and rmsprop. In Adam's family it is beta 1.
        weight_decay: added to gradients as L2, or decoupled from them in adamw; never on biases and normalisation.
        schedule: a name of `firth.neural.training.schedules.SCHEDULES`.
        warmup: updates in which the learning rate rises from 0; at most half of those that the run makes.
        lr_decay: decay per epoch of the schedules inverse-time and exponential.
        clip_norm: maximum norm of the gradients; 0 for no clipping.
        evaluate_every: updates between evaluations on held-out data; 0 evaluates at the end of each epoch only.
        patience: evaluations in a row without improvement after which training stops; 0 for no early stopping.
        plateau_factor: factor on the learning rate at each evaluation without improvement.
        rollback: whether such an evaluation also restores the best model, and with which optimiser statistics (moments,
            momentum): those of the "best" model, none ("reset"), or the "current" ones. "no" continues.
        precision: of matrix products: "fp32", "bf16", or "fp16" on a GPU. Weights and losses keep 32 bits or more.
        device: "auto" uses a GPU if there is one.
        processes: number of processes; each trains on a part of every batch.
    """

    common_options: ClassVar = (
        "epochs", "minutes", "batch_size", "optimiser", "lr", "schedule", "patience", "device",
    )  # fmt: skip

    epochs: int = option(10, "maximum number of passes over the training data", minimum=1, by_size=True)
    minutes: float | None = option(
        None,
        "limit on wall-clock time in minutes, with reading and evaluation, without saving",
        minimum=0,
        exclusive=True,
    )
    batch_size: int = option(20, "sequences per batch", minimum=1, by_size=True)
    accumulate: int = option(1, "gradient accumulation: batches of an update", minimum=1)
    optimiser: str = option("adam", "optimiser", choices=tuple(OPTIMISERS))
    lr: float = option(0.001, "highest learning rate", minimum=0, exclusive=True, by_size=True)
    momentum: float | None = option(None, "momentum; default: that of the optimiser", minimum=0, maximum=1)
    weight_decay: float = option(0.0, "weight decay, not on biases and normalisation", minimum=0, by_size=True)
    schedule: str = option("constant", "learning-rate schedule", choices=tuple(SCHEDULES))
    warmup: int = option(0, "warm-up: updates in which the learning rate rises from 0, at most half of all", minimum=0)
    lr_decay: float = option(0.1, "decay per epoch of the schedules inverse-time and exponential", minimum=0)
    clip_norm: float = option(0.0, "gradient clipping: maximum norm of the gradients; 0 for none", minimum=0)
    evaluate_every: int = option(0, "updates between evaluations; 0 for the ends of epochs", minimum=0, by_size=True)
    patience: int = option(
        0,
        "early stopping: evaluations in a row without improvement before training stops; 0 for none",
        minimum=0,
        by_size=True,
    )
    plateau_factor: float = option(
        1.0, "factor on the learning rate at each evaluation without improvement", minimum=0, maximum=1, exclusive=True
    )
    rollback: str = option(
        "no",
        "restore the best model after an evaluation without improvement, with the optimiser statistics of the best "
        "model, none, or the current ones",
        choices=("no", "best", "reset", "current"),
    )
    precision: str = option("fp32", "precision of matrix products", choices=("fp32", "bf16", "fp16"))
    device: str = option("auto", "device; auto uses a GPU if there is one", choices=("auto", "cpu", "cuda"))
    processes: int = option(1, "processes that share each batch (data parallel)", minimum=1)

    def __post_init__(self) -> None:
        check(self)
        if self.momentum is not None and not OPTIMISERS[self.optimiser].takes_momentum:
            raise OptionError(f"momentum={self.momentum}: {self.optimiser} has none; leave it out")
        if self.momentum == 1:
            raise OptionError("momentum=1: old gradients would never decay; expected a number below 1")
        if self.warmup and self.schedule == "one-cycle":
            raise OptionError(f"warmup={self.warmup}: the schedule one-cycle has a warm-up of its own; expected 0")
        if self.batch_size is not None and self.processes > self.batch_size:
            raise OptionError(
                f"processes={self.processes}: more than the batch_size={self.batch_size} sequences that they share"
            )


@dataclass(frozen=True)
class RunConfig:
    """Everything `fit` needs besides the task: options of the loop and circumstances of the run, arguments of `train`.

    With several processes, the first calls the functions for progress and after evaluations.

    Raises:
        ArgumentTypeError: the checkpoint is no path.
        OptionError: `progress` is something else than None, True, False or a function.
    """

    training: TrainingOptions = field(metadata={"help": "training options; None for the model's defaults."})
    seed: int = field(
        default=0, metadata={"help": "of all random draws; with one thread it determines every bit of the result."}
    )
    threads: int | None = field(
        default=None,
        metadata={"help": "number of threads; None for 1 (`firth.neural.training.devices.torch_threads`)."},
    )
    progress: Progress = field(
        default=None,
        metadata={"help": "None for a bar on a terminal, True, False, or a function of `firth.progress.Status`."},
    )
    checkpoint: str | os.PathLike[str] | None = field(
        default=None,
        metadata={
            "help": "folder for the state of the run, or `firth.Checkpoint(folder, every='30s')`; a later call with "
            "the same data, options and seed resumes."
        },
    )
    callbacks: Sequence[Callback] = field(
        default=(),
        metadata={"help": "functions called with a dict after each evaluation; see `firth.neural.training.callbacks`."},
    )

    def __post_init__(self) -> None:
        checkpoint_of(self.checkpoint)  # raises
        check_progress(self.progress)

    @classmethod
    def of(cls, default: TrainingOptions, arguments: Mapping[str, Any]) -> "RunConfig":
        """Return the configuration that the caller of a `train` asks for.

        Args:
            default: training options of the model.
            arguments: `RunArguments`, perhaps among others.

        Raises:
            ArgumentTypeError: `training` is something else, or `checkpoint` is no path.
        """
        given = {name: arguments[name] for name in _RUN if name in arguments}
        training = given.pop("training", None)
        if training is not None:
            check_kind("training", training, TrainingOptions)
        return cls(default if training is None else _filled(training, default), **given)

    def with_training(self, **changes: Any) -> "RunConfig":
        """Return the configuration with other training options."""
        return replace(self, training=replace(self.training, **changes))


class RunArguments(TypedDict, total=False):
    """The fields of `RunConfig` as keyword arguments."""

    training: TrainingOptions | None
    seed: int
    threads: int | None
    progress: Progress
    checkpoint: str | os.PathLike[str] | None
    callbacks: Sequence[Callback]


class TextRunArguments(RunArguments, TextArguments, total=False):
    """Those of a run on a text that is no corpus yet, with the options of `Corpus.build`."""


class TableRunArguments(RunArguments, TableArguments, total=False):
    """Those of a run on texts with labels, which may stand in a table."""


def _filled(training: TrainingOptions, default: TrainingOptions) -> TrainingOptions:
    """Return training options with those of the model in place of None."""
    names = [
        field.name for field in fields(training) if may_be_by_size(field) and getattr(training, field.name) is None
    ]
    return replace(training, **{name: getattr(default, name) for name in names})


_RUN = RunArguments.__annotations__.keys()
describe(RunArguments, RunConfig)
describe(TableRunArguments, RunConfig, TableOptions)
describe(TextRunArguments, RunConfig, TextOptions)


def text_options(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `Corpus.build` among `TextRunArguments`."""
    return {name: value for name, value in arguments.items() if name not in _RUN}
