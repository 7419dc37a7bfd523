"""Texts in the space of an encoder: a map of them, and a search by meaning."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, counted
from firth.explorer.endpoint import DOCUMENT_VECTORS, RUNS, TEXT_ENCODERS, WORD_VECTORS, class_names
from firth.progress import Progress
from firth.sentences.averages import SentenceAverages
from firth.vectors.neighbours import nearest
from firth.vectors.word_vectors import WordVectors

LABEL = 200  # characters of a text that a map shows
WORD = re.compile(r"\w{3,}")
NAMED = 3  # words that name a group of texts


class TextSpace:
    """Texts with their vectors, and the encoder that places a new text among them.

    Args:
        encoder: has `encode`, which takes texts and returns (n, D) vectors.
        texts: N texts; of documents that are not at hand, their names.
        vectors: (N, D) their vectors.
        labels: N values by the name of a column, to colour them by.

    Attributes:
        encoder: the encoder of the texts.
        texts: the texts, in order of rows.
        space: the vectors under the beginnings of the texts, which are made distinct by numbers.

    Raises:
        ShapeError: the texts, vectors and labels differ in number.
    """

    def __init__(
        self,
        encoder: Any,
        texts: Sequence[str],
        vectors: npt.ArrayLike,
        labels: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.encoder = encoder
        self.texts = list(texts)
        columns = {name: np.array(list(values), dtype=object) for name, values in (labels or {}).items()}
        rows = np.asarray(vectors, dtype=np.float32)
        self.space = WordVectors(_distinct(map(_beginning, self.texts)), rows, attributes=columns)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"<TextSpace: {counted(len(self), 'text')} x {self.space.dim}, by {type(self.encoder).__name__}>"

    def nearest(self, query: str | int, n: int) -> list[tuple[int, float]]:
        """Return the rows of the n nearest texts and their cosines, best first.

        Args:
            query: a text, or the row of one that is here, which is then left out.

        Raises:
            OptionError: there is no such row, or the encoder knows nothing of the text.
        """
        if isinstance(query, int):
            if not 0 <= query < len(self):
                raise OptionError(f"row {query}: expected one of {counted(len(self), 'text')}, from 0")
            vector = np.asarray(self.space.vectors[query])
        else:
            vector = np.asarray(self.encoder.encode([query]))[0]
        if not vector.any():
            raise OptionError("nothing of this text is known to the encoder; expected other words")
        rows, cosines = nearest(self.space.vectors, self.space.norms, vector[None], n + 1)
        neighbours = zip(rows[0].tolist(), cosines[0].tolist(), strict=True)
        return [(row, cosine) for row, cosine in neighbours if row != query][:n]

    def group_names(self, groups: npt.NDArray[np.uint8], count: int) -> list[str]:
        """Name groups of texts after the words that set each apart.

        A group's words are those with the largest terms p log(p / q), where p is the share of the group's texts that
        have the word and q that of all texts.

        Args:
            groups: (N,) the group of each text.
        """
        of_all: Counter[str] = Counter()
        of_each: list[Counter[str]] = [Counter() for _ in range(count)]
        for text, group in zip(self.texts, groups.tolist(), strict=False):  # a map may have fewer texts
            different = set(WORD.findall(text.lower()))
            of_all.update(different)
            of_each[group].update(different)
        sizes, names = np.bincount(groups, minlength=count).clip(min=1), []
        for size, words in zip(sizes.tolist(), of_each, strict=True):
            shares = {w: (c / size, of_all[w] / len(groups)) for w, c in words.items() if c > 1 or size == 1}
            scores = {w: p * np.log(p / q) for w, (p, q) in shares.items() if p > q}
            telling = sorted(scores, key=lambda w: (-scores[w], w))
            names.append(", ".join(telling[:NAMED]) or "others")
        return names


def text_space(
    model: Any, texts: Sequence[str], labels: Mapping[str, Sequence[str]] | None = None, *, progress: Progress = None
) -> TextSpace | None:
    """Return texts in the space of a model; None if it encodes none. Texts without a vector are left out.

    Args:
        model: an encoder of texts, or word vectors, of which a text has the mean; of runs their consensus.
        progress: as in `firth.progress`.

    Raises:
        OptionError: fewer than three texts have a vector.
    """
    if RUNS in class_names(model):
        model = model.consensus
    if WORD_VECTORS in class_names(model):
        encoder = SentenceAverages(model, weighting="mean")
    elif not class_names(model).isdisjoint(TEXT_ENCODERS):
        encoder = model
    else:
        return None
    vectors = np.asarray(encoder.encode(texts, progress=progress))
    with_vector = np.flatnonzero(vectors.any(axis=1)).tolist()
    if len(with_vector) < 3:
        raise OptionError(
            f"{len(with_vector)} of {counted(len(texts), 'text')} have a vector; expected at least 3 for a map"
        )
    columns = {name: [values[i] for i in with_vector] for name, values in (labels or {}).items()}
    return TextSpace(encoder, [texts[i] for i in with_vector], vectors[with_vector], columns)


def documents_of(model: Any) -> TextSpace | None:
    """Return the documents of document vectors under their names; None for other models."""
    if DOCUMENT_VECTORS not in class_names(model):
        return None
    return TextSpace(model, model.names, model.vectors)


def _beginning(text: str) -> str:
    """Return a text as one line, cut after 200 characters."""
    line = " ".join(text.split())
    return line if len(line) <= LABEL else line[: LABEL - 1] + "…"


def _distinct(labels: Iterable[str]) -> list[str]:
    """Number labels that occurred before."""
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    distinct = []
    for label in labels:
        name = label
        while name in taken:
            seen[label] += 1
            name = f"{label} ({seen[label] + 1})"
        taken.add(name)
        distinct.append(name)
    return distinct
