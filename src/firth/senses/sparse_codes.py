"""Orthogonal matching pursuit: vectors as sums of a few atoms.

What: each vector is written as a sum of at most k of K given directions, the atoms: the one that fits what is left of
the vector best is added, all coefficients are fitted anew, and so on.

Objective: of x (D,) with atoms A (K, D) of length 1,

    min |x - c A|^2   where c (K,) has at most k numbers that are not zero

greedily: with I the atoms chosen so far and r = x - c_I A_I,

    i = argmax_j |A_j . r|,   I := I + {i},   c_I = (A_I A_I^T)^-1 A_I x

Source: Pati, Rezaiifar and Krishnaprasad 1993, "Orthogonal matching pursuit"; Rubinstein, Zibulevsky and Elad 2008,
"Efficient implementation of the K-SVD algorithm using Batch Orthogonal Matching Pursuit", section 3: the products A x
and A A^T are made once, A r = A x - (A A^T)_I c_I needs no residual, and the Cholesky factor of A_I A_I^T grows by a
row a step.

Departures: the pursuit of a vector ends early when no atom fits what is left by more than `TINY` of its length, or when
the next atom is a sum of those chosen. With `positive`, A_j . r must be above 0; the coefficients that are fitted anew
are nearly all above 0 then, and not made to be. Of atoms that fit equally the first is taken.

Cost: K D a vector in one matrix product, and K k^2 / 2 in the pursuit; the products of `BLOCK` vectors and K^2 numbers
of memory.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.threads import one_blas_thread

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]

BLOCK = 2048  # vectors whose products with all atoms are held at once
STRETCH = 256  # numbers whose greatest is found without its place
TINY = 1e-6  # of a vector's length: what is left is rounding
DEPENDENT = 1e-5  # of an atom's squared length: what the chosen ones leave of it


def sparse_codes(
    vectors: Floats, atoms: Floats, sparsity: int, *, positive: bool = False, threads: int = 1
) -> tuple[Ids, Floats]:
    """Return vectors as sums of a few atoms.

    Args:
        vectors: (V, D) float32.
        atoms: (K, D) float32, of length 1.
        sparsity: k, most atoms a vector.
        positive: choose atoms only that point the same way as what is left.
        threads: how many; the result does not depend on it.

    Returns:
        (V, k) int32 atoms in the order in which they were chosen, -1 behind the last, and (V, k) float32 coefficients,
        0 there.

    Source:
        Rubinstein, Zibulevsky and Elad 2008, section 3.
    """
    most = min(sparsity, *atoms.shape)
    chosen = np.full((len(vectors), sparsity), -1, dtype=np.int32)
    codes = np.zeros((len(vectors), sparsity), dtype=np.float32)
    gram = atoms @ atoms.T
    mask = np.int32(-1 if positive else 2**31 - 1)

    def pursue(part: slice) -> None:
        rows = vectors[part]
        norms = np.linalg.norm(rows, axis=1)
        _pursue(rows @ atoms.T, gram, norms, most, mask, chosen[part], codes[part])

    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        list(pool.map(pursue, _parts(len(vectors))))
    return chosen, codes


def _parts(count: int) -> Iterator[slice]:
    for start in range(0, count, BLOCK):
        yield slice(start, min(start + BLOCK, count))


@compiled
def _pursue(
    products: Floats,  # (B, K) of each vector with each atom
    gram: Floats,  # (K, K) of the atoms with each other
    norms: Floats,  # (B,) lengths of the vectors
    most: int,  # atoms a vector
    mask: int,  # of the bits that are compared
    chosen: Ids,  # (B, k) written
    codes: Floats,  # (B, k) written
) -> None:
    left = np.empty(products.shape[1], np.float32)  # A r
    lower = np.zeros((most, most))  # L L^T = A_I A_I^T
    half, found = np.empty(most), np.empty(most)  # L half = A_I x,  L^T found = half
    for i in range(len(products)):
        left[:] = products[i]
        for n in range(most):
            if n:
                _leave(products[i], gram, chosen[i], codes[i], n, left)
            best = _largest(left, mask)
            if best < 0 or abs(left[best]) <= TINY * norms[i] or not _grow(lower, gram, chosen[i], n, best):
                break
            chosen[i, n] = best
            half[n] = products[i, best]
            for j in range(n):
                half[n] -= lower[n, j] * half[j]
            half[n] /= lower[n, n]
            _solve_upper(lower, half, n + 1, found)
            for j in range(n + 1):
                codes[i, j] = found[j]


@compiled
def _largest(
    values: Floats,  # (K,)
    mask: int,  # without the sign for the furthest from zero, all bits for the greatest
) -> int:
    """The place of the number that is furthest from zero, or greatest; the first of equals; -1 where all are zero."""
    bits = values.view(np.int32)  # without their signs, floats stand in the order of their bits
    best, place = np.int32(0), 0
    for start in range(0, len(bits), STRETCH):
        most = np.int32(0)
        for j in range(start, min(start + STRETCH, len(bits))):
            most = max(most, bits[j] & mask)  # whole numbers, and no place to keep: done in vectors
        if most > best:
            best, place = most, start
    if best == 0:
        return -1
    while bits[place] & mask != best:
        place += 1
    return place


@compiled
def _grow(
    lower: npt.NDArray[np.float64],  # (k, k) row n is written
    gram: Floats,  # (K, K)
    chosen: Ids,  # (k,) the first n are those of the rows above
    n: int,
    new: int,  # the atom to be added
) -> bool:
    """Add an atom to the Cholesky factor; False where it depends on the others."""
    square = np.float64(gram[new, new])
    for j in range(n):
        value = np.float64(gram[chosen[j], new])
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
    n: int,  # rows that count
    found: npt.NDArray[np.float64],  # (k,) the first n are written
) -> None:
    """Solve L^T found = half."""
    for j in range(n - 1, -1, -1):
        found[j] = half[j]
        for k in range(j + 1, n):
            found[j] -= lower[k, j] * found[k]
        found[j] /= lower[j, j]


@compiled
def _leave(
    products: Floats,  # (K,) A x
    gram: Floats,  # (K, K)
    chosen: Ids,  # (k,)
    codes: Floats,  # (k,)
    n: int,  # atoms chosen
    left: Floats,  # (K,) A r, written
) -> None:
    left[:] = products
    for j in range(n):
        row, code = gram[chosen[j]], codes[j]
        for k in range(len(left)):
            left[k] -= code * row[k]
