"""Readers: score the senses of a word in a context, by sense centres or by the likelihood of the context.

What: a reader gives each sense a log score for the words around an occurrence. `firth.vectors.sense_vectors` adds the
log prior of the sense and normalises the sums to probabilities.

Objective: for the context words c_1 ... c_M of an occurrence and a sense s,

    Centroids     cos( sum_i weight(c_i) / d_i^decay context(c_i), centre(s) ) / temperature
    Likelihood    sum_i log p(c_i | s) / d_i^decay

with d_i the distance from the occurrence to c_i in words (1 where it is unknown), and p the hierarchical softmax over a
tree; with negative sampling, u_{c_i} . v_s replaces log p.

Source: Huang et al. 2012, Improving word representations via global context and multiple word prototypes, section 3,
and Neelakantan et al. 2014, Efficient non-parametric estimation of multiple embeddings per word in vector space,
section 4, for centres; Bartunov et al. 2016, Breaking sticks and ambiguities with adaptive skip-gram, section 3, for
likelihoods.

Departures: both papers on centres choose the nearest one. A cosine divided by the temperature is the exponent of a von
Mises-Fisher density of concentration 1 / temperature, so it can be combined with a prior. When negative sampling has
converged, u_c . v_s = log p(c | s) - log K q(c), and the last term is the same for all senses.

Cost: M E for context vectors of E numbers; a path or a row of D numbers for every context word and sense.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError
from firth.kernels.trees import Tree
from firth.storage.model_folder import ModelFolder
from firth.vectors.cosine import Matrix, Rows, unit

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contexts:
    """The words around B occurrences, as rows of a vocabulary.

    Attributes:
        ids: (N,) int64, the word ids of all contexts, one after the other.
        offsets: (B + 1,) int64, the start of each context; the last is N.
        distances: (N,) distance of each word from the occurrence in words, 1 for the next one; None if unknown.
    """

    ids: Rows
    offsets: Rows
    distances: Rows | None = None

    @classmethod
    def of(cls, contexts: Sequence[Sequence[int]]) -> "Contexts":
        """Return contexts from a list of lists of word ids."""
        offsets = np.cumsum([0, *map(len, contexts)])
        return cls(np.array([row for context in contexts for row in context], np.int64), offsets.astype(np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def renumbered(self, rows: Rows) -> "Contexts":
        """Return the contexts with the ids of another vocabulary.

        Args:
            rows: the new id of each old id; -1 drops the word.
        """
        return Contexts(rows[self.ids], self.offsets, self.distances).in_vocabulary()

    def in_vocabulary(self) -> "Contexts":
        """Return the contexts without words of id -1."""
        has = self.ids >= 0
        ends = np.concatenate([[0], np.cumsum(has)])
        distances = None if self.distances is None else self.distances[has]
        return Contexts(self.ids[has], ends[self.offsets], distances)

    def beside(self, positions: Rows) -> "Contexts":
        """Return the words around one word of each context, with their distances from it.

        Args:
            positions: (B,) index of that word in its context.

        Raises:
            OptionError: an index is outside its context.
        """
        lengths = np.diff(self.offsets)
        if positions.shape != lengths.shape or not ((positions >= 0) & (positions < lengths)).all():
            raise OptionError(
                f"place={positions.tolist()}, contexts of {lengths.tolist()} tokens: expected indices of tokens"
            )
        centres = np.repeat(self.offsets[:-1] + positions, lengths)
        distances = np.abs(np.arange(len(self.ids)) - centres)
        return Contexts(np.where(distances > 0, self.ids, -1), self.offsets, distances).in_vocabulary()

    def sums(self, weights: npt.NDArray[Any], matrix: npt.NDArray[Any], decay: float = 0.0) -> npt.NDArray[Any]:
        """Return the weighted sum of the rows of each context, (B, E).

        Args:
            weights: (V,).
            matrix: (V, E).
        """
        from scipy.sparse import csr_array  # imported here so that loading senses does not import SciPy

        shape = len(self), len(matrix)
        values = weights[self.ids]
        if decay and self.distances is not None:
            values = values / self.distances**decay
        bags = csr_array((values.astype(matrix.dtype), self.ids, self.offsets), shape=shape)
        return np.asarray(bags @ matrix)


@dataclass(frozen=True, eq=False)
class Centroids:
    """Scores a sense by the cosine of its centre with the average of the context.

    Attributes:
        context_vectors: (V, E) vectors of context words.
        weights: (V,) weights of context words; 0 leaves a word out.
        centres: (S, E) centres of the senses, of any length.
        temperature: divisor of the cosines; the smaller, the less the prior counts.
        decay: context words are weighted down by their distance, if known, to this power.

    Raises:
        OptionError: the temperature is not above 0, or the decay is negative.
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
                f"{self.centres.shape}: expected one weight per context vector, and equal widths"
            )

    def check(self, words: int, senses: int, dim: int) -> None:
        """Check that the reader fits a model of V words and S senses; the centres may have another width than D.

        Raises:
            ShapeError: it does not.
        """
        if (len(self.context_vectors), len(self.centres)) != (words, senses):
            raise ShapeError(
                f"{len(self.context_vectors)} context vectors and {len(self.centres)} centres for {words} words of "
                f"{senses} senses: expected one context vector per word and one centre per sense"
            )

    def scores(self, contexts: Contexts, rows: Rows, vectors: Matrix) -> Floats:
        """Return the log score of n senses in B contexts, (B, n); zeros for a context without weighted words.

        Args:
            rows: (n,) rows of the senses.
            vectors: (n, D) sense vectors; not used here.
        """
        means = unit(contexts.sums(self.weights, self.context_vectors, self.decay))
        centres = unit(self.centres[rows])
        return np.asarray(np.matmul(means, centres.T) / self.temperature, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Scores a sense by the log likelihood of the context words.

    Attributes:
        outputs: output vectors of the model: one per tree node, (V - 1, D) or more, or one per word, (V, D).
        tree: paths of the words; None for output vectors of negative sampling.
        decay: context words are weighted down by their distance, if known, to this power.

    Raises:
        OptionError: the decay is negative.
    """

    outputs: Matrix
    tree: Tree | None = None
    decay: float = 0.0

    def __post_init__(self) -> None:
        _check_decay(self.decay)

    def check(self, words: int, senses: int, dim: int) -> None:
        """Check that the reader fits a model of V words and S senses of width D.

        Raises:
            ShapeError: it does not.
        """
        paths = words if self.tree is None else len(self.tree.starts) - 1
        rows = words if self.tree is None else int(self.tree.nodes.max(initial=-1)) + 1
        if self.outputs.ndim != 2 or self.outputs.shape[1] != dim or len(self.outputs) < rows or paths != words:
            raise ShapeError(
                f"output vectors {self.outputs.shape} and {paths} paths for {words} words: expected ({rows}, {dim}) "
                "and one path per word"
            )

    def scores(self, contexts: Contexts, rows: Rows, vectors: Matrix) -> Floats:
        """Return the log score of n senses in B contexts, (B, n); zeros for an empty context.

        Args:
            rows: (n,) rows of the senses; not used here.
            vectors: (n, D) sense vectors.
        """
        words, inverse = np.unique(contexts.ids, return_inverse=True)
        table = self._word_scores(words, vectors)
        distinct = Contexts(inverse.ravel(), contexts.offsets, contexts.distances)
        return np.asarray(distinct.sums(np.ones(len(words)), table, self.decay))

    def _word_scores(self, words: Rows, vectors: Matrix) -> Floats:
        """(U, n) log p(word | sense); with negative sampling plus a constant that is the same for all senses."""
        if self.tree is None:
            return np.asarray(np.matmul(self.outputs[words], vectors.T), dtype=np.float64)
        lengths = self.tree.lengths[words]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        steps = np.repeat(self.tree.starts[words] - starts[:-1], lengths) + np.arange(starts[-1])
        nodes, inverse = np.unique(self.tree.nodes[steps], return_inverse=True)
        scores = np.matmul(self.outputs[nodes], vectors.T).astype(np.float64)[inverse.ravel()]
        turns = -np.logaddexp(0, -self.tree.signs[steps, None] * scores)  # log sigma
        return Contexts(np.arange(starts[-1]), starts).sums(np.ones(starts[-1]), turns)


def _check_decay(decay: float) -> None:
    if not 0 <= decay < float("inf"):
        raise OptionError(f"decay={decay}: expected a finite number of at least 0")


Reader = Centroids | Likelihood


KIND = "firth-senses"
Arrays = dict[str, npt.NDArray[Any]]


def reader_parts(reader: Reader | None) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of a reader, and its settings for config.json."""
    if reader is None:
        return {}, {"kind": "none"}
    if isinstance(reader, Centroids):
        arrays: Arrays = {
            "context_vectors": reader.context_vectors,
            "context_weights": np.asarray(reader.weights, dtype=np.float32),
            "centres": reader.centres,
        }
        return arrays, {"kind": "centroids", "temperature": float(reader.temperature), "decay": float(reader.decay)}
    arrays = {"outputs": reader.outputs}
    if reader.tree is not None:
        starts, nodes, signs = reader.tree.starts, reader.tree.nodes, reader.tree.signs
        arrays |= {"tree_starts": starts, "tree_nodes": nodes, "tree_signs": signs}
    return arrays, {"kind": "likelihood", "decay": float(reader.decay)}


def read_reader(content: ModelFolder, words: int, senses: int) -> Reader | None:
    """Return the reader saved in a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    facts = content.config.get("reader")
    kind = facts.get("kind") if isinstance(facts, dict) else None
    if kind == "none":
        return None
    temperature, decay = (facts.get(name) if isinstance(facts, dict) else None for name in ("temperature", "decay"))
    if kind == "likelihood" and isinstance(decay, float):
        return Likelihood(content.array("outputs", (None, None)), _tree(content, words), decay)
    if kind != "centroids" or not isinstance(temperature, float) or not isinstance(decay, float):
        raise content.damaged(f"reader {facts} in config.json; expected one of none, centroids, likelihood")
    return Centroids(
        content.array("context_vectors", (words, None)),
        content.array("context_weights", (words,)),
        content.array("centres", (senses, None)),
        temperature,
        decay,
    )


def _tree(content: ModelFolder, words: int) -> Tree | None:
    if "tree_starts" not in content.arrays:
        return None
    nodes = content.numbers("tree_nodes", (None,), len(content.array("outputs", (None, None))))
    starts, signs = content.offsets("tree_starts", words, len(nodes)), content.array("tree_signs", (len(nodes),))
    if (np.abs(signs) != 1).any():
        raise content.damaged("a tree with a turn other than 1 and -1")
    return Tree(starts, nodes, signs)


def card(facts: Mapping[str, int], word: str) -> str:
    """Return the model card: a table of facts, and code that looks up a word with several senses."""
    rows = "".join(f"| {key} | {value} |\n" for key, value in facts.items())
    return (
        "---\nlibrary_name: firth\ntags: [word-embeddings, word-senses]\n---\n\n# Vectors of senses\n\n"
        f"| fact | value |\n|---|---|\n{rows}\n"
        f'```python\nimport firth\n\nsenses = firth.load("this/folder")\nsenses.senses({json.dumps(word)})\n```\n'
    )
