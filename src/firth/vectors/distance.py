"""Word mover's distance: the minimum cost of moving the words of one document to those of another.

Objective: min over T >= 0 of sum_ij T_ij ||x_i - y_j||, where the row sums of T are the shares of the words in the
first document and its column sums those in the second.

Source: Kusner, Sun, Kolkin and Weinberger 2015, "From word embeddings to document distances", section 4.

Cost: a linear programme of n * m unknowns for n and m distinct words, solved exactly by HiGHS (SciPy). If both
documents have n distinct words, each once, it is an assignment problem: far cheaper, with the same optimum (Birkhoff).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Document = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def shares(words: Sequence[str]) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Return the distinct words of a document, in order of first use, and the share of each."""
    counts = Counter(words)
    return list(counts), np.array(list(counts.values())) / len(words)


def between(first: Document, second: Document) -> float:
    """Return the word mover's distance of two documents.

    Args:
        first: (n, D) vectors of the distinct words and (n,) their shares.
        second: (m, D) and (m,).
    """
    from scipy.spatial.distance import cdist

    return transport_cost(cdist(first[0], second[0]), first[1], second[1])


def transport_cost(
    costs: npt.NDArray[np.float64], supply: npt.NDArray[np.float64], demand: npt.NDArray[np.float64]
) -> float:
    """Return the minimum cost of moving the supply to the demand.

    Args:
        costs: (n, m) cost per unit.
        supply: (n,) positive, sum 1.
        demand: (m,) positive, sum 1.

    Raises:
        ArithmeticError: the solver found no optimum (every valid problem has one).
    """
    from scipy.optimize import linear_sum_assignment, linprog

    n, m = costs.shape
    if n == m and np.ptp(supply) == 0 and np.ptp(demand) == 0:
        rows, columns = linear_sum_assignment(costs)
        return float(costs[rows, columns].mean())
    solution = linprog(costs.ravel(), A_eq=_marginals(n, m), b_eq=np.concatenate([supply, demand[:-1]]), method="highs")
    if solution.fun is None:
        raise ArithmeticError(f"no word mover's distance for {n} and {m} words: {solution.message}")
    return float(solution.fun)


def _marginals(n: int, m: int) -> Any:
    """Return the sparse matrix that maps a plan to its row sums and its first m - 1 column sums; the last follows."""
    from scipy.sparse import eye_array, kron, vstack

    rows = kron(eye_array(n), np.ones((1, m)))
    columns = kron(np.ones((1, n)), eye_array(m), format="csr")[: m - 1]
    return vstack([rows, columns], format="csr")
