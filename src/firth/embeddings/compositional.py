"""Composition of phrase vectors from word vectors: the tensor indexing model.

What: a frequent phrase such as `hot_dog` can have a vector trained like that of a word. From such phrases the model
learns a function that composes a phrase vector from the vectors of its two words, for rare and unseen phrases. Each
type of phrase (adjective and noun, noun and noun, verb and object) has its own function.

Objective, for words x and y of a phrase with vector z:

    f(x, y)_i = x^T W_i y + (M x)_i + (N y)_i,      W_i = U_i^T V_i + c_i I,      U_i, V_i of R rows

    J = mean E(f(x, y), z) + l2 (sum_i ||U_i||^2 + ||V_i||^2 + c_i^2 + ||M - m I||^2 + ||N - n I||^2)

    squares:  E = ||z - f(x, y)||^2
    ranking:  E = - log exp(s f(x, y) . z) / sum_j exp(s f(x, y) . z_j),   j over a group of phrases, s = 20

with m and n the two numbers for which m x + n y is closest to z. Vectors are normalised to unit length first.

Source: Zhao, Liu and Sun 2015, "Phrase type sensitive tensor indexing model for semantic composition", equations 3 to
6. Baselines: Mitchell and Lapata 2010, "Composition in distributional models of semantics", section 3: x + y, and x *
y.

Departures:
- The source minimises squared errors. That mainly fits the directions that all phrases share, and the phrase's own
  vector ranks lower among all phrases than for a plain sum; the ranking objective optimises this rank.
- The multiple c_i of the identity is learned; in the source it is fixed at 1.
- The linear part is regularised towards the best weighted sum, not towards zero: with little data the model is that
  sum.
- J is minimised over all phrases at once by L-BFGS.

Cost: 8 D^2 R flops per phrase and step, and 4 D G for ranking in groups of G; D (2 R D + 1) + 2 D^2 numbers per type.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import options
from firth.errors import OptionError, brief_repr
from firth.finite import check_finite
from firth.options import option, options_class
from firth.progress import Progress, Status, reporting
from firth.randomness import generator
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.vectors.cosine import unit
from firth.vectors.word_vectors import WordVectors

Pairs = Sequence[tuple[str, str]]
Matrix = npt.NDArray[np.float64]
Error = Callable[[Matrix], tuple[float, Matrix]]
SHARPNESS = 20.0  # s of the ranking
GROUP = 4096  # maximum number of phrases ranked against each other
PARTS = ("u", "v", "c", "m", "n")  # arrays of a tensor
KIND = "firth-composition"
ANY = ""  # the type of phrases without types


@options_class
class TensorIndexing:
    """Composition of phrase vectors by low-rank tensors.

    Raises:
        OptionError: an option is out of range.

    Source:
        Zhao, Liu and Sun 2015; the module's docstring has the formulas and departures.
    """

    rank: int = option(2, "rows of U_i and V_i", minimum=1)
    objective: str = option("ranking", "training objective", choices=("ranking", "squares"))
    l2: float = option(4e-3, "L2 regularisation: weight of the squared parameters", minimum=0)
    iterations: int = option(80, "maximum number of optimiser steps", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)

    def train(
        self,
        vectors: WordVectors,
        phrases: Pairs,
        types: Sequence[str] | None = None,
        *,
        delimiter: str = "_",
        seed: int = 0,
        progress: Progress = None,
    ) -> "Composition":
        """Learn composition from phrases with trained vectors.

        Args:
            vectors: vectors of words and phrases, from a corpus in which phrases are words (`firth.Phrases`).
            phrases: the two words of each phrase.
            types: the type of each phrase; default: one type for all.
            delimiter: text between the words of a phrase's name.
            seed: seed of the initial U and V.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            OptionError: there are no phrases, the number of types differs, or the rank is above the vectors' width.
            UnknownWordError: a phrase or one of its words has no vector.
        """
        if not isinstance(vectors, WordVectors):
            raise OptionError(
                f"found {type(vectors).__name__} {vectors!r:.60}; expected WordVectors of words and phrases: train "
                "them on a corpus in which phrases are words (firth.Phrases)"
            )
        types = [ANY] * len(phrases) if types is None else list(types)
        if not phrases or len(types) != len(phrases):
            raise OptionError(f"{len(phrases):,} phrases and {len(types):,} types: expected equal numbers, at least 1")
        if self.rank > vectors.dim:
            raise OptionError(f"rank={self.rank} for vectors of width {vectors.dim}: expected at most that")
        x, y, z = _sides(vectors, phrases, delimiter)
        tensors = {}
        with reporting(progress) as report:
            for name in dict.fromkeys(types):
                own = np.array([kind == name for kind in types])
                tensors[name] = self._fit(
                    x[own], y[own], z[own], seed, lambda steps, kind=name: report(_status(kind, steps))
                )
        return Composition(tensors, vectors)

    def _fit(self, x: Matrix, y: Matrix, z: Matrix, seed: int, report: Any) -> "Tensor":
        from scipy.optimize import minimize

        dim = x.shape[1]
        m, n = _best_sum(x, y, z)
        random = generator(seed, "tensors")
        scale = 1 / np.sqrt(dim * self.rank)
        u, v = (random.normal(0, scale, (dim, self.rank, dim)) for _ in range(2))
        start = Tensor(u, v, np.zeros(dim), m * np.eye(dim), n * np.eye(dim))
        groups = np.array_split(random.permutation(len(z)), -(-len(z) // GROUP))
        steps, single = 0, z.astype(np.float32)  # single precision takes half the time and changes no rank

        def error(composed: Matrix) -> tuple[float, Matrix]:
            return squares(composed, z) if self.objective == "squares" else ranking(composed, single, groups)

        def step(_: Any) -> None:
            nonlocal steps
            steps += 1
            report(steps)

        def slope(flat: Matrix) -> Any:
            return cost(Tensor.of(flat, dim, self.rank), start.linear, x, y, error, self.l2)

        settings: Any = {"jac": True, "method": "L-BFGS-B", "callback": step, "options": {"maxiter": self.iterations}}
        return Tensor.of(minimize(slope, start.flat(), **settings).x, dim, self.rank)


@dataclass(frozen=True, eq=False)
class Tensor:
    """Parameters of the composition function of one phrase type.

    Attributes:
        u: (D, R, D).
        v: (D, R, D).
        c: (D,).
        m: (D, D).
        n: (D, D).
    """

    u: Matrix
    v: Matrix
    c: Matrix
    m: Matrix
    n: Matrix

    @classmethod
    def of(cls, flat: Matrix, dim: int, rank: int) -> "Tensor":
        """Return the tensor of width D and rank R from its flat parameters."""
        shapes = [(dim, rank, dim), (dim, rank, dim), (dim,), (dim, dim), (dim, dim)]
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
        parts = [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), shapes, strict=True)]
        return cls(*parts)

    def flat(self) -> Matrix:
        """Return all parameters in one vector."""
        return np.concatenate([part.ravel() for part in vars(self).values()])

    @property
    def linear(self) -> tuple[Matrix, Matrix]:
        """M and N."""
        return self.m, self.n

    def full(self) -> Matrix:
        """Return all W_i, (D, D, D)."""
        dim = len(self.c)
        return np.asarray(np.einsum("irj,irk->ijk", self.u, self.v) + self.c[:, None, None] * np.eye(dim))

    def __call__(self, x: Matrix, y: Matrix) -> Matrix:
        """Return f(x, y), (B, D), for (B, D) vectors each."""
        # f_i = (U_i x) . (V_i y) + c_i x . y + (M x + N y)_i
        a, b = self.products(x, y)
        return np.asarray((a * b).sum(2) + (x * y).sum(1)[:, None] * self.c + x @ self.m.T + y @ self.n.T)

    def products(self, x: Matrix, y: Matrix) -> list[Matrix]:
        """Return U_i x and V_i y for all i, (B, D, R) each."""
        dim, rank, _ = self.u.shape
        sides = ((x, self.u), (y, self.v))
        return [(side @ w.reshape(dim * rank, dim).T).reshape(-1, dim, rank) for side, w in sides]


def squares(composed: Matrix, z: Matrix) -> tuple[float, Matrix]:
    """Return the mean of ||z - f||^2 and its derivative by f, (B, D)."""
    error = composed - z
    return float((error**2).sum() / len(z)), 2 * error / len(z)


def ranking(
    composed: Matrix, z: npt.NDArray[np.floating], groups: Sequence[npt.NDArray[np.int64]]
) -> tuple[float, Matrix]:
    """Return the mean of - log softmax(s f . z) of each phrase among those of its group, and its derivative by f.

    Args:
        composed: (B, D) composed vectors f.
        z: (B, D) phrase vectors; scores are computed in their precision.
        groups: indices of the phrases of each group.
    """
    loss, slope = 0.0, np.empty_like(composed)
    for group in groups:
        own = np.arange(len(group))
        scores = (SHARPNESS * composed[group]).astype(z.dtype) @ z[group].T
        scores -= scores.max(axis=1, keepdims=True)
        loss -= float(scores[own, own].sum(dtype=np.float64))
        np.exp(scores, out=scores)
        sums = scores.sum(axis=1, keepdims=True, dtype=np.float64)
        loss += float(np.log(sums).sum())
        scores /= sums.astype(z.dtype)
        # d loss / d score = softmax - 1 for the phrase itself
        scores[own, own] -= 1
        slope[group] = scores @ z[group]
    return loss / len(z), slope * (SHARPNESS / len(z))


def cost(
    tensor: Tensor, towards: tuple[Matrix, Matrix], x: Matrix, y: Matrix, error: Error, l2: float
) -> tuple[float, Matrix]:
    """Return J and its derivative by every parameter of a tensor.

    Args:
        towards: m I and n I, towards which M and N are regularised.
        x: (B, D) first words.
        y: (B, D) second words.
        error: returns E of f(x, y) and its derivative.
    """
    a, b = tensor.products(x, y)
    dots = (x * y).sum(1)
    value, g = error((a * b).sum(2) + dots[:, None] * tensor.c + x @ tensor.m.T + y @ tensor.n.T)
    dim, rank, _ = tensor.u.shape
    du = (g[:, :, None] * b).reshape(-1, dim * rank).T @ x
    dv = (g[:, :, None] * a).reshape(-1, dim * rank).T @ y
    penalty = Tensor(tensor.u, tensor.v, tensor.c, tensor.m - towards[0], tensor.n - towards[1]).flat()
    slope = Tensor(du.reshape(tensor.u.shape), dv.reshape(tensor.v.shape), g.T @ dots, g.T @ x, g.T @ y).flat()
    return float(value + l2 * penalty @ penalty), slope + 2 * l2 * penalty


@dataclass(frozen=True, eq=False)
class Composition:
    """Learned composition functions, the result of `TensorIndexing.train`.

    Attributes:
        tensors: one function per phrase type.
        vectors: word vectors.
    """

    tensors: dict[str, Tensor]
    vectors: WordVectors

    __repr__ = brief_repr

    @property
    def metadata(self) -> dict[str, Any]:
        """Facts that are saved with the model: those of its word vectors."""
        return self.vectors.metadata

    def compose(self, phrases: Pairs, types: Sequence[str] | None = None) -> npt.NDArray[np.float32]:
        """Return one vector per phrase, (B, D).

        Args:
            phrases: the two words of each phrase.
            types: the type of each phrase; optional if only one was trained.

        Raises:
            OptionError: a type was not trained, or several were and `types` is None.
            UnknownWordError: a word has no vector.
        """
        if types is None and len(self.tensors) > 1:
            raise OptionError(f"types=None: expected the type of each phrase, one of {', '.join(self.tensors)}")
        types = [next(iter(self.tensors))] * len(phrases) if types is None else list(types)
        if unknown := sorted(set(types) - set(self.tensors)):
            raise OptionError(f"type {unknown[0]!r}: expected one of {', '.join(self.tensors)}")
        x, y = (_units(self.vectors, [pair[side] for pair in phrases]) for side in range(2))
        composed = np.zeros_like(x)
        for name, tensor in self.tensors.items():
            own = np.array([kind == name for kind in types])
            composed[own] = tensor(x[own], y[own])
        with np.errstate(over="ignore"):  # checked below
            result = composed.astype(np.float32)
        check_finite(result, self, phrases, "phrase")
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save functions and word vectors as a folder that `firth.load` maps into memory.

        Raises:
            OptionError: the path is a folder with other content, or the metadata is not JSON.
            OSError: the folder cannot be written.
        """
        parts = {part: np.stack([getattr(tensor, part) for tensor in self.tensors.values()]) for part in PARTS}
        content = ModelFolder(
            kind=KIND,
            arrays={"vectors": self.vectors.vectors, **parts},
            texts={"vocab": self.vectors.words, "types": list(self.tensors)},
            metadata=self.metadata,
            card=f"# Composition of phrases\n\nTensor indexing, {len(self.vectors):,} words x {self.vectors.dim}; "
            'made by [firth](https://pypi.org/project/firth/): `firth.load("this folder")`.\n',
        )
        model_folder.write(path, content)


def restore(content: ModelFolder) -> Composition:
    """Return the composition of a saved folder."""
    words, types = content.words(), content.words("types")
    vectors = content.array("vectors", (len(words), None))
    dim, count = vectors.shape[1], len(types)
    rank = content.array("u", (count, dim, None, dim)).shape[2]
    shapes = [(count, dim, rank, dim), (count, dim, rank, dim), (count, dim), (count, dim, dim), (count, dim, dim)]
    parts = [content.array(part, shape) for part, shape in zip(PARTS, shapes, strict=True)]
    tensors = {name: Tensor(*(part[i] for part in parts)) for i, name in enumerate(types)}
    return Composition(tensors, WordVectors(words, vectors, metadata=content.metadata))


def additive(vectors: WordVectors, phrases: Pairs) -> npt.NDArray[np.float32]:
    """Return x + y of the unit vectors of each phrase's words, (B, D): the additive baseline."""
    x, y = (_units(vectors, [pair[side] for pair in phrases]) for side in range(2))
    return (x + y).astype(np.float32)


def multiplicative(vectors: WordVectors, phrases: Pairs) -> npt.NDArray[np.float32]:
    """Return x * y, elementwise, of the unit vectors of each phrase's words, (B, D): the multiplicative baseline."""
    x, y = (_units(vectors, [pair[side] for pair in phrases]) for side in range(2))
    return (x * y).astype(np.float32)


def reciprocal_ranks(
    composed: npt.NDArray[np.floating], vectors: WordVectors, phrases: Pairs, candidates: Pairs, *, delimiter: str = "_"
) -> npt.NDArray[np.float64]:
    """Return the reciprocal rank of each phrase's own vector among all candidates, by cosine to the composed vector.

    Args:
        composed: (B, D) composed vectors.
        vectors: vectors of phrases.
        phrases: the B composed phrases.
        candidates: the phrases to rank, including the composed ones.
        delimiter: as in `TensorIndexing.train`.

    Raises:
        UnknownWordError: a phrase has no vector.
    """
    rows = _units(vectors, [delimiter.join(pair) for pair in candidates])
    column_of = {pair: i for i, pair in enumerate(candidates)}
    scores = unit(np.asarray(composed, dtype=np.float64)) @ rows.T
    own = scores[np.arange(len(phrases)), [column_of[pair] for pair in phrases]]
    return np.asarray(1 / (1 + (scores > own[:, None]).sum(1)))


def _sides(vectors: WordVectors, phrases: Pairs, delimiter: str) -> tuple[Matrix, Matrix, Matrix]:
    x, y = (_units(vectors, [pair[side] for pair in phrases]) for side in range(2))
    return x, y, _units(vectors, [delimiter.join(pair) for pair in phrases])


def _units(vectors: WordVectors, words: Sequence[str]) -> Matrix:
    return np.asarray(unit(np.asarray(vectors.get_vector(list(words)), dtype=np.float64)), dtype=np.float64)


def _best_sum(x: Matrix, y: Matrix, z: Matrix) -> tuple[float, float]:
    """Return m and n for which m x + n y is closest to z."""
    xy, xx, yy = (x * y).sum(), (x * x).sum(), (y * y).sum()
    m, n = np.linalg.lstsq(np.array([[xx, xy], [xy, yy]]), np.array([(x * z).sum(), (y * z).sum()]), rcond=None)[0]
    return float(m), float(n)


def _status(kind: str, steps: int) -> Status:
    return Status(stage=f"learning to compose {kind}".rstrip(), done=steps, unit="steps")
