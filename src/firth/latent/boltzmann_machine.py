"""A trained restricted Boltzmann machine: features, free energy, likelihood, samples, files.

What
    V visible and H hidden units that are on or off. Units of one side are independent of one another, given the other
    side. With softmax units a row holds the counts of V words in a text of n words, which share the weights of one
    softmax unit per word (replicated softmax).
Objective
    E(v, h) = -b.v - n a.h - v W h,   p(v) = sum_h e^-E(v, h) / Z_n;   n = 1 for binary units, else the sum of v
    F(v) = -b.v - sum_j log(1 + e^(n a_j + v.W_j)),   log p(v) = -F(v) - log Z_n
    p(h_j = 1 | v) = s(n a_j + v.W_j);   p(v_i = 1 | h) = s(b_i + W_i.h), or the softmax of b + W h, n times
Source
    Smolensky 1986; Hinton 2002, "Training products of experts by minimizing contrastive divergence", section 4;
    Salakhutdinov and Hinton 2009, "Replicated Softmax: an Undirected Topic Model", section 2, equations 1 to 6.
Departures
    p(v) of a text is that of its words in one order, as in the paper's figures; all orders have the same.
Cost
    2 V H multiplications per row. The partition function: see `firth.latent.partition`.
"""

import math
import numbers
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError, brief
from firth.finite import check_finite, single_array
from firth.hints import Hinted
from firth.latent import gibbs
from firth.latent.partition import LARGEST, PartitionEstimate, annealed, enumerated, log_one_plus_exp
from firth.notebook import facts
from firth.options import check_whole
from firth.randomness import generator, kernel_states
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.training_facts import with_training_facts

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

KIND = "firth-boltzmann-machine"
BINARY, SOFTMAX = "binary", "softmax"
VISIBLE = (BINARY, SOFTMAX)


@dataclass(frozen=True, eq=False)
class BoltzmannMachine(Hinted):
    """A restricted Boltzmann machine.

    Attributes:
        weights: (V, H) float32.
        visible_bias: (V,) float32.
        hidden_bias: (H,) float32.
        base_rates: (V,) float32, the share of training rows in which a unit is on, or a word's share of all words,
            each counted once more.
        visible: "binary" or "softmax".
        metadata: how it was trained, JSON-serialisable.

    Raises:
        ShapeError: the arrays do not fit one another.
        OptionError: there is no such kind of visible units.
    """

    weights: Floats
    visible_bias: Floats
    hidden_bias: Floats
    base_rates: Floats
    visible: str = BINARY
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.visible not in VISIBLE:
            raise OptionError(f"visible={brief(self.visible)}: expected {' or '.join(VISIBLE)}")
        if np.ndim(self.weights) != 2:
            raise ShapeError(f"weights of the shape {np.shape(self.weights)}; expected (V, H)")
        units, hidden = self.weights.shape
        for name, size in {"visible_bias": units, "hidden_bias": hidden, "base_rates": units}.items():
            if np.shape(getattr(self, name)) != (size,):
                raise ShapeError(f"{name} of the shape {np.shape(getattr(self, name))}; expected ({size:,},)")
        object.__setattr__(self, "metadata", with_training_facts(self.metadata))

    @property
    def dim(self) -> int:
        """H, the number of hidden units."""
        return int(self.weights.shape[1])

    def __repr__(self) -> str:
        visible, hidden = self.weights.shape
        return f"<BoltzmannMachine: {visible:,} {self.visible} visible and {hidden:,} hidden units>"

    def _repr_html_(self) -> str:
        visible, hidden = self.weights.shape
        rows = [("visible units", f"{visible:,}, {self.visible}"), ("hidden units", f"{hidden:,}")]
        return facts("Restricted Boltzmann machine", rows)

    def encode(self, rows: Any) -> Floats:
        """Return features of rows: (N, H) float32, the probability of each hidden unit.

        Args:
            rows: (N, V) array or sparse matrix: numbers from 0 to 1, or counts of words.

        Raises:
            ShapeError: the rows have another width.
            OptionError: a number is out of its range.
        """
        visible = self._checked(rows)
        rates = np.empty((len(visible), self.dim), dtype=np.float32)
        gibbs.encode(visible, self.lengths(visible), self._weights, self.hidden_bias, rates)
        check_finite(rates, self, range(len(rates)), "row")
        return rates

    def free_energy(self, rows: Any) -> Doubles:
        """Return F(v) of rows, (N,) in nats; the lower, the more probable.

        Args:
            rows: as for `encode`, whose errors are raised here, too.
        """
        visible = self._checked(rows)
        weights, b, a = self._parameters()
        inputs = visible @ weights + self.lengths(visible)[:, None] * a
        energies: Doubles = -(visible @ b) - log_one_plus_exp(inputs).sum(1)  # F(v) = -b.v - sum_j log(1 + e^inputs_j)
        check_finite(energies, self, range(len(energies)), "row")
        return energies

    def log_likelihood(self, rows: Any, *, log_partition: float | PartitionEstimate | None = None) -> Doubles:
        """Return log p(v) of rows, (N,) in nats.

        Args:
            rows: as for `encode`.
            log_partition: log Z, if it is known; of softmax units, rows must then be of one length. None computes it by
                enumeration, up to 22 hidden (or visible binary) units.

        Raises:
            ShapeError: the rows have another width.
            OptionError: a number is out of its range, `log_partition` is not finite, or there are too many units to
                enumerate.
        """
        visible = self._checked(rows)
        energies, lengths = self.free_energy(visible), self.lengths(visible)
        log_partitions = {int(length): log_partition for length in np.unique(lengths)}
        if log_partition is not None and len(log_partitions) > 1:
            raise OptionError(
                f"one log_partition for rows of {len(log_partitions):,} lengths, of which each has its own; expected "
                "rows of one length, or log_partition=None"
            )
        for length in log_partitions:
            log_partitions[length] = (
                self.log_partition(length=length) if log_partition is None else _as_float(log_partition)
            )
        return -energies - np.array([log_partitions[int(length)] for length in lengths], dtype=np.float64)

    def log_partition(self, *, length: int = 1) -> float:
        """Return log Z in nats, exactly.

        Args:
            length: n, number of words of a text, for softmax units; 0 for a text without words.

        Raises:
            OptionError: there are more than 22 hidden units, and more visible ones.
        """
        self._check_length(length)
        visible, hidden = self.weights.shape
        smaller = min(visible, hidden) if self.visible == BINARY else hidden
        if smaller > LARGEST:
            raise OptionError(
                f"{smaller:,} units have 2^{smaller} states, at most 2^{LARGEST} are enumerated; use "
                "annealed_log_partition, which estimates log Z"
            )
        return enumerated(*self._parameters(), softmax=self.visible == SOFTMAX, length=length)

    def annealed_log_partition(
        self, *, length: int = 1, chains: int = 100, temperatures: int = 10_000, seed: int = 0
    ) -> PartitionEstimate:
        """Estimate log Z in nats by annealed importance sampling.

        Args:
            length: n, number of words of a text, for softmax units.
            chains: number of independent runs; their spread gives the interval.
            temperatures: number of steps from independent units to the model.
            seed: random seed.

        Raises:
            OptionError: a number is out of its range.

        Source:
            Neal 2001; Salakhutdinov and Murray 2008, section 4.
        """
        self._check_length(length)
        check_whole("chains", chains, 2)
        check_whole("temperatures", temperatures)
        rates = self.base_rates.astype(np.float64)
        rates = rates if self.visible == BINARY else rates / rates.sum()
        base = np.log(rates) - (np.log1p(-rates) if self.visible == BINARY else 0)
        random = generator(seed, "annealed importance sampling")
        return annealed(
            *self._parameters(),
            base=base,
            softmax=self.visible == SOFTMAX,
            length=length,
            chains=chains,
            temperatures=temperatures,
            random=random,
        )

    def independent_log_likelihood(self, rows: Any) -> Doubles:
        """Return the log-likelihood of rows, (N,) in nats, under units that are independent and have the base rates.

        Args:
            rows: as for `encode`, whose errors are raised here, too.
        """
        visible, rates = self._checked(rows).astype(np.float64), self.base_rates.astype(np.float64)
        log_likelihood = visible @ np.log(rates)
        return log_likelihood if self.visible == SOFTMAX else log_likelihood + (1 - visible) @ np.log1p(-rates)

    def sample(self, number: int, *, steps: int = 1000, length: int = 1, start: Any = None, seed: int = 0) -> Floats:
        """Return rows drawn by Gibbs sampling: (number, V) float32.

        Args:
            number: number of rows, each from its own chain.
            steps: of each chain; the first ones depend on the start.
            length: n, number of words of a text, for softmax units.
            start: (number, V) rows to start from; None draws them by the base rates.
            seed: random seed.

        Raises:
            OptionError: a number is out of its range.
            ShapeError: the start has another shape.
        """
        self._check_length(length)
        check_whole("number", number)
        check_whole("steps", steps)
        random, shape = generator(seed, "Gibbs sampling"), (number, len(self.base_rates))
        if start is not None:
            visible = self._checked(start).copy()
        elif self.visible == BINARY:
            visible = (random.random(shape) < self.base_rates).astype(np.float32)
        else:
            rates = self.base_rates.astype(np.float64)
            visible = random.multinomial(length, rates / rates.sum(), number).astype(np.float32)
        if visible.shape != shape:
            raise ShapeError(f"a start of the shape {visible.shape}; expected {shape}")
        gibbs.run_chains(
            visible, self.lengths(visible), self._weights, self.visible_bias, self.hidden_bias,
            self.visible == SOFTMAX, steps, kernel_states(seed, "Gibbs sampling", 1),
        )  # fmt: skip
        return visible

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save as a folder that `firth.load` opens.

        Raises:
            OptionError: the path is a folder of another kind, which is never replaced.
            OSError: the folder cannot be written.
        """
        names = ("weights", "visible_bias", "hidden_bias", "base_rates")
        content = ModelFolder(
            kind=KIND,
            arrays={name: getattr(self, name) for name in names},
            texts={},
            config={"visible": self.visible},
            metadata=self.metadata,
            card=f"# Restricted Boltzmann machine\n\n{repr(self)[1:-1]}. Made by firth.\n",
        )
        model_folder.write(path, content)

    def lengths(self, visible: Floats) -> Floats:
        """Return n of rows, (N,) float32: 1 for binary units, else the number of words."""
        if self.visible == BINARY:
            return np.ones(len(visible), dtype=np.float32)
        lengths: Floats = visible.sum(1, dtype=np.float64).astype(np.float32)
        return lengths

    @property
    def _weights(self) -> Floats:
        return np.ascontiguousarray(self.weights)

    def _parameters(self) -> tuple[Doubles, Doubles, Doubles]:
        return (
            self.weights.astype(np.float64),
            self.visible_bias.astype(np.float64),
            self.hidden_bias.astype(np.float64),
        )

    def _check_length(self, length: Any) -> None:
        check_whole("length", length, 0)
        if self.visible == BINARY and length != 1:
            raise OptionError(f"length={length}: texts have a length, rows of binary units have none; leave it out")

    def _checked(self, rows: Any) -> Floats:
        return checked_rows(rows, self.visible, width=len(self.weights))


def checked_rows(rows: Any, visible: str, *, width: int | None = None) -> Floats:
    """Return rows as a (N, V) float32 array.

    Args:
        rows: an array, a sparse matrix or lists of numbers.
        width: V, if it is known.
    """
    matrix = single_array("rows", rows.toarray() if hasattr(rows, "toarray") else rows, "rows of numbers, (N, V)")
    if matrix.ndim != 2 or 0 in matrix.shape or (width is not None and matrix.shape[1] != width):
        expected = "(N, V)" if width is None else f"(N, {width:,})"
        raise ShapeError(f"rows of the shape {matrix.shape}; expected {expected}, at least one row")
    if visible == BINARY:
        if not (matrix.min() >= 0 and matrix.max() <= 1):
            raise _out_of_range(matrix, (matrix >= 0) & (matrix <= 1), "numbers from 0 to 1; scale or binarise them")
    elif not ((matrix >= 0) & (matrix == np.floor(matrix)) & (matrix < 2**24)).all():
        whole = (matrix >= 0) & (matrix == np.floor(matrix)) & (matrix < 2**24)
        raise _out_of_range(matrix, whole, "counts of words, whole numbers from 0 on")
    return np.ascontiguousarray(matrix)


def _as_float(log_partition: Any) -> float:
    """Return a given log Z as a float."""
    real = isinstance(log_partition, numbers.Real | PartitionEstimate) and not isinstance(log_partition, bool)
    if not real or not math.isfinite(log_partition):
        raise OptionError(
            f"log_partition={brief(log_partition)}: expected a finite number of nats, or what "
            "annealed_log_partition() returns"
        )
    return float(log_partition)


def _out_of_range(rows: Floats, right: npt.NDArray[np.bool_], expected: str) -> OptionError:
    row, column = np.argwhere(~right)[0].tolist()
    return OptionError(f"row {row:,}, column {column:,} holds {rows[row, column]:g}; expected {expected}")


def restore(content: ModelFolder) -> BoltzmannMachine:
    """Return the machine of a folder."""
    visible = content.config.get("visible")
    if visible not in VISIBLE:
        raise content.damaged(f"visible units {visible!r}; expected {' or '.join(VISIBLE)}")
    weights = content.array("weights", (None, None), dtype=np.float32)
    sides = {"visible_bias": weights.shape[0], "hidden_bias": weights.shape[1], "base_rates": weights.shape[0]}
    arrays = {name: content.array(name, (size,), dtype=np.float32) for name, size in sides.items()}
    rates = arrays["base_rates"]
    if not ((rates > 0) & ((rates < 1) if visible == BINARY else (rates <= 1))).all():
        raise content.damaged("base rates that are not probabilities")
    return BoltzmannMachine(weights, **arrays, visible=visible, metadata=dict(content.metadata))
