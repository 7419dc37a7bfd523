"""Clusters of texts by the directions of their vectors: spherical k-means.

What: every text belongs to the nearest of k centres; the result is the best of several starts.
Objective: centres c_1 ... c_k of length 1 that maximise sum_i max_j x_i . c_j over the vectors x_i of the texts, which
    are of length 1.
Source: Dhillon and Modha 2001, Concept decompositions for large sparse text data using clustering, section 3.
Departures: those of `firth.vectors.spherical_means`, which does the work.
Cost: 2 N k D multiplications per iteration and start.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import OptionError
from firth.options import check_whole
from firth.progress import Progress
from firth.randomness import generator
from firth.sentences.encoded_texts import encoded_texts
from firth.text.inputs import Text
from firth.vectors.cosine import Matrix
from firth.vectors.spherical_means import parted

NO_CLUSTER = -1


@dataclass(frozen=True, eq=False)
class TextClusters:
    """Texts in k clusters, the largest first.

    Attributes:
        texts: N texts.
        labels: (N,) int64, the cluster of each text; -1 for a text without a known word.
        cosines: (N,) float32, cosine of each text with the centre of its cluster; 0 without one.
        centres: (k, D) float32, of length 1.
    """

    texts: list[Text]
    labels: npt.NDArray[np.int64]
    cosines: Matrix
    centres: Matrix

    def __len__(self) -> int:
        return len(self.centres)

    def __repr__(self) -> str:
        return f"<TextClusters: {len(self.texts):,} texts in {len(self)} clusters>"

    def rows(self, cluster: int) -> npt.NDArray[np.int64]:
        """Return the indices of a cluster's texts, those nearest to its centre first.

        Raises:
            OptionError: there is no such cluster.
        """
        if not 0 <= cluster < len(self):
            raise OptionError(f"cluster={cluster}: expected a number from 0 to {len(self) - 1}")
        members = np.flatnonzero(self.labels == cluster)
        return members[np.argsort(-self.cosines[members], kind="stable")]

    def cohesion(self, cluster: int) -> float:
        """Return the mean cosine of a cluster's texts with its centre.

        Raises:
            OptionError: there is no such cluster.
        """
        return float(self.cosines[self.rows(cluster)].mean())


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
    return TextClusters(encoded.texts, labels, cosines, parts.centres)
