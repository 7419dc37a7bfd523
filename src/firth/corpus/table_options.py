"""How tables in text files are read."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypedDict

from firth.arguments import describe
from firth.errors import OptionError, brief
from firth.options import check, option, options_class
from firth.storage.skipping import SKIP, STOP

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
QUOTING = ("doubled", "backslash", "apostrophes", "none")


@options_class
class TableOptions:
    """How tables in text files (CSV, TSV) are read; what is not given is found in each file, and said.

    With `quoting="doubled"` a quoted cell holds quotation marks twice, as spreadsheets and pandas write them; with
    "backslash" after a backslash, as MySQL and Spark do; with "apostrophes" cells stand between those, which are twice
    inside; with "none" all such marks are text. By default a line of a table with tabs that has as many cells as the
    first one is a row, whatever quotation marks it holds.
    """

    separator: str | None = option(
        None, "what stands between the cells of a table: a character, or comma, semicolon, tab or pipe"
    )
    quoting: str | None = option(None, "how cells of a table with quotation marks are written", choices=QUOTING)
    header: bool | None = option(None, "the first row of a table holds the names of its columns; else they are numbers")
    on_error: str = option(
        STOP, "rows that cannot be read: stop at the first, or skip and count them", choices=(STOP, SKIP)
    )

    def __post_init__(self) -> None:
        """Take any values: readers of tables check them."""

    @classmethod
    def among(cls, options: Mapping[str, Any]) -> tuple["TableOptions", dict[str, Any]]:
        """Return those of several options that say how tables are read, and the others."""
        names = {field.name for field in fields(cls)}
        mine = {name: value for name, value in options.items() if name in names}
        return cls(**mine), {name: value for name, value in options.items() if name not in names}

    def given(self) -> dict[str, Any]:
        """Return what says how a text file is written, as far as it is given."""
        values = {"separator": self.separator, "quoting": self.quoting, "header": self.header}
        return {name: value for name, value in values.items() if value is not None}

    def check_unused(self, name: str, tables: str) -> None:
        """Refuse what says how a text file is written where none of a kind is read.

        Args:
            tables: the kind, such as "CSV and TSV files".

        Raises:
            OptionError: something is given.
        """
        if given := self.given():
            options = ", ".join(f"{option}={value!r}" for option, value in given.items())
            raise OptionError(f"{options}: says how {tables} are written, and {name} is none of them")

    def normalised(self) -> "TableOptions":
        """Check the options; return them with the separator as a character.

        Raises:
            OptionError: an option is out of its range.
        """
        check(self)
        given: Any = self.separator
        if given is None:
            return self
        character = SEPARATORS.get(given, given) if isinstance(given, str) else given
        character = "\t" if character == "\\t" else character
        if not isinstance(character, str) or len(character) != 1 or character in '"\r\n\\':
            raise OptionError(f"separator={brief(given)}: expected one character, or one of {', '.join(SEPARATORS)}")
        return replace(self, separator=character)


class TableArguments(TypedDict, total=False):
    """The fields of `TableOptions` as keyword arguments, for type checkers."""

    separator: str | None
    quoting: str | None
    header: bool | None
    on_error: str


describe(TableArguments, TableOptions)
USUAL = TableOptions()
