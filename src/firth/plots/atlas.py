"""A table of words for embedding-atlas: their vectors, their places on a map, and their nearest neighbours.

    word, vector, count ...    as in `WordVectors.to_arrow`
    x, y                       places on the plane, by `firth.plots.projection`
    neighbors                  {"ids": rows, "distances": 1 - cosine}, nearest first, the word itself left out

Source: the documentation of embedding-atlas, "Command Line Tool": `--x`, `--y` and `--neighbors`.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError, import_extra
from firth.plots.projection import project
from firth.plots.words import check_vectors
from firth.storage.files import replacing_file
from firth.vectors import exchange
from firth.vectors.cosine import inverse
from firth.vectors.io import parquet
from firth.vectors.neighbours import nearest
from firth.vectors.space import VectorSpace

NEIGHBOURS = 15


def embedding_atlas(
    vectors: VectorSpace,
    path: str | os.PathLike[str],
    *,
    method: str | None = None,
    places: npt.NDArray[np.floating] | None = None,
    neighbours: int = NEIGHBOURS,
    seed: int = 0,
) -> None:
    """Save vectors, a map and neighbours as Parquet for embedding-atlas.

    The viewer takes the columns by name: `embedding-atlas FILE --text word --x x --y y --neighbors neighbors`.
    `firth.load` opens the file as word vectors with the attributes x and y.

    Args:
        vectors: the vectors.
        path: the file, whose name ends in .parquet.
        method: projection onto the plane: "pca", "stress", "tsne" or "umap"; None is stress for up to 200 words, else
            principal components.
        places: (V, 2) a map that is known already; None to compute it.
        neighbours: nearest neighbours per word; 0 leaves the column out. All pairs of words are compared.
        seed: the random seed of "tsne" and "umap".

    Raises:
        FormatError: a word is not valid Unicode.
        MissingExtraError: pyarrow or the library of the method is not installed.
        ShapeError: the map has not a place for each word.
        OptionError: the name ends otherwise, the method is unknown, the vectors have attributes of these names, or
            something else is there.
        OSError: the file cannot be written.
    """
    check_vectors(vectors)
    target = Path(path)
    if target.suffix.lower() != ".parquet":
        raise OptionError(f"{path}: embedding-atlas reads Parquet; expected a name that ends in .parquet")
    if neighbours < 0:
        raise OptionError(f"neighbours={neighbours}: expected at least 0")
    parquet.check(target)
    arrow = import_extra("pyarrow", "write Parquet", "arrow")
    table = exchange.to_arrow(vectors)
    if taken := {"x", "y", "neighbors"} & set(table.column_names):
        raise OptionError(f"the words have attributes called {', '.join(sorted(taken))}; expected other names")
    if places is None:
        places, _ = project(np.asarray(vectors.vectors * inverse(vectors.norms)[:, None]), method, seed)
    if places.shape != (len(vectors), 2):
        raise ShapeError(f"places {places.shape} of {len(vectors):,} words: expected ({len(vectors)}, 2)")
    for name, column in zip("xy", places.T, strict=True):
        table = table.append_column(name, arrow.array(np.ascontiguousarray(column, dtype=np.float32)))
    if neighbours:
        ids, distances = _neighbours(vectors, min(neighbours, max(len(vectors) - 1, 0)))
        lists = [_lists(arrow, ids), _lists(arrow, distances)]
        table = table.append_column("neighbors", arrow.StructArray.from_arrays(lists, ["ids", "distances"]))
    with replacing_file(target) as file:
        import_extra("pyarrow.parquet", "write Parquet", "arrow").write_table(table, file)


def _neighbours(vectors: VectorSpace, count: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return (V, count) rows and (V, count) cosine distances of the nearest other words."""
    ids, cosines = nearest(vectors.vectors, vectors.norms, np.asarray(vectors.vectors), count + 1)
    is_other = ids != np.arange(len(ids))[:, None]
    is_other[is_other.all(axis=1), -1] = False  # a word with equals before it
    return ids[is_other].reshape(len(ids), count), 1 - cosines[is_other].reshape(len(ids), count)


def _lists(arrow: Any, rows: npt.NDArray[Any]) -> Any:
    ends = np.arange(0, rows.size + 1, max(rows.shape[1], 1), dtype=np.int32)
    return arrow.ListArray.from_arrays(arrow.array(ends), arrow.array(np.ascontiguousarray(rows).reshape(-1)))
