"""Ctrl-C, and the signals by which a system ends a process: a flag while a model trains, an interruption elsewhere."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

# SIGHUP says that the terminal is gone; Windows has none.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
HEARD = (signal.SIGINT, *ENDING)

_last: list[int] = [signal.SIGINT]


@dataclass
class Asked:
    """Whether somebody asked for an end.

    Attributes:
        stop: whether a signal came.
    """

    stop: bool = False


def last_signal() -> int:
    """Return the last signal that was heard; SIGINT where none was, as Python itself answers Ctrl-C."""
    return _last[0]


def exit_status() -> int:
    """Return the status of a process that a signal ended: 128 and its number, so 130 for Ctrl-C and 143 for SIGTERM."""
    return 128 + last_signal()


@contextlib.contextmanager
def stopping(forwarded: Callable[[], Iterable[int]] = tuple) -> Iterator[Asked]:
    """Turn the first signal into a flag; a second one interrupts whatever is being done.

    Args:
        forwarded: gives the processes that are told as well, by SIGTERM; where there are any, they answer for this one,
            which waits for them.

    Yields:
        The flag.
    """
    request = Asked()

    def hear(number: int, frame: FrameType | None) -> None:
        _last[0] = number
        if others := list(forwarded()):
            for process in others:
                os.kill(process, signal.SIGTERM)
        elif request.stop:
            raise KeyboardInterrupt
        request.stop = True

    with _handled(HEARD, hear):
        yield request


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let the signals that end a process raise KeyboardInterrupt, as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        _last[0] = number
        raise KeyboardInterrupt

    with _handled(ENDING, interrupt):
        yield


@contextlib.contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Let what a terminal sends to all its processes pass by, where somebody else answers it."""
    with _handled([number for number in HEARD if number != signal.SIGTERM], signal.SIG_IGN):
        yield


@contextlib.contextmanager
def _handled(numbers: Iterable[int], handler: Any) -> Iterator[None]:
    """Handle signals, but for those that the process ignores; outside the main thread Python hears none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)
