"""HTML representation of vectors for notebooks: a few facts and the most frequent words."""

from html import escape

import numpy as np

from firth.vectors.space import VectorSpace

ROWS = 8  # words shown
NUMBERS = 5  # numbers of each vector shown


def table(vectors: VectorSpace) -> str:
    """Return an HTML table: a caption with the sizes, then the first words with their counts and first numbers.

    No neighbours: showing an object should not read its whole matrix.
    """
    caption = f"{len(vectors):,} words × {vectors.dim}, {vectors.vectors.dtype}"
    name = vectors.metadata.get("name")
    if name:
        caption = f"{escape(str(name))}: {caption}"
    has_counts = vectors.counts is not None
    head = "".join(f"<th>{title}</th>" for title in ("row", "word", *(["count"] if has_counts else []), "vector"))
    rows = "".join(_row(vectors, row) for row in range(min(ROWS, len(vectors))))
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(vectors: VectorSpace, row: int) -> str:
    numbers = " ".join(f"{number:.3f}" for number in np.asarray(vectors.vectors[row, :NUMBERS], dtype=np.float64))
    more = " …" if vectors.dim > NUMBERS else ""
    count = "" if vectors.counts is None else f"<td>{vectors.counts[row]:,}</td>"
    return f"<tr><td>{row}</td><td>{escape(vectors.words[row])}</td>{count}<td>{numbers}{more}</td></tr>"
