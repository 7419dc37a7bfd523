"""Progress of reading a source."""

import time
from dataclasses import dataclass, field
from typing import Protocol

from firth.progress import Report, Status

_INTERVAL = 0.1  # seconds between reports


class Meter(Protocol):
    """What reading tells of its progress; see `ReadingProgress`."""

    words: int
    finished: int
    characters: int

    def update(self, position: int = 0) -> None:
        """Note the bytes read of the current file."""


@dataclass
class ReadingProgress:
    """Reports the progress of reading, a few times a second.

    Attributes:
        report: called with each `Status`.
        total: size of all files on disk in bytes; None if the source is not a file: words are then reported.
        finished: size of the finished files in bytes.
        characters: number of code points read, without line feeds; 0 if the text comes as tokens.
    """

    report: Report
    total: int | None
    words: int = 0
    finished: int = 0
    characters: int = 0
    _started: float = field(default_factory=time.monotonic)
    _last: float = 0.0

    def update(self, position: int = 0) -> None:
        """Report if the last report is long enough ago.

        Args:
            position: bytes read of the current file.
        """
        now = time.monotonic()
        if now - self._last < _INTERVAL:
            return
        self._last = now
        seconds = now - self._started
        if self.total is None:
            self.report(Status(stage="reading text", done=self.words, seconds=seconds))
            return
        self.report(
            Status(
                stage="reading text",
                done=self.finished + position,
                total=self.total,
                unit="bytes",
                seconds=seconds,
                figures={"words": self.words},
            )
        )
