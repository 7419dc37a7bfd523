"""Load an index of vectors: `firth.load_index`."""

import os
from pathlib import Path

from firth.arguments import names_files
from firth.errors import FormatError, OptionError
from firth.vectors.document_vectors import DocumentVectors
from firth.vectors.index.files import REMEDY, read_index
from firth.vectors.index.index import Index, read_options, searcher_of
from firth.vectors.index.results import Points
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Vectors = WordVectors | SubwordVectors | DocumentVectors


def searched_vectors(vectors: Vectors) -> WordVectors:
    """Return the vectors that an index searches: of the known words, or of the documents."""
    if isinstance(vectors, SubwordVectors):
        return vectors.known
    return vectors.documents if isinstance(vectors, DocumentVectors) else vectors


@names_files
def load_index(path: str | os.PathLike[str], vectors: Vectors) -> Index:
    """Read an index of some vectors.

    Args:
        path: the file.
        vectors: the vectors that were indexed, of words or of subwords.

    Returns:
        The index, its arrays mapped from the file.

    Raises:
        FormatError: the file is damaged, cut short or something else, or the vectors are others than were indexed.
        MissingExtraError: the index is an HNSW graph and usearch is not installed.
        OSError: the file cannot be opened.
    """
    space = searched_vectors(vectors)
    settings, arrays = read_index(Path(path), space)
    kind = settings["kind"]
    try:
        options = read_options(kind, settings["options"])
    except OptionError as error:
        raise FormatError(f"{path}: {error}; {REMEDY}") from None
    points, searcher = Points(space.vectors, space.norms), searcher_of(kind)
    if damage := searcher.damage_of(points, options, arrays):
        raise FormatError(f"{path}: a damaged index, {damage}; {REMEDY}")
    return Index(space, kind, searcher.restore(points, options, arrays))
