"""What becomes of damaged parts of a file, such as sentences: "stop" at the first, or "skip", count and tell."""

import os
from dataclasses import dataclass, field

from firth.errors import FormatError, OptionError, counted, warn_caller

STOP, SKIP = "stop", "skip"
LISTED = 5  # places that a warning names


@dataclass
class Skipping:
    """The damaged parts of one file.

    Attributes:
        path: of the file, for messages.
        on_error: "stop" or "skip".
        unit: what a part is, such as "sentence".
        place: what a number of a part counts, such as "line".
        problems: line and message of what was skipped.
        read: parts that were sound.

    Raises:
        OptionError: `on_error` is something else.
    """

    path: str | os.PathLike[str]
    on_error: str
    unit: str
    place: str = "line"
    problems: list[tuple[int, str]] = field(default_factory=list)
    read: int = 0

    def __post_init__(self) -> None:
        check_on_error(self.on_error)

    def add(self, line: int, problem: str) -> None:
        """Skip a part.

        Args:
            line: of the file, where it is damaged.
            problem: what is wrong.

        Raises:
            FormatError: the first part stops.
        """
        if self.on_error == STOP:
            raise FormatError(f"{self.path} {self.place} {line}: {problem}")
        self.problems.append((line, problem))

    def tell(self) -> None:
        """Warn of what was skipped, at the end of the file.

        Raises:
            FormatError: nothing else was read.
        """
        if not self.problems:
            return
        (line, problem), *others = self.problems
        if not self.read:
            raise FormatError(f"{self.path} {self.place} {line}: {problem}")
        total = counted(self.read + len(self.problems), self.unit)
        also = ", ".join(str(line) for line, _ in others[: LISTED - 1]) + ", ..." * (len(others) >= LISTED)
        warn_caller(
            f"{self.path}: skipped {len(self.problems):,} of {total}: {self.place} {line}: {problem}"
            f"{f'; also at {self.place}s {also}' if others else ''}"
        )


def check_on_error(on_error: str) -> None:
    """Check the option `on_error`.

    Raises:
        OptionError: it is neither "stop" nor "skip".
    """
    if on_error not in (STOP, SKIP):
        raise OptionError(f"on_error={on_error!r}: expected {SKIP!r} or {STOP!r}")
