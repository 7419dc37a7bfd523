"""What reports in HTML are made of: style, tables, notes, pictures. A page is self-contained, without scripts.

It can be read on a phone, where a table wider than the screen scrolls by itself and pictures are drawn anew for the
width, and on paper.
"""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from firth.notebook import Markup
from firth.plots.drawing import FONT, html_page
from firth.plots.picture import Picture
from firth.plots.still import render

NARROW = 4.7  # inches of a picture for phones
_HEAD = '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
_IDS = re.compile(r'(\bid="|href="#|url\(#)')
_STYLE = f"""body {{ font: 16px/1.5 {FONT}; color: #1b1b1b; background: white;
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }}
h1 {{ font-size: 1.6rem; }}
h2 {{ font-size: 1.2rem; margin-top: 2.5rem; }}
h3 {{ font-size: 1rem; margin: 1rem 0 .3rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .35rem .9rem .35rem 0; text-align: right; border-bottom: 1px solid #ececec; white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; }}
th {{ font-weight: normal; color: #555555; border-bottom-color: #c8c8c8; }}
.left th, .left td {{ text-align: left; vertical-align: top; }}
.left td:last-child {{ white-space: normal; }}
svg {{ width: 100%; height: auto; }}
blockquote {{ margin: .6rem 0; padding-left: 1rem; border-left: 3px solid #c8c8c8; }}
pre {{ white-space: pre-wrap; background: #f6f6f6; padding: .7rem 1rem; font-size: .85rem; }}
.note {{ color: #555555; font-size: .9rem; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: .5rem 2rem; }}
.bar {{ width: 6rem; fill: #0072B2; vertical-align: middle; }}
.name {{ white-space: normal; overflow-wrap: anywhere; }}
.phone {{ display: none; }}
@media screen and (max-width: 600px) {{
  body {{ margin: 1rem auto; padding: 0 .7rem; }}
  th, td {{ padding-right: .45rem; font-size: .82rem; }}
  th {{ white-space: normal; }}
  .bar {{ width: 2.8rem; }}
  .phone {{ display: block; }}
  .desk {{ display: none; }}
}}
@page {{ margin: 16mm; }}
@media print {{
  body {{ font-size: 10pt; max-width: none; margin: 0; padding: 0; }}
  h2, h3 {{ break-after: avoid; }}
  tr, svg, .card, pre {{ break-inside: avoid; }}
  .wide {{ overflow: visible; }}
  .cards {{ grid-template-columns: 1fr 1fr; }}
  .bar {{ width: 4rem; }}
  th, td {{ padding: .1rem .5rem .1rem 0; }}
}}"""


def report_page(title: str, parts: Iterable[str]) -> str:
    """Return a page of parts in HTML."""
    return html_page(title, _STYLE, "\n".join([f"<h1>{safe(title)}</h1>", *parts]), _HEAD)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: bool = False) -> str:
    """Return a table.

    Args:
        rows: cells; anything but `Markup` is escaped.
        left: whether all columns hold text, which wraps.
    """
    titles = "".join(f"<th>{safe(cell)}</th>" for cell in head)
    lines = ("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    kind = " left" if left else ""
    top = f"<tr>{titles}</tr>\n" if head else ""
    return f'<div class="wide{kind}"><table>{top}' + "\n".join(lines) + "\n</table></div>"


def _cell(cell: str) -> str:
    return cell if isinstance(cell, Markup) else safe(cell)


def note(text: str) -> str:
    """Return a line of small text."""
    return f'<p class="note">{safe(text)}</p>'


def safe(text: str) -> str:
    """Return a text as HTML."""
    return html.escape(text)


def svg(picture: Picture, name: str = "") -> str:
    """Return a picture as SVG; a name keeps its identifiers apart from those of other pictures of the page."""
    drawing = render(picture, "svg").decode()
    drawing = drawing[drawing.index("<svg") :]
    return _IDS.sub(rf"\g<1>{name}", drawing) if name else drawing


def picture_for_all(picture: Picture, name: str, phone: Picture | None = None) -> str:
    """Return a picture drawn twice: for wide screens and paper, and for phones.

    Args:
        phone: what phones show, if it is not the same in another width.
    """
    narrow = replace(phone or picture, size=(NARROW, (phone or picture).size[1]))
    return (
        f'<div class="desk">{svg(picture, f"{name}-")}</div>\n<div class="phone">{svg(narrow, f"{name}-phone-")}</div>'
    )
