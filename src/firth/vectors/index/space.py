"""The words that an index is of, whichever vectors a caller holds."""

from firth.vectors.document_vectors import DocumentVectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Vectors = WordVectors | SubwordVectors | DocumentVectors


def space_of(vectors: Vectors) -> WordVectors:
    """Return the vectors that are searched: of the words that subwords know, or of the documents."""
    if isinstance(vectors, SubwordVectors):
        return vectors.known
    return vectors.documents if isinstance(vectors, DocumentVectors) else vectors
