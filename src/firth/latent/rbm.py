"""Restricted Boltzmann machines: features of binary rows, or of the word counts of texts, without labels.

What
    Gradient ascent on the contrast between data and the model's samples after a few steps of Gibbs sampling.
Objective
    dW = <v h>_data - <v h>_k,   db = <v>_data - <v>_k,   da = <n h>_data - <n h>_k, means over a batch, for
    contrastive divergence (CD-k), whose chains start at the data, or persistent (PCD-k), whose chains go on. This is
    minus the gradient of F(v_data) - F(v_k). h are probabilities; states are drawn inside the chains.
Source
    Hinton 2002, section 5 (CD); Tieleman 2008, "Training restricted Boltzmann machines using approximations to the
    likelihood gradient", section 2.4 (PCD); Hinton 2012, "A practical guide to training restricted Boltzmann machines",
    sections 3, 8 and 9 (what is drawn and what is a probability, first values, momentum); Salakhutdinov and Hinton
    2009 (softmax units).
Departures
    The gradient of softmax units is that of a word: it is divided by the mean length of the batch's texts.
Cost
    (2 k + 3) V H multiplications a row, times two.
"""

import dataclasses
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained
from firth.errors import DivergenceError, OptionError, warn_caller
from firth.latent import gibbs
from firth.latent.boltzmann_machine import BINARY, SOFTMAX, VISIBLE, BoltzmannMachine, checked_rows
from firth.options import option, options_class
from firth.progress import Progress, Status, compiling, reporting_slow_work
from firth.randomness import generator, kernel_states
from firth.signals import stopping

Floats = npt.NDArray[np.float32]

FIRST_WEIGHTS = 0.01  # standard deviation
LEAST_RATE = 1e-6  # smallest rate of a unit; in float32, 1 - 1e-6 differs from 1


@options_class
class RBM:
    """Restricted Boltzmann machine: the options, and `train`.

    Source:
        Hinton 2002; Tieleman 2008; the module docstring has the formulas and every departure.
    """

    common_options: ClassVar = ("hidden", "visible", "algorithm", "epochs")

    hidden: int = option(100, "number of hidden units", minimum=1, maximum=100_000)
    visible: str = option(BINARY, "visible units: on or off, or words with counts", choices=VISIBLE)
    algorithm: str = option(
        "pcd", "chains of the negative phase: cd starts them at the data, pcd lets them go on", choices=("cd", "pcd")
    )
    steps: int = option(1, "k, steps of Gibbs sampling per update", minimum=1)
    epochs: int = option(20, "epochs: passes over the rows", minimum=1)
    batch_size: int = option(10, "rows per update; with pcd, also the number of chains", minimum=1)
    lr: float = option(0.05, "initial learning rate; it decays linearly to 0", minimum=0, exclusive=True)
    momentum: float = option(0.0, "share of the last update that is added to the next", minimum=0, maximum=0.99)
    weight_decay: float = option(0.0, "decay of the weights, per unit of learning rate", minimum=0)

    def __post_init__(self) -> None:
        options.check(self)

    @explained
    def train(self, rows: Any, *, seed: int = 0, progress: Progress = None) -> BoltzmannMachine:
        """Learn from rows.

        Args:
            rows: (N, V) array or sparse matrix: numbers from 0 to 1, which are probabilities of binary units, or
                counts of words. They are held as an array, 4 N V bytes.
            seed: random seed; it decides every bit of the result on the same machine.

        Returns:
            A machine, with `metadata["training"]`: options, seed, rows, seconds, and the share of visible units that
            a step of Gibbs sampling changes, per epoch (of words, for softmax units). This share is not a likelihood.

        Raises:
            ArgumentTypeError: the rows are not numbers.
            ShapeError: they are no matrix.
            OptionError: a number is out of its range, or no text has a word.
            DivergenceError: the weights became infinite.

        Ctrl-C and SIGTERM end the training after the epoch that is running, with a warning.
        """
        data = checked_rows(rows, self.visible)
        words = data.sum(1, dtype=np.float64)
        if self.visible == SOFTMAX and not words.any():
            raise OptionError("every row is 0 throughout: expected texts with words")
        with_words = words > 0 if self.visible == SOFTMAX else np.ones(len(data), dtype=bool)
        data = np.ascontiguousarray(data if with_words.all() else data[with_words])
        if not with_words.all():
            warn_caller(f"{int((~with_words).sum()):,} texts without words are left out")
        began, changed = time.perf_counter(), []
        run = _Run.begin(self, data, seed)
        with reporting_slow_work(progress) as report, stopping() as request:
            compiling(run.compile, report)
            for epoch in range(self.epochs):
                if request.stop:
                    warn_caller(
                        f"training was interrupted in epoch {epoch + 1} of {self.epochs}: what was learned is kept"
                    )
                    break
                shares = run.epoch(epoch)
                if not all(np.isfinite(parameter).all() for parameter in run.parameters):
                    raise DivergenceError(f"the weights became infinite in epoch {epoch + 1}: use a lower lr")
                changed.append(shares / data.size if self.visible == BINARY else shares / (2 * float(words.sum())))
                report(Status(stage="training", done=epoch + 1, total=self.epochs, unit="epochs"))
        facts = {
            "options": {"model": "RBM", **dataclasses.asdict(self)},
            "seed": seed,
            "texts": len(data),
            "interrupted": len(changed) < self.epochs,
            "changed": changed,
            "seconds": time.perf_counter() - began,
        }
        return dataclasses.replace(run.machine, metadata={"training": facts})


@dataclass
class _Run:
    """A training: the machine, whose arrays are changed in place, the chains, and the last updates."""

    options: RBM
    data: Floats
    lengths: Floats
    machine: BoltzmannMachine
    chains: Floats
    chain_hidden: Floats
    chain_lengths: Floats
    last: list[Floats]
    random: np.random.Generator
    state: npt.NDArray[np.uint64]

    @classmethod
    def begin(cls, options: RBM, data: Floats, seed: int) -> "_Run":
        random = generator(seed, "restricted Boltzmann machine")
        counts = data.sum(0, dtype=np.float64) + 1
        rates = counts / (len(data) + 2 if options.visible == BINARY else counts.sum())
        rates = np.clip(rates, LEAST_RATE, 1 - LEAST_RATE if options.visible == BINARY else 1)
        bias = np.log(rates) - (np.log1p(-rates) if options.visible == BINARY else 0)
        machine = BoltzmannMachine(
            weights=(FIRST_WEIGHTS * random.standard_normal((data.shape[1], options.hidden))).astype(np.float32),
            visible_bias=bias.astype(np.float32),
            hidden_bias=np.zeros(options.hidden, dtype=np.float32),
            base_rates=rates.astype(np.float32),
            visible=options.visible,
        )
        chosen = random.permutation(len(data))[: options.batch_size]
        lengths = machine.lengths(data)
        last = [np.zeros_like(parameter) for parameter in (machine.weights, machine.visible_bias, machine.hidden_bias)]
        state = kernel_states(seed, "contrastive divergence", 1)
        return cls(
            options,
            data,
            lengths,
            machine,
            data[chosen],
            machine.encode(data[chosen]),
            lengths[chosen],
            last,
            random,
            state,
        )

    @property
    def parameters(self) -> tuple[Floats, Floats, Floats]:
        return self.machine.weights, self.machine.visible_bias, self.machine.hidden_bias

    def compile(self) -> None:
        """Compile the kernel, or read it from the cache: learn from no rows."""
        self._learn(np.empty(0, dtype=np.int64), 0.0, 0.0)

    def epoch(self, number: int) -> float:
        """Learn from all rows once; return how much the first steps of the chains have changed visible units."""
        o = self.options
        rates = [o.lr * (1 - done / o.epochs) for done in (number, number + 1)]
        return self._learn(self.random.permutation(len(self.data)), *rates)

    def _learn(self, order: npt.NDArray[np.int64], first_lr: float, last_lr: float) -> float:
        o = self.options
        return float(
            gibbs.learn(
                self.data, self.lengths, order, *self.parameters, *self.last,
                self.chains, self.chain_hidden, self.chain_lengths, o.visible == SOFTMAX, o.algorithm == "pcd", o.steps,
                min(o.batch_size, len(self.data)), first_lr, last_lr, o.momentum, o.weight_decay, self.state,
            )
        )  # fmt: skip
