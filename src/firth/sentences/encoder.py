"""The interface of text encoders: a model that gives a text a vector has `encode`."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from firth.errors import KindError, brief
from firth.progress import Progress
from firth.text.inputs import Text
from firth.vectors.cosine import Matrix
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
    raise KindError(f"model: found {brief(model)}, expected word vectors, or a model with encode(texts)")
