"""How the vectors of one side come into the space that both sides share.

What: each side is normalised and multiplied by a matrix. The matrices come out of pairs of rows that belong together,
by one of four methods, each made of the same few steps.

Objective: X and Z are (P, D) and (P, E), the normalised rows of P pairs. With X^T Z = U S V^T:

    orthogonal       A = U V^T, C = I           the least sum of |x A - z|^2 of all orthogonal A
    least-squares    A = X^+ Z, C = I           the least of all A
    cca              A = (X^T X)^(-1/2) U, C = (Z^T Z)^(-1/2) V, with U and V of the whitened rows
    weighted         A = (X^T X)^(-1/2) U S^w U^T (X^T X)^(1/2) U, and C likewise of Z and V: rows are whitened, turned,
                     weighted by how much the two sides have in common, and de-whitened, each side by itself

Source: Schoenemann 1966 and Xing, Wang, Liu and Lin 2015 (orthogonal); Mikolov, Le and Sutskever 2013, "Exploiting
similarities among languages for machine translation" (least squares); Faruqui and Dyer 2014 (CCA); Artetxe, Labaka and
Agirre 2018, "Generalizing and improving bilingual word embedding mappings with a multi-step framework of linear
transformations", table 1 and section 3: normalisation, whitening, mapping, re-weighting, de-whitening, reduction.

Departures: matrices are found in double precision. Whitening that pairs do not determine, because they are fewer than
directions, is refused instead of made up.

Cost: 2 P D E flops and a decomposition of (D, E); 2 V D K for the V rows of a side.
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
BLOCK = 2**13  # rows that are placed at once


@dataclass(frozen=True)
class Placement:
    """How vectors of one side come into the shared space.

    Attributes:
        normalisation: one of `NORMALISATIONS`.
        mean: (D,) what centring takes off.
        matrix: (D, K) what rows are then multiplied by.
    """

    normalisation: str
    mean: Floats
    matrix: Floats

    def place(self, rows: Matrix) -> npt.NDArray[np.float32]:
        """Return vectors in the shared space.

        Args:
            rows: (n, D) vectors as they were trained.

        Returns:
            (n, K).

        Raises:
            ShapeError: the rows have another width.
        """
        if rows.ndim != 2 or rows.shape[1] != len(self.mean):
            raise ShapeError(f"vectors of shape {rows.shape}: expected rows of {len(self.mean)} numbers")
        placed = np.empty((len(rows), self.matrix.shape[1]), dtype=np.float32)
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            placed[part] = _normalised(rows[part], self.normalisation, self.mean) @ self.matrix
        return placed


def normalise(rows: Matrix, how: str) -> tuple[npt.NDArray[np.float32], Floats]:
    """Return rows normalised, and the mean that centring took off.

    Args:
        rows: (V, D) of all words of a side.
        how: one of `NORMALISATIONS`.

    Returns:
        (V, D), and (D,), zeros where nothing is centred.

    Raises:
        OptionError: there is no such normalisation.
    """
    if how not in NORMALISATIONS:
        raise OptionError(f"normalise={how!r}: expected one of {', '.join(NORMALISATIONS)}")
    mean = np.zeros(rows.shape[1])
    if "centre" in NORMALISATIONS[how]:
        for start in range(0, len(rows), BLOCK):
            mean += unit(rows[start : start + BLOCK]).sum(axis=0, dtype=np.float64) / len(rows)
    return _normalised(rows, how, mean).astype(np.float32, copy=False), mean


def _normalised(rows: Matrix, how: str, mean: Floats) -> Matrix:
    for step in NORMALISATIONS[how]:
        rows = unit(rows) if step == "unit" else rows - mean
    return np.asarray(rows)


def orthogonal(x: Matrix, z: Matrix) -> tuple[Floats, Floats]:
    """Return the orthogonal map that brings rows nearest to their partners, and the identity.

    Args:
        x: (P, D) rows of the source.
        z: (P, D) their partners.

    Returns:
        (D, D) A with A^T A = I, and I.

    Raises:
        OptionError: the widths differ.
    """
    if x.shape[1] != z.shape[1]:
        raise OptionError(
            f"vectors of {x.shape[1]} and of {z.shape[1]} numbers: an orthogonal map needs equal widths; take "
            "method='least-squares', 'cca' or 'weighted', or reduce the wider ones"
        )
    u, _, vt = np.linalg.svd(_double(x).T @ _double(z))
    return u @ vt, np.eye(len(vt))


def least_squares(x: Matrix, z: Matrix) -> tuple[Floats, Floats]:
    """Return the linear map that brings rows nearest to their partners, and the identity.

    Args:
        x: (P, D) rows of the source.
        z: (P, E) their partners.

    Returns:
        (D, E) and (E, E).

    Raises:
        OptionError: the pairs do not determine the map.
    """
    _spread(x, "source")  # refuses what has no single answer
    return np.asarray(np.linalg.lstsq(_double(x), _double(z), rcond=None)[0]), np.eye(z.shape[1])


def canonical(x: Matrix, z: Matrix) -> tuple[Floats, Floats]:
    """Return the maps onto the directions in which the sides correlate most, the most first.

    Args:
        x: (P, D) rows of the source.
        z: (P, E) their partners.

    Returns:
        (D, K) and (E, K), where K is the lesser width.

    Raises:
        OptionError: the pairs do not determine the maps.
    """
    (whiten_x, _), (whiten_z, _) = _spread(x, "source"), _spread(z, "target")
    u, _, v = _turned(x @ whiten_x, z @ whiten_z)
    return whiten_x @ u, whiten_z @ v


def weighted(x: Matrix, z: Matrix, weight: float = 0.5) -> tuple[Floats, Floats]:
    """Return the maps that turn both sides and stretch what they have in common.

    Args:
        x: (P, D) rows of the source.
        z: (P, E) their partners.
        weight: w, the power of the correlations that directions are weighted by; 0.5 on both sides is symmetric.

    Returns:
        (D, K) and (E, K), where K is the lesser width.

    Raises:
        OptionError: the pairs do not determine the maps.
    """
    (whiten_x, colour_x), (whiten_z, colour_z) = _spread(x, "source"), _spread(z, "target")
    u, s, v = _turned(x @ whiten_x, z @ whiten_z)
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


def _turned(x: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """U (D, K), S (K,) and V (E, K) of X^T Z, the strongest direction first."""
    u, s, vt = np.linalg.svd(x.T @ z, full_matrices=False)
    return u, s, vt.T


def _spread(rows: Matrix, side: str) -> tuple[Floats, Floats]:
    """(X^T X)^(-1/2) and (X^T X)^(1/2) of rows (P, D), refused where the rows leave a direction out."""
    _, s, vt = np.linalg.svd(_double(rows), full_matrices=False)
    rank = int((s > s.max(initial=0.0) * max(rows.shape) * np.finfo(np.float32).eps).sum())
    if rank < rows.shape[1]:
        raise OptionError(
            f"{len(rows):,} pairs whose {side} vectors span {rank} of {rows.shape[1]} directions: expected pairs that "
            "span all; give more, or take method='orthogonal'"
        )
    return (vt.T / s) @ vt, (vt.T * s) @ vt
