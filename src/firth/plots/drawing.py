"""A drawing of annotated text: as SVG or HTML for a file, as plain characters for a terminal."""

import os
import unicodedata
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from firth.errors import OptionError, brief
from firth.plots.picture import INK
from firth.storage.files import replacing_file

FONT = '"DejaVu Sans", Verdana, "Noto Sans", sans-serif'
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{head}<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""
_STYLE = f"body {{ margin: 24px; background: white; color: {INK}; font-family: {FONT}; }}"


def html_page(title: str, style: str, body: str, head: str = "") -> str:
    """Return a page; `head` is what its head has besides, as lines."""
    return _PAGE.format(head=head, title=escape(title), style=style, body=body)


@dataclass(frozen=True, kw_only=True, repr=False)
class Drawing:
    """A drawing of annotated text; `print` shows it in plain characters, a notebook in colours.

    Attributes:
        title: of the page.
        text: for a terminal.
        body: HTML.
        style: rules of CSS for the body.
        svg: "" for a drawing that is no SVG.
        notes: what was left out, and why.
    """

    title: str
    text: str
    body: str
    style: str = ""
    svg: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Drawing {self.title!r}>"

    def _repr_html_(self) -> str:
        return f"<style>{self.style}</style>{self.body}"

    @property
    def page(self) -> str:
        """A page of HTML that loads nothing from elsewhere."""
        return html_page(self.title, f"{_STYLE}\n{self.style}", self.body)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to a file.

        Args:
            path: its name ends in .html, in .txt, or for trees in .svg.
        """
        suffix = check_drawing_target(path, bool(self.svg))
        content = {".html": self.page, ".svg": self.svg, ".txt": self.text + "\n"}[suffix]
        with replacing_file(path) as file:
            file.write(content.encode("utf-8", "backslashreplace"))


def check_drawing_target(path: str | os.PathLike[str], svg: bool) -> str:
    """Return the ending of the name of a file to draw into.

    Raises:
        OptionError: the name has another ending, or is that of a folder.
    """
    endings = [".html", *([".svg"] if svg else []), ".txt"]
    suffix = Path(path).suffix.lower()
    if suffix not in endings:
        raise OptionError(f"{path}: expected a name that ends in {', '.join(endings)}")
    if Path(path).is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write")
    return suffix


def check_number(number: Any) -> None:
    """Check a number of sentences to draw.

    Raises:
        OptionError: it is below 1, or not a whole number.
    """
    if not isinstance(number, int) or number < 1:
        raise OptionError(f"number={brief(number)}: expected at least 1 sentence to draw")


def cells(text: str) -> int:
    """Return how many cells a text takes: two for a wide letter, none for an accent."""
    return sum(_cells(letter) for letter in text)


def padded(text: str, width: int) -> str:
    """Return a text with spaces behind it, so that it takes `width` cells."""
    return text + " " * (width - cells(text))


def _cells(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in {"Mn", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
