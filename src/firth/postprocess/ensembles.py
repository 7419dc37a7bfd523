"""Several models of the same words made one: their mean, or one behind the other.

What: the vectors of every model are brought to length 1 and weighted by a_m. `average` adds them up, the narrower ones
padded with zeros; `concatenate` writes them side by side, and may then keep the K numbers that hold most.

Objective: with x_m(w) the vector of w in model m,

    average      sum_m a_m x_m(w) / |x_m(w)|  over  sum_m a_m
    concatenate  [a_1 x_1(w) / |x_1(w)|; ...; a_M x_M(w) / |x_M(w)|],  then with `dim` U_K S_K of X = U S V^T

Source: Coates and Bollegala 2018, "Frustratingly easy meta-embedding", section 2 (average, zero padding); Yin and
Schuetze 2016, "Learning word meta-embeddings", sections 3.1 and 3.2 (weighted concatenation, and its SVD).

Departures: words are those that all models know, as in the sources, or by `words="union"` those that any knows: a model
that lacks a word then takes no part in its mean, and gives zeros to its concatenation. The SVD keeps the singular
values beside U, so that cosines stay as near to those of the concatenation as K numbers can be.

Cost: one pass over all matrices; the result, and for the SVD (sum_m D_m)^2 numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.postprocess.linear import spread_of
from firth.postprocess.recorded import Floats, Matrix, blocks, mapped, matrix_of, named
from firth.vectors.attributes import Attributes
from firth.vectors.lexicon import Lexicon
from firth.vectors.word_vectors import WordVectors


def average(
    models: Sequence[WordVectors], *, words: str = "common", weights: Sequence[float] | None = None
) -> WordVectors:
    """Return the mean of models.

    Args:
        models: two or more; their widths may differ.
        words: "common" takes the words that all of them know, "union" those that any does.
        weights: a_m, one a model; None weighs all the same.

    Returns:
        Vectors of the greatest width, of single precision unless a model has double. Counts are those of the first
        model that knows a word, other attributes and metadata the first model's.

    Raises:
        OptionError: there are fewer than two models, no common word, or an option is out of its range.
        FormatError: a vector is not finite.
    """
    plan = _planned(models, words, weights)
    made = np.zeros((len(plan.words), max(model.dim for model in models)), dtype=plan.dtype)
    for part in blocks(made):
        sums, mass = np.zeros((part.stop - part.start, made.shape[1])), np.zeros(part.stop - part.start)
        for rows, known, weight in plan.parts(part):
            sums[known, : rows.shape[1]] += weight * rows
            mass[known] += weight
        made[part] = sums / mass[:, None]
    return plan.vectors(made, {"step": "average", **plan.facts})


def concatenate(
    models: Sequence[WordVectors],
    *,
    words: str = "common",
    weights: Sequence[float] | None = None,
    dim: int | None = None,
) -> WordVectors:
    """Return the vectors of models one behind the other.

    Args:
        models: two or more; their widths may differ.
        words: "common" takes the words that all of them know, "union" those that any does.
        weights: a_m, one a model; None weighs all the same.
        dim: the width to reduce to, by the singular value decomposition; None keeps all numbers.

    Returns:
        Vectors as wide as all models together, or of `dim` numbers, of single precision unless a model has double.
        Counts, attributes and metadata are as in `average`.

    Raises:
        OptionError: there are fewer than two models, no common word, or an option is out of its range.
        FormatError: a vector is not finite.
    """
    plan = _planned(models, words, weights)
    ends = np.cumsum([model.dim for model in models])
    if dim is not None and not 1 <= dim <= ends[-1]:
        raise OptionError(f"dim={dim} of {ends[-1]} numbers in all: expected from 1 to {ends[-1]}")
    made = np.zeros((len(plan.words), ends[-1]), dtype=plan.dtype)
    for part in blocks(made):
        for end, (rows, known, weight) in zip(ends, plan.parts(part), strict=True):
            made[part][known, end - rows.shape[1] : end] = weight * rows
    facts = dict(plan.facts)
    if dim is not None:
        spread = spread_of(made, centred=False)
        facts |= {"dim": dim, "rank": spread.rank, "share_kept": spread.kept(dim)}
        kept = spread.directions[:, :dim]  # V_K: X V_K = U_K S_K
        made = mapped(made, dim, lambda rows, _: rows @ kept)
    return plan.vectors(made, {"step": "concatenate", **facts})


@dataclass(frozen=True)
class _Plan:
    """Which words there will be, and where each model has them: rows (V',) a model, -1 where it lacks a word."""

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
        """Yield of each model the unit vectors of those words of a block that it knows, which these are, a_m."""
        for model, rows, weight in zip(self.models, self.rows, self.weights, strict=True):
            known = rows[part] >= 0
            found = model.vectors[rows[part][known]].astype(np.float64)
            lengths = np.linalg.norm(found, axis=1, keepdims=True)
            yield found / np.where(lengths > 0, lengths, 1), known, weight

    def vectors(self, matrix: Matrix, entry: dict[str, Any]) -> WordVectors:
        first = self.models[0]
        attributes = Attributes(len(first))
        for name, values in first.attributes.items():
            attributes.put(name, values)
        taken = attributes.taken(self.rows[0])
        if first.counts is not None:
            taken.put("count", self._counts())
        return named(Lexicon(self.words), matrix, taken, first.metadata, entry)

    def _counts(self) -> npt.NDArray[np.int64]:
        counts = np.full(len(self.words), -1, dtype=np.int64)
        for model, rows in zip(self.models, self.rows, strict=True):
            if model.counts is not None:
                fresh = (counts < 0) & (rows >= 0)
                counts[fresh] = model.counts[rows[fresh]]
        return np.maximum(counts, 0)


def _planned(models: Sequence[WordVectors], words: str, weights: Sequence[float] | None) -> _Plan:
    if len(models) < 2:
        raise OptionError(f"{len(models)} model: expected at least two to join")
    if words not in ("common", "union"):
        raise OptionError(f"words={words!r}: expected common or union")
    given = [1.0] * len(models) if weights is None else [float(weight) for weight in weights]
    if len(given) != len(models) or not all(0 < weight < np.inf for weight in given):
        raise OptionError(f"weights={given} for {len(models)} models: expected one a model, each above 0")
    for model in models:
        matrix_of(model)
    tables = [model.key_to_index for model in models]
    if words == "common":
        chosen = [word for word in models[0].words if all(word in table for table in tables[1:])]
        if not chosen:
            raise OptionError(
                f"no word that all {len(models)} models know: expected models of one language and one way of writing "
                "words; words='union' joins them all the same"
            )
    else:
        chosen = list(dict.fromkeys(word for model in models for word in model.words))
    rows = [np.array([table.get(word, -1) for word in chosen], dtype=np.int64) for table in tables]
    return _Plan(models, given, chosen, rows)
