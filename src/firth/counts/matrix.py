"""Co-occurrence matrices: words and a sparse matrix on disk.

A folder holds `columns.bin` (int32) and `values.bin` (float32), the cells row by row, and `rows.bin` (int64), the start
of each row, all little-endian; the words and their counts as in the folder of a corpus; and `cooccurrence.json`,
written last: the sizes and options of the counts.
"""

import html
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.corpus.cache import writing
from firth.corpus.storage import VOCABULARY, check_words, read_vocabulary, write_vocabulary
from firth.errors import CorpusError, FormatError, OptionError, UnknownWordError
from firth.kernels.association import mirror
from firth.storage.files import release_pages, replacing_folder
from firth.storage.integrity import verify
from firth.storage.partial import is_empty
from firth.storage.snapshots import snapshot
from firth.storage.untrusted import file_bytes, mapped_numbers, parse_json
from firth.text.forms import place_of
from firth.vocabulary import Vocabulary

FORMAT, VERSION = "firth cooccurrence", 1
MANIFEST = "cooccurrence.json"
PARTS = {"rows": "<i8", "columns": "<i4", "values": "<f4"}
FILES = {MANIFEST, *VOCABULARY, *(f"{name}.bin" for name in PARTS)}
AGAIN = "count again"
_MAX_TOKENS = 1 << 62
CHUNK = 1 << 22  # numbers of a file checked at once


@dataclass(frozen=True, eq=False)
class CooccurrenceMatrix:
    """The matrix X: X_ij is the weighted count of word j near word i. Made by `firth.Cooccurrence` or `open`.

    A symmetric matrix stores only the cells up to its diagonal.

    Attributes:
        vocabulary: V words and their counts in the corpus.
        rows: (V + 1,) int64: the cells of word i are rows[i] to rows[i + 1].
        columns: (C,) int32, the context word of each cell, ascending within a row.
        values: (C,) float32, positive.
        half: whether the matrix is symmetric and only cells with j <= i are stored.
        options: the options of counting.
        fingerprint: hexadecimal; equal for matrices with the same counts.
        rules: names of the rules by which the text became words, as `firth.training_facts.text_facts` gives them.
    """

    vocabulary: Vocabulary
    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    half: bool
    options: Mapping[str, Any]
    fingerprint: str
    rules: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    @names_files
    def open(cls, path: str | os.PathLike[str]) -> "CooccurrenceMatrix":
        """Open a saved matrix; its cells are memory-mapped.

        Args:
            path: folder of the matrix.

        Raises:
            CorpusError: the folder is not a co-occurrence matrix.
            FormatError: the matrix is damaged.
        """
        return snapshot(Path(path), cls._read)

    @classmethod
    def _read(cls, folder: Path) -> "CooccurrenceMatrix":
        if not (folder / MANIFEST).is_file() and not (folder / "rows.bin").is_file():
            fact = f"holds no {MANIFEST}" if folder.is_dir() else "found no folder"
            raise CorpusError(f"{folder}: {fact}; expected counted co-occurrences; make them with firth.Cooccurrence")
        verify(folder, AGAIN, check_contents)
        facts = read_manifest(folder)
        vocabulary = read_vocabulary(folder, int(facts["words"]), int(facts["total"]), AGAIN)
        parts = _read_parts(folder)
        fields = {name: facts[name] for name in ("half", "options", "fingerprint")}
        return cls(vocabulary, **parts, **fields, rules=facts.get("rules", {}))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the matrix as a folder, which appears complete or not at all.

        Args:
            path: folder of the matrix.

        Raises:
            OptionError: the path is a folder with other content, which is never replaced.
            CorpusError: the folder cannot be written.
        """
        path_of_matrix, size = Path(path), sum(getattr(self, name).nbytes for name in PARTS)
        if path_of_matrix.is_dir() and not (path_of_matrix / MANIFEST).is_file() and not is_empty(path_of_matrix):
            raise OptionError(
                f"{path_of_matrix} is a folder of something else; expected a new name, or counts that firth wrote"
            )
        with writing_counts(path_of_matrix.parent, size), replacing_folder(path_of_matrix, lambda _: FILES) as folder:
            for name, kind in PARTS.items():
                (folder / f"{name}.bin").write_bytes(getattr(self, name).astype(kind, copy=False).data)
            write_manifest(folder, self.vocabulary, self.described())

    def described(self) -> dict[str, Any]:
        """Return the manifest without the words."""
        return {
            "cells": len(self.columns), "half": self.half, "options": dict(self.options),
            "fingerprint": self.fingerprint, **({"rules": dict(self.rules)} if self.rules else {}),
        }  # fmt: skip

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """X_ij for a pair of words: the centre word, its context word."""
        centre, context = (self._id(word) for word in pair)
        if self.half and context > centre:
            centre, context = context, centre
        first, last = self.rows[centre], self.rows[centre + 1]
        index = first + np.searchsorted(self.columns[first:last], context)
        return float(self.values[index]) if index < last and self.columns[index] == context else 0.0

    def contexts(self, word: str, topn: int = 10) -> list[tuple[str, float]]:
        """Return the most frequent context words of a word, with their counts.

        Args:
            word: the centre word.
            topn: number of words.

        Raises:
            UnknownWordError: the word was not counted.
        """
        centre = self._id(word)
        row = slice(self.rows[centre], self.rows[centre + 1])
        contexts, values = self.columns[row], self.values[row]
        if self.half:
            mirrored = np.flatnonzero(self.columns[row.stop :] == centre) + row.stop
            contexts = np.concatenate([contexts, np.searchsorted(self.rows, mirrored, side="right") - 1])
            values = np.concatenate([values, self.values[mirrored]])
        order = np.lexsort((contexts, -values))[:topn]
        return [(self.vocabulary.words[contexts[i]], float(values[i])) for i in order]

    def to_scipy(self) -> Any:
        """Return the whole matrix in memory as a SciPy `csr_array` (V, V) of float32."""
        from scipy import sparse

        shape = (len(self), len(self))
        if not self.half:
            return sparse.csr_array((self.values, self.columns, self.rows), shape=shape, copy=True)
        starts = np.empty(len(self) + 1, dtype=np.int64)
        cells = 2 * len(self.columns) - self._on_diagonal()
        columns, values = np.empty(cells, dtype=np.int32), np.empty(cells, dtype=np.float32)
        mirror(self.rows, self.columns, self.values, starts, columns, values)
        return sparse.csr_array((values, columns, starts), shape=shape)

    def _on_diagonal(self) -> int:
        # In the lower half, a word that co-occurs with itself is the last of its row.
        filled = np.flatnonzero(np.diff(self.rows))
        return int((self.columns[self.rows[filled + 1] - 1] == filled).sum())

    def totals(self) -> npt.NDArray[np.float64]:
        """Return sum_j X_ij for each word i, (V,)."""
        sums = np.zeros(len(self))
        for first, last, centres in self._chunks():
            values = self.values[first:last].astype(np.float64)
            sums += np.bincount(centres, values, minlength=len(self))
            if self.half:
                contexts = self.columns[first:last]
                sums += np.bincount(contexts, values * (contexts != centres), minlength=len(self))
        return sums

    def _chunks(self, size: int = 1 << 22) -> Any:
        """Yield the start and end of chunks of cells, and the centre word of each cell."""
        for first in range(0, len(self.columns), size):
            last = min(first + size, len(self.columns))
            yield first, last, np.searchsorted(self.rows, np.arange(first, last), side="right") - 1

    def capped(self, maximum: float) -> "CooccurrenceMatrix":
        """Return the matrix with counts limited to a maximum, so that frequent words do not dominate.

        Source: Rohde, Gonnerman and Plaut 2006, section 2.2; the bound is 100 in the notes.

        Args:
            maximum: the maximum.

        Raises:
            OptionError: the maximum is not positive.
        """
        if not maximum > 0:
            raise OptionError(f"maximum={maximum!r}: expected a number above 0")
        return replace(
            self,
            values=np.minimum(self.values, np.float32(maximum)),
            options={**self.options, "capped": maximum},
            fingerprint=f"{self.fingerprint}-{maximum}",
        )

    def _id(self, word: str) -> int:
        number = place_of(word, self.vocabulary.ids, self.rules.get("tokens"))
        if number is None:
            raise UnknownWordError(word)
        return number

    def __repr__(self) -> str:
        return f"CooccurrenceMatrix({self._summary()})"

    def _repr_html_(self) -> str:
        return f"<b>CooccurrenceMatrix</b> of {html.escape(self._summary())}"

    def _summary(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{len(self):,} words, {len(self.columns):,} cells{' of the lower half' * self.half}; {options}"


def writing_counts(folder: Path, size: int) -> Any:
    """Turn write errors into a `CorpusError`; see `firth.corpus.cache.writing`."""
    return writing(folder, "co-occurrence counts", f"{size:,} bytes")


def write_manifest(folder: Path, vocabulary: Vocabulary, facts: Mapping[str, Any]) -> None:
    """Write the vocabulary and the manifest, which is written last and marks the folder as complete."""
    write_vocabulary(folder, vocabulary)
    manifest = {"format": FORMAT, "version": VERSION, "words": len(vocabulary), "total": vocabulary.total, **facts}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2), "utf-8")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest after checking the sizes of all files."""
    path = folder / MANIFEST
    if not path.is_file():
        raise FormatError(f"{path}: missing; {AGAIN}")
    try:
        facts = parse_json(file_bytes(path))
        supported = facts["format"] == FORMAT and facts["version"] == VERSION
        words, cells = int(facts["words"]), int(facts["cells"])
        if min(words, cells, _MAX_TOKENS - int(facts["total"])) < 0:
            raise ValueError(f"{words} words, {cells} cells")
        if [type(facts[name]) for name in ("half", "options", "fingerprint")] != [bool, dict, str]:
            raise TypeError("its facts are of another kind")
        if not all(isinstance(value, str) for value in dict(facts.get("rules", {})).values()):
            raise TypeError("its rules are no names")
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FormatError(f"{path}: damaged ({error}); {AGAIN}") from error
    if not supported:
        raise FormatError(
            f"{path}: {facts['format']!r} version {facts['version']}; expected {FORMAT!r} version {VERSION}; {AGAIN}"
        )
    for name, size in (("rows", 8 * (words + 1)), ("columns", 4 * cells), ("values", 4 * cells)):
        file = folder / f"{name}.bin"
        actual = file.stat().st_size if file.is_file() else 0
        if actual != size:
            raise FormatError(f"{file}: {actual:,} bytes, expected {size:,}; {AGAIN}")
    return dict(facts)


def check_contents(folder: Path) -> None:
    """Check what kernels rely on: ascending rows, valid and ascending columns, positive counts."""
    facts = read_manifest(folder)
    vocabulary = read_vocabulary(folder, int(facts["words"]), int(facts["total"]), AGAIN)
    check_words(folder, vocabulary.words, AGAIN)
    rows, columns, values = _read_parts(folder).values()
    if rows[0] != 0 or rows[-1] != len(columns) or (rows[1:] < rows[:-1]).any():
        raise FormatError(f"{folder / 'rows.bin'}: damaged, its rows do not follow one another; {AGAIN}")
    if len(columns):
        _check_numbers(folder, rows, columns, values, half=facts["half"])


def _check_numbers(
    folder: Path, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int32], values: npt.NDArray[np.float32], *,
    half: bool,
) -> None:  # fmt: skip
    least, most = _extremes(columns)
    words = len(rows) - 1
    if not 0 <= least <= most < words:
        wrong = int(least if least < 0 else most)
        raise FormatError(f"{folder / 'columns.bin'}: damaged, it names word {wrong} of {words}; {AGAIN}")
    for first in range(0, len(columns), CHUNK):
        contexts = np.asarray(columns[first : first + CHUNK + 1])  # one more, to compare the last with
        low, high = np.searchsorted(rows, [first, first + len(contexts) - 1], side="right") - 1
        ends = np.clip(rows[low : high + 2], first, first + len(contexts))
        centres = np.repeat(np.arange(low, high + 1), ends[1:] - ends[:-1])
        falls = (contexts[1:] <= contexts[:-1]) & (centres[1:] == centres[:-1])
        if falls.any() or (half and (contexts > centres).any()):
            raise FormatError(f"{folder / 'columns.bin'}: damaged, the words of a row do not ascend; {AGAIN}")
        release_pages(columns)
    least, most = _extremes(values)
    if not 0 < least <= most < np.inf:
        raise FormatError(f"{folder / 'values.bin'}: damaged, a count is not a positive finite number; {AGAIN}")


def _extremes(array: npt.NDArray[Any]) -> tuple[float, float]:
    """Return the smallest and largest number (NaN if there is one), with little of a mapped array in memory."""
    least, most = float(array[0]), float(array[0])
    for piece in np.array_split(array, -(-len(array) // CHUNK)):
        least, most = float(np.minimum(least, piece.min())), float(np.maximum(most, piece.max()))
        release_pages(array)
    return least, most


def _read_parts(folder: Path) -> dict[str, Any]:
    return {name: mapped_numbers(folder / f"{name}.bin", kind) for name, kind in PARTS.items()}
