"""Orthogonal matching pursuit: sparse coding of vectors as sums of a few atoms.

What: each vector becomes a sum of at most k of K directions, the atoms. Each step adds the atom that fits the residual
best and fits all coefficients again.

Objective: of x (D,) with atoms A (K, D) of length 1,

    min |x - c A|^2   where c (K,) has at most k nonzero numbers

greedily: with I the atoms so far and r = x - c_I A_I,

    i = argmax_j |A_j . r|,   I := I + {i},   c_I = (A_I A_I^T)^-1 A_I x

Source: Pati, Rezaiifar and Krishnaprasad 1993, "Orthogonal matching pursuit"; Rubinstein, Zibulevsky and Elad 2008,
"Efficient implementation of the K-SVD algorithm using Batch Orthogonal Matching Pursuit", section 3: the products A x
and A A^T are computed once, A r = A x - (A A^T)_I c_I needs no residual, and the Cholesky factor of A_I A_I^T grows by
one row per step.

Departures: the pursuit of a vector ends early when no |A_j . r| is above `TINY` of the vector's length, or when the
next atom depends linearly on the atoms so far. With `positive`, A_j . r must be above 0; the fitted coefficients are
then nearly always above 0, but not forced to be. Ties are resolved in favour of the first atom.

Cost: per vector K D in one matrix product and K k^2 / 2 in the pursuit; memory for the products of `BLOCK` vectors and
for K^2 numbers.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.threads import one_blas_thread

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]

BLOCK = 2048  # vectors multiplied with all atoms at once
STRETCH = 256  # numbers whose maximum is found without its index
TINY = 1e-6  # relative to a vector's length: a smaller residual is rounding
DEPENDENT = 1e-5  # an atom whose squared residual on the atoms so far is smaller depends on them


def sparse_codes(
    vectors: Floats, atoms: Floats, sparsity: int, *, positive: bool = False, threads: int = 1
) -> tuple[Ids, Floats]:
    """Code vectors as sums of a few atoms.

    Args:
        vectors: (V, D) float32.
        atoms: (K, D) float32, of length 1.
        sparsity: k, the maximum number of atoms per vector.
        positive: choose only atoms with a positive product with the residual.
        threads: number of threads; the result does not depend on it.

    Returns:
        (V, k) int32 indices of atoms in the order of selection, padded with -1, and (V, k) float32 coefficients,
        padded with 0.

    Source:
        Rubinstein, Zibulevsky and Elad 2008, section 3.
    """
    most = min(sparsity, *atoms.shape)
    indices = np.full((len(vectors), sparsity), -1, dtype=np.int32)
    codes = np.zeros((len(vectors), sparsity), dtype=np.float32)
    gram = atoms @ atoms.T
    mask = np.int32(-1 if positive else 2**31 - 1)

    def pursue(part: slice) -> None:
        rows = vectors[part]
        norms = np.linalg.norm(rows, axis=1)
        _pursue(rows @ atoms.T, gram, norms, most, mask, indices[part], codes[part])

    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        list(pool.map(pursue, _parts(len(vectors))))
    return indices, codes


def _parts(count: int) -> Iterator[slice]:
    for start in range(0, count, BLOCK):
        yield slice(start, min(start + BLOCK, count))


@compiled
def _pursue(
    products: Floats,  # (B, K) of each vector with each atom
    gram: Floats,  # (K, K) of the atoms with each other
    norms: Floats,  # (B,) lengths of the vectors
    most: int,  # maximum number of atoms
    mask: int,  # the bits that are compared
    indices: Ids,  # (B, k) written
    codes: Floats,  # (B, k) written
) -> None:
    correlations = np.empty(products.shape[1], np.float32)  # A r
    lower = np.zeros((most, most))  # L L^T = A_I A_I^T
    half, solution = np.empty(most), np.empty(most)  # L half = A_I x,  L^T solution = half
    for i in range(len(products)):
        correlations[:] = products[i]
        for n in range(most):
            if n:
                _residual_products(products[i], gram, indices[i], codes[i], n, correlations)
            best = _largest(correlations, mask)
            if best < 0 or abs(correlations[best]) <= TINY * norms[i] or not _grow(lower, gram, indices[i], n, best):
                break
            indices[i, n] = best
            # One more row of L half = A_I x, then L^T solution = half: the least-squares codes of the chosen atoms.
            half[n] = products[i, best]
            for j in range(n):
                half[n] -= lower[n, j] * half[j]
            half[n] /= lower[n, n]
            _solve_upper(lower, half, n + 1, solution)
            for j in range(n + 1):
                codes[i, j] = solution[j]


@compiled
def _largest(
    values: Floats,  # (K,)
    mask: int,  # all bits but the sign for the largest magnitude, all bits for the largest number
) -> int:
    """Return the index of the first number of largest magnitude, or the largest; -1 if all are zero."""
    bits = values.view(np.int32)  # floats without signs have the order of their bits
    best, index = np.int32(0), 0
    for start in range(0, len(bits), STRETCH):
        most = np.int32(0)
        for j in range(start, min(start + STRETCH, len(bits))):
            most = max(most, bits[j] & mask)  # integers without an index: vectorised
        if most > best:
            best, index = most, start
    if best == 0:
        return -1
    while bits[index] & mask != best:
        index += 1
    return index


@compiled
def _grow(
    lower: npt.NDArray[np.float64],  # (k, k) row n is written
    gram: Floats,  # (K, K)
    indices: Ids,  # (k,) the first n are the atoms so far
    n: int,
    new: int,  # the new atom
) -> bool:
    """Add an atom to the Cholesky factor; return False if it depends on the others."""
    square = np.float64(gram[new, new])
    for j in range(n):
        value = np.float64(gram[indices[j], new])
        for k in range(j):
            value -= lower[n, k] * lower[j, k]
        lower[n, j] = value / lower[j, j]
        square -= lower[n, j] ** 2
    if square <= DEPENDENT:
        return False
    lower[n, n] = np.sqrt(square)
    return True


@compiled
def _solve_upper(
    lower: npt.NDArray[np.float64],  # (k, k)
    half: npt.NDArray[np.float64],  # (k,)
    n: int,  # number of rows
    solution: npt.NDArray[np.float64],  # (k,) the first n are written
) -> None:
    """Solve L^T solution = half."""
    for j in range(n - 1, -1, -1):
        solution[j] = half[j]
        for k in range(j + 1, n):
            solution[j] -= lower[k, j] * solution[k]
        solution[j] /= lower[j, j]


@compiled
def _residual_products(
    products: Floats,  # (K,) A x
    gram: Floats,  # (K, K)
    indices: Ids,  # (k,)
    codes: Floats,  # (k,)
    n: int,  # number of atoms
    correlations: Floats,  # (K,) A r, written
) -> None:
    correlations[:] = products
    for j in range(n):
        row, code = gram[indices[j]], codes[j]
        for k in range(len(correlations)):
            correlations[k] -= code * row[k]
