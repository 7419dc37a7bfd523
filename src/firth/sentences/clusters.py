"""Clusters of texts by the directions of their vectors: spherical k-means, with keywords that say what they are about.

What: every text belongs to the nearest of k centres; the result is the best of several starts.
Objective: centres c_1 ... c_k of length 1 that maximise sum_i max_j x_i . c_j over the vectors x_i of the texts, which
    are of length 1. The keywords of cluster c are the words t with the greatest

        W_tc = tf_tc ln(1 + A / tf_t)

    for tf_tc occurrences in its texts, tf_t in all texts, and A words in a cluster on average.
Source: Dhillon and Modha 2001, Concept decompositions for large sparse text data using clustering, section 3;
    Grootendorst 2022, BERTopic: Neural topic modeling with a class-based TF-IDF procedure, equation 1.
Departures: those of `firth.vectors.spherical_means`, which does the work. Stop words (`firth.vocabulary.stop_words`)
    are no keywords: A / tf_t does not leave them out.
Cost: 2 N k D multiplications per iteration and start. The texts are split into words when keywords are asked for.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import notebook
from firth.arguments import explained
from firth.errors import OptionError, brief
from firth.options import check_whole
from firth.progress import Progress
from firth.randomness import generator
from firth.sentences.averages import SentenceAverages
from firth.sentences.encoded_texts import encoded_texts
from firth.sentences.text_blocks import text_of
from firth.text.inputs import Text
from firth.text.tokenise import tokeniser
from firth.text.word_rules import NAME
from firth.vectors.cosine import Matrix
from firth.vectors.spherical_means import parted
from firth.vocabulary import stop_words

NO_CLUSTER = -1


@dataclass(frozen=True, eq=False)
class TextClusters:
    """Texts in k clusters, the largest first.

    Attributes:
        texts: N texts.
        labels: (N,) int64, the cluster of each text; -1 for a text without a known word.
        cosines: (N,) float32, cosine of each text with the centre of its cluster; 0 without one.
        centres: (k, D) float32, of length 1.
        tokens: how texts are split into words for `keywords`, as in `Corpus.build`.
    """

    texts: list[Text]
    labels: npt.NDArray[np.int64]
    cosines: Matrix
    centres: Matrix
    tokens: Any = NAME

    def __len__(self) -> int:
        return len(self.centres)

    def __repr__(self) -> str:
        return f"<TextClusters: {len(self.texts):,} texts in {len(self)} clusters>"

    def rows(self, cluster: int) -> npt.NDArray[np.int64]:
        """Return the indices of a cluster's texts, those nearest to its centre first.

        Raises:
            OptionError: there is no such cluster.
        """
        self._check(cluster)
        members = np.flatnonzero(self.labels == cluster)
        return members[np.argsort(-self.cosines[members], kind="stable")]

    def cohesion(self, cluster: int) -> float:
        """Return the mean cosine of a cluster's texts with its centre.

        Raises:
            OptionError: there is no such cluster.
        """
        return float(self.cosines[self.rows(cluster)].mean())

    def keywords(self, cluster: int, number: int = 10) -> list[tuple[str, float]]:
        """Return the words that set a cluster apart from the others, with their weights by class-based TF-IDF.

        Raises:
            OptionError: there is no such cluster, or `number` is below 1.

        Source:
            Grootendorst 2022, equation 1.
        """
        check_whole("number", number)
        self._check(cluster)
        own, total = self._counts[cluster], self._total
        mean = sum(total.values()) / len(self)
        weights = {word: count * math.log1p(mean / total[word]) for word, count in own.items()}
        for word in self._stop_words:
            weights.pop(word, None)
        return sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:number]

    def examples(self, cluster: int, number: int = 5) -> list[Text]:
        """Return the texts of a cluster that are nearest to its centre.

        Raises:
            OptionError: there is no such cluster, or `number` is below 1.
        """
        check_whole("number", number)
        return [self.texts[row] for row in self.rows(cluster)[:number].tolist()]

    @cached_property
    def _counts(self) -> list[Counter[str]]:
        split = tokeniser(self.tokens)
        counts = [Counter[str]() for _ in range(len(self))]
        for text, cluster in zip(self.texts, self.labels.tolist(), strict=True):
            if cluster != NO_CLUSTER:
                counts[cluster].update(split(text) if isinstance(text, str) else text)
        return counts

    @cached_property
    def _total(self) -> Counter[str]:
        return sum(self._counts, Counter[str]())

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        words = sorted(self._total)
        return stop_words(words, np.array([self._total[word] for word in words]))

    def _repr_html_(self) -> str:
        rows = [
            (", ".join(word for word, _ in self.keywords(cluster)), brief(text_of(self.examples(cluster, 1)[0])),
             cluster, f"{len(self.rows(cluster)):,}", f"{self.cohesion(cluster):.2f}")
            for cluster in range(len(self))
        ]  # fmt: skip
        return notebook.table(("keywords", "nearest text", "cluster", "texts", "mean cosine"), rows, words=2)

    def _check(self, cluster: int) -> None:
        if not 0 <= cluster < len(self):
            raise OptionError(f"cluster={cluster}: expected a number from 0 to {len(self) - 1}")


@explained
def cluster_texts(
    model: Any,
    texts: Sequence[Text],
    k: int,
    *,
    vectors: Matrix | None = None,
    starts: int = 4,
    seed: int = 0,
    batch_size: int | None = None,
    progress: Progress = None,
) -> TextClusters:
    """Group texts by meaning into k clusters: spherical k-means over their vectors.

    Args:
        model: an encoder (a model with `encode`), or word vectors, which are averaged.
        texts: N texts.
        k: number of clusters.
        vectors: (N, D) vectors of the texts by this model, if they are known, for example from `firth.encode_file`.
        starts: number of random starts, of which the best result is kept.
        seed: random seed of the starts.
        batch_size: texts that are encoded at once; None for the model's default.

    Raises:
        OptionError: `k` or `starts` is below 1, or there are fewer texts with a known word than clusters.
        ArgumentTypeError: the model gives texts no vectors, or `texts` is not a list of texts.
        ShapeError: the given vectors have another shape.
        CorpusError: no text has a known word.

    Source:
        Dhillon and Modha 2001, section 3.
    """
    for name, value in (("k", k), ("starts", starts)):
        check_whole(name, value)
    encoded = encoded_texts(model, texts, vectors, batch_size=batch_size, progress=progress)
    if k > len(encoded.rows):
        raise OptionError(
            f"k={k}: {len(encoded.rows):,} of {len(encoded.texts):,} texts have a vector; expected at most as many "
            "clusters"
        )
    parts = parted(encoded.directions, k, starts, generator(seed, "clusters of texts"))
    labels, cosines = np.full(len(encoded.texts), NO_CLUSTER), np.zeros(len(encoded.texts), dtype=np.float32)
    labels[encoded.rows] = parts.labels
    cosines[encoded.rows] = np.einsum("nd,nd->n", encoded.directions, parts.centres[parts.labels])
    encoder = encoded.encoder
    tokens = encoder.tokens if isinstance(encoder, SentenceAverages) else NAME
    return TextClusters(encoded.texts, labels, cosines, parts.centres, tokens)
