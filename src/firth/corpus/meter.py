"""How far reading has come."""

import time
from dataclasses import dataclass, field

from firth.progress import Report, Status

_INTERVAL = 0.1  # seconds between two reports


@dataclass
class Meter:
    """Tells `report` how far reading has come, a few times a second.

    Attributes:
        report: receives each `Status`.
        total: bytes of all files as they lie on disk; None where the source is no file, and words are told instead.
        words: met so far.
        finished: bytes of the files that are done with.
        characters: code points of the text so far, line feeds left out; 0 where text comes as tokens.
    """

    report: Report
    total: int | None
    words: int = 0
    finished: int = 0
    characters: int = 0
    _started: float = field(default_factory=time.monotonic)
    _last: float = 0.0

    def tick(self, position: int = 0) -> None:
        """Report, if the last time is long enough ago.

        Args:
            position: bytes of the present file that are read.
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
