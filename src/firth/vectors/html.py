"""Vectors in notebooks: a few facts and the most frequent words as a table, and a map of words."""

from typing import Any

import numpy as np

from firth import notebook, registry
from firth.vectors.space import VectorSpace

ROWS = 8  # words shown
NUMBERS = 5  # numbers of each vector shown


def table(vectors: VectorSpace, *, words: str = "word", more: str = "") -> str:
    """Return an HTML table: a caption with the sizes, then the first words with their counts and first numbers.

    No neighbours: showing an object should not read its whole matrix.
    """
    caption = f"{len(vectors):,} {words}s × {vectors.dim}, {vectors.vectors.dtype}{more}"
    name = vectors.metadata.get("name")
    if name:
        caption = f"{name}: {caption}"
    head = [words, "row", *(["count"] if vectors.counts is not None else []), "vector"]
    rows = [_row(vectors, row) for row in range(min(ROWS, len(vectors)))]
    return notebook.table(head, rows, caption=caption)


def explore(space: VectorSpace, *, number: int = 20_000, method: str = "pca", seed: int = 0) -> Any:
    """Return a map of the most frequent words that a notebook shows in a cell; `save` writes it as an HTML file.

    For the whole explorer, with neighbours, analogies and axes: `firth explore MODEL` on the command line.

    Args:
        number: words, the first ones; at most 20,000.
        method: projection onto the plane: "pca", "stress", "tsne" or "umap"; all but "pca" take long with many words.
        seed: the random seed of "tsne" and "umap".

    Raises:
        OptionError: there are fewer than three words, the number is out of range, or the method is unknown.
        MissingExtraError: the library of the method is not installed.
    """
    return registry.resolve(registry.EXPLORE)(space, number=number, method=method, seed=seed)


def _row(vectors: VectorSpace, row: int) -> list[str]:
    numbers = " ".join(f"{number:.3f}" for number in np.asarray(vectors.vectors[row, :NUMBERS], dtype=np.float64))
    count = [] if vectors.counts is None else [f"{vectors.counts[row]:,}"]
    return [vectors.words[row], str(row), *count, numbers + (" …" if vectors.dim > NUMBERS else "")]
