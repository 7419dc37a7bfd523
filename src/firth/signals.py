"""Ctrl-C and the signals that end a process: they set a flag while a model trains, and interrupt elsewhere."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Any

# SIGHUP: the terminal was closed; Windows lacks it.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
HANDLED = (signal.SIGINT, *ENDING)

_last: list[int] = [signal.SIGINT]


@dataclass
class StopRequest:
    """A flag that a signal sets.

    Attributes:
        stop: whether a signal arrived.
    """

    stop: bool = False


_shared: ContextVar[StopRequest | None] = ContextVar("firth.signals", default=None)


@contextlib.contextmanager
def sharing(request: StopRequest) -> Iterator[None]:
    """Let whatever trains inside the context, in a thread that receives no signals, stop when a flag is set.

    Args:
        request: from `stopping` in the main thread.
    """
    token = _shared.set(request)
    try:
        yield
    finally:
        _shared.reset(token)


def last_signal() -> int:
    """Return the last signal that was handled; SIGINT if there was none, because Python handles Ctrl-C itself."""
    return _last[0]


def exit_status() -> int:
    """Return the exit status after a signal: 128 plus its number, so 130 for Ctrl-C and 143 for SIGTERM."""
    return 128 + last_signal()


@contextlib.contextmanager
def stopping(forwarded: Callable[[], Iterable[int]] = tuple) -> Iterator[StopRequest]:
    """Turn the first signal into a flag; the second one raises KeyboardInterrupt.

    Args:
        forwarded: returns the processes that receive SIGTERM, too. If there are any, this process waits for them
            instead of being interrupted.

    Yields:
        The flag.
    """
    if (shared := _shared.get()) is not None:
        yield shared
        return
    request = StopRequest()

    def handle(number: int, frame: FrameType | None) -> None:
        _last[0] = number
        if processes := list(forwarded()):
            for process in processes:
                os.kill(process, signal.SIGTERM)
        elif request.stop:
            raise KeyboardInterrupt
        request.stop = True

    with _handlers(HANDLED, handle):
        yield request


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for the signals that end a process, as for Ctrl-C."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        _last[0] = number
        raise KeyboardInterrupt

    with _handlers(ENDING, interrupt):
        yield


@contextlib.contextmanager
def finishing() -> Iterator[None]:
    """Let the first signal wait while what was learned is handed over; the second raises KeyboardInterrupt."""
    seen: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        _last[0] = number
        seen.append(number)
        if len(seen) > 1:
            raise KeyboardInterrupt

    with _handlers(HANDLED, handle):
        yield


def ignore_signals() -> None:
    """Ignore the signals that end a process from now on: it is about to end."""
    for number in HANDLED:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Ignore the signals that a terminal sends to all its processes; another process handles them."""
    with _handlers([number for number in HANDLED if number != signal.SIGTERM], signal.SIG_IGN):
        yield


@contextlib.contextmanager
def _handlers(numbers: Iterable[int], handler: Any) -> Iterator[None]:
    """Install a handler, except for signals that the process ignores; only the main thread receives signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)
