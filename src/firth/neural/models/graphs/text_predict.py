"""Texts and words that TextGCN has labelled: predictions, vectors, files.

What
    The result of a transductive network: it labels the texts that it was trained with, and no others, so that the
    probabilities and vectors of all of them are all that is kept. Texts are known by a digest of their words.
Source
    Yao, Mao and Luo 2019, sections 3.3 and 4.3 (vectors of documents and words).
Departures
    Of texts with the same words in the same order, the last one given to the training answers for all.
Cost
    4 (H + L) bytes per text and word.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import CorpusError, brief
from firth.hints import Hinted
from firth.neural.models.graphs.data import UNKNOWN
from firth.neural.models.graphs.predict import NodeScores
from firth.options import check_whole
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.inputs import check_items, token_lists
from firth.text.tokenise import RULES, tokeniser
from firth.training_facts import with_training_facts
from firth.vectors.word_vectors import WordVectors

KIND = "firth-text-graph"
DIGEST = 16  # bytes
CARD = """# Texts labelled by TextGCN

{texts:,} texts and {words:,} words, with the labels {labels}. Only these texts can be asked for.

```python
import firth

model = firth.load("this folder")
model.word_vectors()
```
"""
Floats = npt.NDArray[np.float32]


def digests(texts: Sequence[Sequence[str]]) -> npt.NDArray[np.uint8]:
    """Return the digest of the words of each text, (J, 16)."""
    joined = ("\0".join(text).encode("utf-8", "surrogatepass") for text in texts)
    whole = b"".join(hashlib.blake2b(text, digest_size=DIGEST).digest() for text in joined)
    return np.frombuffer(whole, np.uint8).reshape(-1, DIGEST)


@dataclass(frozen=True, eq=False)
class TextGraphModel(Hinted):
    """J texts and V words with their labels, as `firth.TextGCN(...).train` returns it.

    Attributes:
        labels: L names.
        words: V words.
        texts: (J, 16) uint8, digests of the texts.
        vectors: (J + V, H) float32, of texts and words.
        node_probabilities: (J + V, L) float32, likewise.
        tokens: how texts are split into words.
        metadata: how it was trained, JSON-serialisable.
    """

    labels: Sequence[str]
    words: Sequence[str] = field(repr=False)
    texts: npt.NDArray[np.uint8] = field(repr=False)
    vectors: Floats = field(repr=False)
    node_probabilities: Floats = field(repr=False)
    tokens: str = "words"
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", with_training_facts(self.metadata))

    def __repr__(self) -> str:
        return f"<TextGraphModel: {len(self.texts):,} texts, {len(self.words):,} words, {len(self.labels):,} labels>"

    @property
    def dim(self) -> int:
        """H, width of the vectors."""
        return int(self.vectors.shape[1])

    def probabilities(self, texts: Any) -> Floats:
        """Return the probabilities of the labels of texts, (N, L) float32, whose rows add up to 1.

        Args:
            texts: of those given to `train`, as strings or lists of tokens.

        Raises:
            CorpusError: a text was not given to `train`.
            ArgumentTypeError: the texts are no texts.
        """
        return self.node_probabilities[self._rows(texts)]

    def predict(self, texts: Any) -> list[str]:
        """Return the most probable label of each text.

        Raises:
            CorpusError, ArgumentTypeError: as `probabilities`.
        """
        return [self.labels[row] for row in self.probabilities(texts).argmax(1).tolist()]

    def test(self, texts: Any, labels: Any) -> NodeScores:
        """Return how many texts get their label.

        Args:
            labels: of the texts; those without one do not count.

        Raises:
            CorpusError: a text was not given to `train`, none has a label, or one is none that was learned.
            ArgumentTypeError: the texts are no texts.
            ShapeError: there are not as many labels as texts.
        """
        return NodeScores.of(self.probabilities(texts).argmax(1), labels, self.labels, "text")

    def encode(self, texts: Any) -> Floats:
        """Return vectors of texts, (N, H) float32: of the hidden layer.

        Raises:
            CorpusError, ArgumentTypeError: as `probabilities`.
        """
        return self.vectors[self._rows(texts)]

    def word_vectors(self) -> WordVectors:
        """Return the vectors of the words, of the hidden layer."""
        return WordVectors(list(self.words), self.vectors[len(self.texts) :])

    @explained
    def label_words(self, label: str, topn: int = 10) -> list[tuple[str, float]]:
        """Return the words with the highest probability of a label, with it.

        Args:
            label: one of `labels`.
            topn: number of words.

        Raises:
            CorpusError: there is no such label.
            OptionError: `topn` is below 1.
        """
        check_whole("topn", topn)
        if label not in self.labels:
            raise CorpusError(f"the label {brief(label)} is none of those that were learned: {', '.join(self.labels)}")
        chances = self.node_probabilities[len(self.texts) :, list(self.labels).index(label)]
        best = np.argsort(-chances, kind="stable")[:topn].tolist()
        return [(self.words[row], float(chances[row])) for row in best]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a folder that `firth.load` opens; a firth folder at the path is replaced."""
        facts = {"texts": len(self.texts), "words": len(self.words), "labels": ", ".join(self.labels)}
        content = ModelFolder(
            kind=KIND,
            arrays={"texts": self.texts, "vectors": self.vectors, "probabilities": self.node_probabilities},
            texts={"vocab": list(self.words), "labels": list(self.labels)},
            config={"tokens": self.tokens},
            metadata=self.metadata,
            card=CARD.format(**facts),
        )
        model_folder.write(path, content)

    @cached_property
    def _row_of(self) -> dict[bytes, int]:
        return {digest.tobytes(): row for row, digest in enumerate(self.texts)}

    def _rows(self, texts: Any) -> list[int]:
        items = list(check_items(texts))
        texts = token_lists(items, tokeniser(self.tokens))
        rows = [self._row_of.get(digest.tobytes(), UNKNOWN) for digest in digests(texts)]
        if UNKNOWN in rows:
            number = rows.index(UNKNOWN)
            raise CorpusError(
                f"text {number + 1:,}, {brief(items[number])}, was not given to the training: TextGCN is transductive, "
                "and labels only the texts that it was trained with; train with unlabelled=[...], or use another "
                "classifier such as firth.TextClassifier"
            )
        return rows


def restore(content: ModelFolder) -> TextGraphModel:
    """Return the model of a folder."""
    words, labels, tokens = content.words(), content.words("labels"), content.config.get("tokens")
    if tokens not in list(RULES):
        raise content.damaged(f"tokens={tokens!r} in config.json; expected one of {', '.join(RULES)}")
    texts = content.array("texts", (None, DIGEST), "u", dtype=np.uint8)
    nodes = len(texts) + len(words)
    vectors = content.array("vectors", (nodes, None), dtype=np.float32)
    chances = content.array("probabilities", (nodes, len(labels)), dtype=np.float32)
    if len(set(words)) != len(words) or len(set(labels)) != len(labels) or len(labels) < 2:
        raise content.damaged("words or labels that are not distinct")
    if not np.isfinite(vectors).all() or not (np.abs(chances.sum(1) - 1) < 1e-3).all():
        raise content.damaged("vectors that are not finite, or probabilities that do not add up to 1")
    read = np.array(texts), np.array(vectors), np.array(chances)
    return TextGraphModel(labels, words, *read, tokens=tokens, metadata=dict(content.metadata))
