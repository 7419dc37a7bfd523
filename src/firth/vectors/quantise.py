"""Product quantisation: stores a vector in a few bytes.

What: the D numbers of a vector are split into parts of `width` numbers (2 by default). Each part is replaced by the
nearest of 256 centroids and stored as one byte. With `lengths`, vectors are normalised to length 1 first, and each
length is stored in a byte of its own.

Objective: for each part, k-means over the rows x_r: centroids c_1 .. c_256 that make sum_r min_k |x_r - c_k|^2 small.

Source: Jegou, Douze and Schmid 2011, "Product quantization for nearest neighbor search", sections II and III.A; Joulin
et al. 2016, "FastText.zip: compressing text classification models", section 3 (separate lengths, parts of two).

Departures: k-means begins with distinct rows, and stops after ROUNDS rounds or when few rows change their centroid.
It learns from at most SAMPLE rows. An empty centroid becomes a slightly moved copy of the one with the most rows; the
next round divides these rows between the two.

Cost: training takes 2 SAMPLE 256 D flops per round; memory D / width bytes per row, and 1024 D bytes of centroids.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.randomness import generator

CODES = 256  # centroids per part: one byte
SAMPLE = 16_384  # rows that k-means learns from: four times as many give 3 % less error
ROUNDS = 25
ROWS_PER_CHANGE = 1000  # k-means ends when at most one row in 1,000 changes its centroid
BLOCK = 512  # rows compared with the centroids at once: their distances fit the L2 cache
HAIR = 1e-2  # relative change of a centroid's copy; must be visible after rounding

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ProductQuantiser:
    """Centroids of every part of a vector.

    Attributes:
        dim: D.
        width: numbers per part; the last part may be narrower.
        centroids: (256 D,) float32: part by part, 256 centroids each.
    """

    dim: int
    width: int
    centroids: Floats

    @property
    def parts(self) -> int:
        """Number of parts of a vector, which is the number of bytes per row."""
        return -(-self.dim // self.width)

    def part(self, m: int) -> Floats:
        """Return the centroids of part m: (256, width)."""
        start = m * self.width
        width = min(self.width, self.dim - start)
        return self.centroids[CODES * start : CODES * (start + width)].reshape(CODES, width)

    def encode(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        """Return the codes of rows (R, D): (R, parts)."""
        codes = np.empty((len(rows), self.parts), dtype=np.uint8)
        for m in range(self.parts):
            codes[:, m] = _nearest(self._columns(rows, m), self.part(m))
        return codes

    def decode(self, codes: npt.NDArray[np.uint8]) -> Floats:
        """Return the rows (R, D) of codes (R, parts)."""
        rows = np.empty((len(codes), self.dim), dtype=np.float32)
        for m in range(self.parts):
            rows[:, m * self.width : (m + 1) * self.width] = self.part(m)[codes[:, m]]
        return rows

    def _columns(self, rows: npt.NDArray[Any], m: int) -> Floats:
        return np.asarray(rows[:, m * self.width : (m + 1) * self.width], dtype=np.float32)


@dataclass(frozen=True)
class QuantisedMatrix:
    """A matrix of codes.

    Attributes:
        codes: (R, parts) uint8.
        quantiser: centroids of the codes.
        length_codes: (R,) uint8, or None without separate lengths.
        lengths: centroids of the length codes: a quantiser of width 1.
    """

    codes: npt.NDArray[np.uint8]
    quantiser: ProductQuantiser
    length_codes: npt.NDArray[np.uint8] | None = None
    lengths: ProductQuantiser | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the decoded matrix."""
        return len(self.codes), self.quantiser.dim

    def part(self, ids: Any) -> "QuantisedMatrix":
        """Return the codes of some of the rows."""
        lengths = None if self.length_codes is None else self.length_codes[ids]
        return QuantisedMatrix(self.codes[ids], self.quantiser, lengths, self.lengths)

    def rows(self, ids: Any = slice(None)) -> Floats:
        """Return decoded rows, all or those of some ids, (M, D) float32."""
        rows = self.quantiser.decode(self.codes[ids])
        if self.length_codes is not None and self.lengths is not None:
            rows *= self.lengths.decode(self.length_codes[ids][:, None])
        return rows


def train_quantiser(rows: npt.NDArray[Any], width: int, *, seed: int = 0) -> ProductQuantiser:
    """Learn the centroids of every part by k-means.

    Args:
        rows: (R, D) training vectors.

    Raises:
        OptionError: there are no rows, or `width` is not between 1 and D.
    """
    if not 1 <= width <= rows.shape[1]:
        raise OptionError(f"width={width}: expected from 1 to {rows.shape[1]}, the width of the vectors")
    if not len(rows):
        raise OptionError("no rows to learn centroids from: expected at least one")
    random = generator(seed, "product quantiser")
    ids = np.sort(random.permutation(len(rows))[:SAMPLE])
    sample = np.asarray(rows[ids], dtype=np.float32)
    parts = [_k_means(sample[:, start : start + width], random).reshape(-1) for start in range(0, rows.shape[1], width)]
    return ProductQuantiser(rows.shape[1], width, np.concatenate(parts))


def quantise_matrix(rows: npt.NDArray[Any], *, width: int = 2, lengths: bool = False, seed: int = 0) -> QuantisedMatrix:
    """Quantise a matrix.

    Args:
        rows: (R, D).
    """
    if not lengths:
        quantiser = train_quantiser(rows, width, seed=seed)
        return QuantisedMatrix(quantiser.encode(rows), quantiser)
    norms = np.linalg.norm(np.asarray(rows, dtype=np.float32), axis=1, keepdims=True)
    unit = np.asarray(rows / np.where(norms > 0, norms, 1), dtype=np.float32)
    quantiser, length = train_quantiser(unit, width, seed=seed), train_quantiser(norms, 1, seed=seed)
    return QuantisedMatrix(quantiser.encode(unit), quantiser, length.encode(norms)[:, 0], length)


def _k_means(rows: Floats, random: np.random.Generator) -> Floats:
    """Return 256 centroids of rows (R, width)."""
    distinct = np.unique(rows, axis=0)
    centroids = distinct[np.resize(random.permutation(len(distinct)), CODES)]
    if len(distinct) <= CODES:
        return centroids
    before = None
    for _ in range(ROUNDS):
        nearest = _nearest(rows, centroids)
        if before is not None and np.count_nonzero(nearest != before) * ROWS_PER_CHANGE <= len(rows):
            break
        counts = np.bincount(nearest, minlength=CODES)
        sums = np.stack([np.bincount(nearest, column, CODES) for column in rows.T], axis=1)
        nonempty = counts > 0
        centroids[nonempty] = sums[nonempty] / counts[nonempty, None]
        _fill_empty(centroids, counts, random)
        before = nearest
    return centroids


def _fill_empty(centroids: Floats, counts: npt.NDArray[np.int64], random: np.random.Generator) -> None:
    for empty in np.flatnonzero(counts == 0):
        full = int(np.argmax(counts))
        moved = np.where(random.random(centroids.shape[1]) < 0.5, np.float32(HAIR), np.float32(-HAIR))
        centroids[empty] = centroids[full] * (1 + moved)
        counts[empty] = counts[full] // 2
        counts[full] -= counts[empty]


def _nearest(rows: Floats, centroids: Floats) -> npt.NDArray[np.uint8]:
    squares = np.einsum("kd,kd->k", centroids, centroids)
    doubles = -2 * centroids.T
    nearest = np.empty(len(rows), dtype=np.uint8)
    scores, product = (np.empty((BLOCK, CODES), dtype=np.float32) for _ in range(2))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        # |x - c|^2 without |x|^2, which is the same for all centroids. Column by column: for two or three columns the
        # threads of a matrix product cost more time than they save.
        part, other = scores[: len(block)], product[: len(block)]
        part[:] = squares
        for column, double in zip(block.T, doubles, strict=True):
            part += np.multiply(column[:, None], double, out=other)
        nearest[start : start + BLOCK] = part.argmin(axis=1)
    return nearest
