"""CSLS, cross-domain similarity local scaling: a cosine corrected for hubs.

What: some vectors, the hubs, are near neighbours of very many others. CSLS subtracts from the cosine of two vectors the
mean cosine of each with its nearest neighbours on the other side.

Objective: csls(x, y) = 2 cos(x, y) - r(x) - r(y), with r(x) the mean cosine of x with its K nearest vectors among the
y's, and r(y) that of y with its K nearest among the x's.

Source: Conneau, Lample, Ranzato, Denoyer and Jegou 2018, "Word translation without parallel data", section 2.3,
equations 3 and 4; K = 10 there.

Departures: none between two matrices. Within one matrix (the index of kind "exact" with `csls=`) the x's and the y's
are the same words, and a word is not its own neighbour.

Cost: 2 B V D flops for the cosines, and the same again for each r.
"""

import numpy as np

from firth.errors import OptionError, ShapeError
from firth.vectors.cosine import Matrix, Rows, Scorer, cosine_scorer, row_norms, unit
from firth.vectors.neighbours import BATCH, best_rows, block_rows, nearest

NEIGHBOURS = 10  # K of the paper


def surroundings(points: Matrix, candidates: Matrix, neighbours: int = NEIGHBOURS, *, own: bool = False) -> Matrix:
    """Return the mean cosine of each point with its K nearest candidates: r of the formula.

    Args:
        points: (B, D).
        candidates: (V, D).
        own: point i is row i of the candidates, and not its own neighbour.

    Returns:
        (B,) float32, or float64 if the candidates are.

    Raises:
        OptionError: `neighbours` is below 1, or there are no candidates.
        ShapeError: the widths differ, or with `own` the numbers of points and others.
    """
    _check_widths(points, candidates)
    if neighbours < 1 or len(candidates) <= own:
        raise OptionError(f"{neighbours} neighbours among {len(candidates)} vectors: expected at least one of each")
    if own and len(points) != len(candidates):
        raise ShapeError(f"{len(points)} points and {len(candidates)} candidates: expected equal numbers")
    rows, cosines = nearest(candidates, row_norms(candidates), points, neighbours + own)
    if own:
        mine = rows == np.arange(len(rows))[:, None]
        mine[~mine.any(axis=1), -1] = True  # not found among many duplicates: drop the last one instead
        cosines = cosines[~mine].reshape(len(rows), -1)
    return np.asarray(cosines.mean(axis=1))


def csls(points: Matrix, candidates: Matrix, neighbours: int = NEIGHBOURS) -> Matrix:
    """Return the CSLS of each point with each other vector.

    Args:
        points: (B, D).
        candidates: (V, D).

    Returns:
        (B, V).
    """
    around_points = surroundings(points, candidates, neighbours)
    around_candidates = surroundings(candidates, points, neighbours)
    return np.asarray(2 * unit(points) @ unit(candidates).T - around_points[:, None] - around_candidates)


def csls_nearest(points: Matrix, candidates: Matrix, k: int, neighbours: int = NEIGHBOURS) -> tuple[Rows, Matrix]:
    """Return the k other vectors of highest CSLS with each point, best first; ties by row.

    Args:
        points: (B, D).
        candidates: (V, D).

    Returns:
        (B, k) rows of `others`, and (B, k) their CSLS.
    """
    around = surroundings(candidates, points, neighbours)
    return ranked(candidates, row_norms(candidates), around, points, surroundings(points, candidates, neighbours), k)


def ranked(
    candidates: Matrix, norms: Matrix, around_candidates: Matrix, points: Matrix, around_points: Matrix, k: int
) -> tuple[Rows, Matrix]:
    """Return the k others of highest CSLS with each point, as `csls_nearest` does, for given r of both sides.

    Args:
        candidates: (V, D).
        norms: (V,) their lengths.
        around_candidates: (V,) r of each.
        points: (B, D).
        around_points: (B,) r of each.

    Returns:
        (B, k) rows, and (B, k) their CSLS.
    """
    points = unit(points).astype(norms.dtype, copy=False)
    parts = []
    for low in range(0, max(len(points), 1), BATCH):
        batch = points[low : low + BATCH]
        score = _adjusted(cosine_scorer(candidates, norms, batch), around_candidates, around_points[low : low + BATCH])
        parts.append(best_rows(score, len(batch), k, 0, len(candidates), block_rows(len(batch), candidates)))
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([scores for _, scores in parts])


def _adjusted(cosines: Scorer, around_candidates: Matrix, around_points: Matrix) -> Scorer:
    def score(start: int, end: int) -> Matrix:
        scores = cosines(start, end)
        scores *= 2
        scores -= around_candidates[start:end]
        scores -= around_points[:, None]
        return scores

    return score


def _check_widths(points: Matrix, candidates: Matrix) -> None:
    if points.ndim != 2 or candidates.ndim != 2 or points.shape[1] != candidates.shape[1]:
        raise ShapeError(f"matrices of shape {points.shape} and {candidates.shape}: expected equal widths")
