"""Ctrl-C and the wish of a system to end a process: heard at once, answered between two steps."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

HEARD = (signal.SIGINT, signal.SIGTERM)


@dataclass
class Asked:
    """Whether somebody asked for an end.

    Attributes:
        stop: whether a signal came.
    """

    stop: bool = False


@contextlib.contextmanager
def stopping() -> Iterator[Asked]:
    """Turn the first SIGINT or SIGTERM into a flag; a second one interrupts whatever is being done.

    Signals that the process ignores stay ignored. Outside the main thread Python hears none, and nothing changes.

    Yields:
        The flag.
    """
    asked = Asked()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def hear(number: int, frame: FrameType | None) -> None:
        if asked.stop:
            raise KeyboardInterrupt
        asked.stop = True

    heard = [number for number in HEARD if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, hear) for number in heard}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
