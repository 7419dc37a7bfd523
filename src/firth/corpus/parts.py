"""Several files of a corpus read at once, by threads or workers; it has the same bits as when they are read in turn.

Decompression, reading and scanning run without Python's lock. Each thread, or worker of a cluster, reads files that
follow each other, into a vocabulary and a file of provisional ids of its own. The parts are joined in the order of the
files: their words get the numbers of the words before them, or new ones.
"""

import itertools
import threading
import uuid
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from firth.corpus.reading_progress import Meter, ReadingProgress
from firth.corpus.sources import Files, Source
from firth.corpus.storage import DOCUMENT_END, SENTENCE_END, Spill
from firth.errors import CorpusError, warn_caller
from firth.storage.encodings import text_encoding
from firth.workers import Workers

LEAST = 1 << 22  # bytes of files on disk for each thread; less is read faster than a thread and its tables are made
POLL = 0.1  # seconds between looks at the progress
PER_WORKER = 4  # parts for each worker of a cluster, so that none waits long for the last

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
        """Note the bytes read of the current file, for the process that waits for the parts; stop if it asks to."""
        self.read = self._finished + position
        if self._stop.is_set():
            raise _StoppedError


class Scan(Protocol):
    """Reads a source into provisional ids."""

    def __call__(self, source: Source, *, write: Write, meter: Meter) -> Counted:
        """Return the words in the order of their ids, and their counts."""


class PartCount(NamedTuple):
    """What was read of one part.

    Attributes:
        words: in the order of their provisional ids.
        spill: name of the file of provisional ids.
        size: bytes of its files.
    """

    words: list[str]
    counts: npt.NDArray[np.int64]
    spill: str
    characters: int
    size: int
    said: Sequence[str] = ()


class PartReader(Protocol):
    """How several files are read at once."""

    @property
    def uncompiled(self) -> bool:
        """Whether reading that holds Python's lock gains, too."""
        ...

    def groups(self, source: Files) -> list[Files]:
        """Return files that follow each other, in groups that are read at once; a single one to read all in turn."""
        ...

    def count(self, groups: Sequence[Files], scan: Scan, write: Write, meter: ReadingProgress) -> Counted:
        """Scan all groups; return the words in the order of their ids, and their counts.

        Args:
            groups: as `groups` returns them.
            write: takes the provisional ids of everything, in order.
        """
        ...


@dataclass(frozen=True)
class Parts:
    """Files read by threads.

    Args:
        folder: for the files of the parts.
    """

    folder: Path
    threads: int
    least: int = field(default_factory=lambda: LEAST, kw_only=True)
    uncompiled = False

    def groups(self, source: Files) -> list[Files]:
        """Return groups of about equal size: as many as there are threads to read."""
        return grouped(source, self.threads, self.least)

    def count(self, groups: Sequence[Files], scan: Scan, write: Write, meter: ReadingProgress) -> Counted:
        """Scan all groups at once; see `PartReader.count`."""
        stop = threading.Event()
        meters = [PartProgress(stop) for _ in groups]
        spills = [Spill(self.folder, f"part-{number}.bin") for number in range(1, len(groups))]
        writes = [write, *(spill.write for spill in spills)]
        try:
            with ThreadPoolExecutor(len(groups)) as pool:
                futures = [
                    pool.submit(_scan_as_named, scan, group, write=part.counting(write_part), meter=part)
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
            joined = JoinedParts(write)
            for future, spill in zip(futures, [None, *spills], strict=True):
                joined.add(*future.result(), spill)
            return joined.words()
        finally:
            for spill in spills:
                spill.remove()


@dataclass(frozen=True)
class RemoteParts:
    """Files read by the workers of a cluster, which see the same files and the same folder.

    Args:
        folder: for the files of the parts.
    """

    folder: Path
    workers: Workers
    uncompiled = True

    def groups(self, source: Files) -> list[Files]:
        """Return groups of about equal size: some for each worker. What is no file, such as a pipe, is read here."""
        if not all(path.is_file() for path in source.paths):
            return [source]
        return grouped(source, PER_WORKER * self.workers.count, 1)

    def count(self, groups: Sequence[Files], scan: Scan, write: Write, meter: ReadingProgress) -> Counted:
        """Scan all groups, and join each while others are read; see `PartReader.count`."""
        joined = JoinedParts(write)
        there = [replace(group, paths=tuple(path.absolute() for path in group.paths)) for group in groups]
        for part in self.workers.map(read_part, [(group,) for group in there], scan, self.folder.absolute()):
            joined.add(part.words, part.counts, Spill(self.folder, part.spill, new=False))
            for message in part.said:
                warn_caller(message)
            meter.characters += part.characters
            meter.finished += part.size
            meter.update()
        for path in self.folder.glob("part-*.bin"):  # what lost workers have left
            path.unlink(missing_ok=True)
        return joined.words()


def read_part(scan: Scan, folder: Path, group: Files) -> PartCount:
    """Read a part in a worker.

    Args:
        folder: for the file of provisional ids.
    """
    check_complete(folder)
    meter = PartProgress(threading.Event())  # never set: the process that waits abandons the worker
    # A name of its own: an abandoned worker may still write.
    spill = Spill(folder, name := f"part-{uuid.uuid4().hex}.bin")
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            words, counts = _scan_as_named(scan, group, write=spill.write, meter=meter)
    finally:
        spill.close()
    return PartCount(words, counts, name, meter.characters, meter.finished, [str(warning.message) for warning in said])


def _scan_as_named(scan: Scan, group: Files, *, write: Write, meter: Meter) -> Counted:
    """Scan in a thread or process that does not know what encoding the user names."""
    with text_encoding(group.encoding):
        return scan(group, write=write, meter=meter)


def check_complete(folder: Path) -> None:
    """Check that this machine sees a folder."""
    if not folder.is_dir():
        raise CorpusError(
            f"{folder}: no such folder on a machine of the cluster; let FIRTH_CACHE, or cache=, name a folder that all "
            "machines share"
        )


def grouped(source: Files, most: int, least: int) -> list[Files]:
    """Return files that follow each other, in groups of about equal size.

    Args:
        most: number of groups, at most.
        least: bytes of a group on average, at least.
    """
    sizes = [path.stat().st_size for path in source.paths]
    number = min(most, len(sizes), sum(sizes) // least)
    if number < 2:
        return [source]
    ends = np.cumsum(sizes)
    # A file belongs to the group in which its middle lies.
    group = np.minimum((ends - np.array(sizes) / 2) * number // ends[-1], number - 1).tolist()
    pairs = itertools.groupby(zip(group, source.paths, strict=True), key=lambda pair: pair[0])
    return [replace(source, paths=tuple(path for _, path in pair)) for _, pair in pairs]


class JoinedParts:
    """Joins parts: gives their words the numbers of the parts before them, or new ones, and writes their ids.

    Args:
        write: takes the ids of all parts with their new numbers.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._numbers: dict[str, int] = {}
        self._words: list[str] = []
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, words: Sequence[str], counts: npt.NDArray[np.int64], spill: Spill | None) -> None:
        """Add a part.

        Args:
            words: of the part, in the order of its provisional ids; a word may appear several times.
            spill: the provisional ids, which are removed; None for those of a first part that are written already.
        """
        if spill is None:
            self._numbers = {word: number for number, word in enumerate(words)}
            self._words, self._counts = list(words), counts
            return
        for word in words:
            if word not in self._numbers:
                self._numbers[word] = len(self._words)
                self._words.append(word)
        # The ends of documents and of sentences, -2 and -1, stay as they are: the last two of the table.
        ends = (DOCUMENT_END, SENTENCE_END)
        table = np.array([*map(self._numbers.__getitem__, words), *ends], dtype=np.int32)
        total = np.bincount(table[: -len(ends)], weights=counts, minlength=len(self._words)).astype(np.int64)
        total[: len(self._counts)] += self._counts
        self._counts = total
        for block in spill.blocks():
            self._write(table[block])
        spill.remove()

    def words(self) -> Counted:
        """Return the words in the order of their ids, and their counts."""
        return self._words, self._counts
