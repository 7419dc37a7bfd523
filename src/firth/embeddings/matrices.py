"""The parameters of a model of words: initial matrices, and matrices as word vectors."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.errors import OptionError, ShapeError, warn_caller
from firth.kernels.rows import aligned_rows
from firth.randomness import generator
from firth.vectors.lexicon import Lexicon
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Matrices:
    """The parameters of a model and the words they belong to.

    Attributes:
        words: V words.
        counts: (V,) int64.
        inputs: (V, P) float32, rows padded to cache lines.
        outputs: (V, P) float32.
        dim: D, the width of the vectors; the rest of a row is padding.
        state: further arrays that training changes and checkpoints hold, by name.
        frozen: (R,) uint8, 1 for input rows that training leaves as they are; None if it trains all.
        limits: smallest and largest value of arrays in a checkpoint, by name.
    """

    words: list[str]
    counts: npt.NDArray[np.int64]
    inputs: npt.NDArray[np.float32]
    outputs: npt.NDArray[np.float32]
    dim: int
    state: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    frozen: npt.NDArray[np.uint8] | None = None
    limits: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]] = field(default_factory=dict)

    def fingerprint(self) -> str:
        """Return a digest of the words and both matrices."""
        digest = hashlib.blake2b("\n".join(self.words).encode("utf-8", "surrogatepass"), digest_size=16)
        for rows in (self.inputs, self.outputs):
            digest.update(rows.data)
        return digest.hexdigest()


def frozen_words(words: Sequence[str], frozen: Collection[str] | None) -> npt.NDArray[np.uint8] | None:
    """Return (V,) 1 for words whose vectors stay as they are and 0 for others; None if all are trained.

    Warns:
        UserWarning: all vectors stay.
    """
    if frozen is None:
        return None
    marked = np.fromiter((word in frozen for word in words), dtype=np.uint8, count=len(words))
    if marked.all():
        warn_caller(
            "freeze=True: start has every word of the text that is frequent enough, so no vector changes; expected new "
            "words: add text with them, or lower min_count="
        )
    return marked


def word_vectors(
    matrices: Matrices, facts: dict[str, Any], attributes: Mapping[str, npt.NDArray[Any]] | None = None
) -> WordVectors:
    """Return the result of a run whose rows are words: input vectors with output vectors and counts."""
    m = matrices
    return WordVectors(
        Lexicon(m.words),  # distinct, as a vocabulary's are; the table of their rows would be the peak of the memory
        m.inputs[:, : m.dim],
        counts=m.counts,
        output_vectors=m.outputs[:, : m.dim],
        metadata={"training": facts},
        attributes=attributes,
    )


def initial_matrices(corpus: Corpus, dim: int, *, seed: int, start: WordVectors | None, reach: float = 1.0) -> Matrices:
    """Return initial matrices: inputs uniform in +-reach/D and outputs of zeros, or the vectors of `start`.

    The words of the corpus come first, by id; words that only `start` has follow and keep their vectors.
    """
    words, counts = list(corpus.vocabulary.words), np.asarray(corpus.vocabulary.counts, dtype=np.int64)
    if start is not None and start.dim != dim:
        raise ShapeError(
            f"start holds vectors of width {start.dim}, the options ask for dim={dim}: use dim={start.dim}"
        )
    if start is not None:
        words += [word for word in start.words if word not in corpus.vocabulary]
        counts = np.concatenate([counts, np.zeros(len(words) - len(counts), dtype=np.int64)])
    inputs, outputs = aligned_rows(len(words), dim), aligned_rows(len(words), dim)
    random = generator(seed, "input vectors")
    for rows in np.array_split(inputs, max(1, len(inputs) // 4096)):
        rows[:, :dim] = (random.random((len(rows), dim), dtype=np.float32) * 2 - 1) * reach / dim
    if start is not None:
        _copy_start(start, words, counts, inputs, outputs)
    return Matrices(words, counts, inputs, outputs, dim)


def _copy_start(
    start: WordVectors,
    words: list[str],
    counts: npt.NDArray[np.int64],
    inputs: npt.NDArray[np.float32],
    outputs: npt.NDArray[np.float32],
) -> None:
    for name, matrix in (("vectors", start.vectors), ("output vectors", start.output_vectors)):
        if matrix is not None and not np.isfinite(matrix).all():
            word = start.words[int(np.argmin(np.isfinite(matrix).all(1)))]
            raise OptionError(f"start's {name} hold NaN or infinity, first for {word!r}: expected finite numbers")
    row_of = {word: i for i, word in enumerate(words)}
    rows = np.array([row_of[word] for word in start.words], dtype=np.int64)
    inputs[rows, : start.dim] = start.vectors
    if start.output_vectors is not None and start.output_vectors.shape[1] != start.dim:
        raise ShapeError(
            f"start's output vectors have width {start.output_vectors.shape[1]}, expected dim={start.dim}: they are "
            "those of a structured model; start from vectors of the same model"
        )
    if start.output_vectors is not None:
        outputs[rows, : start.dim] = start.output_vectors
    if start.counts is not None:
        counts[rows] += start.counts
