"""Semantic change: how far words moved between vectors of two periods of one language.

What: vectors of an older and a newer text are aligned by an orthogonal map learned from their common words. There are
two measures: the cosine distance of a word's two vectors, and the change of its similarities to its neighbours of both
periods, which is independent of the map.

Objective: with w and w' a word's old and new vector in one space, and N the union of its K nearest neighbours in both
periods,

    distance(w)        1 - cos(w, w')
    neighbourhood(w)   1 - cos(s, s'),    s_j = cos(w, n_j), s'_j = cos(w', n'_j) over n_j in N
    kept(w)            the share of the K old neighbours that are new ones too

Source: Hamilton, Leskovec and Jurafsky 2016, "Diachronic word embeddings reveal statistical laws of semantic change",
section 3 (alignment by Procrustes, cosine distance); the same, "Cultural shift or linguistic drift? Comparing two
computational measures of semantic change", section 3 (the local neighbourhood measure, K = 25).

Departures: only common words can be neighbours, so that both periods choose from the same words. Vectors are normalised
and centred before they are aligned.

Cost: two products of 2 n^2 D flops for n common words.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import notebook
from firth.alignment.steps import normalise, orthogonal
from firth.errors import OptionError, brief_repr
from firth.options import option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.vectors import cosine, neighbours
from firth.vectors.cosine import unit
from firth.vectors.word_vectors import WordVectors

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

MEASURES = ("distance", "neighbourhood")
SHOWN = 10  # words in a notebook
BATCH = 512  # words whose neighbours are compared at once


@dataclass(frozen=True)
class SemanticChanges:
    """Semantic change of words.

    Attributes:
        words: n common words, the most frequent first.
        old: (n, D) their old vectors in the space of the new ones, of length 1.
        new: (n, D) their new ones.
        distance: (n,) 1 - cosine of the two.
        neighbourhood: (n,) change of the similarities to neighbours.
        kept: (n,) share of old neighbours that are new neighbours too.
        anchors: number of words from which the map was learned.
        neighbours: K.
    """

    words: list[str]
    old: WordVectors
    new: WordVectors
    distance: Floats
    neighbourhood: Floats
    kept: Floats
    anchors: int
    neighbours: int

    __repr__ = brief_repr

    def _repr_html_(self) -> str:
        changes = [self.facts(word) for word in self.most_changed(SHOWN)]
        rows = [
            (
                change["word"],
                ", ".join(change["old"]),
                ", ".join(change["new"]),
                f"{change['distance']:.3f}",
                f"{change['neighbourhood']:.3f}",
                f"{100 * change['kept']:.0f} %",
            )
            for change in changes
        ]
        head = ("word", "neighbours then", "neighbours now", "distance", "neighbourhood", "neighbours kept")
        return notebook.table(head, rows, words=3, caption=f"The most changed of {len(self.words):,} words")

    def order(self, by: str = "distance") -> Rows:
        """Return the indices of all words, the most changed first.

        Raises:
            OptionError: the measure does not exist.
        """
        if by not in MEASURES:
            raise OptionError(f"by={by!r}: expected {' or '.join(MEASURES)}")
        return np.argsort(-(self.distance if by == "distance" else self.neighbourhood), kind="stable")

    def most_changed(self, n: int = 10, by: str = "distance") -> list[str]:
        """Return the most changed words.

        Raises:
            OptionError: the measure does not exist, or `n` is below 1.
        """
        if n < 1:
            raise OptionError(f"n={n}: expected at least 1 word")
        return [self.words[row] for row in self.order(by)[:n].tolist()]

    def facts(self, word: str, near: int = 5) -> dict[str, Any]:
        """Return the measures of a word and its nearest words in both periods, for JSON."""
        row = self.new.get_index(word)
        return {
            "word": word,
            "distance": float(self.distance[row]),
            "neighbourhood": float(self.neighbourhood[row]),
            "kept": float(self.kept[row]),
            "old": [other for other, _ in self.old.similar_by_word(word, topn=near)],
            "new": [other for other, _ in self.new.similar_by_word(word, topn=near)],
        }


@options_class
class SemanticChange:
    """Options of semantic change between two periods; `measure` computes it."""

    neighbours: int = option(25, "nearest neighbours of each period that a word is compared with", minimum=1)
    min_count: int = option(1, "minimum count of a word in each text, where counts are known", minimum=1)
    anchors: int | None = option(None, "most frequent common words used to learn the map; by default all", minimum=1)

    def measure(self, old: WordVectors, new: WordVectors) -> SemanticChanges:
        """Return the semantic change of each word.

        Args:
            old: vectors of the older text, the most frequent words first.
            new: vectors of the newer text, of the same dimension.

        Raises:
            OptionError: the dimensions differ, there are fewer than two common words, or the vectors are built from
                n-grams.
            FormatError: a vector is not finite.
        """
        pair = aligned(old, new, self.min_count, self.anchors)
        k = min(self.neighbours, len(pair.words) - 1)
        overlaps, local = _neighbourhoods(pair.old, pair.new, k)
        then, now = (
            WordVectors(pair.words, rows, metadata={"name": name})
            for rows, name in ((pair.old, "old"), (pair.new, "new"))
        )
        return SemanticChanges(pair.words, then, now, pair.distances(), local, overlaps, pair.anchors, k)


class Pair(NamedTuple):
    """The vectors of common words in one space.

    Attributes:
        words: n common words, the most frequent first.
        old: (n, D) float32, of length 1.
        new: (n, D) float32.
        anchors: number of words from which the map was learned.
    """

    words: list[str]
    old: npt.NDArray[np.float32]
    new: npt.NDArray[np.float32]
    anchors: int

    def distances(self) -> Floats:
        """Return 1 - cosine of the two vectors of each word, (n,)."""
        return np.asarray(1 - (unit(self.old).astype(np.float64) * unit(self.new)).sum(axis=1))


def aligned(old: WordVectors, new: WordVectors, min_count: int = 1, anchors: int | None = None) -> Pair:
    """Map old vectors into the space of new ones; the arguments and errors are those of `SemanticChange`."""
    before, _ = normalise(checked_matrix(old), "unit-centre-unit")
    after, _ = normalise(checked_matrix(new), "unit-centre-unit")
    words = _common(old, new, min_count)
    before = before[[old.key_to_index[word] for word in words]]
    after = after[[new.key_to_index[word] for word in words]]
    first = min(anchors or len(words), len(words))
    turn, _ = orthogonal(before[:first], after[:first])
    return Pair(words, np.asarray(before @ turn, dtype=np.float32), after, first)


def _common(old: WordVectors, new: WordVectors, min_count: int) -> list[str]:
    """Common words with the minimum count, in the order of their lower frequency rank."""
    rows = old.key_to_index, new.key_to_index
    shared = [word for word in rows[1] if word in rows[0]]
    for vectors, table in zip((old, new), rows, strict=True):
        if vectors.counts is not None:
            counts = vectors.counts
            shared = [word for word in shared if counts[table[word]] >= min_count]
    if len(shared) < 2:
        few = f", {min_count:,} times each" if min_count > 1 else ""
        raise OptionError(
            f"{len(shared)} common words of {len(old):,} and {len(new):,}{few}: expected two texts of one language, "
            "with the same spelling"
        )
    return sorted(shared, key=lambda word: (max(rows[0][word], rows[1][word]), word))


def _neighbourhoods(before: npt.NDArray[Any], after: npt.NDArray[Any], k: int) -> tuple[Floats, Floats]:
    """Shares of neighbours kept, and changes of similarity to the neighbours of both periods, each (n,)."""
    then, now = unit(before), unit(after)
    overlaps, local = np.empty(len(then)), np.empty(len(then))
    for start in range(0, len(then), BATCH):
        part = np.arange(start, min(start + BATCH, len(then)))
        near = np.stack([_neighbours_without_self(rows, part, k) for rows in (then, now)])  # (2, B, k)
        same = near[0][:, :, None] == near[1][:, None, :]
        overlaps[part] = same.any(axis=2).mean(axis=1)
        union = np.concatenate([near[0], near[1]], axis=1)  # (B, 2k)
        mask = np.concatenate([np.ones_like(near[0], dtype=bool), ~same.any(axis=1)], axis=1)
        profiles = [np.einsum("bd,bkd->bk", rows[part], rows[union]) * mask for rows in (then, now)]
        local[part] = 1 - _cosine(*profiles)
    return overlaps, local


def _neighbours_without_self(rows: npt.NDArray[Any], part: Rows, k: int) -> Rows:
    neighbour_rows, _ = neighbours.nearest(rows, cosine.row_norms(rows), rows[part], k + 1)
    own = neighbour_rows == part[:, None]
    own[~own.any(axis=1), -1] = True  # beyond duplicates of itself
    return np.asarray(neighbour_rows[~own].reshape(len(part), k))


def _cosine(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Floats:
    return np.asarray((unit(a).astype(np.float64) * unit(b)).sum(axis=1))
