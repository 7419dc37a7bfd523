"""Several files of a corpus read at once, by threads; it is the same, bit for bit, as when they are read in turn.

Decompression, reading and scanning run without Python's lock. Each thread reads files that follow each other, into a
vocabulary and a file of provisional ids of its own; then the words of all parts get the numbers of the first, or new
ones, and the parts are joined in the order of the files.
"""

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.sources import Files
from firth.corpus.storage import Spill

LEAST = 1 << 22  # bytes of files on disk for each thread; less is read faster than a thread and its tables are made
POLL = 0.1  # seconds between looks at the progress

Write = Callable[[npt.NDArray[np.int32]], None]
Counted = tuple[list[str], npt.NDArray[np.int64]]


class _StoppedError(Exception):
    """Another part has failed, or the user interrupts."""


class PartProgress:
    """The progress of one part; see `ReadingProgress`.

    Args:
        stop: set when the part is to end.

    Attributes:
        words, characters: as of `ReadingProgress`.
        read: bytes read of all its files.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self.words = self.characters = self.read = self._finished = 0

    @property
    def finished(self) -> int:
        """Size of the finished files in bytes."""
        return self._finished

    @finished.setter
    def finished(self, size: int) -> None:
        self.read = self._finished = size

    def counting(self, write: Write) -> Write:
        """Return a function that counts the ids that it writes."""

        def counted(numbers: npt.NDArray[np.int32]) -> None:
            self.words += len(numbers)
            write(numbers)

        return counted

    def update(self, position: int = 0) -> None:
        """Note the bytes read of the current file, for whoever waits for the parts; end the part if it is to end."""
        self.read = self._finished + position
        if self._stop.is_set():
            raise _StoppedError


class Scan(Protocol):
    """Reads a source into provisional ids."""

    def __call__(self, source: Files, *, write: Write, meter: PartProgress) -> Counted:
        """Return the words in the order of their ids, and their counts."""


@dataclass(frozen=True)
class Parts:
    """How several files are read at once.

    Args:
        folder: for the files of the parts.
        threads: at most.
    """

    folder: Path
    threads: int
    least: int = field(default_factory=lambda: LEAST, kw_only=True)

    def groups(self, source: Files) -> list[Files]:
        """Return files that follow each other, in groups of about equal size: as many as there are threads to read."""
        sizes = [path.stat().st_size for path in source.paths]
        number = min(self.threads, len(sizes), sum(sizes) // self.least)
        if number < 2:
            return [source]
        ends = np.cumsum(sizes)
        # A file belongs to the group in which its middle lies.
        group = np.minimum((ends - np.array(sizes) / 2) * number // ends[-1], number - 1).tolist()
        pairs = itertools.groupby(zip(group, source.paths, strict=True), key=lambda pair: pair[0])
        return [replace(source, paths=tuple(path for _, path in pair)) for _, pair in pairs]

    def count(self, groups: Sequence[Files], scan: Scan, write: Write, meter: ReadingProgress) -> Counted:
        """Scan all groups at once; return the words in the order of their ids, and their counts.

        Args:
            groups: as `groups` returns them.
            scan: reads a group.
            write: takes the provisional ids of everything, in order.
            meter: of the whole.

        Raises:
            CorpusError: what `scan` raises, of the first group that fails.
        """
        stop = threading.Event()
        meters = [PartProgress(stop) for _ in groups]
        spills = [Spill(self.folder, number) for number in range(1, len(groups))]
        writes = [write, *(spill.write for spill in spills)]
        try:
            with ThreadPoolExecutor(len(groups)) as pool:
                futures = [
                    pool.submit(scan, group, write=part.counting(write_part), meter=part)
                    for group, write_part, part in zip(groups, writes, meters, strict=True)
                ]
                try:
                    reading = True
                    while reading:
                        reading = bool(wait(futures, timeout=POLL).not_done)
                        meter.finished = sum(part.read for part in meters)
                        meter.words = sum(part.words for part in meters)
                        meter.update()
                        if any(future.done() and future.exception() for future in futures):
                            stop.set()
                except BaseException:
                    stop.set()
                    raise
            errors = [error for future in futures if (error := future.exception())]
            for error in errors:
                if not isinstance(error, _StoppedError):
                    raise error
            meter.characters += sum(part.characters for part in meters)
            return joined([future.result() for future in futures], spills, write)
        finally:
            for spill in spills:
                spill.remove()


def joined(parts: Sequence[Counted], spills: Sequence[Spill], write: Write) -> Counted:
    """Give the words of all parts the numbers of the first part, or new ones, and write the ids of the other parts.

    Args:
        parts: words and counts of each part; a word may appear several times.
        spills: provisional ids of the second part and those after it.
        write: takes them with their new numbers, after those of the first part.
    """
    words = list(parts[0][0])
    numbers = {word: number for number, word in enumerate(words)}
    totals = [parts[0][1]]
    tables: list[npt.NDArray[np.int32]] = []
    for own, counts in parts[1:]:
        for word in own:
            if word not in numbers:
                numbers[word] = len(words)
                words.append(word)
        tables.append(np.array([*map(numbers.__getitem__, own), -1], dtype=np.int32))  # -1, a sentence end, stays
        totals.append(np.bincount(tables[-1][:-1], weights=counts, minlength=len(words)).astype(np.int64))
    for spill, table in zip(spills, tables, strict=True):
        for block in spill.blocks():
            write(table[block])
        spill.remove()
    counted = np.zeros(len(words), dtype=np.int64)
    for each in totals:
        counted[: len(each)] += each
    return words, counted
