"""Truncated singular value decomposition of a sparse matrix, to convergence.

What: the k largest singular values of A (R, C) and their vectors: A ~ U S V^T.

Objective: a block Krylov space of A^T A is built from random columns, b columns per block, each block
orthogonal to all before:

    A^T A V_j = V_{j-1} B_j^T + V_j T_j + V_{j+1} B_{j+1}

The eigenpairs (s^2, z) of the block tridiagonal T approximate those of A^T A; their error is known without extra
work, || A^T A V z - s^2 V z || = || B_{m+1} z_last ||, and the space grows until it is at most `tolerance` s_1^2
for each of the k pairs, or until the space is complete.

Source: Golub and Kahan 1965, "Calculating the singular values and pseudo-inverse of a matrix", section 3 (Lanczos for
singular values); Golub and Underwood 1977, "The block Lanczos method for computing eigenvalues"; Musco and Musco 2015,
"Randomized block Krylov methods for stronger and faster approximate singular value decomposition", algorithm 2 (the
random block).

Departures: each block is orthogonalised against all blocks before it, after the last two, which would suffice in exact
arithmetic; a block reads the matrix once for b columns, where Lanczos's method reads it once per column.

Cost: 4 b flops per cell and block, 4 R m and 4 C m^2 flops in all for a space of m columns, 8 C m bytes; m is 3 to 6
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

NEGLIGIBLE = 1e-11  # relative to the largest number of a product: shorter columns are rounding errors
SQUARABLE = 1e-8  # smallest ratio of squared lengths that a Gram matrix resolves
CHECK_GROWTH = 1.05  # growth of the basis between two checks of convergence

Matrix = npt.NDArray[np.float64]


class Factors(NamedTuple):
    """A ~ U S V^T; the largest entry of each column of U, by size, is positive.

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
        tolerance: largest error of a pair, relative to the largest eigenvalue of A^T A.
        seed: random seed of the first block.
        report: called with the progress.

    Returns:
        U, S and V.
    """
    from scipy import sparse

    a = sparse.csr_array(matrix, dtype=np.float64)
    most = min(a.shape)
    if not 1 <= rank <= most:
        raise OptionError(f"rank {rank} of a matrix of {a.shape[0]:,} x {a.shape[1]:,}: expected 1 to {most:,}")
    if not np.isfinite(a.data).all():
        raise OptionError("the matrix holds NaN or infinity: expected finite numbers")
    if a.shape[0] < a.shape[1]:  # the basis spans the smaller dimension
        transposed = factorise(a.T, rank, tolerance=tolerance, seed=seed, threads=threads, report=report)
        return _signed(transposed.right, transposed.values, transposed.left)
    threads = usable_threads(threads)
    with ThreadPoolExecutor(threads) as pool:
        both = _WithTranspose(Cells.of(a), Cells.of(a.T.tocsr()), pool, threads)
        basis, vectors = _krylov(both, rank, tolerance, seed, report)
        right = basis @ vectors
        left, triangle = np.linalg.qr(both.forward(right))
    # A V = Q R: the SVD of the small R gives the singular values without squaring.
    inner, values, rest = np.linalg.svd(triangle)
    return _signed(left @ inner, values, right @ rest.T)


class _WithTranspose(NamedTuple):
    """A and its transpose, with a thread pool for products."""

    matrix: Cells
    transposed: Cells
    pool: ThreadPoolExecutor
    threads: int

    def forward(self, block: npt.NDArray[np.float64]) -> Any:
        return multiply(self.matrix, block, self.pool, self.threads)

    def gram(self, block: npt.NDArray[np.float64]) -> Any:
        return multiply(self.transposed, self.forward(block), self.pool, self.threads)


def _krylov(both: _WithTranspose, rank: int, tolerance: float, seed: int, report: Report | None) -> tuple[Any, Any]:
    """Return a basis (C, m) and the vectors of the `rank` largest eigenvalues that A^T A has within it, (m, rank)."""
    width = both.transposed.matrix.shape[0]
    room = min(8 * rank + BLOCK, width)  # unused pages take no memory
    basis, projected = np.empty((width, room), order="F"), np.zeros((room, room))  # F: m columns are contiguous
    random, last, m, checked = generator(seed, "singular vectors"), 0, 0, 0
    block = _directions(np.zeros((width, 0)), basis[:, :0], 0.0, random)
    while True:
        b = block.shape[1]
        if m + b > room:
            basis = np.asfortranarray(np.pad(basis, ((0, 0), (0, room))))
            projected, room = np.pad(projected, (0, room)), 2 * room
        # Block Lanczos: basis^T A^T A basis is block tridiagonal, so only the last two blocks enter `inner`.
        basis[:, m : m + b] = block
        near, last, m = last, m, m + b  # starts of the two blocks coupled to the next one
        span, image = basis[:, :m], both.gram(block)
        inner = basis[:, near:m].T @ image
        projected[near:last, last:m] = inner[:-b]
        projected[last:m, near:last] = inner[:-b].T
        projected[last:m, last:m] = (inner[-b:] + inner[-b:].T) / 2
        rest = image - basis[:, near:m] @ inner  # the part of A^T A block outside the basis: the next block
        block = _directions(rest, span, float(np.abs(image).max(initial=0.0)), random)
        if (m >= 2 * rank and m >= CHECK_GROWTH * checked) or m == width:
            values, vectors = linalg.eigh(projected[:m, :m], subset_by_index=(m - rank, m - 1))
            errors = np.linalg.norm(block.T @ rest @ vectors[-b:], axis=0)  # residuals |A^T A v - s^2 v|
            converged = errors <= tolerance * values[-1]
            if converged.all():
                return span, vectors
            checked = m
            if report is not None:
                report(Status(stage="decomposing", done=int(converged.sum()), total=rank, unit="components"))


def _directions(rest: Matrix, basis: Matrix, size: float, random: np.random.Generator) -> Matrix:
    """Return orthonormal columns that span the part of a block outside a basis, completed with random directions."""
    room = basis.shape[0] - basis.shape[1]
    columns = _orthonormal(rest, NEGLIGIBLE * size)
    missing = min(BLOCK, room) - columns.shape[1]
    if missing > 0:
        columns = np.concatenate([columns, random.standard_normal((len(rest), missing))], axis=1)
    for _ in range(2 if missing > 0 else 1):  # only random columns need a second pass
        columns = _orthonormal(columns - basis @ (basis.T @ columns), 0.0)
    return columns[:, :room]


def _orthonormal(block: Matrix, least: float) -> Matrix:
    """Return orthonormal columns that span a block, without those of length `least` or below.

    From the eigenvectors of its Gram matrix, which takes one product; an SVD of a tall block takes many passes.
    Squaring loses columns much shorter than the others; a block with such columns goes through the SVD.
    """
    if not block.shape[1]:
        return block
    values, vectors = np.linalg.eigh(block.T @ block)
    if values[0] > max(SQUARABLE * values[-1], least**2):
        return np.asarray(block @ (vectors / np.sqrt(values)))
    columns, lengths, _ = linalg.svd(block, full_matrices=False)
    return np.asarray(columns[:, lengths > max(least, np.finfo(np.float64).eps * lengths[0])])


def _signed(left: Any, values: Any, right: Any) -> Factors:
    signs = np.sign(left[np.abs(left).argmax(axis=0), np.arange(left.shape[1])])
    return Factors(left * signs, values, right * signs)
