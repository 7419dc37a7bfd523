"""Wall-clock time, and how much of a limit on it was spent before the work that the limit is of."""

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field


class Stopwatch:
    """Seconds between one call and the next."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def lap(self) -> float:
        """Return the seconds since the last call, or since the beginning."""
        now, before = time.monotonic(), self._last
        self._last = now
        return now - before


@dataclass
class Clock:
    """What counts against a limit on time besides training itself.

    Attributes:
        since: runs from where the caller began, and anew from the end of each training.
        evaluations: looks at the held-out data that come after training, and for which time is kept back.
    """

    since: Stopwatch = field(default_factory=Stopwatch)
    evaluations: int = 0


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)


@contextlib.contextmanager
def counted() -> Iterator[Clock]:
    """Let time count against limits from here on; of calls inside one another the outermost says from where.

    Yields:
        The clock that counts.
    """
    clock = _CLOCK.get() or Clock()
    token = _CLOCK.set(clock)
    try:
        yield clock
    finally:
        _CLOCK.reset(token)
