"""Heat maps on the terminal: a matrix as a table of numbers, darker where they are greater."""

from collections.abc import Iterator, Sequence

from firth.plots.picture import Heat, Picture

SHADES = " ░▒▓█"
LONGEST = 14  # columns of the terminal for a label; longer ones are shortened
_CELL = 5  # a shade and a number: █0.87


def print_heat(picture: Picture) -> None:
    """Print a picture that is a heat map; columns that are wider than the terminal follow in blocks."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    heat = next(mark for mark in picture.marks if isinstance(mark, Heat))
    console, across = Console(highlight=False), [_short(label) for label in heat.across]
    print(picture.title)
    for block in _blocks(across, console.width):
        table = Table(box=None, pad_edge=False, header_style="")
        table.add_column(no_wrap=True)
        for column in block:
            table.add_column(Text(across[column]), justify="right", no_wrap=True)
        for label, values in zip(heat.labels, heat.values, strict=True):
            cells = [_cell(float(values[column]), heat) for column in block]
            styled = [Text(cell, style="bold" if cell[0] in SHADES[3:] else "") for cell in cells]
            table.add_row(Text(_short(label)), *styled)
        print()
        console.print(table)
    if picture.caption:
        print(f"\n{picture.caption}")


def _cell(value: float, heat: Heat) -> str:
    share = (value - heat.low) / (heat.high - heat.low)
    return f"{SHADES[min(max(int(share * len(SHADES)), 0), len(SHADES) - 1)]}{value:.2f}"


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _blocks(across: Sequence[str], width: int) -> Iterator[list[int]]:
    """Yield numbers of columns that stand side by side; each block has room for the labels of rows, too."""
    from rich.cells import cell_len

    block, used = list[int](), LONGEST
    for column, label in enumerate(across):
        needed = max(cell_len(label), _CELL) + 1
        if block and used + needed > width:
            yield block
            block, used = [], LONGEST
        block.append(column)
        used += needed
    yield block
