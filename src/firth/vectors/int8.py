"""Whole numbers of one byte in the place of fractions, with a scale a row.

What: a row is divided by its largest absolute number over 127 and rounded: every number takes one byte, and a row four
bytes more.

Objective: x_rd ~ s_r c_rd,  s_r = max_d |x_rd| / 127,  c_rd = round(x_rd / s_r) from -127 to 127

Source: Jacob et al. 2018, "Quantization and training of neural networks for efficient integer-arithmetic-only
inference", section 2.1, with the zero point at 0 (symmetric) and one scale a row.

Departures: none. A row of zeros has the scale 0.

Cost: one pass; a quarter of the bytes of single precision. A number is off by s_r / 2 at most.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

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
        some = slice(start, start + size)
        part = rows[some].astype(np.float64)
        scales[some] = np.abs(part).max(axis=1, initial=0.0) / GREATEST
        # By the scale as it is stored; below the smallest float32 a row is zeros.
        scale = np.where(scales[some] > 0, scales[some], np.inf).astype(np.float64)[:, None]
        codes[some] = np.clip(np.rint(part / scale), -GREATEST, GREATEST)
    return Int8Matrix(codes, scales)
