"""Truncated singular value decomposition of a sparse matrix, to convergence.

What: the k largest singular values of A (R, C) and their vectors: A ~ U S V^T.

Objective: a block Krylov space of A^T A is built from random columns, a block of b columns at a time, each
orthogonal to all before:

    A^T A V_j = V_{j-1} B_j^T + V_j T_j + V_{j+1} B_{j+1}

The eigenpairs (s^2, z) of the block tridiagonal T approximate those of A^T A; their error is known without being
computed, || A^T A V z - s^2 V z || = || B_{m+1} z_last ||, and the space grows until it is at most `tolerance` s_1^2
for each of the k pairs, or until nothing is left to add.

Source: Golub and Kahan 1965, "Calculating the singular values and pseudo-inverse of a matrix", section 3 (Lanczos for
singular values); Golub and Underwood 1977, "The block Lanczos method for computing eigenvalues"; Musco and Musco 2015,
"Randomized block Krylov methods for stronger and faster approximate singular value decomposition", algorithm 2 (the
random block).

Departures: every block is made orthogonal to all before it, once it is so to the last two, where exact arithmetic needs
those alone; blocks read the matrix once for b columns where Lanczos's own method reads it for each.

Cost: 4 b flops a cell and block, 4 R m and 4 C m^2 flops in all for a space of m columns, 8 C m bytes; m is some 3 to 6
times k.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import linalg

from firth.errors import OptionError
from firth.kernels.sparse_product import BLOCK, Cells, multiply
from firth.kernels.threads import usable_threads
from firth.progress import Report, Status
from firth.randomness import generator

NOTHING = 1e-11  # of a product's largest number: what is shorter is rounding
SQUARABLE = 1e-8  # of the longest direction's square: a Gram matrix tells a shorter one's well
CHECK = 1.05  # times as many columns as at the last look at how far the search has come

Matrix = npt.NDArray[np.float64]


class Factors(NamedTuple):
    """A ~ U S V^T; each column of U has its number of largest size positive.

    Attributes:
        left: U, (R, k) float64, orthonormal columns.
        values: S, (k,) float64, descending.
        right: V, (C, k) float64.
    """

    left: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    right: npt.NDArray[np.float64]


def factorise(
    matrix: Any,
    rank: int,
    *,
    tolerance: float = 1e-6,
    seed: int = 0,
    threads: int | None = None,
    report: Report | None = None,
) -> Factors:
    """Return the largest singular values of a sparse matrix and their vectors.

    Args:
        matrix: a SciPy sparse matrix (R, C) of finite numbers.
        rank: k, at most the smaller of R and C.
        tolerance: the error of each pair that is allowed, as a share of the largest eigenvalue of A^T A.
        seed: of the random columns that the search begins with.
        threads: how many; by default one a processor.
        report: called with the progress.

    Returns:
        U, S and V.

    Raises:
        OptionError: the rank is above what the matrix has, or the matrix holds numbers that are not finite.
    """
    from scipy import sparse

    a = sparse.csr_array(matrix, dtype=np.float64)
    most = min(a.shape)
    if not 1 <= rank <= most:
        raise OptionError(f"rank {rank} of a matrix of {a.shape[0]:,} x {a.shape[1]:,}: expected 1 to {most:,}")
    if not np.isfinite(a.data).all():
        raise OptionError("the matrix holds NaN or infinity: expected finite numbers")
    if a.shape[0] < a.shape[1]:  # the space is the smaller of the two
        turned = factorise(a.T, rank, tolerance=tolerance, seed=seed, threads=threads, report=report)
        return _signed(turned.right, turned.values, turned.left)
    many = usable_threads(threads)
    with ThreadPoolExecutor(many) as pool:
        both = _Both(Cells.of(a), Cells.of(a.T.tocsr()), pool, many)
        basis, vectors = _krylov(both, rank, tolerance, seed, report)
        right = basis @ vectors
        left, triangle = np.linalg.qr(both.forward(right))
    # A V = Q R, and the small R holds all that is left to decompose: singular values without squaring.
    inner, values, rest = np.linalg.svd(triangle)
    return _signed(left @ inner, values, right @ rest.T)


class _Both(NamedTuple):
    """A and its transpose, and who multiplies with them."""

    matrix: Cells
    transposed: Cells
    pool: ThreadPoolExecutor
    threads: int

    def forward(self, block: npt.NDArray[np.float64]) -> Any:
        return multiply(self.matrix, block, self.pool, self.threads)

    def gram(self, block: npt.NDArray[np.float64]) -> Any:
        return multiply(self.transposed, self.forward(block), self.pool, self.threads)


def _krylov(both: _Both, rank: int, tolerance: float, seed: int, report: Report | None) -> tuple[Any, Any]:
    """Return a basis (C, m) and the vectors of the `rank` largest eigenvalues that A^T A has within it, (m, rank)."""
    width = both.transposed.matrix.shape[0]
    room = min(8 * rank + BLOCK, width)  # untouched, it takes no memory
    basis, projected = np.empty((width, room), order="F"), np.zeros((room, room))  # F: m columns are one piece
    random, last, m, checked = generator(seed, "singular vectors"), 0, 0, 0
    block = _directions(np.zeros((width, 0)), basis[:, :0], 0.0, random)
    while True:
        b = block.shape[1]
        if m + b > room:
            basis = np.asfortranarray(np.pad(basis, ((0, 0), (0, room))))
            projected, room = np.pad(projected, (0, room)), 2 * room
        basis[:, m : m + b] = block
        near, last, m = last, m, m + b  # where the two blocks begin that the next one is coupled to
        known, image = basis[:, :m], both.gram(block)
        inner = basis[:, near:m].T @ image
        projected[near:last, last:m] = inner[:-b]
        projected[last:m, near:last] = inner[:-b].T
        projected[last:m, last:m] = (inner[-b:] + inner[-b:].T) / 2
        rest = image - basis[:, near:m] @ inner
        block = _directions(rest, known, float(np.abs(image).max(initial=0.0)), random)
        if (m >= 2 * rank and m >= CHECK * checked) or m == width:
            values, vectors = linalg.eigh(projected[:m, :m], subset_by_index=(m - rank, m - 1))
            errors = np.linalg.norm(block.T @ rest @ vectors[-b:], axis=0)
            right = errors <= tolerance * values[-1]
            if right.all():
                return known, vectors
            checked = m
            if report is not None:
                report(Status(stage="decomposing", done=int(right.sum()), total=rank, unit="components"))


def _directions(rest: Matrix, basis: Matrix, size: float, random: np.random.Generator) -> Matrix:
    """Return orthonormal columns that span what a block has outside a basis; all that is left, where that is less.

    Where the block has less than its columns left, the search goes on in random directions.
    """
    left = basis.shape[0] - basis.shape[1]
    found = _orthonormal(rest, NOTHING * size)
    missing = min(BLOCK, left) - found.shape[1]
    if missing > 0:
        found = np.concatenate([found, random.standard_normal((len(rest), missing))], axis=1)
    for _ in range(2 if missing > 0 else 1):  # what is not random is nearly orthogonal already
        found = _orthonormal(found - basis @ (basis.T @ found), 0.0)
    return found[:, :left]


def _orthonormal(block: Matrix, least: float) -> Matrix:
    """Return orthonormal columns that span a block's, those of a length of `least` or below left out.

    By the eigenvectors of its Gram matrix: one product, where to decompose a tall block takes many passes. Squaring
    loses what is much shorter than the rest; such a block is decomposed as it is.
    """
    if not block.shape[1]:
        return block
    values, vectors = np.linalg.eigh(block.T @ block)
    if values[0] > max(SQUARABLE * values[-1], least**2):
        return np.asarray(block @ (vectors / np.sqrt(values)))
    found, lengths, _ = linalg.svd(block, full_matrices=False)
    return np.asarray(found[:, lengths > max(least, np.finfo(np.float64).eps * lengths[0])])


def _signed(left: Any, values: Any, right: Any) -> Factors:
    signs = np.sign(left[np.abs(left).argmax(axis=0), np.arange(left.shape[1])])
    return Factors(left * signs, values, right * signs)
