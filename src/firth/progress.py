"""Progress: a bar on a terminal or in a notebook, plain lines elsewhere, or a callback.

Long work takes `progress=`: None shows a bar on a terminal (standard error) and in a notebook, and nothing elsewhere;
True shows plain lines there; False is silent; a function receives every `Status`.
"""

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any, TextIO, cast

from firth.errors import OptionError, brief
from firth.notebook import ProgressBar, in_notebook

_SHOWING = threading.Lock()  # held by the one `elapsed` that shows its time
PATIENCE = 1.0  # seconds that `elapsed` waits before it shows anything
PLAIN_INTERVAL = 5.0  # seconds between two lines where there is no terminal
NOTICE = 0.3  # seconds of compiling after which a notice is shown
COMPILING, LOADING = "compiling kernels (first run only)", "loading kernels"  # stages of `compiling`
_telling = 0  # blocks of `reporting` that show progress, or that the caller has silenced
_told = False  # whether this process has said that it compiles
_DIGITS = str.maketrans("", "", "0123456789")


@dataclass(frozen=True, kw_only=True)
class Status:
    """The progress of a task.

    Attributes:
        stage: what is being done, such as "reading text" or "epoch 2/5".
        done: units finished.
        total: units in all, or None where it is not known.
        unit: what is counted, such as "words" or "bytes".
        seconds: time since the stage's work began.
        figures: other figures to show by name, such as the loss and the learning rate.
    """

    stage: str
    done: int = 0
    total: int | None = None
    unit: str = "words"
    seconds: float = 0.0
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Units a second so far."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining(self) -> float | None:
        """Seconds left at the present rate, or None where it cannot be told."""
        if not self.total or self.rate == 0:
            return None
        return max(self.total - self.done, 0) / self.rate


Report = Callable[[Status], None]
Progress = Report | bool | None


def _silent(status: Status) -> None:
    """Show nothing."""


def check_progress(progress: Any) -> None:
    """Check a caller's `progress=`.

    Raises:
        OptionError: it is something else than None, True, False or a function.
    """
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise OptionError(
            f"progress={brief(progress)}: expected None (a bar on a terminal), True, False, or a function that takes a "
            "firth.progress.Status"
        )


@contextlib.contextmanager
def reporting(progress: Progress) -> Iterator[Report]:
    """Turn a caller's `progress=` into a function to call with each `Status`.

    Args:
        progress: None, True, False or a function, as the module says.

    Yields:
        A function that takes a `Status`; call it as often as is convenient, a few times a second.

    Raises:
        OptionError: it is something else.
    """
    check_progress(progress)
    terminal = sys.stderr is not None and sys.stderr.isatty()  # it is None where it is closed
    notebook = not terminal and in_notebook()
    if progress is None and not terminal and not notebook:
        yield _silent
        return
    with heeding(True if progress is None else progress):
        if callable(progress):
            yield progress
        elif progress is False:
            yield _silent
        elif terminal:
            with _bar() as report:
                yield report
        elif notebook:
            bar = _NotebookBar()
            try:
                yield bar
            finally:
                bar.finish()
        else:
            yield _PlainLines()


@contextlib.contextmanager
def heeding(progress: Progress) -> Iterator[None]:
    """Do not tell of the compiler in a block where the caller wants no progress, or progress tells of it."""
    global _telling
    _telling += progress is not None
    try:
        yield
    finally:
        _telling -= progress is not None


def tell_of_compiler() -> None:
    """Say, once in a program, that it waits for the compiler, unless progress says so or is off."""
    global _told
    import multiprocessing  # what compiles has it already

    if not (_told or _telling or multiprocessing.parent_process()):
        _told = True
        line = f"firth: {COMPILING}; firth warm-up compiles all kernels in advance"
        print(line, file=Unfailing(sys.stderr), flush=True)


@contextlib.contextmanager
def reporting_slow_work(progress: Progress) -> Iterator[Report]:
    """Do as `reporting` does, but show nothing in the first second: a bar that vanishes at once only flickers.

    A function of the caller receives every status.
    """
    check_progress(progress)
    began = time.monotonic()
    with contextlib.ExitStack() as shown:
        at_once = callable(progress) or progress is False
        report: Report | None = shown.enter_context(reporting(progress)) if at_once else None

        def report_late(status: Status) -> None:
            nonlocal report
            if report is None and time.monotonic() - began >= PATIENCE:
                report = shown.enter_context(reporting(progress))
            if report is not None:
                report(status)

        yield report_late


@contextlib.contextmanager
def elapsed(stage: str, progress: Progress) -> Iterator[None]:
    """Show the time that a block of work takes, if it takes more than a second and reports no progress of its own.

    Args:
        stage: what is being done, such as "reading vectors".

    Raises:
        OptionError: it is something else.
    """
    check_progress(progress)
    began, finished = time.monotonic(), threading.Event()

    def show() -> None:
        if finished.wait(PATIENCE) or not _SHOWING.acquire(blocking=False):  # a block around this one is shown
            return
        try:
            with reporting(progress) as report:
                while not finished.wait(NOTICE):
                    report(Status(stage=stage, seconds=time.monotonic() - began))
        finally:
            _SHOWING.release()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        with heeding(progress):
            yield
    finally:
        finished.set()
        thread.join()


class Unfailing:
    """A stream whose reader may be gone: what cannot be written is left out, and the work goes on.

    Args:
        stream: standard error; None where the process has none.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text where that is possible."""
        with contextlib.suppress(OSError, ValueError):  # a pipe without a reader, a full disk, a closed terminal
            if self._stream is not None:
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Hand over what was written where that is possible."""
        with contextlib.suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.flush()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def compiling(compile_kernels: Callable[[], object], report: Report) -> None:
    """Make the first call of a kernel, and tell of it where it takes long enough to be taken for a hang.

    Later runs load what the first has compiled, which takes some tenths of a second, too.

    Args:
        compile_kernels: makes the call.
        report: told every third of a second from then on.
    """
    began, events = time.monotonic(), sys.modules.get("numba.core.event")
    with ThreadPoolExecutor(1) as pool, contextlib.ExitStack() as stack:
        compiled = stack.enter_context(events.install_recorder("numba:compile")).buffer if events else ()
        future = pool.submit(compile_kernels)
        wait([future], timeout=NOTICE)
        while not future.done():
            report(Status(stage=COMPILING if compiled else LOADING, seconds=time.monotonic() - began))
            wait([future], timeout=NOTICE)
        future.result()


def describe(status: Status) -> str:
    """Return a status as one plain line."""
    return "  ".join([status.stage, *_details(status)])


def _details(status: Status) -> list[str]:
    parts = [f"{100 * status.done / status.total:3.0f} %"] if status.total else []
    if not status.done and not status.total and status.seconds:
        parts.append(_clock(status.seconds))
    if status.done and not status.total:
        parts.append(f"{_short(status.done)} {status.unit}")
    if status.rate:
        parts.append(f"{_short(status.rate)} {status.unit}/s")
    parts += [f"{name} {_short(value)}" for name, value in status.figures.items()]
    if status.remaining is not None:
        parts.append(f"{_clock(status.remaining)} left")
    return parts


def _short(number: float) -> str:
    """Write a count with three digits and a letter: 1234567 as 1.23M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class _PlainLines:
    """One line every few seconds, and one whenever the stage changes; short epochs share a line."""

    def __init__(self) -> None:
        self._stage = ""
        self._last = 0.0

    def __call__(self, status: Status) -> None:
        now = time.monotonic()
        if status.stage == self._stage:
            pause = PLAIN_INTERVAL
        else:
            pause = PATIENCE if _without_digits(status.stage) == _without_digits(self._stage) else 0
        if now - self._last < pause:
            return
        self._stage, self._last = status.stage, now
        print(describe(status), file=Unfailing(sys.stderr), flush=True)


def _without_digits(stage: str) -> str:
    return stage.translate(_DIGITS)


class _NotebookBar:
    """A bar below a notebook's cell, which shows work that takes longer than a moment, and stays there."""

    def __init__(self) -> None:
        self._bar = ProgressBar()
        self._began, self._shown = time.monotonic(), -math.inf
        self._stage = ""
        self._waiting: Status | None = None
        self._counted: Status | None = None  # the last that counts something

    def __call__(self, status: Status) -> None:
        now = time.monotonic()
        self._waiting = status
        if status.done or status.total:
            self._counted = status
        if now - self._began >= NOTICE and (status.stage != self._stage or now - self._shown >= NOTICE):
            self._show(status, now)

    def finish(self) -> None:
        """Leave the last state that counts something, or nothing: other stages say what goes on, and it is over."""
        if not self._stage:
            return
        if self._counted is None:
            self._bar.clear()
        elif self._counted.stage != self._stage:  # it had ended before the next began
            counted = self._counted
            self._show(replace(counted, done=counted.total or counted.done), self._shown)
        elif self._waiting is not None:
            self._show(self._waiting, self._shown)

    def _show(self, status: Status, now: float) -> None:
        self._stage, self._shown, self._waiting = status.stage, now, None
        share = min(status.done / status.total, 1.0) if status.total else None
        self._bar.show(status.stage, "  ".join(_details(status)), share)


@contextlib.contextmanager
def _bar() -> Iterator[Report]:
    # rich takes 60 ms to import: only a terminal pays for it.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns: tuple[Any, ...] = (
        TextColumn("{task.description}", style="bold", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[line]}", markup=False),
    )
    console = Console(file=cast("TextIO", Unfailing(sys.stderr)))
    # On a terminal rich prints standard output above the bar; output to a file or pipe must stay there.
    both = sys.stdout is not None and sys.stdout.isatty()
    with Progress(*columns, console=console, transient=True, redirect_stdout=both) as bar:
        tasks: dict[str, Any] = {}

        def report(status: Status) -> None:
            if status.stage not in tasks:
                for other in tasks.values():
                    bar.update(other, visible=False)
                tasks[status.stage] = bar.add_task(status.stage, total=status.total, line="")
            line = "  ".join(_details(status))
            bar.update(tasks[status.stage], completed=status.done, total=status.total, line=line)

        yield report
