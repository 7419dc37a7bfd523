"""Codes of rows as arrays of a folder.

int8       "codes" (R, D) int8, "scales" (R,)
product    "codes" (R, parts) uint8, "centroids"; "length_codes" and "length_centroids" where lengths stand apart
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.storage.model_folder import ModelFolder
from firth.vectors.codes import Codes, kind_of
from firth.vectors.int8 import Int8Matrix
from firth.vectors.quantise import CODES, ProductQuantiser, QuantisedMatrix


def arrays_of(matrix: Codes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that codes are kept in."""
    if isinstance(matrix, Int8Matrix):
        return {"codes": matrix.codes, "scales": matrix.scales}
    arrays: dict[str, npt.NDArray[Any]] = {"codes": matrix.codes, "centroids": matrix.quantiser.centroids}
    if matrix.length_codes is not None and matrix.lengths is not None:
        arrays |= {"length_codes": matrix.length_codes, "length_centroids": matrix.lengths.centroids}
    return arrays


def facts_of(matrix: Codes) -> dict[str, Any]:
    """Return what config.json has to say of codes."""
    width = {"code_width": matrix.quantiser.width} if isinstance(matrix, QuantisedMatrix) else {}
    return {"quantised": kind_of(matrix), **width}


def codes_in(content: ModelFolder, rows: int, dim: int) -> Codes:
    """Return the codes of a folder that has any.

    Args:
        content: what the folder holds.
        rows: how many there should be.
        dim: D.

    Raises:
        FormatError: the folder is damaged.
    """
    if "scales" in content.arrays:
        scales = content.array("scales", (rows,))
        return Int8Matrix(content.array("codes", (rows, dim), "i", dtype=np.int8), scales)
    codes = content.array("codes", (None, None), "u")
    width = content.config.get("code_width", -(-dim // max(codes.shape[1], 1)))
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
