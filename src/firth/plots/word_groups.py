"""Groups of vectors for the colours of a map: spherical k-means over the first rows, without their common mean.

Source: Dhillon and Modha 2001, "Concept decompositions for large sparse text data using clustering", section 3.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.randomness import generator
from firth.vectors.cosine import unit
from firth.vectors.spherical_means import parted

GROUPS, LEARNED = 12, 5_000  # clusters, and the rows that they are learned from
NAMED, FREQUENT = 3, 2_000  # words that name a cluster, and the first words, among which they are


@dataclass(frozen=True, eq=False)
class Groups:
    """Clusters of rows.

    Attributes:
        labels: (n,) the cluster of each row.
        names: of the clusters.
    """

    labels: npt.NDArray[np.uint8]
    names: list[str]


def clustered(rows: npt.NDArray[np.float32], number: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Cluster rows by direction; deterministic.

    Args:
        rows: (n, D), of length 1; clusters are learned from the first 5,000.
        number: of clusters.

    Returns:
        (n,) the cluster of each row, and (n, K) its cosine with each centre.
    """
    rows = unit(rows - rows.mean(axis=0))  # what all rows share sets none apart
    learned = rows[: min(LEARNED, len(rows))]
    parts = parted(learned, min(number, len(learned)), 2, generator(0, "groups of a map"))
    cosines = np.matmul(rows, parts.centres.T)
    return cosines.argmax(1).astype(np.uint8), cosines


def word_groups(rows: npt.NDArray[np.float32], words: Sequence[str]) -> Groups:
    """Cluster words, and name each cluster after those of its frequent words that are nearest to its centre.

    Args:
        rows: (n, D) their vectors, of length 1.
    """
    labels, cosines = clustered(rows, GROUPS)
    names = []
    for group in range(cosines.shape[1]):
        members = np.flatnonzero(labels[:FREQUENT] == group)
        if not len(members):
            members = np.flatnonzero(labels == group)
        nearest = members[np.argsort(-cosines[members, group], kind="stable")[:NAMED]]
        names.append(", ".join(words[row] for row in nearest.tolist()) or "none")
    return Groups(labels, names)
