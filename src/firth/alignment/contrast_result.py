"""What a contrast of two groups of documents found: distances of words, intervals, p-values and neighbours."""

import csv
import io
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import notebook
from firth.alignment.groups import Tally
from firth.errors import OptionError, UnknownWordError
from firth.options import check_whole
from firth.resampling import LEVEL
from firth.storage.files import replacing_file
from firth.training_facts import rule_of
from firth.vectors.word_vectors import WordVectors

Floats = npt.NDArray[np.float64]

SHOWN = 10  # words in a notebook
ORDERS = ("chance", "distance")
TESTS = ("adjusted", "q")
FIGURES = ("distance", "low", "high", "chance", "z", "p", "q", "adjusted")


@dataclass(frozen=True, repr=False)
class Contrast:
    """Words in two groups of documents, made by `firth.contrast`.

    Attributes:
        names: of the two groups.
        words: W words that stand in both groups often enough, the most frequent first.
        first: (W, D) their vectors in the first group, in the space of the second.
        second: (W, D) their vectors in the second group.
        counts: (2, W) how often they stand in each group.
        distance: (W,) 1 - cosine of the two vectors of a word.
        low: (W,) the lower end of its interval; NaN without runs.
        high: (W,) the upper end.
        chance: (W,) the chance level: in 95 % of random divisions of the documents the distance is below.
        z: (W,) standard deviations by which the distance is above what random divisions give.
        p: (W,) share of words that move so far by chance.
        adjusted: (W,) p with a correction for the number of words; at most 0.05 for a significant word.
        q: (W,) share of false ones among the words that are as far above chance or further.
        tally: counts of all words in both groups.
        metadata: facts; "training" says how it was made.

    Source: `firth.alignment.chance` says what the figures mean, and what they assume.
    """

    names: tuple[str, str]
    words: list[str]
    first: WordVectors
    second: WordVectors
    counts: npt.NDArray[np.int64]
    distance: Floats
    low: Floats
    high: Floats
    chance: Floats
    z: Floats
    p: Floats
    adjusted: Floats
    q: Floats
    tally: Tally
    metadata: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Find words as the texts have them."""
        for side in (self.first, self.second):
            side.lexicon.read_by(rule_of(self.metadata))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.first.lexicon.row_of(word) is not None

    def __repr__(self) -> str:
        significant = len(self.significant())
        return f"<Contrast: {self.names[0]} and {self.names[1]}, {len(self):,} words, {significant:,} significant>"

    def _repr_html_(self) -> str:
        head = ("word", *self.names, "distance", "low", "high", "chance", "p", "q", "adjusted")
        rows = [
            (
                facts["word"],
                *(", ".join(near) for near in facts["neighbours"].values()),
                *("" if facts[name] is None else f"{facts[name]:.3g}" for name in head[3:]),
            )
            for facts in map(self.facts, self.most_changed(SHOWN))
        ]
        return notebook.table(head, rows, words=3, caption=self.summary())

    def summary(self) -> str:
        """Return a sentence on what was compared and found."""
        training = self.metadata["training"]
        groups = [
            f"{name} ({size:,} {training['unit']}, {tokens:,} words)"
            for name, size, tokens in zip(self.names, training["documents"], training["tokens"], strict=True)
        ]
        level = 1 - LEVEL
        return (
            f"{' and '.join(groups)}: {len(self.significant()):,} of {len(self):,} words differ by more than chance "
            f"(adjusted p <= {level:.2g}, {training['permutations']} random divisions), "
            f"{int((self.q <= level).sum()):,} with q <= {level:.2g}"
        )

    def order(self, by: str = "chance") -> npt.NDArray[np.int64]:
        """Return the indices of all words, the most changed first.

        Args:
            by: "chance", how far a distance is above what chance does to this word; or the "distance" itself, which is
                greatest for rare words.

        Raises:
            OptionError: there is no such order.
        """
        check_order(by)
        key = self.distance if by == "distance" else np.where(np.isfinite(self.z), self.z, -np.inf)
        return np.argsort(-key, kind="stable")

    def most_changed(self, n: int = 10, by: str = "chance") -> list[str]:
        """Return the most changed words; see `order`.

        Raises:
            OptionError: `n` is below 1, or there is no such order.
        """
        check_whole("n", n)
        return [self.words[row] for row in self.order(by)[:n].tolist()]

    def significant(self, level: float = 1 - LEVEL, by: str = "adjusted") -> list[str]:
        """Return the words that differ by more than chance, the most changed first.

        Args:
            level: the most that the figure may be.
            by: "adjusted", so that any word is among them by chance in a share of `level` of all studies; or "q", so
                that a share of `level` of them is among them by chance.

        Raises:
            OptionError: there is no such figure.
        """
        if by not in TESTS:
            raise OptionError(f"by={by!r}: expected {' or '.join(TESTS)}")
        figures = self.q if by == "q" else self.adjusted
        return [self.words[row] for row in self.order().tolist() if figures[row] <= level]

    def facts(self, word: str, near: int = 5) -> dict[str, Any]:
        """Return the figures of a word, and its nearest words in each group, for JSON.

        Args:
            word: one of both groups.
            near: number of nearest words.

        Raises:
            RareWordError: the word is too rare in a group.
            UnknownWordError: it is in neither.
        """
        row = self.first.lexicon.row_of(word)
        if row is None:
            raise self.unknown(word)
        own = self.words[row]
        sides = zip(self.names, (self.first, self.second), strict=True)
        return {
            **self._row(own),
            "neighbours": {name: [other for other, _ in side.similar_by_word(own, topn=near)] for name, side in sides},
        }

    def unknown(self, word: str) -> UnknownWordError:
        """Return the error for a word that is not compared: too rare in a group, or in neither."""
        return self.tally.unknown(word, self.first.lexicon)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the figures of all words in a table, the most changed first.

        Args:
            path: a file that ends in .csv, .tsv or .jsonl.

        Raises:
            OptionError: it has another ending.
        """
        save_table(path, [self._row(self.words[row]) for row in self.order().tolist()])

    def figures(self, word: str) -> dict[str, float | None]:
        """Return the figures of a word; None for one that is missing, and all None for a word that is not compared."""
        row = self.first.lexicon.row_of(word)
        values = {name: np.nan if row is None else float(getattr(self, name)[row]) for name in FIGURES}
        return {name: value if np.isfinite(value) else None for name, value in values.items()}

    def _row(self, word: str) -> dict[str, Any]:
        counts = dict(zip(self.names, self.tally.in_each(word), strict=True))
        return {"word": word, **self.figures(word), "counts": counts}


def check_order(by: str) -> None:
    """Check the name of an order of words."""
    if by not in ORDERS:
        raise OptionError(f"by={by!r}: expected {' or '.join(ORDERS)}")


def save_table(path: str | os.PathLike[str], rows: list[dict[str, Any]]) -> None:
    """Write rows with a word, figures and counts in the format of a file's name.

    Raises:
        OptionError: there is none.
    """
    write = check_table(path)
    with replacing_file(path) as file:
        file.write(write(rows).encode("utf-8", "backslashreplace"))


def check_table(path: str | os.PathLike[str]) -> Callable[[list[dict[str, Any]]], str]:
    """Return the function that writes rows in the format of a file's name.

    Raises:
        OptionError: there is none.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".jsonl":
        return lambda rows: "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    if suffix in (".csv", ".tsv"):
        return lambda rows: _separated(rows, "," if suffix == ".csv" else "\t")
    raise OptionError(f"{os.fspath(path)}: expected a name that ends in .csv, .tsv or .jsonl")


def _separated(rows: list[dict[str, Any]], separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    for i, row in enumerate(rows):
        figures = {name: value for name, value in row.items() if name != "counts"}
        counts = {f"count in {name}": count for name, count in row["counts"].items()}
        if i == 0:
            writer.writerow([*figures, *counts])
        writer.writerow([*figures.values(), *counts.values()])
    return text.getvalue()
