"""Projections of vectors onto a plane: PCA, stress majorisation, t-SNE, UMAP.

What:
    Each method gives a place to each of n rows of length 1. Principal components keep the widest plane, so that
    straight lines stay straight; the others bend space to keep near rows near.

Objective:
    "pca" has the greatest variance of any plane. "stress": `firth.plots.layout.flatten`. "tsne" minimises the
    divergence of the probabilities that two rows are neighbours from those that their places are; "umap" a cross
    entropy of the same sort over a graph of nearest neighbours. Both by their own libraries.

Source:
    Pearson 1901; Gansner, Koren and North 2005; van der Maaten and Hinton 2008, by openTSNE (Policar 2024); McInnes,
    Healy and Melville 2018, by umap-learn.

Departures:
    None. One thread and a seed, so that a map is the same each time.

Cost:
    n rows of D numbers: "pca" O(n D min(n, D)), "stress" O(n^3), "tsne" and "umap" O(n log n) after the search for
    neighbours.
"""

import warnings
from collections.abc import Callable

import numpy as np

from firth.errors import OptionError, import_extra
from firth.plots.layout import flatten, principal
from firth.plots.picture import Floats

FEWEST = 5  # rows that t-SNE and UMAP need
STRESS_MOST = 200  # rows beyond which stress majorisation takes too long
PERPLEXITY, NEIGHBOURS = 30, 15  # defaults of both libraries
NEVER = "directions and distances between far groups mean nothing"


def project(rows: Floats, method: str | None = None, seed: int = 0) -> tuple[Floats, str]:
    """Project vectors onto a plane.

    Args:
        rows: (n, D) of length 1.
        method: "pca", "stress", "tsne" or "umap"; None is stress for up to 200 rows, principal components for more.
        seed: of "tsne" and "umap".

    Returns:
        (n, 2) places, and how to read them, in a sentence.

    Raises:
        OptionError: the method is unknown, or there are too few or too many rows for it.
    """
    name = method or ("stress" if len(rows) <= STRESS_MOST else "pca")
    if name not in METHODS:
        raise OptionError(f"method={name!r}: expected {', '.join(METHODS)}")
    return METHODS[name](rows, seed)


def _pca(rows: Floats, seed: int) -> tuple[Floats, str]:
    positions, share = principal(rows)
    return positions, f"Two principal components of the vectors at length 1: {100 * share:.0f} % of their variance."


def _stress(rows: Floats, seed: int) -> tuple[Floats, str]:
    if len(rows) > STRESS_MOST:
        raise OptionError(f"method='stress' for {len(rows):,} words: expected at most {STRESS_MOST}; take pca or tsne")
    return flatten(rows), "Stress majorisation: distances follow cosines, those of near words above all."


def _tsne(rows: Floats, seed: int) -> tuple[Floats, str]:
    module = import_extra("openTSNE", "draw a map by t-SNE", "maps")
    _check_enough(rows, "tsne")
    perplexity = min(PERPLEXITY, (len(rows) - 1) / 3)
    with warnings.catch_warnings():
        # It calls scikit-learn and SciPy by names that they deprecate.
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        # neighbors="exact" does the same, but first imports PyNNDescent, which compiles for a quarter of a minute.
        near = min(len(rows) - 1, int(3 * perplexity))
        neighbours = module.nearest_neighbors.Sklearn(rows, near, "euclidean", n_jobs=1, random_state=seed)
        affinities = module.affinity.PerplexityBasedNN(perplexity=perplexity, knn_index=neighbours, n_jobs=1)
        positions = module.TSNE(random_state=seed, n_jobs=1).fit(rows, affinities=affinities)
    return np.array(positions, dtype=np.float64), f"t-SNE of cosines, perplexity {perplexity:.0f}: {NEVER}."


def _umap(rows: Floats, seed: int) -> tuple[Floats, str]:
    _check_enough(rows, "umap")
    near = min(NEIGHBOURS, len(rows) - 1)
    with warnings.catch_warnings():
        # Its import warns about TensorFlow, which is not needed.
        warnings.simplefilter("ignore")
        module = import_extra("umap", "draw a map by UMAP", "maps")
        model = module.UMAP(n_neighbors=near, metric="cosine", init="pca", random_state=seed, n_jobs=1)
        positions = model.fit_transform(rows.astype(np.float32))
    return np.array(positions, dtype=np.float64), f"UMAP of cosines, {near} neighbours: {NEVER}."


def _check_enough(rows: Floats, method: str) -> None:
    if len(rows) < FEWEST:
        raise OptionError(f"method={method!r} for {len(rows)} words: expected at least {FEWEST}; take pca or stress")


METHODS: dict[str, Callable[[Floats, int], tuple[Floats, str]]] = {
    "stress": _stress, "pca": _pca, "tsne": _tsne, "umap": _umap,
}  # fmt: skip
