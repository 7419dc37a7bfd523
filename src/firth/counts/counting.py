"""Going through a corpus to count: which words together, which rows by which thread, in how much memory."""

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
from firth.progress import Report, Status, compiling
from firth.storage.files import release_pages

CELLS = 1 << 20  # that a thread writes at once, at most, unless a single row may have more
CELL, PLACE, WORD = 8, 8, 12  # bytes of a cell, of a listed place, and of a word's sum beside its id
MEBIBYTE = 1 << 20
USUAL_SIZE = 200 * MEBIBYTE  # of a process that has loaded firth, where the system does not tell
MOST_COUNTED = 300 * MEBIBYTE  # of what the process held before, that counts as the work's own


@dataclass(frozen=True)
class Plan:
    """What is counted, and in which pieces.

    Attributes:
        weights: (window + 1,) float64 of a pair by its distance.
        half: whether cells behind the diagonal are left out, for they are equal to those before it.
        counts: (V,) how often each counted word stands in the corpus.
        bounds: (V,) the cells that each row can have at most.
        places: how many places are listed at once, at most.
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
        """Plan a count.

        Args:
            corpus: the encoded text.
            words: V, its most frequent ones.
            weights: of a pair by its distance.
            half: whether the matrix is symmetric: windows reach to both sides.
            memory: MiB that the process may take, beside what its caller holds of more than 300.
            threads: how many count.

        Raises:
            OptionError: the memory is too small.
        """
        counts = np.asarray(corpus.vocabulary.counts[:words], dtype=np.int64)
        reach = (len(weights) - 1) * (2 if half else 1)
        bounds = np.minimum(counts * reach, np.arange(1, words + 1) if half else words)
        buffers = (threads + 1) * CELL * max(CELLS, int(bounds.max())) + threads * WORD * words
        # A notebook that holds a gigabyte of its own is not refused for that.
        taken = min(_resident(), MOST_COUNTED) + buffers + corpus.ids.nbytes
        least = taken + PLACE * int(counts.max())
        if memory * MEBIBYTE < least:
            raise OptionError(
                f"memory={memory}: expected at least {-(-least // MEBIBYTE)} MiB to count {words:,} words in "
                f"{threads} threads; give more, or use fewer threads or words"
            )
        return cls(weights, half, counts, bounds, (memory * MEBIBYTE - taken) // PLACE)

    @property
    def largest(self) -> int:
        """Bytes of the matrix at most."""
        return CELL * int(self.bounds.sum())

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the words whose places are listed together: the first one, and one past the last."""
        yield from _runs(self.counts, 0, len(self.counts), self.places)

    def chunks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the words of a block whose rows are written at once."""
        # By the work as well as by what comes out: the most frequent words have many places and few cells.
        yield from _runs(self.bounds + self.counts, first, last, CELLS)


def write_rows(folder: Path, corpus: Corpus, plan: Plan, threads: int, report: Report) -> int:
    """Count, and write `rows.bin`, `columns.bin` and `values.bin`; return how many cells there are.

    Args:
        folder: where to.
        corpus: the encoded text.
        plan: what is counted.
        threads: how many.
        report: called with the progress.
    """
    compiling(lambda: _compile(plan), report)
    sizes = np.zeros(len(plan.counts) + 1, dtype=np.int64)
    began, words = time.monotonic(), int(plan.counts.sum())
    with (folder / "columns.bin").open("wb") as columns, (folder / "values.bin").open("wb") as values:
        for first, rows in _rows(corpus, plan, threads):
            columns.write(rows.columns.astype("<i4", copy=False).data)
            values.write(rows.values.astype("<f4", copy=False).data)
            past = first + len(rows.sizes)
            sizes[first + 1 : past + 1] = rows.sizes
            done, seconds = int(plan.counts[:past].sum()), time.monotonic() - began
            report(Status(stage="counting co-occurrences", done=done, total=words, seconds=seconds))
    (folder / "rows.bin").write_bytes(np.cumsum(sizes).astype("<i8").data)
    return int(sizes.sum())


@dataclass(frozen=True)
class _Rows:
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    sizes: npt.NDArray[np.int64]


def _rows(corpus: Corpus, plan: Plan, threads: int) -> Iterator[tuple[int, _Rows]]:
    """Yield the rows of all words in their order, with the first word of each piece."""
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
            while pending:  # before the next block's places take the memory of these
                yield _next(pending)
            release_pages(corpus.ids)


def _next(pending: deque[tuple[int, Any]]) -> tuple[int, _Rows]:
    first, future = pending.popleft()
    return first, future.result()


def _count(ids: npt.NDArray[np.int32], plan: Plan, listed: tuple[int, Any, Any], first: int, last: int) -> _Rows:
    room = int(plan.bounds[first:last].sum())
    columns, values = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.float32)
    sizes = np.empty(last - first, dtype=np.int64)
    n = count_rows(ids, first, last, *listed, plan.weights, len(plan.counts), plan.half, columns, values, sizes)
    return _Rows(columns[:n], values[:n], sizes)


def _compile(plan: Plan) -> None:
    ids, offsets, starts = np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(1, np.int64)
    places = np.zeros(0, np.int64)
    ids.flags.writeable = offsets.flags.writeable = False  # as those of a corpus are: another type to the compiler
    find_places(ids, offsets, 0, 0, starts, 1, 1, places)
    rows = (np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int64))
    count_rows(ids, 0, 0, 0, starts, places, plan.weights, 0, plan.half, *rows)


def _runs(sizes: npt.NDArray[np.int64], first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut a range into runs whose sizes sum to at most `most`, or that are of a single one."""
    ends = np.cumsum(sizes[first:last])
    begin, before = first, 0
    while begin < last:
        end = first + int(np.searchsorted(ends, before + most, side="right"))
        end = max(end, begin + 1)
        yield begin, end
        begin, before = end, int(ends[end - 1 - first])


def _resident() -> int:
    """Bytes of memory that this process takes now."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return USUAL_SIZE
    import mmap

    return pages * mmap.PAGESIZE
