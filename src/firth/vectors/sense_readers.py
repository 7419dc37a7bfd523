"""How a context tells which sense of a word is meant: two readers, one for models of centres, one for likelihoods.

What: a model of several vectors a word says how well each sense goes with the words around an occurrence. What it says
is a log score; `firth.vectors.sense_vectors` adds the log of the sense's prior and brings the sum to probabilities.

Objective: for the context words c_1 ... c_M of an occurrence and a sense s,

    Centroids     cos( sum_i weight(c_i) / d_i^decay context(c_i), centre(s) ) / temperature
    Likelihood    sum_i log p(c_i | s) / d_i^decay

with d_i the places from the occurrence to c_i, 1 where those are not known, and p the hierarchical softmax over a tree,
or, for rows of negative sampling, u_{c_i} . v_s in the place of log p.

Source: Huang et al. 2012, Improving word representations via global context and multiple word prototypes, section 3,
and Neelakantan et al. 2014, Efficient non-parametric estimation of multiple embeddings per word in vector space,
section 4, for centres; Bartunov et al. 2016, Breaking sticks and ambiguities with adaptive skip-gram, section 3, for
likelihoods.

Departures: both papers of centres take the nearest one; divided by the temperature, a cosine is as the exponent of a
von Mises-Fisher density of concentration 1 / temperature, so that a prior can be weighed against it. Where negative
sampling has converged u_c . v_s = log p(c | s) - log K q(c), and what is left out is the same for all senses.

Cost: M E for E numbers a context vector; a path or a row of D numbers for every context word and sense.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError
from firth.kernels.trees import Tree
from firth.vectors.cosine import Matrix, Rows, unit

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contexts:
    """The words around B occurrences, as rows of a vocabulary.

    Attributes:
        ids: (N,) int64, the rows of all contexts, one after the other.
        offsets: (B + 1,) int64, where each context begins in them; the last is N.
        distances: (N,) how many places each word is from the occurrence, 1 for the next; None where that is not known.
    """

    ids: Rows
    offsets: Rows
    distances: Rows | None = None

    @classmethod
    def of(cls, contexts: Sequence[Sequence[int]]) -> "Contexts":
        """Return contexts that are given one by one."""
        offsets = np.cumsum([0, *map(len, contexts)])
        return cls(np.array([row for one in contexts for row in one], dtype=np.int64), offsets.astype(np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def renumbered(self, rows: Rows) -> "Contexts":
        """Return the same contexts in the numbers of another vocabulary.

        Args:
            rows: what each number becomes, or -1 for a word that is left out.
        """
        return Contexts(rows[self.ids], self.offsets, self.distances).known()

    def known(self) -> "Contexts":
        """Return the contexts without the words whose number is -1."""
        has = self.ids >= 0
        ends = np.concatenate([[0], np.cumsum(has)])
        distances = None if self.distances is None else self.distances[has]
        return Contexts(self.ids[has], ends[self.offsets], distances)

    def beside(self, places: Rows) -> "Contexts":
        """Return what is around one word of each context, with the distances from it.

        Args:
            places: (B,) which of a context's words that is.

        Raises:
            OptionError: a place is none of its context.
        """
        lengths = np.diff(self.offsets)
        if places.shape != lengths.shape or not ((places >= 0) & (places < lengths)).all():
            raise OptionError(f"place={places.tolist()} among {lengths.tolist()} tokens: expected one of them")
        centres = np.repeat(self.offsets[:-1] + places, lengths)
        distances = np.abs(np.arange(len(self.ids)) - centres)
        return Contexts(np.where(distances > 0, self.ids, -1), self.offsets, distances).known()

    def sums(self, weights: npt.NDArray[Any], matrix: npt.NDArray[Any], decay: float = 0.0) -> npt.NDArray[Any]:
        """Return the weighted sum of the rows of each context, (B, E).

        Args:
            weights: (V,).
            matrix: (V, E).
            decay: the power of the distance that weights are divided by.
        """
        from scipy.sparse import csr_array  # here, for what only opens a file of senses need not wait for SciPy

        shape = len(self), len(matrix)
        values = weights[self.ids]
        if decay and self.distances is not None:
            values = values / self.distances**decay
        bags = csr_array((values.astype(matrix.dtype), self.ids, self.offsets), shape=shape)
        return np.asarray(bags @ matrix)


@dataclass(frozen=True, eq=False)
class Centroids:
    """A context is near the centre of the sense that is meant.

    Attributes:
        context_vectors: (V, E) of words where they stand in a context.
        weights: (V,) of words there; 0 leaves a word out.
        centres: (S, E) of the senses, of any length.
        temperature: what cosines are divided by; the smaller, the less the prior counts.
        decay: the power of the distance that words further off count less by, where distances are known.

    Raises:
        OptionError: the temperature is not above 0, or the decay below.
        ShapeError: the arrays do not fit each other.
    """

    context_vectors: Matrix
    weights: npt.NDArray[Any]
    centres: Matrix
    temperature: float = 0.1
    decay: float = 0.0

    def __post_init__(self) -> None:
        _check_decay(self.decay)
        if not 0 < self.temperature < float("inf"):
            raise OptionError(f"temperature={self.temperature}: expected a finite number above 0")
        rows, width = self.context_vectors.shape
        if self.weights.shape != (rows,) or self.centres.ndim != 2 or self.centres.shape[1] != width:
            raise ShapeError(
                f"context vectors {self.context_vectors.shape}, weights {self.weights.shape}, centres "
                f"{self.centres.shape}: expected as many weights as context vectors, and one width"
            )

    def check(self, words: int, senses: int, dim: int) -> None:
        """Check that the reader fits a model.

        Args:
            words: V.
            senses: S.
            dim: D, which the centres need not share.

        Raises:
            ShapeError: it does not.
        """
        if (len(self.context_vectors), len(self.centres)) != (words, senses):
            raise ShapeError(
                f"{len(self.context_vectors)} context vectors and {len(self.centres)} centres for {words} words of "
                f"{senses} senses: expected one a word and one a sense"
            )

    def scores(self, contexts: Contexts, rows: Rows, vectors: Matrix) -> Floats:
        """Return the log score of each sense in each context; zeros where no word of a context counts.

        Args:
            contexts: B of them.
            rows: (n,) the rows of the senses.
            vectors: (n, D) their vectors, which centres stand in for.

        Returns:
            (B, n).
        """
        means = unit(contexts.sums(self.weights, self.context_vectors, self.decay))
        centres = unit(self.centres[rows])
        return np.asarray(np.matmul(means, centres.T) / self.temperature, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Likelihood:
    """A context is likely under the sense that is meant.

    Attributes:
        outputs: the output side of the model: (V - 1, D) or more rows, one a node of the tree, or (V, D), one a word.
        tree: the paths of the words, or None where the outputs are rows of negative sampling.
        decay: the power of the distance that words further off count less by, where distances are known.

    Raises:
        OptionError: the decay is below 0.
    """

    outputs: Matrix
    tree: Tree | None = None
    decay: float = 0.0

    def __post_init__(self) -> None:
        _check_decay(self.decay)

    def check(self, words: int, senses: int, dim: int) -> None:
        """Check that the reader fits a model.

        Args:
            words: V.
            senses: S, as many as there are.
            dim: D.

        Raises:
            ShapeError: it does not.
        """
        paths = words if self.tree is None else len(self.tree.starts) - 1
        needed = words if self.tree is None else int(self.tree.nodes.max(initial=-1)) + 1
        if self.outputs.ndim != 2 or self.outputs.shape[1] != dim or len(self.outputs) < needed or paths != words:
            raise ShapeError(
                f"output rows {self.outputs.shape} and {paths} paths for {words} words: expected ({needed}, {dim}) "
                "and one path a word"
            )

    def scores(self, contexts: Contexts, rows: Rows, vectors: Matrix) -> Floats:
        """Return the log score of each sense in each context; zeros for an empty context.

        Args:
            contexts: B of them.
            rows: (n,) the rows of the senses, which their vectors stand in for.
            vectors: (n, D) their vectors.

        Returns:
            (B, n).
        """
        words, places = np.unique(contexts.ids, return_inverse=True)
        table = self._of_words(words, vectors)
        found = Contexts(places.ravel(), contexts.offsets, contexts.distances)
        return np.asarray(found.sums(np.ones(len(words)), table, self.decay))

    def _of_words(self, words: Rows, vectors: Matrix) -> Floats:
        """(U, n) log p(word | sense), for negative sampling up to a number that is the same for all senses."""
        if self.tree is None:
            return np.asarray(np.matmul(self.outputs[words], vectors.T), dtype=np.float64)
        lengths = self.tree.lengths[words]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        steps = np.repeat(self.tree.starts[words] - starts[:-1], lengths) + np.arange(starts[-1])
        nodes, places = np.unique(self.tree.nodes[steps], return_inverse=True)
        scores = np.matmul(self.outputs[nodes], vectors.T).astype(np.float64)[places.ravel()]
        turns = -np.logaddexp(0, -self.tree.signs[steps, None] * scores)  # log sigma
        return Contexts(np.arange(starts[-1]), starts).sums(np.ones(starts[-1]), turns)


def _check_decay(decay: float) -> None:
    if not 0 <= decay < float("inf"):
        raise OptionError(f"decay={decay}: expected a finite number of at least 0")


Reader = Centroids | Likelihood
