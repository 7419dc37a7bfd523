"""Ctrl-C and the wish of a system to end a process: heard at once, answered between two steps."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
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
def stopping(forwarded: Callable[[], Iterable[int]] = tuple) -> Iterator[Asked]:
    """Turn the first SIGINT or SIGTERM into a flag; a second one interrupts whatever is being done.

    Signals that the process ignores stay ignored. Outside the main thread Python hears none, and nothing changes.

    Args:
        forwarded: gives the processes that are told as well, by SIGTERM; where there are any, they answer for this one,
            which waits for them.

    Yields:
        The flag.
    """
    asked = Asked()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def hear(number: int, frame: FrameType | None) -> None:
        if others := list(forwarded()):
            for process in others:
                os.kill(process, signal.SIGTERM)
        elif asked.stop:
            raise KeyboardInterrupt
        asked.stop = True

    heard = [number for number in HEARD if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, hear) for number in heard}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextlib.contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Let Ctrl-C pass by, where somebody else answers it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
