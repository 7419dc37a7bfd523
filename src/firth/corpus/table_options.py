"""How tables in text files are read, and what becomes of rows that cannot be read."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypedDict

from firth.arguments import describe
from firth.errors import CorpusError, OptionError, brief, counted, warn_caller
from firth.options import check, option, options_class

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
QUOTING = ("doubled", "backslash", "apostrophes", "none")
_SHOWN = 3  # rows that a warning names


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
        "stop", "rows that cannot be read: stop at the first, or skip and count them", choices=("stop", "skip")
    )

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


class Faults:
    """Rows of a file that cannot be read: the first is an error, or they are counted and told at the end.

    Args:
        name: of the file.
        on_error: "stop" or "skip"; None where the caller has no such option to name.
        error: the class of the error.
    """

    def __init__(self, name: str, on_error: str | None = "stop", error: type[Exception] = CorpusError) -> None:
        self.name = name
        self._stops, self._has_options = on_error != "skip", on_error is not None
        self._error = error
        self._count = 0
        self._shown: list[str] = []

    def add(self, place: str, problem: str, remedy: str, option: str = "") -> None:
        """Note a row that cannot be read.

        Args:
            place: such as "line 3".
            problem: what was found and expected.
            remedy: what to do.
            option: another remedy, with an option.

        Raises:
            CorpusError: such rows are not to be skipped; or the class of error that was given.
        """
        if self._stops:
            options = [option, "to leave out such rows, on_error='skip'"] if self._has_options else []
            raise self._error("; ".join([f"{self.name} {place}: {problem}", *filter(None, [remedy, *options])]))
        self._count += 1
        if len(self._shown) < _SHOWN:
            self._shown.append(f"{place}: {problem}")

    def tell(self) -> None:
        """Warn about the rows that were skipped."""
        if self._count:
            more = "; ..." if self._count > len(self._shown) else ""
            warn_caller(f"{self.name}: {counted(self._count, 'row')} skipped ({'; '.join(self._shown)}{more})")
            self._count = 0
