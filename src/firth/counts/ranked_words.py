"""Words in order of a score, with the figures beside it: as a table for terminals and notebooks, and as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar, cast

from rich.cells import cell_len

from firth import notebook
from firth.errors import brief_repr

Row = TypeVar("Row")
SHOWN = 20  # rows of a notebook


@dataclass(frozen=True)
class RankedWords(Generic[Row]):
    """Words with their figures, the best first.

    Attributes:
        rows: a value a word, with its figures as attributes.
        columns: heading and format of each field of a row.
        facts: about all of them, such as the sizes of the texts.
    """

    rows: Sequence[Row]
    columns: Mapping[str, tuple[str, str]]
    facts: Mapping[str, Any]

    __repr__ = brief_repr

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries; `pandas.DataFrame` takes them."""
        return [asdict(cast("Any", row)) for row in self.rows]

    def __str__(self) -> str:
        """Return the rows as aligned columns, by the width of what a terminal shows."""
        cells = [[heading for heading, _ in self.columns.values()], *map(self._cells, self.rows)]
        widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(map(_aligned, row, widths, range(len(row)))).rstrip() for row in cells)

    def _repr_html_(self) -> str:
        rows = [self._cells(row) for row in self.rows[:SHOWN]]
        hidden = len(self.rows) - len(rows)
        more = notebook.note(f"... and {hidden:,} more") if hidden else ""
        return notebook.table([heading for heading, _ in self.columns.values()], rows, more=more)

    def _cells(self, row: Row) -> list[str]:
        return [_cell(getattr(row, name), form) for name, (_, form) in self.columns.items()]


def _cell(value: Any, form: str) -> str:
    return "-" if value != value else format(value, form)  # NaN


def _aligned(cell: str, width: int, column: int) -> str:
    space = " " * (width - cell_len(cell))
    return f"{space}{cell}" if column else f"{cell}{space}"
