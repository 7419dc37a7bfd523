"""What becomes of damaged parts of a file, rows or sentences: "stop" at the first, or "skip", count and tell."""

import os
from dataclasses import dataclass, field

from firth.errors import FirthError, FormatError, OptionError, counted, warn_caller

STOP, SKIP = "stop", "skip"
LISTED = 3  # parts that a warning shows


@dataclass
class Skipping:
    """The damaged parts of one file.

    Attributes:
        path: of the file, for messages.
        on_error: "stop" or "skip"; None stops, where the caller has no such option to name.
        unit: what a part is, such as "sentence".
        place: what a number of a part counts, such as "line".
        error: class of the errors.
        read: parts that were sound.
        skipped: parts that were not.
        shown: place and problem of the first of these.

    Raises:
        OptionError: `on_error` is something else.
    """

    path: str | os.PathLike[str]
    on_error: str | None = STOP
    unit: str = "row"
    place: str = "line"
    error: type[FirthError] = FormatError
    read: int = 0
    skipped: int = 0
    shown: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.on_error is not None:
            check_on_error(self.on_error)

    def add(self, number: int, problem: str, remedy: str = "", option: str = "") -> None:
        """Skip a part."""
        message = f"{self.place} {number:,}: {problem}"
        if self.on_error != SKIP:
            options = [option, f"to leave out such {self.unit}s, on_error='skip'"] if self.on_error else []
            raise self.error("; ".join([f"{self.path} {message}", *filter(None, [remedy, *options])]))
        self.skipped += 1
        if len(self.shown) < LISTED:
            self.shown.append(message)

    def tell(self, expected: str = "") -> None:
        """Warn of what was skipped, at the end of the file.

        Args:
            expected: of a file, which must hold something; "" if it need not.
        """
        if self.skipped and not self.read:
            raise self.error(f"{self.path} {self.shown[0]}; no other {self.unit} could be read")
        if expected and not self.read:
            raise self.error(f"{self.path}: no {self.unit}s; expected {expected}")
        if self.skipped:
            total = counted(self.read + self.skipped, self.unit)
            more = "; ..." if self.skipped > len(self.shown) else ""
            warn_caller(f"{self.path}: skipped {self.skipped:,} of {total}: {'; '.join(self.shown)}{more}")


def check_on_error(on_error: str) -> None:
    """Check the option `on_error`.

    Raises:
        OptionError: it is neither "stop" nor "skip".
    """
    if on_error not in (STOP, SKIP):
        raise OptionError(f"on_error={on_error!r}: expected {SKIP!r} or {STOP!r}")
