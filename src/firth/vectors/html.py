"""HTML representation of vectors for notebooks: a few facts and the most frequent words."""

import numpy as np

from firth import notebook
from firth.vectors.space import VectorSpace

ROWS = 8  # words shown
NUMBERS = 5  # numbers of each vector shown


def table(vectors: VectorSpace, *, words: str = "word", more: str = "") -> str:
    """Return an HTML table: a caption with the sizes, then the first words with their counts and first numbers.

    No neighbours: showing an object should not read its whole matrix.

    Args:
        vectors: the vectors.
        words: what the words are, in the singular.
        more: what follows the sizes in the caption.
    """
    caption = f"{len(vectors):,} {words}s × {vectors.dim}, {vectors.vectors.dtype}{more}"
    name = vectors.metadata.get("name")
    if name:
        caption = f"{name}: {caption}"
    head = [words, "row", *(["count"] if vectors.counts is not None else []), "vector"]
    rows = [_row(vectors, row) for row in range(min(ROWS, len(vectors)))]
    return notebook.table(head, rows, caption=caption)


def _row(vectors: VectorSpace, row: int) -> list[str]:
    numbers = " ".join(f"{number:.3f}" for number in np.asarray(vectors.vectors[row, :NUMBERS], dtype=np.float64))
    count = [] if vectors.counts is None else [f"{vectors.counts[row]:,}"]
    return [vectors.words[row], str(row), *count, numbers + (" …" if vectors.dim > NUMBERS else "")]
