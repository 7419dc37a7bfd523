"""Maps into a shared space, learned from pairs of rows.

What: each side is normalised and multiplied by a matrix. One of four methods learns the two matrices from pairs of
rows; all methods are built from the same few steps.

Objective: X and Z are (P, D) and (P, E), the normalised rows of P pairs. With X^T Z = U S V^T:

    orthogonal       A = U V^T, C = I           minimises the sum of |x A - z|^2 over orthogonal A
    least-squares    A = X^+ Z, C = I           minimises it over all A
    cca              A = (X^T X)^(-1/2) U, C = (Z^T Z)^(-1/2) V, with U and V of the whitened rows
    weighted         A = (X^T X)^(-1/2) U S^w U^T (X^T X)^(1/2) U, and C likewise of Z and V: rows are whitened,
                     rotated, weighted by the correlation of the two sides, and de-whitened, each side by itself

Source: Schoenemann 1966 and Xing, Wang, Liu and Lin 2015 (orthogonal); Mikolov, Le and Sutskever 2013, "Exploiting
similarities among languages for machine translation" (least squares); Faruqui and Dyer 2014 (CCA); Artetxe, Labaka and
Agirre 2018, "Generalizing and improving bilingual word embedding mappings with a multi-step framework of linear
transformations", table 1 and section 3: normalisation, whitening, mapping, re-weighting, de-whitening, reduction.

Departures: matrices are computed in double precision. Whitening raises an error if the pairs do not span all
dimensions.

Cost: 2 P D E flops and a decomposition of (D, E); 2 V D K for the V rows of one side.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError
from firth.vectors.cosine import unit

Matrix = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

NORMALISATIONS = {
    "none": (),
    "unit": ("unit",),
    "unit-centre": ("unit", "centre"),
    "unit-centre-unit": ("unit", "centre", "unit"),
}
BLOCK = 2**13  # rows mapped at once


@dataclass(frozen=True)
class Placement:
    """Normalisation and map of one side into the shared space.

    Attributes:
        normalisation: one of `NORMALISATIONS`.
        mean: (D,) subtracted by centring.
        matrix: (D, K) the map of the normalised rows.
    """

    normalisation: str
    mean: Floats
    matrix: Floats

    def apply(self, rows: Matrix) -> npt.NDArray[np.float32]:
        """Return the rows (n, D) mapped into the shared space, (n, K).

        Raises:
            ShapeError: the dimension differs.
        """
        if rows.ndim != 2 or rows.shape[1] != len(self.mean):
            raise ShapeError(f"vectors of shape {rows.shape}: expected rows of dimension {len(self.mean)}")
        mapped = np.empty((len(rows), self.matrix.shape[1]), dtype=np.float32)
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            mapped[part] = _normalised(rows[part], self.normalisation, self.mean) @ self.matrix
        return mapped


def normalise(rows: Matrix, method: str) -> tuple[npt.NDArray[np.float32], Floats]:
    """Return all rows of one side normalised, (V, D), and the mean that was subtracted, (D,)."""
    if method not in NORMALISATIONS:
        raise OptionError(f"normalise={method!r}: expected one of {', '.join(NORMALISATIONS)}")
    mean = np.zeros(rows.shape[1])
    if "centre" in NORMALISATIONS[method]:
        for start in range(0, len(rows), BLOCK):
            mean += unit(rows[start : start + BLOCK]).sum(axis=0, dtype=np.float64) / len(rows)
    return _normalised(rows, method, mean).astype(np.float32, copy=False), mean


def _normalised(rows: Matrix, method: str, mean: Floats) -> Matrix:
    for step in NORMALISATIONS[method]:
        rows = unit(rows) if step == "unit" else rows - mean
    return np.asarray(rows)


def orthogonal(x: Matrix, z: Matrix) -> tuple[Floats, Floats]:
    """Return the orthogonal map of `x` (P, D) nearest to `z` (P, D), and the identity."""
    if x.shape[1] != z.shape[1]:
        raise OptionError(
            f"vectors of dimensions {x.shape[1]} and {z.shape[1]}: an orthogonal map needs equal dimensions; use "
            "method='least-squares', 'cca' or 'weighted', or reduce the larger dimension"
        )
    u, _, vt = np.linalg.svd(_double(x).T @ _double(z))
    return u @ vt, np.eye(len(vt))


def least_squares(x: Matrix, z: Matrix) -> tuple[Floats, Floats]:
    """Return the linear map of `x` (P, D) nearest to `z` (P, E), and the identity."""
    _whitening(x, "source")  # raises an error if the solution is not unique
    return np.asarray(np.linalg.lstsq(_double(x), _double(z), rcond=None)[0]), np.eye(z.shape[1])


def canonical(x: Matrix, z: Matrix) -> tuple[Floats, Floats]:
    """Return the maps (D, K) and (E, K) to the canonical directions of `x` (P, D) and `z` (P, E); K = min(D, E)."""
    (whiten_x, _), (whiten_z, _) = _whitening(x, "source"), _whitening(z, "target")
    u, _, v = cross_svd(x @ whiten_x, z @ whiten_z)
    return whiten_x @ u, whiten_z @ v


def weighted(x: Matrix, z: Matrix, weight: float = 0.5) -> tuple[Floats, Floats]:
    """Return the maps (D, K) and (E, K) that rotate both sides and re-weight their directions; K = min(D, E).

    Args:
        x: (P, D) source rows.
        z: (P, E) target rows.
        weight: w, the exponent of the correlations; 0.5 on both sides is symmetric.
    """
    (whiten_x, colour_x), (whiten_z, colour_z) = _whitening(x, "source"), _whitening(z, "target")
    u, s, v = cross_svd(x @ whiten_x, z @ whiten_z)
    scale = s**weight
    return whiten_x @ (u * scale) @ (u.T @ colour_x @ u), whiten_z @ (v * scale) @ (v.T @ colour_z @ v)


METHODS: dict[str, Callable[[Matrix, Matrix], tuple[Floats, Floats]]] = {
    "orthogonal": orthogonal,
    "least-squares": least_squares,
    "cca": canonical,
    "weighted": weighted,
}


def _double(rows: Matrix) -> Floats:
    return np.asarray(rows, dtype=np.float64)


def cross_svd(x: Matrix, z: Matrix) -> tuple[Floats, Floats, Floats]:
    """Return U (D, K), S (K,) and V (E, K) of X^T Z in descending order of S."""
    u, s, vt = np.linalg.svd(_double(x.T @ z), full_matrices=False)
    return u, s, vt.T


def _whitening(rows: Matrix, side: str) -> tuple[Floats, Floats]:
    """Return (X^T X)^(-1/2) and (X^T X)^(1/2) of rows (P, D), which must have rank D."""
    _, s, vt = np.linalg.svd(_double(rows), full_matrices=False)
    rank = int((s > s.max(initial=0.0) * max(rows.shape) * np.finfo(np.float32).eps).sum())
    if rank < rows.shape[1]:
        raise OptionError(
            f"{len(rows):,} pairs whose {side} vectors span {rank} of {rows.shape[1]} dimensions: expected all; give "
            "more pairs, or use method='orthogonal'"
        )
    return (vt.T / s) @ vt, (vt.T * s) @ vt
