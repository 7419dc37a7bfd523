"""The texts that a classifier is trained on: read, numbered, and put into an order."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from firth.corpus.line_scanner import TokenLines
from firth.corpus.ordering import by_count_then_word
from firth.embeddings.labels import LabelSet, kept_labels
from firth.embeddings.text_features import FeatureMap, Features
from firth.embeddings.training import Matrices
from firth.errors import CorpusError, ShapeError
from firth.kernels import labelled_text
from firth.kernels.compiled import compiled
from firth.kernels.random import draw
from firth.kernels.rows import aligned_rows
from firth.randomness import generator, kernel_states
from firth.readers.labelled import LabelledTexts
from firth.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from firth.embeddings.text_classifier import TextClassifier


@dataclass(frozen=True, eq=False)
class Texts:
    """Encoded texts to train on.

    Attributes:
        map: how texts become rows.
        labels: their names and counts.
        counts: (V,) of the words.
        features: the rows and labels of every text.
        order: (K,) int64, the texts that are trained on, in their order.
        starts: (K + 1,) int64, tokens before each of them.
        rows: rows of the input side: words, then buckets that were met.
        left_out: texts without a label or without a feature.
    """

    map: FeatureMap
    labels: LabelSet
    counts: npt.NDArray[np.int64]
    features: Features
    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    rows: int
    left_out: int

    @property
    def num_tokens(self) -> int:
        """Tokens of all texts, ends of lines and labels included."""
        return int(self.starts[-1])

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """What is read again and again."""
        return self.features.rows

    @property
    def fingerprint(self) -> str:
        """A digest of everything that training reads."""
        f = self.features
        digest = hashlib.blake2b("\n".join(self.map.words).encode("utf-8", "surrogatepass"), digest_size=16)
        for array in (f.rows, f.ends, f.labels, f.label_ends, self.order):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def initial_matrices(self, dim: int, *, seed: int, start: WordVectors | None) -> Matrices:
        """Return random input rows in +-1/D and output rows of zeros.

        Args:
            dim: D.
            seed: of the random rows.
            start: vectors for words that have one there.

        Raises:
            ShapeError: `start` has another width.
        """
        inputs, outputs = aligned_rows(self.rows, dim), aligned_rows(len(self.labels.names), dim)
        fill_uniform(inputs, dim, np.float32(1 / dim), kernel_states(seed, "input vectors", 1))
        words = list(self.map.words)
        if start is not None:
            if start.dim != dim:
                raise ShapeError(
                    f"start holds vectors of width {start.dim}, the options ask for dim={dim}: use dim={start.dim}"
                )
            known = [row for row, word in enumerate(words) if word in start]
            inputs[known, :dim] = np.stack([start[words[row]] for row in known]) if known else 0
        return Matrices(words, self.counts, inputs, outputs, dim)


def encode(model: "TextClassifier", read: LabelledTexts, *, seed: int) -> Texts:
    """Turn labelled lines into rows.

    Args:
        model: the options.
        read: the texts.
        seed: of the order in which they are gone through.

    Raises:
        CorpusError: no text has a label, all have the same, or no word is left.
    """
    lines = read.lines
    if not len(lines.ends):
        raise CorpusError(f"{read.name}: no texts; expected lines of text with labels")
    labels = kept_labels(read, prefix=model.label_prefix, min_count=model.min_count_label)
    words, counts = kept_words(lines, model.min_count)
    hashed = model.word_ngrams > 1 or model.max_n > 0
    map = FeatureMap(
        words=words,
        word_ngrams=model.word_ngrams,
        min_n=model.min_n,
        max_n=model.max_n,
        buckets=model.buckets if hashed else 0,
        bucket_rows=np.full(model.buckets if hashed else 0, labelled_text.EMPTY, dtype=np.int32),
    )
    features, given = map.grown(lines, {} if read.labels else labels.ids, prefix=model.label_prefix)
    if read.labels is not None:
        features = features.labelled(*labels.numbered(read.labels))
    usable = (features.sizes > 0) & (np.diff(features.label_ends, prepend=0) > 0)
    order = np.flatnonzero(usable)
    if not len(order):
        raise CorpusError(
            f"{read.name}: no text has both a label and a word of the vocabulary; lower min_count={model.min_count} or "
            f"min_count_label={model.min_count_label}"
        )
    if model.shuffle:
        order = generator(seed, "order of texts").permutation(order)
    tokens = np.diff(lines.ends, prepend=0)[order]
    starts = np.concatenate([[0], np.cumsum(tokens)]).astype(np.int64)
    return Texts(map, labels, counts, features, order, starts, len(words) + given, len(usable) - len(order))


def kept_words(lines: TokenLines, min_count: int) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return the words that stand in lines at least `min_count` times, the commonest first, and their counts."""
    kept = np.flatnonzero(~lines.is_label & (lines.counts >= max(1, min_count)))
    names = lines.names()
    words, counts = [names[token] for token in kept.tolist()], lines.counts[kept]
    order = by_count_then_word(words, counts) if words else np.zeros(0, np.int64)
    return [words[i] for i in order.tolist()], counts[order]


@compiled
def fill_uniform(
    rows: npt.NDArray[np.float32],  # (R, P), written in the first `dim` columns
    dim: int,
    bound: np.float32,
    random: npt.NDArray[np.uint64],  # (1,) state, updated
) -> None:
    """Fill rows with numbers drawn uniformly from -bound to bound, to 24 bits."""
    scale = bound * np.float32(2.0**-23)
    for row in range(rows.shape[0]):
        for d in range(dim):
            rows[row, d] = np.float32(np.int64(draw(random) >> np.uint64(40)) - 2**23) * scale
