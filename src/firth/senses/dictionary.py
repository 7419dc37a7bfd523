"""K-SVD: the atoms of which vectors are sums of a few.

What: atoms begin as some of the vectors. In turns, every vector is coded as a sum of at most k atoms, and every atom is
fitted to the vectors that use it, with their coefficients.

Objective: over atoms A (K, D) of length 1 and codes c (V, K) with at most k numbers a row that are not zero,

    min sum_i |x_i - c_i A|^2

For atom j with the vectors I that use it, of which the others leave E = X_I - (c_I A without j), the best fit of g A_j
to E is of rank one. One step towards it, from the coefficients g that there are:

    A_j := E^T g / |E^T g|,    g := E A_j

Source: Aharon, Elad and Bruckstein 2006, "K-SVD: an algorithm for designing overcomplete dictionaries for sparse
representation", section IV; Rubinstein, Zibulevsky and Elad 2008, "Efficient implementation of the K-SVD algorithm
using Batch Orthogonal Matching Pursuit", section 4, for the one step in place of a singular value decomposition.

Departures: an atom that no vector uses is replaced by the worst coded vector; the original also replaces atoms that few
vectors use, and one of two that are nearly alike. Rounds end early once the error falls by less than `SETTLED`.

Cost: a round of `firth.senses.sparse_codes`, and 6 V k D operations.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.senses.sparse_codes import Floats, Ids, sparse_codes
from firth.vectors.cosine import unit

SETTLED = 1e-4  # of the error, a round


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Atoms, and vectors coded by them.

    Attributes:
        atoms: (K, D) float32, of length 1.
        chosen: (V, k) int32 the atoms of each vector, -1 where there are fewer.
        codes: (V, k) float32 their coefficients.
        errors: of each round and of the codes at the end, the mean of |x - c A|^2.
    """

    atoms: Floats
    chosen: Ids
    codes: Floats
    errors: tuple[float, ...]


def learn_dictionary(
    vectors: Floats,
    count: int,
    sparsity: int,
    *,
    rounds: int,
    positive: bool = False,
    random: np.random.Generator,
    threads: int = 1,
    report: Callable[[int, float], None] = lambda done, error: None,
) -> Dictionary:
    """Learn atoms.

    Args:
        vectors: (V, D) float32, more than `count`.
        count: K atoms.
        sparsity: k, most atoms a vector.
        rounds: of coding and fitting, at most.
        positive: whether coefficients are above 0.
        random: draws the vectors that atoms begin as, and the order in which atoms are fitted.
        threads: how many; the result does not depend on it.
        report: told the rounds that are done and the error of the last.
    """
    atoms = np.ascontiguousarray(unit(vectors[random.permutation(len(vectors))[:count]]))
    errors = list[float]()
    for done in range(rounds):
        chosen, codes = sparse_codes(vectors, atoms, sparsity, positive=positive, threads=threads)
        left = residuals(vectors, atoms, chosen, codes)
        errors.append(_mean_square(left))
        report(done + 1, errors[-1])
        if done and errors[-2] - errors[-1] <= SETTLED * errors[-2]:
            break
        _refit(atoms, chosen, codes, left, random)
    chosen, codes = sparse_codes(vectors, atoms, sparsity, positive=positive, threads=threads)
    errors.append(_mean_square(residuals(vectors, atoms, chosen, codes)))
    return Dictionary(atoms, chosen, codes, tuple(errors))


def residuals(vectors: Floats, atoms: Floats, chosen: Ids, codes: Floats) -> Floats:
    """Return what the codes leave of the vectors, (V, D).

    Args:
        vectors: (V, D).
        atoms: (K, D).
        chosen: (V, k) atoms, -1 for none.
        codes: (V, k) coefficients.
    """
    left = np.array(vectors, dtype=np.float32)
    _subtract(left, atoms, chosen, codes)
    return left


def _mean_square(rows: Floats) -> float:
    return float(np.einsum("vd,vd->v", rows, rows).mean(dtype=np.float64))


def _refit(atoms: Floats, chosen: Ids, codes: Floats, left: Floats, random: np.random.Generator) -> None:
    """Fit every atom to the vectors that use it; atoms, codes and what is left change in place."""
    uses = np.bincount(chosen[chosen >= 0], minlength=len(atoms))
    ends = np.concatenate([[0], np.cumsum(uses)])
    # Where in the codes each atom stands: the places of atom j are places[ends[j]:ends[j + 1]].
    places = np.argsort(chosen, axis=None, kind="stable")[chosen.size - ends[-1] :]
    _fit(atoms, codes, left, random.permutation(len(atoms)), ends, places)
    idle = np.flatnonzero(uses == 0)
    worst = np.argsort(-np.einsum("vd,vd->v", left, left), kind="stable")[: len(idle)]
    fresh = unit(left[worst])
    atoms[idle] = np.where(fresh.any(axis=1, keepdims=True), fresh, atoms[idle])


@compiled
def _subtract(
    left: Floats,  # (V, D) updated
    atoms: Floats,  # (K, D)
    chosen: Ids,  # (V, k)
    codes: Floats,  # (V, k)
) -> None:
    for i in range(len(left)):
        row = left[i]
        for j in range(chosen.shape[1]):
            if chosen[i, j] >= 0:
                atom, code = atoms[chosen[i, j]], codes[i, j]
                for d in range(len(row)):
                    row[d] -= code * atom[d]


@compiled
def _fit(
    atoms: Floats,  # (K, D) updated
    codes: Floats,  # (V, k) updated
    left: Floats,  # (V, D) updated
    order: npt.NDArray[np.int64],  # (K,) of the atoms
    ends: npt.NDArray[np.int64],  # (K + 1,)
    places: npt.NDArray[np.int64],  # of each atom in the flat codes
) -> None:
    width = codes.shape[1]
    old, new = np.empty(atoms.shape[1], np.float32), np.empty(atoms.shape[1], np.float32)
    for atom in order:
        uses = places[ends[atom] : ends[atom + 1]]
        old[:] = atoms[atom]
        squares = np.float32(0)
        new[:] = 0
        for place in uses:  # E^T g = left^T g + |g|^2 A_j
            i, code = place // width, codes[place // width, place % width]
            squares += code * code
            for d in range(len(new)):
                new[d] += code * left[i, d]
        for d in range(len(new)):
            new[d] += squares * old[d]
        length = np.sqrt(np.sum(new * new))
        if length == 0:
            continue
        new /= length
        atoms[atom] = new
        for place in uses:
            i, j = place // width, place % width
            fitted = np.float32(0)
            for d in range(len(new)):
                left[i, d] += codes[i, j] * old[d]
                fitted += left[i, d] * new[d]
            codes[i, j] = fitted
            for d in range(len(new)):
                left[i, d] -= fitted * new[d]
