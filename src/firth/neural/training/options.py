"""Options of the training of every neural model."""

from typing import ClassVar

from firth.errors import OptionError
from firth.neural.training.optimisers import OPTIMISERS
from firth.neural.training.schedules import SCHEDULES
from firth.options import check, option, options_class


@options_class
class TrainingOptions:
    """The options of the loop; a model's options class holds its usual ones in a class attribute `training`.

    Attributes:
        epochs: passes over the training data, at most.
        minutes: of wall-clock time after which it ends; None for no limit. Everything counts from the call of `train`
            (on the command line, from its start): reading the text, evaluations, checkpoints. Time for the last
            evaluation is kept back, and at least one step is made. Schedules then follow the clock where it is ahead of
            the updates, so that a rate that falls to nothing does so in time; what is learned then depends on the speed
            of the machine, and a seed no longer decides it.
        batch_size: B, sequences side by side.
        steps: T, words that a batch takes of each stream, and that gradients go back through.
        vary_steps: whether each batch draws its T (Merity 2018, section 4.1), with the learning rate in proportion.
        optimiser: a name of `firth.neural.training.optimisers.OPTIMISERS`.
        lr: the learning rate at its highest.
        momentum: None for the optimiser's usual one, which is 0.9 but for sgd and rmsprop, where it is 0; in Adam's
            family the decay of the first moment.
        weight_decay: added to gradients as L2, or taken off the weights by adamw; never of biases and normalisations.
        schedule: a name of `firth.neural.training.schedules.SCHEDULES`.
        warmup: updates over which the learning rate rises from 0.
        decay: how fast the schedules inverse-time and exponential fall, a epoch.
        clip: norm that all gradients together are cut down to; 0 leaves them.
        evaluate_every: updates between evaluations on held-out data; 0 evaluates at the end of each epoch alone.
        patience: evaluations in a row without a new best after which training ends; 0 goes on to the end.
        plateau: what the learning rate is multiplied by at each evaluation without a new best.
        rollback: whether such an evaluation also brings the best model back, and with which statistics of the optimiser
            (moments, momentum): those of the "best" model, none ("reset"), or those of now ("current"); "no" goes on.
        precision: of products: "fp32", "bf16", or "fp16" on a GPU; weights and losses stay in 32 bits and more.
        device: "auto" takes a GPU where there is one.
        processes: how many train together, each on its part of every batch.
    """

    common_options: ClassVar = (
        "epochs", "minutes", "batch_size", "steps", "optimiser", "lr", "schedule", "patience", "device",
    )  # fmt: skip

    epochs: int = option(10, "passes over the training data, at most", minimum=1)
    minutes: float | None = option(
        None,
        "minutes after which it ends, by the clock on the wall: reading the text and evaluation are counted",
        minimum=0,
        exclusive=True,
    )
    batch_size: int = option(20, "sequences trained side by side", minimum=1)
    steps: int = option(35, "words of each stream a batch, through which gradients go back", minimum=1)
    vary_steps: bool = option(False, "draw the steps of each batch at random around the given ones")
    optimiser: str = option("adam", "how gradients change weights", choices=tuple(OPTIMISERS))
    lr: float = option(0.001, "learning rate at its highest", minimum=0, exclusive=True)
    momentum: float | None = option(None, "momentum; none given: the optimiser's usual", minimum=0, maximum=1)
    weight_decay: float = option(0.0, "decay of weights, not of biases and normalisations", minimum=0)
    schedule: str = option("constant", "how the learning rate falls", choices=tuple(SCHEDULES))
    warmup: int = option(0, "updates over which the learning rate rises from 0", minimum=0)
    decay: float = option(0.1, "how fast inverse-time and exponential schedules fall, a epoch", minimum=0)
    clip: float = option(0.0, "norm that gradients are cut down to; 0 for never", minimum=0)
    evaluate_every: int = option(0, "updates between evaluations; 0 for the ends of epochs", minimum=0)
    patience: int = option(0, "evaluations without a new best that end training; 0 for never", minimum=0)
    plateau: float = option(1.0, "factor on the learning rate at each evaluation without a new best", minimum=0,
                            maximum=1, exclusive=True)  # fmt: skip
    rollback: str = option("no", "return to the best model when an evaluation is worse, with its optimiser's state, "
                           "none or the present one", choices=("no", "best", "reset", "current"))  # fmt: skip
    precision: str = option("fp32", "precision of products", choices=("fp32", "bf16", "fp16"))
    device: str = option("auto", "where to train; auto takes a GPU where there is one", choices=("auto", "cpu", "cuda"))
    processes: int = option(1, "processes that share each batch", minimum=1)

    def __post_init__(self) -> None:
        check(self)
        if self.momentum is not None and not OPTIMISERS[self.optimiser].takes_momentum:
            raise OptionError(f"momentum={self.momentum}: {self.optimiser} has none; leave it out")
        if self.momentum == 1:
            raise OptionError("momentum=1: gradients would never fade; expected a number below 1")
        if self.warmup and self.schedule == "one-cycle":
            raise OptionError(f"warmup={self.warmup}: the schedule one-cycle has a rise of its own; expected 0")
        if self.processes > self.batch_size:
            raise OptionError(
                f"processes={self.processes}: more than the batch_size={self.batch_size} sequences that they share"
            )
