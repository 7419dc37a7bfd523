"""Trainings side by side, each with one thread and a folder of its own: in threads, or on the workers of a cluster.

What: trainings share nothing, and each is decided by its number. Hence the results are the same bits with any number of
threads or workers. After Ctrl-C none is begun, and those that are not at their end are dropped.
"""

import contextlib
import contextvars
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from firth.corpus.cache import writing
from firth.kernels.threads import one_blas_thread
from firth.progress import Progress, Report, Status, reporting
from firth.signals import StopRequest, interruptible, sharing, stopping
from firth.storage.files import cache_folder, caching_in
from firth.storage.partial import partial_folder, remove_leftovers
from firth.workers import Workers, lending

Result = TypeVar("Result")

POLL = 0.1  # seconds between two reports of progress
INTERRUPTED = "training was interrupted"  # how the warning of a training begins that stopped early
THREAD = "firth-run"  # how the names of the threads begin
_log = logging.getLogger("firth")


def side_by_side(
    numbers: Sequence[int],
    train: "Callable[[int, Path, Meter], Result | None]",
    keep: Callable[[int, Result], object],
    meter: "Meter",
    threads: int,
    progress: Progress,
) -> None:
    """Train, and keep what is finished; after a signal some are missing.

    Args:
        numbers: what to train, in this order.
        train: trains what has a number, in a folder that vanishes, with the meter; None if it was asked to stop
            before its end.
        keep: takes a number and its result, in this thread.
    """
    began, finished = time.monotonic(), meter.before
    with (
        _quietly(),
        reporting(progress) as report,
        one_blas_thread(),
        stopping() as request,
        ThreadPoolExecutor(min(threads, max(len(numbers), 1)), THREAD) as pool,
    ):
        work = {
            pool.submit(contextvars.copy_context().run, _alone, train, number, meter, request): number
            for number in numbers
        }
        try:
            while work:
                for future in wait(work, timeout=POLL, return_when=FIRST_COMPLETED).done:
                    number, result = work.pop(future), future.result()
                    if result is not None:
                        keep(number, result)
                        finished += 1
                meter.show(report, finished, time.monotonic() - began)
        except BaseException:
            request.stop = True
            for future in work:
                future.cancel()
            raise


def _alone(
    train: "Callable[[int, Path, Meter], Result | None]", number: int, meter: "Meter", request: StopRequest
) -> Result | None:
    if request.stop:
        return None
    with sharing(request), lending(None), vanishing_folder() as scratch, caching_in(scratch):
        return train(number, scratch, meter)


def on_workers(
    workers: Workers,
    numbers: Sequence[int],
    train: "Callable[..., Result | None]",
    shared: Sequence[Any],
    keep: Callable[[int, Result], object],
    meter: "Meter",
    progress: Progress,
) -> None:
    """Train on the workers of a cluster, each number by one of them, and keep the results in the order of the numbers.

    After a signal some are missing: those whose results did not arrive.

    Args:
        train: takes what is shared, a number, a folder that vanishes and a meter; any process can import it.
        shared: is sent once.
    """
    if not numbers:
        return
    began, finished = time.monotonic(), meter.before
    with reporting(progress) as report, interruptible(), contextlib.suppress(KeyboardInterrupt):
        meter.show(report, finished, 0.0)
        results = workers.map(_in_worker, ((number,) for number in numbers), train, tuple(shared))
        for number, result in zip(numbers, results, strict=True):
            if result is not None:
                keep(number, result)
                finished += 1
            meter.show(report, finished, time.monotonic() - began)


def _in_worker(train: "Callable[..., Result | None]", shared: Sequence[Any], number: int) -> Result | None:
    with lending(None), one_blas_thread(), vanishing_folder() as scratch, caching_in(scratch):
        return train(*shared, number, scratch, Meter(1))


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Leave out what each training would say of the size of its text, and that it was interrupted."""

    def is_of_no_run(record: logging.LogRecord) -> bool:
        return not str(record.threadName).startswith(THREAD)

    _log.addFilter(is_of_no_run)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", f"{INTERRUPTED}.*")
            yield
    finally:
        _log.removeFilter(is_of_no_run)


@contextlib.contextmanager
def vanishing_folder() -> Iterator[Path]:
    """Yield a folder in the cache for samples, which vanishes; what a killed process left does, too."""
    parent = cache_folder("samples")
    with writing(parent, "a sample", "4 bytes a word for each thread"):
        parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(parent)
    with partial_folder(parent / "sample") as folder:
        yield folder


@dataclass
class Meter:
    """The progress of all trainings: words read where a training reads a text several times, else finished ones.

    Attributes:
        number: of all trainings.
        before: how many were finished before.
        noun: plural noun for what is finished one by one.
        each: trainings that one of these has.
    """

    number: int
    before: int = 0
    noun: str = "runs"
    each: int = 1
    states: dict[tuple[int, int], Status] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, number: int, part: int = 0) -> Report:
        """Return the function that a training reports to.

        Args:
            number: of what is finished as a whole.
            part: which of its trainings, from 0.
        """

        def report(status: Status) -> None:
            if status.stage.startswith("training") and status.total:
                with self.lock:
                    self.states[number, part] = status

        return report

    def show(self, report: Report, finished: int, seconds: float) -> None:
        """Report how far all runs are."""
        with self.lock:
            states = list(self.states.values())
        stage, left = f"{self.noun}, {finished}/{self.number} finished", self.number - self.before
        if not states:
            report(Status(stage=stage, done=finished - self.before, total=left, unit=self.noun))
            return
        total = round(left * self.each * sum(status.total or 0 for status in states) / len(states))
        done = sum(status.done for status in states)
        report(Status(stage=stage, done=min(done, total), total=total, unit=states[0].unit, seconds=seconds))
