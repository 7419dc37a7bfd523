"""K-SVD: dictionary learning for sparse coding.

What: the atoms are initialised with some of the vectors. Each round first codes every vector as a sum of at most k
atoms, and then fits every atom and its coefficients to the vectors that use it.

Objective: over atoms A (K, D) of length 1 and codes c (V, K) with at most k nonzero numbers per row,

    min sum_i |x_i - c_i A|^2

For atom j and the vectors I that use it, with the residual E = X_I - (c_I A without j) of the other atoms, g A_j is the
best rank-one approximation of E. One step towards it, from the current coefficients g, is

    A_j := E^T g / |E^T g|,    g := E A_j

Source: Aharon, Elad and Bruckstein 2006, "K-SVD: an algorithm for designing overcomplete dictionaries for sparse
representation", section IV; Rubinstein, Zibulevsky and Elad 2008, "Efficient implementation of the K-SVD algorithm
using Batch Orthogonal Matching Pursuit", section 4, for the one step in place of a singular value decomposition.

Departures: an unused atom is replaced by the vector with the largest error; the original also replaces atoms that few
vectors use, and one of two similar atoms. Rounds end early when the error decreases by less than `TOLERANCE`.

Cost: per round one run of `firth.senses.sparse_codes`, and 6 V k D operations.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.senses.sparse_codes import Floats, Ids, sparse_codes
from firth.vectors.cosine import unit

TOLERANCE = 1e-4  # relative decrease of the error per round


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Atoms, and the codes of the training vectors.

    Attributes:
        atoms: (K, D) float32, of length 1.
        indices: (V, k) int32 atoms of each vector, padded with -1.
        codes: (V, k) float32 coefficients of these atoms.
        errors: mean of |x - c A|^2 in each round and for the final codes.
    """

    atoms: Floats
    indices: Ids
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
    report: Callable[[int, float], None] = lambda round_number, error: None,
) -> Dictionary:
    """Learn atoms.

    Args:
        vectors: (V, D) float32, more than `count`.
        count: K, the number of atoms.
        sparsity: k, the maximum number of atoms per vector.
        positive: allow only positive coefficients.
        random: draws the initial atoms and the order of fitting.
        threads: number of threads; the result does not depend on it.
        report: called with the number of rounds so far and the error of the last one.
    """
    atoms = np.ascontiguousarray(unit(vectors[random.permutation(len(vectors))[:count]]))
    errors = list[float]()
    for number in range(rounds):
        indices, codes = sparse_codes(vectors, atoms, sparsity, positive=positive, threads=threads)
        residual = residuals(vectors, atoms, indices, codes)
        errors.append(_mean_square(residual))
        report(number + 1, errors[-1])
        if number and errors[-2] - errors[-1] <= TOLERANCE * errors[-2]:
            break
        _refit(atoms, indices, codes, residual, random)
    indices, codes = sparse_codes(vectors, atoms, sparsity, positive=positive, threads=threads)
    errors.append(_mean_square(residuals(vectors, atoms, indices, codes)))
    return Dictionary(atoms, indices, codes, tuple(errors))


def residuals(vectors: Floats, atoms: Floats, indices: Ids, codes: Floats) -> Floats:
    """Return x - c A of vectors (V, D) with these atoms (K, D), indices (V, k; -1 for none) and coefficients (V, k)."""
    residual = np.array(vectors, dtype=np.float32)
    _subtract(residual, atoms, indices, codes)
    return residual


def _mean_square(rows: Floats) -> float:
    return float(np.einsum("vd,vd->v", rows, rows).mean(dtype=np.float64))


def _refit(atoms: Floats, indices: Ids, codes: Floats, residual: Floats, random: np.random.Generator) -> None:
    """Fit every atom to the vectors that use it; atoms, codes and residuals change in place."""
    uses = np.bincount(indices[indices >= 0], minlength=len(atoms))
    ends = np.concatenate([[0], np.cumsum(uses)])
    # Positions of each atom in the flat codes: those of atom j are by_atom[ends[j]:ends[j + 1]].
    by_atom = np.argsort(indices, axis=None, kind="stable")[indices.size - ends[-1] :]
    _fit(atoms, codes, residual, random.permutation(len(atoms)), ends, by_atom)
    idle = np.flatnonzero(uses == 0)
    worst = np.argsort(-np.einsum("vd,vd->v", residual, residual), kind="stable")[: len(idle)]
    fresh = unit(residual[worst])
    atoms[idle] = np.where(fresh.any(axis=1, keepdims=True), fresh, atoms[idle])


@compiled
def _subtract(
    residual: Floats,  # (V, D) updated
    atoms: Floats,  # (K, D)
    indices: Ids,  # (V, k)
    codes: Floats,  # (V, k)
) -> None:
    for i in range(len(residual)):
        row = residual[i]
        for j in range(indices.shape[1]):
            if indices[i, j] >= 0:
                atom, code = atoms[indices[i, j]], codes[i, j]
                for d in range(len(row)):
                    row[d] -= code * atom[d]


@compiled
def _fit(
    atoms: Floats,  # (K, D) updated
    codes: Floats,  # (V, k) updated
    residual: Floats,  # (V, D) updated
    order: npt.NDArray[np.int64],  # (K,) order of the atoms
    ends: npt.NDArray[np.int64],  # (K + 1,)
    by_atom: npt.NDArray[np.int64],  # positions of each atom in the flat codes
) -> None:
    width = codes.shape[1]
    old, new = np.empty(atoms.shape[1], np.float32), np.empty(atoms.shape[1], np.float32)
    for atom in order:
        uses = by_atom[ends[atom] : ends[atom + 1]]
        old[:] = atoms[atom]
        squares = np.float32(0)
        new[:] = 0
        for use in uses:  # E^T g = residual^T g + |g|^2 A_j
            i, code = use // width, codes[use // width, use % width]
            squares += code * code
            for d in range(len(new)):
                new[d] += code * residual[i, d]
        for d in range(len(new)):
            new[d] += squares * old[d]
        length = np.sqrt(np.sum(new * new))
        if length == 0:
            continue
        new /= length
        atoms[atom] = new
        for use in uses:
            i, j = use // width, use % width
            fitted = np.float32(0)
            for d in range(len(new)):
                residual[i, d] += codes[i, j] * old[d]
                fitted += residual[i, d] * new[d]
            codes[i, j] = fitted
            for d in range(len(new)):
                residual[i, d] -= fitted * new[d]
