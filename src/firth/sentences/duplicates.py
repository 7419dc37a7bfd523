"""Near-duplicates: pairs of texts whose vectors have a cosine above a threshold, and groups of such pairs.

What: all pairs of N texts are compared in blocks; with an index, each text is compared with its nearest ones only. A
group is a connected component of the pairs: from each of its texts pairs lead to all others.
Cost: N^2 D / 2 multiplications for all pairs: about a second for 10,000 texts and D = 300, two minutes for 100,000.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from firth.arguments import explained
from firth.errors import OptionError
from firth.progress import Progress
from firth.sentences.encoded_texts import encoded_texts
from firth.sentences.search import index_of
from firth.text.inputs import Text
from firth.vectors.cosine import Matrix
from firth.vectors.index.index import read_options

BLOCK = 1024  # texts that are compared with all others at once
MAX_PAIRS = 4_000_000  # of 200 bytes each
FIRST = 8  # neighbours per text in the first query of an index

Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Matrix]  # two texts, and their cosine


@dataclass(frozen=True)
class Duplicate:
    """Two texts that say nearly the same.

    Attributes:
        first: index of a text, from 0.
    """

    first: int
    second: int
    score: float


@explained
def near_duplicates(
    model: Any,
    texts: Sequence[Text],
    threshold: float = 0.95,
    *,
    vectors: Matrix | None = None,
    kind: str = "exact",
    batch_size: int | None = None,
    progress: Progress = None,
) -> list[Duplicate]:
    """Return the pairs of texts with a cosine of at least a threshold.

    Texts without a known word are in no pair.

    Args:
        model: an encoder (a model with `encode`), or word vectors, which are averaged.
        texts: N texts.
        threshold: smallest cosine, above 0 and at most 1.
        vectors: (N, D) vectors of the texts by this model, if they are known, for example from `firth.encode_file`.
        kind: "exact" compares all pairs; "lsh" and "hnsw" find most of the pairs in less time.
        batch_size: texts that are encoded at once; None for the model's default.

    Returns:
        Pairs, those with the highest cosine first.

    Raises:
        OptionError: the threshold is out of its range, or so low that there are more than four million pairs; or there
            is no such kind of index.
        ArgumentTypeError: the model gives texts no vectors, or `texts` is not a list of texts.
        ShapeError: the given vectors have another shape.
        CorpusError: no text has a known word.
        MissingExtraError: "hnsw" needs usearch.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.floating) or not 0 < threshold <= 1:
        raise OptionError(f"threshold={threshold!r}: expected a cosine above 0 and at most 1")
    read_options(kind, {})
    encoded = encoded_texts(model, texts, vectors, batch_size=batch_size, progress=progress)
    directions, least = encoded.directions, threshold - 1e-6  # equal texts have a cosine of 1 but for rounding
    blocks, count = list[Pairs](), 0
    for pairs in _all_pairs(directions, least) if kind == "exact" else _index_pairs(directions, least, kind):
        blocks.append(pairs)
        count += len(pairs[0])
        if count > MAX_PAIRS:
            raise OptionError(
                f"threshold={threshold!r}: {count:,} pairs, and more to come, among {len(encoded.texts):,} texts; use "
                "a higher threshold, or an encoder whose cosines are lower: averages without their common direction "
                "(firth.SentenceAverages.learn)"
            )
    first, second = (encoded.rows[np.concatenate([pairs[i] for pairs in blocks])] for i in (0, 1))
    scores = np.minimum(np.concatenate([pairs[2] for pairs in blocks]), 1)
    order = np.lexsort((second, first, -scores))
    return list(map(Duplicate, *(column[order].tolist() for column in (first, second, scores))))


@explained
def duplicate_groups(pairs: Sequence[Duplicate]) -> list[list[int]]:
    """Return the groups that pairs form, so that one text of each can be kept.

    Two texts of a group need not be a pair: each is near to another one of the group.

    Args:
        pairs: of `near_duplicates`.

    Returns:
        The indices of the texts of each group in ascending order, the group with the first text first.
    """
    if not pairs:
        return []
    ends = np.array([(pair.first, pair.second) for pair in pairs])
    rows, own = np.unique(ends, return_inverse=True)
    first, second = own.reshape(ends.shape).T
    graph = coo_array((np.ones(len(pairs), dtype=bool), (first, second)), shape=(len(rows), len(rows)))
    groups: dict[int, list[int]] = {}
    for row, group in zip(rows.tolist(), connected_components(graph, directed=False)[1].tolist(), strict=True):
        groups.setdefault(group, []).append(row)
    return list(groups.values())


def _all_pairs(directions: Matrix, least: float) -> Iterator[Pairs]:
    for start in range(0, len(directions), BLOCK):
        cosines = directions[start : start + BLOCK] @ directions[start:].T  # (B, N - start)
        first, second = np.nonzero(np.triu(cosines >= least, 1))
        yield first + start, second + start, cosines[first, second]


def _index_pairs(directions: Matrix, least: float, kind: str) -> Iterator[Pairs]:
    index = index_of(directions, kind)
    waiting, count = np.arange(len(directions)), FIRST
    while len(waiting):
        neighbours = index.query(directions[waiting], count)
        near = neighbours.scores >= least  # NaN, where there are fewer neighbours, is not
        rows, columns = np.nonzero(near)
        first, second = waiting[rows], neighbours.rows[rows, columns]
        new = first != second
        low, high = np.minimum(first, second)[new], np.maximum(first, second)[new]
        pairs = np.unique(np.stack([low, high]), axis=1)
        full = near.all(axis=1) if count < len(directions) else np.zeros(len(waiting), dtype=bool)
        waiting, count = waiting[full], min(4 * count, len(directions))
        done = ~np.isin(pairs, waiting).any(axis=0)  # the others come again
        cosines = np.einsum("nd,nd->n", directions[pairs[0]], directions[pairs[1]])
        yield pairs[0][done], pairs[1][done], cosines[done]
