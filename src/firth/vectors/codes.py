"""Rows as codes of a few bytes: which kinds there are."""

from typing import Any

import numpy.typing as npt

from firth.errors import OptionError
from firth.vectors.int8 import Int8Matrix, int8_matrix
from firth.vectors.quantise import QuantisedMatrix, quantise_matrix

KINDS = ("int8", "product")
Codes = QuantisedMatrix | Int8Matrix


def encoded(rows: npt.NDArray[Any], kind: str, *, width: int = 2, lengths: bool = True, seed: int = 0) -> Codes:
    """Return a matrix as codes.

    Args:
        rows: (R, D) finite numbers.
        kind: "int8", a byte a number, or "product", a byte for every `width` numbers.
        width: of product codes.
        lengths: whether product codes keep the rows' lengths apart, in one byte more a row.
        seed: of the learning of product codes.

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
