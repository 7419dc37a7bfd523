"""Alignment: two vector spaces mapped into one, with translation, mapping of further vectors, and saving.

A folder holds the mapped vectors of both sides, their maps, and each word's mean similarity to its nearest neighbours
on the other side (r of CSLS), so that a translation compares only the queried word with the other side.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from firth.alignment.dictionary import Pair
from firth.alignment.steps import NORMALISATIONS, Placement
from firth.alignment.strength import strength
from firth.errors import OptionError, ShapeError
from firth.loading import load_as
from firth.notebook import Markup, facts, table
from firth.postprocess.transforms import checked_matrix, with_matrix
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.vectors import neighbours
from firth.vectors.csls import NEIGHBOURS, ranked, surroundings
from firth.vectors.io import folder
from firth.vectors.io.folder import parts
from firth.vectors.lexicon import Lexicon
from firth.vectors.word_vectors import WordVectors

Metric = Literal["csls", "cosine"]
Side = Literal["source", "target"]
Answer = list[tuple[str, float]]

KIND = "firth-alignment"
METRICS = ("csls", "cosine")
SIDES: tuple[Side, Side] = ("source", "target")
SHOWN = 5  # words with translations in a notebook
FREQUENT = 50_000  # first words of the other side among which the neighbours of r are searched


@dataclass(frozen=True)
class Alignment:
    """Two vector spaces mapped into one.

    Attributes:
        source: the source vectors in the shared space.
        target: the target vectors in the shared space.
        placements: the maps of source and target vectors into the shared space.
        pivots: the input pairs from which the maps were learned; empty without a dictionary.
        around: (V,) of the source and (W,) of the target: r of CSLS among the 50,000 first words of the other side.
        metadata: options and results of the alignment, JSON-serialisable.
    """

    source: WordVectors
    target: WordVectors
    placements: tuple[Placement, Placement]
    pivots: tuple[Pair, ...]
    around: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
    metadata: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.source) + len(self.target)

    @property
    def dim(self) -> int:
        """K, the dimension of the shared space."""
        return self.source.dim

    def __repr__(self) -> str:
        method = self.metadata.get("method", "")
        return f"<Alignment: {len(self.source):,} and {len(self.target):,} words x {self.source.dim}, {method}>"

    def _repr_html_(self) -> str:
        rows = [
            *(
                (side, ", ".join(filter(None, (space_name(space), f"{len(space):,} words"))))
                for side, space in zip(SIDES, (self.source, self.target), strict=True)
            ),
            ("dimension", f"{self.dim:,}"),
            ("method", self.metadata.get("method", "")),
            ("learned from", f"{len(self.pivots):,} pairs"),
        ]
        words = self.source.words[:SHOWN]
        translations = [
            (word, ", ".join(other for other, _ in answer))
            for word, answer in zip(words, self.translate(words, 3), strict=True)
        ]
        return facts("Alignment", rows, more=Markup(table(("word", "translations"), translations, words=2)))

    def apply(self, vectors: WordVectors, side: Side = "source") -> WordVectors:
        """Map further vectors of one side, such as those of rarer words, into the shared space.

        Args:
            vectors: trained together with that side's vectors, or already mapped to their space.
            side: "source" or "target".

        Raises:
            OptionError: `side` is unknown, or the vectors are built from n-grams.
            ShapeError: the dimension differs from that side's.
            FormatError: a vector is not finite.
        """
        if side not in SIDES:
            raise OptionError(f"side={side!r}: expected source or target")
        mapped = self.placements[SIDES.index(side)].apply(checked_matrix(vectors))
        return with_matrix(vectors, mapped, "align", {"side": side, "method": self.metadata.get("method")})

    def translate(self, words: str | Sequence[str], k: int = 10, metric: Metric = "csls", *, back: bool = False) -> Any:
        """Return the translations of words: the nearest words of the other side.

        Args:
            words: a source word, or a list of them.
            k: number of translations per word.
            metric: "csls", which corrects for words that are near many others, or "cosine".
            back: whether to translate target words into source words.

        Returns:
            [(word, score), ...], best first; for a list of words a list of such lists.

        Raises:
            UnknownWordError: a word has no vector.
            OptionError: `k` is below 1, or `metric` is unknown.

        Source:
            Conneau et al. 2018, section 2.3.
        """
        if k < 1:
            raise OptionError(f"k={k}: expected at least 1 translation")
        queried, candidates = (self.target, self.source) if back else (self.source, self.target)
        if not isinstance(words, str) and not len(words):
            return []
        rows = np.array([queried.get_index(word) for word in ([words] if isinstance(words, str) else words)], np.int64)
        rows_of_neighbours, scores = self.nearest(rows, k, metric, back=back)
        answers: list[Answer] = [
            [(candidates.words[row], score) for row, score in zip(*ranking, strict=True)]
            for ranking in zip(rows_of_neighbours.tolist(), scores.tolist(), strict=True)
        ]
        return answers[0] if isinstance(words, str) else answers

    def nearest(
        self, rows: npt.NDArray[np.int64], k: int, metric: Metric = "csls", *, back: bool = False
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        """Return the nearest rows of the other side.

        Args:
            rows: (n,) row numbers of the source.
            k: number of neighbours per row.
            metric: "csls" or "cosine".
            back: whether `rows` are row numbers of the target.

        Returns:
            (n, k) rows and (n, k) scores, best first.

        Raises:
            OptionError: `metric` is unknown.
        """
        if metric not in METRICS:
            raise OptionError(f"metric={metric!r}: expected csls or cosine")
        queried, candidates = (self.target, self.source) if back else (self.source, self.target)
        near, far = self.around[::-1] if back else self.around
        points = queried.vectors[rows]
        if metric == "cosine":
            return neighbours.nearest(candidates.vectors, candidates.norms, points, k)
        return ranked(candidates.vectors, candidates.norms, far, points, near[rows], k)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the alignment as a folder that `firth.load` opens.

        Raises:
            OptionError: the path is a folder of another kind, which is never replaced, or the metadata is not JSON.
            OSError: the folder cannot be written.
        """
        model_folder.check_target(path)
        arrays: dict[str, npt.NDArray[Any]] = {}
        texts: dict[str, Any] = {"pivots": [list(pair) for pair in self.pivots]}
        facts: dict[str, Any] = {"normalisations": [placement.normalisation for placement in self.placements]}
        for i, (side, vectors) in enumerate(zip(SIDES, (self.source, self.target), strict=True)):
            own, matrices = parts(vectors)
            arrays |= {f"{side}.{name}": array for name, array in own.items()}
            texts |= {f"{side}-{name}": value for name, value in matrices.items()}
            arrays[f"{side}.around"] = self.around[i]
            arrays[f"{side}.mean"], arrays[f"{side}.map"] = self.placements[i].mean, self.placements[i].matrix
            facts[side] = {"metadata": dict(vectors.metadata)}
        content = ModelFolder(
            kind=KIND, arrays=arrays, texts=texts, config=facts, metadata=self.metadata, card=_card(self)
        )
        model_folder.write(path, content)


def align_spaces(
    spaces: tuple[WordVectors, WordVectors],
    placements: tuple[Placement, Placement],
    pivots: Sequence[Pair],
    metadata: Mapping[str, Any],
) -> Alignment:
    """Map two spaces into one; warn if translations hardly stand out.

    Args:
        spaces: source and target vectors, before the mapping.
        placements: the maps of source and target.
        pivots: the pairs from which the maps were learned.
    """
    mapped = [
        with_matrix(space, placement.apply(space.vectors), "align", {"side": side, **metadata})
        for space, placement, side in zip(spaces, placements, SIDES, strict=True)
    ]
    source, target = mapped
    first = source.vectors[:FREQUENT], target.vectors[:FREQUENT]
    around = surroundings(source.vectors, first[1], NEIGHBOURS), surroundings(target.vectors, first[0], NEIGHBOURS)
    result = strength(source.vectors, target.vectors)
    result.warn()
    results = {"margin": round(result.margin, 4), "mutual_pairs": len(result.pairs)}
    facts = {**metadata, **results, "source": space_name(spaces[0]), "target": space_name(spaces[1])}
    return Alignment(source, target, placements, tuple(pivots), around, facts)


def space_name(vectors: WordVectors) -> str:
    """Return the name of vectors, or ""."""
    return str(vectors.metadata.get("name", ""))


def load_alignment(path: str | os.PathLike[str]) -> Alignment:
    """Load an alignment from a folder."""
    return load_as(path, Alignment, "a folder of firth align")


def restore(content: ModelFolder) -> Alignment:
    """Return the alignment in the content of a folder."""
    kinds = content.config.get("normalisations")
    pivots = content.texts.get("pivots")
    if not isinstance(kinds, list) or len(kinds) != 2 or not all(kind in tuple(NORMALISATIONS) for kind in kinds):
        raise content.damaged(f"normalisations {kinds!r}, expected two of {', '.join(NORMALISATIONS)}")
    if not isinstance(pivots, list) or not all(map(_is_pair, pivots)):
        raise content.damaged("pivots.json that does not hold pairs of words")
    sides = [_side(content, side, kind) for side, kind in zip(SIDES, kinds, strict=True)]
    (source, here, near), (target, there, far) = sides
    if source.dim != target.dim:
        raise content.damaged(f"vectors of dimensions {source.dim} and {target.dim}, expected equal dimensions")
    return Alignment(source, target, (here, there), tuple((a, b) for a, b in pivots), (near, far), content.metadata)


def _is_pair(pivot: Any) -> bool:
    return isinstance(pivot, list) and len(pivot) == 2 and all(isinstance(word, str) for word in pivot)


def _side(content: ModelFolder, side: str, kind: str) -> tuple[WordVectors, Placement, npt.NDArray[Any]]:
    words = content.words(f"{side}-vocab")
    rows = content.array(f"{side}.embeddings", (len(words), None))
    around = content.array(f"{side}.around", (len(words),))
    mean = content.array(f"{side}.mean", (None,))
    matrix = content.array(f"{side}.map", (len(mean), rows.shape[1]))
    prefix = f"{side}.attribute."
    attributes = {name.removeprefix(prefix): a for name, a in content.arrays.items() if name.startswith(prefix)}
    attributes |= folder.columns_in(content, f"{side}-attributes")
    facts = content.config.get(side)
    metadata = facts.get("metadata") if isinstance(facts, dict) else None
    if not isinstance(metadata, dict):
        raise content.damaged(f"no metadata of the {side} in config.json")
    counts = content.counts(f"{side}.counts", len(words)) if f"{side}.counts" in content.arrays else None
    try:
        vectors = WordVectors(Lexicon(words), rows, counts=counts, metadata=metadata, attributes=attributes)
    except ShapeError as error:
        raise content.damaged(str(error)) from None
    return vectors, Placement(kind, mean, matrix), around


def _card(alignment: Alignment) -> str:
    facts = "".join(f"| {name} | {value} |\n" for name, value in alignment.metadata.items())
    return f"""---
library_name: firth
tags: [word-embeddings, cross-lingual]
---

# Two spaces of words, aligned

| fact | value |
|---|---|
| source words | {len(alignment.source):,} |
| target words | {len(alignment.target):,} |
| width | {alignment.source.dim} |
{facts}
```python
import firth

alignment = firth.load("this/folder")
alignment.translate("{alignment.source.words[0]}")
```
"""
