"""Meta-embeddings: several models of the same words combined, by averaging or concatenation.

What: the vectors of each model are normalised to length 1 and weighted by a_m. `average` adds them, padding narrower
ones with zeros. `concatenate` joins them side by side and can then reduce them to K dimensions by SVD.

Objective: with x_m(w) the vector of w in model m,

    average      sum_m a_m x_m(w) / |x_m(w)|  over  sum_m a_m
    concatenate  [a_1 x_1(w) / |x_1(w)|; ...; a_M x_M(w) / |x_M(w)|],  then with `dim` U_K S_K of X = U S V^T

Source: Coates and Bollegala 2018, "Frustratingly easy meta-embedding", section 2 (average, zero padding); Yin and
Schuetze 2016, "Learning word meta-embeddings", sections 3.1 and 3.2 (weighted concatenation, and its SVD).

Departures: the words are those known to all models, as in the sources, or with `words="union"` those known to any
model: a model without a word is then left out of its mean and contributes zeros to its concatenation. U is multiplied
by the singular values, which approximates the cosines of the concatenation best.

Cost: one pass over all matrices. Memory: the result, and (sum_m D_m)^2 numbers for the SVD.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import OptionError
from firth.postprocess.linear import principal_components
from firth.postprocess.transforms import Floats, Matrix, blocks, checked_matrix, map_rows, with_entry
from firth.vectors.attributes import Attributes
from firth.vectors.lexicon import Lexicon
from firth.vectors.word_vectors import WordVectors


@explained
def average(
    models: Sequence[WordVectors], *, words: str = "common", weights: Sequence[float] | None = None
) -> WordVectors:
    """Return the weighted mean of several models.

    Args:
        models: two or more models; their dimensions may differ.
        words: "common" takes the words that all models know, "union" the words that any model knows.
        weights: a_m, one per model; None weights all models equally.

    Returns:
        Vectors of the largest dimension, in single precision unless a model has double. The count of a word comes from
        the first model that knows it; other attributes and metadata come from the first model.

    Raises:
        OptionError: there are fewer than two models, no common word, or an option is out of its range.
        FormatError: a vector is not finite.
    """
    plan = _plan(models, words, weights)
    matrix = np.zeros((len(plan.words), max(model.dim for model in models)), dtype=plan.dtype)
    for part in blocks(matrix):
        sums, mass = np.zeros((part.stop - part.start, matrix.shape[1])), np.zeros(part.stop - part.start)
        for rows, mask, weight in plan.parts(part):
            sums[mask, : rows.shape[1]] += weight * rows
            mass[mask] += weight
        matrix[part] = sums / mass[:, None]
    return plan.vectors(matrix, {"step": "average", **plan.facts})


@explained
def concatenate(
    models: Sequence[WordVectors],
    *,
    words: str = "common",
    weights: Sequence[float] | None = None,
    dim: int | None = None,
) -> WordVectors:
    """Return the concatenated vectors of several models.

    Args:
        models: two or more models; their dimensions may differ.
        words: "common" takes the words that all models know, "union" the words that any model knows.
        weights: a_m, one per model; None weights all models equally.
        dim: dimension after reduction by singular value decomposition; None does not reduce.

    Returns:
        Vectors whose dimension is `dim` or else the sum of all dimensions, in single precision unless a model has
        double. Counts, attributes and metadata are as in `average`.

    Raises:
        OptionError: there are fewer than two models, no common word, or an option is out of its range.
        FormatError: a vector is not finite.
    """
    plan = _plan(models, words, weights)
    ends = np.cumsum([model.dim for model in models])
    if dim is not None and not 1 <= dim <= ends[-1]:
        raise OptionError(f"dim={dim}: expected 1 to {ends[-1]}, the sum of the models' dimensions")
    matrix = np.zeros((len(plan.words), ends[-1]), dtype=plan.dtype)
    for part in blocks(matrix):
        for end, (rows, mask, weight) in zip(ends, plan.parts(part), strict=True):
            matrix[part][mask, end - rows.shape[1] : end] = weight * rows
    facts = dict(plan.facts)
    if dim is not None:
        pca = principal_components(matrix, centred=False)
        facts |= {"dim": dim, "rank": pca.rank, "share_kept": pca.explained(dim)}
        top = pca.directions[:, :dim]  # V_K: X V_K = U_K S_K
        matrix = map_rows(matrix, dim, lambda rows, _: rows @ top)
    return plan.vectors(matrix, {"step": "concatenate", **facts})


@dataclass(frozen=True)
class _Plan:
    """The words of the result, and (V',) their rows in each model, -1 for unknown words."""

    models: Sequence[WordVectors]
    weights: Sequence[float]
    words: list[str]
    rows: Sequence[npt.NDArray[np.int64]]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.result_type(np.float32, *(model.vectors.dtype for model in self.models))

    @property
    def facts(self) -> dict[str, Any]:
        missing = [int((rows < 0).sum()) for rows in self.rows]
        return {
            "models": [str(model.metadata.get("name", "vectors")) for model in self.models],
            "dims": [model.dim for model in self.models],
            "weights": [float(weight) for weight in self.weights],
            "words": len(self.words),
            "words_missing": missing,
        }

    def parts(self, part: slice) -> Iterator[tuple[Floats, npt.NDArray[np.bool_], float]]:
        """Yield for each model the unit vectors of the known words of a block, the mask of these words, and a_m."""
        for model, rows, weight in zip(self.models, self.rows, self.weights, strict=True):
            mask = rows[part] >= 0
            vectors = model.vectors[rows[part][mask]].astype(np.float64)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            yield vectors / np.where(lengths > 0, lengths, 1), mask, weight

    def vectors(self, matrix: Matrix, entry: dict[str, Any]) -> WordVectors:
        first = self.models[0]
        attributes = Attributes(len(first))
        for name, values in first.attributes.items():
            attributes.put(name, values)
        columns = attributes.take(self.rows[0])
        if first.counts is not None:
            columns.put("count", self._counts())
        return with_entry(Lexicon(self.words), matrix, columns, first.metadata, entry)

    def _counts(self) -> npt.NDArray[np.int64]:
        counts = np.full(len(self.words), -1, dtype=np.int64)
        for model, rows in zip(self.models, self.rows, strict=True):
            if model.counts is not None:
                fresh = (counts < 0) & (rows >= 0)
                counts[fresh] = model.counts[rows[fresh]]
        return np.maximum(counts, 0)


def _plan(models: Sequence[WordVectors], words: str, weights: Sequence[float] | None) -> _Plan:
    if len(models) < 2:
        raise OptionError(f"{len(models)} model: expected at least two")
    if words not in ("common", "union"):
        raise OptionError(f"words={words!r}: expected common or union")
    factors = [1.0] * len(models) if weights is None else [float(weight) for weight in weights]
    if len(factors) != len(models) or not all(0 < weight < np.inf for weight in factors):
        raise OptionError(f"weights={factors} for {len(models)} models: expected one per model, each above 0")
    for model in models:
        checked_matrix(model)
    tables = [model.key_to_index for model in models]
    if words == "common":
        vocabulary = [word for word in models[0].words if all(word in table for table in tables[1:])]
        if not vocabulary:
            raise OptionError(
                f"the {len(models)} models have no word in common: expected one language and one spelling; "
                "words='union' combines them anyway"
            )
    else:
        vocabulary = list(dict.fromkeys(word for model in models for word in model.words))
    rows = [np.array([table.get(word, -1) for word in vocabulary], dtype=np.int64) for table in tables]
    return _Plan(models, factors, vocabulary, rows)
