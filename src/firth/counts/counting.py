"""Plan and run the counting of co-occurrences: words per pass, rows per thread, memory."""

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus.as_corpus import opened_by_worker
from firth.corpus.encoded import Corpus
from firth.counts.unfinished import UnfinishedRows
from firth.errors import OptionError
from firth.kernels.cooccurrence import BITS, MOST_REACH, count_rows, find_positions
from firth.progress import Report, Status
from firth.storage.files import release_pages
from firth.workers import lent

CELLS = 1 << 20  # largest number of cells that a thread writes at once, except for a longer row
CELL, PLACE, WORD = 8, 8, 12  # bytes of a cell, of a position, and of the sum and id of a word
MEBIBYTE = 1 << 20
PER_WORKER = 3  # blocks of words for each worker of a cluster; each reads the corpus once
USUAL_SIZE = 200 * MEBIBYTE  # size of a process that has imported firth, where the system does not report it
MOST_COUNTED = 300 * MEBIBYTE  # memory used before counting is charged up to this size


@dataclass(frozen=True)
class Plan:
    """The division of counting into blocks and chunks.

    Attributes:
        weights: (window + 1,) float64, weight of a pair by its distance.
        half: whether the matrix is symmetric and only its lower half is counted.
        counts: (V,) count of each word in the corpus.
        bounds: (V,) upper bound of the number of cells of each row.
        positions: largest number of positions listed at once.
    """

    weights: npt.NDArray[np.float64]
    half: bool
    counts: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    positions: int

    @classmethod
    def make(
        cls, corpus: Corpus, words: int, weights: npt.NDArray[np.float64], *, half: bool, memory: int, threads: int
    ) -> "Plan":
        """Plan the counting of a corpus.

        Args:
            words: V, the number of most frequent words to count.
            weights: (window + 1,) weight of a pair by its distance.
            half: whether the matrix is symmetric: windows reach to both sides.
            memory: memory limit of the process in MiB, not counting what the caller holds above 300 MiB.

        Raises:
            OptionError: the memory is too small.
        """
        counts = np.asarray(corpus.vocabulary.counts[:words], dtype=np.int64)
        reach = (len(weights) - 1) * (2 if half else 1)
        bounds = np.minimum(counts * reach, np.arange(1, words + 1) if half else words)
        buffers = (threads + 2) * CELL * max(CELLS, int(bounds.max())) + threads * WORD * words
        # A notebook with a gigabyte of its own data must not be refused.
        used_bytes = min(_resident(), MOST_COUNTED) + buffers
        longest = PLACE * int(counts.max())
        least = used_bytes + longest
        if memory * MEBIBYTE < least:
            raise OptionError(
                f"memory={memory}: expected at least {-(-least // MEBIBYTE)} MiB to count {words:,} words in "
                f"{threads} threads; give more, or use fewer threads or words"
            )
        # Pages of the corpus count, too, where there is room for them; elsewhere the system takes them back.
        room = memory * MEBIBYTE - used_bytes - corpus.ids.nbytes
        return cls(weights, half, counts, bounds, max(room, longest) // PLACE)

    @property
    def largest(self) -> int:
        """Upper bound of the size of the matrix in bytes."""
        return CELL * int(self.bounds.sum())

    def share(self, parts: int) -> int:
        """Return the positions of one of so many equal parts of the work; a word's own are never divided."""
        return max(int(self.counts.sum()) // parts, int(self.counts.max()), 1)

    def blocks(self, first: int = 0) -> Iterator[tuple[int, int]]:
        """Yield ranges of words whose positions are listed together, from the first word."""
        yield from _runs(self.counts, first, len(self.counts), self.positions)

    def chunks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of words of a block whose rows are written at once."""
        # Bounded by work and by output: the most frequent words have many positions and few cells.
        yield from _runs(self.bounds + self.counts, first, last, CELLS)


def write_rows(unfinished: UnfinishedRows, corpus: Corpus, plan: Plan, threads: int, report: Report) -> None:
    """Count, and write all rows that are missing.

    Args:
        report: called with the progress.
    """
    start, words, before = time.monotonic(), int(plan.counts.sum()), int(plan.counts[: unfinished.done].sum())
    for rows in _rows(corpus, plan, threads, unfinished.done):
        unfinished.write(rows.columns, rows.values, rows.sizes)
        done = int(plan.counts[: unfinished.done].sum())
        # Earlier work counts as done at the same rate, so that the display continues.
        seconds = (time.monotonic() - start) * done / (done - before)
        report(Status(stage="counting co-occurrences", done=done, total=words, seconds=seconds))


class Rows(NamedTuple):
    """Rows of words that follow each other.

    Attributes:
        columns: (n,) columns of the cells.
        values: (n,) their values.
        sizes: number of cells of each row.
    """

    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    sizes: npt.NDArray[np.int64]


def _rows(corpus: Corpus, plan: Plan, threads: int, first_word: int) -> Iterator[Rows]:
    """Yield the rows of all words from the first, in order."""
    if (workers := lent()) is not None:
        blocks = replace(plan, positions=min(plan.positions, plan.share(PER_WORKER * workers.count))).blocks(first_word)
        for chunks in workers.map(count_block, blocks, corpus.path.absolute(), corpus.fingerprint, plan):
            yield from chunks
        return
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Any] = deque()
        for base, end in plan.blocks(first_word):
            positions = _places(corpus, plan, base, end)
            for first, last in plan.chunks(base, end):
                pending.append(pool.submit(_count, corpus.ids, plan, positions, first, last))
                if len(pending) > threads:
                    yield pending.popleft().result()
            while pending:  # free these positions before listing those of the next block
                yield pending.popleft().result()
            release_pages(corpus.ids)


def count_block(path: Path, fingerprint: str, plan: Plan, base: int, end: int) -> list[Rows]:
    """Count the rows of a block of words in a worker.

    Args:
        path: folder of the corpus, which all machines see.
        end: one past its last word.
    """
    corpus = opened_by_worker(path, fingerprint)
    positions = _places(corpus, plan, base, end)
    return [_count(corpus.ids, plan, positions, first, last) for first, last in plan.chunks(base, end)]


def _places(corpus: Corpus, plan: Plan, base: int, end: int) -> tuple[int, Any, Any]:
    """Return the first word of a block, where the list of positions of each of its words begins, and the positions."""
    left, right = len(plan.weights) - 1, len(plan.weights) - 1 if plan.half else 0
    starts = np.concatenate([[0], np.cumsum(plan.counts[base:end])])
    positions = np.empty(starts[-1], dtype=np.int64)
    find_positions(corpus.ids, corpus.offsets, base, end, starts, left, right, positions)
    return base, starts, positions


def _count(ids: npt.NDArray[np.int32], plan: Plan, lists: tuple[int, Any, Any], first: int, last: int) -> Rows:
    room = int(plan.bounds[first:last].sum())
    columns, values = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.float32)
    sizes = np.empty(last - first, dtype=np.int64)
    n = count_rows(ids, first, last, *lists, plan.weights, len(plan.counts), plan.half, columns, values, sizes)
    return Rows(columns[:n], values[:n], sizes)


def compile_kernels(weights: npt.NDArray[np.float64], half: bool) -> None:
    """Compile, or load, what counting runs: the code takes tens of megabytes, which `Plan.make` counts.

    Args:
        weights: see `Plan.make`.
        half: see `Plan.make`.
    """
    ids, offsets, starts = np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(1, np.int64)
    positions = np.zeros(0, np.int64)
    ids.flags.writeable = offsets.flags.writeable = False  # as in a corpus: a different type for the compiler
    find_positions(ids, offsets, 0, 0, starts, 1, 1, positions)
    rows = (np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int64))
    count_rows(ids, 0, 0, 0, starts, positions, weights, 0, half, *rows)


def _runs(sizes: npt.NDArray[np.int64], first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Split a range into runs with a total size of at most `most`, or of a single item."""
    ends = np.cumsum(sizes[first:last])
    begin, before = first, 0
    while begin < last:
        end = first + int(np.searchsorted(ends, before + most, side="right"))
        end = max(end, begin + 1)
        yield begin, end
        begin, before = end, int(ends[end - 1 - first])


def _resident() -> int:
    """Return the memory of this process in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return USUAL_SIZE
    import mmap

    return pages * mmap.PAGESIZE


@dataclass(frozen=True)
class WindowRow:
    """The words in the windows of one word.

    Attributes:
        columns: (n,) the words, ascending.
        counts: (n,) how often each is in a window.
        positions: (f,) where the word stands in the corpus.
        left: (f,) words of each window before it.
        right: (f,) words of each window after it.
    """

    columns: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """Words in all windows."""
        return int(self.left.sum() + self.right.sum())

    def pairs(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield where the words of the windows stand, by their distance from the word."""
        for side, step in ((self.left, -1), (self.right, 1)):
            for distance in range(1, int(side.max(initial=0)) + 1):
                yield self.positions[side >= distance] + step * distance


def window_row(corpus: Corpus, row: int, window: int) -> WindowRow:
    """Count the words in the windows of one word: a row of the co-occurrence matrix with flat weights."""
    words = len(corpus.vocabulary)
    starts = np.array([0, int(corpus.vocabulary.counts[row])], dtype=np.int64)
    packed = np.empty(starts[1], dtype=np.int64)
    find_positions(corpus.ids, corpus.offsets, row, row + 1, starts, window, window, packed)
    columns, values = np.empty(words, dtype=np.int32), np.empty(words, dtype=np.float32)
    weights, sizes = np.ones(window + 1), np.empty(1, dtype=np.int64)
    n = count_rows(corpus.ids, row, row + 1, row, starts, packed, weights, words, False, columns, values, sizes)
    left, right = (packed >> BITS) & MOST_REACH, packed & MOST_REACH
    return WindowRow(columns[:n], np.rint(values[:n]).astype(np.int64), packed >> 2 * BITS, left, right)
