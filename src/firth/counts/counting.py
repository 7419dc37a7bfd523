"""Plan and run the counting of co-occurrences: words per pass, rows per thread, memory."""

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.kernels.cooccurrence import count_rows, find_places
from firth.progress import Report, Status
from firth.storage.files import release_pages

CELLS = 1 << 20  # largest number of cells that a thread writes at once, except for a longer row
CELL, PLACE, WORD = 8, 8, 12  # bytes of a cell, of a position, and of the sum and id of a word
MEBIBYTE = 1 << 20
USUAL_SIZE = 200 * MEBIBYTE  # size of a process that has imported firth, where the system does not report it
MOST_COUNTED = 300 * MEBIBYTE  # memory used before counting is charged up to this size


@dataclass(frozen=True)
class Plan:
    """How counting is split into blocks and chunks.

    Attributes:
        weights: (window + 1,) float64, weight of a pair by its distance.
        half: whether the matrix is symmetric and only its lower half is counted.
        counts: (V,) count of each word in the corpus.
        bounds: (V,) upper bound of the number of cells of each row.
        places: largest number of positions listed at once.
    """

    weights: npt.NDArray[np.float64]
    half: bool
    counts: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    places: int

    @classmethod
    def make(
        cls, corpus: Corpus, words: int, weights: npt.NDArray[np.float64], *, half: bool, memory: int, threads: int
    ) -> "Plan":
        """Plan the counting of a corpus.

        Args:
            corpus: the corpus.
            words: V, the number of most frequent words to count.
            weights: (window + 1,) weight of a pair by its distance.
            half: whether the matrix is symmetric: windows reach to both sides.
            memory: memory limit of the process in MiB, not counting what the caller holds above 300 MiB.
            threads: number of threads.

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

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of words whose positions are listed together."""
        yield from _runs(self.counts, 0, len(self.counts), self.places)

    def chunks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of words of a block whose rows are written at once."""
        # Bounded by work and by output: the most frequent words have many positions and few cells.
        yield from _runs(self.bounds + self.counts, first, last, CELLS)


def write_rows(folder: Path, corpus: Corpus, plan: Plan, threads: int, report: Report) -> int:
    """Count, write `rows.bin`, `columns.bin` and `values.bin`, and return the number of cells.

    Args:
        folder: destination.
        corpus: the corpus.
        plan: the plan.
        threads: number of threads.
        report: called with the progress.
    """
    sizes = np.zeros(len(plan.counts) + 1, dtype=np.int64)
    start, words = time.monotonic(), int(plan.counts.sum())
    with (folder / "columns.bin").open("wb") as columns, (folder / "values.bin").open("wb") as values:
        for first, rows in _rows(corpus, plan, threads):
            columns.write(rows.columns.astype("<i4", copy=False).data)
            values.write(rows.values.astype("<f4", copy=False).data)
            past = first + len(rows.sizes)
            sizes[first + 1 : past + 1] = rows.sizes
            pairs, seconds = int(plan.counts[:past].sum()), time.monotonic() - start
            report(Status(stage="counting co-occurrences", done=pairs, total=words, seconds=seconds))
    (folder / "rows.bin").write_bytes(np.cumsum(sizes).astype("<i8").data)
    return int(sizes.sum())


@dataclass(frozen=True)
class _Rows:
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    sizes: npt.NDArray[np.int64]


def _rows(corpus: Corpus, plan: Plan, threads: int) -> Iterator[tuple[int, _Rows]]:
    """Yield the rows of all words in order, with the first word of each chunk."""
    left, right = len(plan.weights) - 1, len(plan.weights) - 1 if plan.half else 0
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[tuple[int, Any]] = deque()
        for base, end in plan.blocks():
            starts = np.concatenate([[0], np.cumsum(plan.counts[base:end])])
            places = np.empty(starts[-1], dtype=np.int64)
            find_places(corpus.ids, corpus.offsets, base, end, starts, left, right, places)
            for first, last in plan.chunks(base, end):
                pending.append((first, pool.submit(_count, corpus.ids, plan, (base, starts, places), first, last)))
                if len(pending) > threads:
                    yield _next(pending)
            while pending:  # free these positions before listing those of the next block
                yield _next(pending)
            release_pages(corpus.ids)


def _next(pending: deque[tuple[int, Any]]) -> tuple[int, _Rows]:
    first, future = pending.popleft()
    return first, future.result()


def _count(ids: npt.NDArray[np.int32], plan: Plan, lists: tuple[int, Any, Any], first: int, last: int) -> _Rows:
    room = int(plan.bounds[first:last].sum())
    columns, values = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.float32)
    sizes = np.empty(last - first, dtype=np.int64)
    n = count_rows(ids, first, last, *lists, plan.weights, len(plan.counts), plan.half, columns, values, sizes)
    return _Rows(columns[:n], values[:n], sizes)


def compile_kernels(weights: npt.NDArray[np.float64], half: bool) -> None:
    """Compile, or load, what counting runs: tens of megabytes, which a plan should know of.

    Args:
        weights: as in `Plan.make`.
        half: likewise.
    """
    ids, offsets, starts = np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(1, np.int64)
    places = np.zeros(0, np.int64)
    ids.flags.writeable = offsets.flags.writeable = False  # as in a corpus: a different type for the compiler
    find_places(ids, offsets, 0, 0, starts, 1, 1, places)
    rows = (np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int64))
    count_rows(ids, 0, 0, 0, starts, places, weights, 0, half, *rows)


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
