"""Wall-clock time, and the clock of a time limit, which includes the time before training."""

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field


class Stopwatch:
    """Measures the seconds between calls of `lap`."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def lap(self) -> float:
        """Return the seconds since the last call, or since the stopwatch was created."""
        now, before = time.monotonic(), self._last
        self._last = now
        return now - before


@dataclass
class Clock:
    """The part of a time limit that is not training.

    Attributes:
        since: runs from the caller's start, and again from the end of each training.
        evaluations: number of evaluations after training for which time is reserved.
    """

    since: Stopwatch = field(default_factory=Stopwatch)
    evaluations: int = 0


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)


@contextlib.contextmanager
def running_clock() -> Iterator[Clock]:
    """Start the clock of a time limit; nested calls share the outermost clock.

    Yields:
        The clock.
    """
    clock = _CLOCK.get() or Clock()
    token = _CLOCK.set(clock)
    try:
        yield clock
    finally:
        _CLOCK.reset(token)
