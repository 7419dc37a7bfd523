"""Texts with their vectors: what search, near-duplicates and clusters start from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from firth.errors import ArgumentTypeError, CorpusError, FormatError, ShapeError, brief
from firth.progress import Progress
from firth.text.inputs import Text, checked_texts
from firth.vectors.cosine import Matrix, unit
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors


@runtime_checkable
class TextEncoder(Protocol):
    """A model that gives each text a vector."""

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        ...

    def encode(self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None) -> Matrix:
        """Return one vector per text.

        A vector depends on its own text only, not on the others of the call or of the batch. Texts longer than the
        model reads are truncated; the model counts and reports them.

        Args:
            texts: N texts, each a string or its tokens.
            batch_size: texts that are encoded at once; None for the model's default.

        Returns:
            (N, D) float32; zeros for a text without anything that the model knows.
        """
        ...


def as_encoder(model: Any) -> TextEncoder:
    """Return a model as an encoder: itself if it has `encode`, and the averages of word vectors."""
    if isinstance(model, WordVectors | SubwordVectors):
        from firth.sentences.averages import SentenceAverages  # imports SciPy

        return SentenceAverages.from_metadata(model) or SentenceAverages(model, "mean")
    if isinstance(model, TextEncoder):
        return model
    raise ArgumentTypeError(f"model: found {brief(model)}, expected word vectors, or a model with encode(texts)")


@dataclass(frozen=True, eq=False)
class EncodedTexts:
    """Texts, and the directions of those that have a vector.

    Attributes:
        texts: N texts.
        rows: (M,) int64, the texts whose vector is not zero, in order.
        directions: (M, D) float32, their vectors, of length 1.
    """

    encoder: TextEncoder
    texts: list[Text]
    rows: npt.NDArray[np.int64]
    directions: Matrix


def encoded_texts(
    model: Any,
    texts: Sequence[Text],
    vectors: Matrix | None = None,
    *,
    batch_size: int | None = None,
    progress: Progress = None,
) -> EncodedTexts:
    """Return texts with their vectors.

    Args:
        model: an encoder, or word vectors.
        vectors: (N, D) vectors of the texts by this model, if they are known, for example from `firth.encode_file`.
        batch_size: texts that are encoded at once.
    """
    encoder, items = as_encoder(model), checked_texts(texts)
    if not items:
        raise CorpusError("no texts: expected at least one")
    if vectors is None:
        vectors = encoder.encode(items, batch_size=batch_size, progress=progress)
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.shape != (len(items), encoder.dim):
        raise ShapeError(
            f"vectors of shape {vectors.shape}; expected {(len(items), encoder.dim)}, a row of this model for each text"
        )
    if not np.isfinite(vectors).all():
        raise FormatError(f"the vector of text {int(np.argmin(np.isfinite(vectors).all(axis=1)))} is not finite")
    rows = np.flatnonzero(vectors.any(axis=1))
    if not len(rows):
        raise CorpusError(
            f"none of {len(items):,} texts has a vector: the model knows none of their words; expected texts of the "
            "language and tokenisation that it was trained on"
        )
    return EncodedTexts(encoder, items, rows, np.asarray(unit(vectors[rows]), dtype=np.float32))
