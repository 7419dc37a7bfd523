"""Quantised rows: one byte a number, with a scale a row (int8), or one byte for several (product quantisation).

What: int8 divides a row by its largest absolute number over 127 and rounds. `firth.vectors.quantise` has product codes.

Objective: x_rd ~ s_r c_rd,  s_r = max_d |x_rd| / 127,  c_rd = round(x_rd / s_r) from -127 to 127

Source: Jacob et al. 2018, "Quantization and training of neural networks for efficient integer-arithmetic-only
inference", section 2.1, with the zero point at 0 (symmetric) and one scale a row.

Departures: none. A row of zeros has the scale 0.

Cost: one pass; a quarter of the bytes of single precision. A number is off by s_r / 2 at most.

In a folder:

    int8       "codes" (R, D) int8, "scales" (R,)
    product    "codes" (R, parts) uint8, "centroids"; "length_codes" and "length_centroids" where lengths have codes
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.storage.model_folder import ModelFolder
from firth.vectors.quantise import CODES, ProductQuantiser, QuantisedMatrix, quantise_matrix

GREATEST = 127  # -128 is left out, so that codes are symmetric
BLOCK = 2**18  # numbers worked on at once

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Int8Matrix:
    """A matrix of one byte a number.

    Attributes:
        codes: (R, D) int8.
        scales: (R,) float32, by which a row's codes are multiplied.
    """

    codes: npt.NDArray[np.int8]
    scales: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """The sides of the matrix."""
        return len(self.codes), self.codes.shape[1]

    def part(self, ids: Any) -> "Int8Matrix":
        """Return the matrix of some of the rows."""
        return Int8Matrix(self.codes[ids], self.scales[ids])

    def rows(self, ids: Any = slice(None)) -> Floats:
        """Return rows: all, or those of some numbers, (M, D) float32."""
        return np.asarray(self.codes[ids] * self.scales[ids][:, None])


def int8_matrix(rows: npt.NDArray[Any]) -> Int8Matrix:
    """Replace a matrix by whole numbers of one byte.

    Args:
        rows: (R, D) finite numbers.
    """
    codes, scales = np.empty(rows.shape, dtype=np.int8), np.empty(len(rows), dtype=np.float32)
    size = max(BLOCK // max(rows.shape[1], 1), 1)
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        part = rows[block].astype(np.float64)
        scales[block] = np.abs(part).max(axis=1, initial=0.0) / GREATEST
        # By the scale as it is stored; below the smallest float32 a row is zeros.
        scale = np.where(scales[block] > 0, scales[block], np.inf).astype(np.float64)[:, None]
        codes[block] = np.clip(np.rint(part / scale), -GREATEST, GREATEST)
    return Int8Matrix(codes, scales)


KINDS = ("int8", "product")
Codes = QuantisedMatrix | Int8Matrix


def encoded(rows: npt.NDArray[Any], kind: str, *, width: int = 2, lengths: bool = True, seed: int = 0) -> Codes:
    """Quantise a matrix.

    Args:
        rows: (R, D) finite numbers.
        kind: "int8", one byte per number, or "product", one byte per `width` numbers.

    Raises:
        OptionError: there is no such kind, or `width` is not between 1 and D, or there are no rows to learn from.
    """
    if kind not in KINDS:
        raise OptionError(f"kind={kind!r}: expected one of {', '.join(KINDS)}")
    if kind == "int8":
        return int8_matrix(rows)
    return quantise_matrix(rows, width=width, lengths=lengths, seed=seed)


def kind_of(codes: Codes) -> str:
    """Return the name of the kind of some codes."""
    return "int8" if isinstance(codes, Int8Matrix) else "product"


def arrays_of(matrix: Codes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that store codes."""
    if isinstance(matrix, Int8Matrix):
        return {"codes": matrix.codes, "scales": matrix.scales}
    arrays: dict[str, npt.NDArray[Any]] = {"codes": matrix.codes, "centroids": matrix.quantiser.centroids}
    if matrix.length_codes is not None and matrix.lengths is not None:
        arrays |= {"length_codes": matrix.length_codes, "length_centroids": matrix.lengths.centroids}
    return arrays


def facts_of(matrix: Codes) -> dict[str, Any]:
    """Return the settings of codes for config.json."""
    width = {"code_width": matrix.quantiser.width} if isinstance(matrix, QuantisedMatrix) else {}
    return {"quantised": kind_of(matrix), **width}


def codes_in(content: ModelFolder, rows: int, dim: int) -> Codes:
    """Return the codes in a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    if "scales" in content.arrays:
        scales = content.array("scales", (rows,))
        return Int8Matrix(content.array("codes", (rows, dim), "i", dtype=np.int8), scales)
    codes = content.array("codes", (None, None), "u")
    width = content.config.get("code_width")
    if not isinstance(width, int) or not 1 <= width <= max(dim, 1):
        raise content.damaged(f"codes of {width!r} numbers each; expected from 1 to {dim}")
    quantiser = ProductQuantiser(dim, width, content.array("centroids", (CODES * dim,)))
    if quantiser.parts != codes.shape[1]:
        raise content.damaged(f"{codes.shape[1]} codes a row of {dim} numbers; expected {quantiser.parts}")
    if len(codes) != rows:
        raise content.damaged(f"codes of {len(codes):,} rows; expected {rows:,}")
    if "length_codes" not in content.arrays:
        return QuantisedMatrix(codes, quantiser)
    lengths = ProductQuantiser(1, 1, content.array("length_centroids", (CODES,)))
    return QuantisedMatrix(codes, quantiser, content.array("length_codes", (rows,), "u"), lengths)
