"""Positions of words on a map, and of their labels, which must not overlap."""

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

STEPS = 300
_NEAREST = 1e-3  # least cosine distance: equal vectors would get infinite weight
_LABEL_STEPS = 400


def flatten(vectors: npt.ArrayLike) -> Points:
    """Place vectors on a plane so that distances follow cosine distances, short ones above all.

    Principal components give the start; stress majorisation with weights 1 / distance^2 moves each point to where its
    neighbours want it. The same vectors give the same map.

    Args:
        vectors: (n, D), none of them zero.

    Returns:
        (n, 2), centred, the widest direction first.

    Source:
        Gansner, Koren and North 2005, Graph drawing by stress majorization, section 2.2.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    points = principal(rows)[0]
    if len(rows) > 2:
        points = _majorise(points, np.maximum(1 - rows @ rows.T, _NEAREST))
    return principal(points)[0]


def principal(rows: npt.ArrayLike) -> tuple[Points, float]:
    """Place rows on the plane of their first two principal components.

    Args:
        rows: (n, D).

    Returns:
        Places (n, 2), and the share of the rows' variance that the plane holds, 0 to 1.
    """
    values = np.asarray(rows, dtype=np.float64)
    values = values - values.mean(axis=0)
    if len(values) > values.shape[1]:  # the axes of V^T V, which is small
        powers, columns = np.linalg.eigh(values.T @ values)
        lengths, axes = np.sqrt(powers[::-1].clip(min=0)), columns.T[::-1]
    else:
        _, lengths, axes = np.linalg.svd(values, full_matrices=False)
    # The sign of a component is arbitrary: make its greatest entry positive, so that maps do not flip by chance.
    axes = axes[:2] * np.sign(axes[np.arange(len(axes[:2])), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    positions = values @ axes.T
    whole = float((lengths**2).sum())
    share = float((lengths[:2] ** 2).sum()) / whole if whole else 1.0
    return np.pad(positions, ((0, 0), (0, 2 - positions.shape[1]))), share


def _majorise(points: Points, distances: Points) -> Points:
    weights = 1 / distances**2
    np.fill_diagonal(weights, 0)
    laplacian = np.diag(weights.sum(1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(STEPS):
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        pull = weights * distances / np.maximum(apart, 1e-9)
        np.fill_diagonal(pull, 0)
        points = inverse @ ((np.diag(pull.sum(1)) - pull) @ points)
    return points


def separate(anchors: Points, sizes: Points, obstacles: float = 0.0) -> Points:
    """Move labels apart until none overlap; each stays as near to its anchor as possible.

    Args:
        anchors: (n, 2) where the middles of the labels would like to be.
        sizes: (n, 2) widths and heights, in the same unit.

    Returns:
        (n, 2) middles of the labels.
    """
    middles = anchors.copy()
    for step in range(_LABEL_STEPS):
        push = _push(middles, sizes, middles, sizes)
        if obstacles:
            push += _push(middles, sizes, anchors, np.full_like(sizes, 2 * obstacles))
        if not push.any():
            break
        home = 0.02 * (1 - step / _LABEL_STEPS)  # the pull to the anchor ends before the last overlaps are resolved
        middles += 0.5 * push + home * (anchors - middles)
    return middles


def _push(middles: Points, sizes: Points, obstacles: Points, other_sizes: Points) -> Points:
    """The shortest move of each box out of the other boxes."""
    difference = middles[:, None] - obstacles[None]  # (n, n, 2)
    reach = (sizes[:, None] + other_sizes[None]) / 2
    overlap = np.maximum(reach - np.abs(difference), 0)
    np.einsum("iid->id", overlap)[:] = 0  # a label may cover its own point
    both = np.all(overlap > 0, axis=2)
    shorter = np.less(overlap[..., 0], overlap[..., 1])
    # Two boxes at the same place move apart by their order.
    order = np.sign(np.arange(len(middles))[:, None] - np.arange(len(middles))[None])
    direction = np.where(difference == 0, order[..., None], np.sign(difference))
    shift = overlap * direction * both[..., None]
    shift[..., 0] *= shorter
    shift[..., 1] *= ~shorter
    return np.asarray(shift.sum(axis=1))
