"""Output for notebooks: tables in HTML, which keep the notebook's own colours, and a progress bar.

Text that users or files supply is escaped. Nothing sets a colour, so that light and dark notebooks both can show it.
"""

import importlib
import sys
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

LEFT, RIGHT = ' style="text-align:left"', ' style="text-align:right"'
CURVE = 240, 60  # pixels


class Markup(str):
    """Text that is HTML already, for a cell of a table."""

    __slots__ = ()


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook: Jupyter, Colab, VS Code and others."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "", words: int = 1, more: str = ""
) -> str:
    """Return a table in HTML.

    Args:
        rows: one cell per column; anything but `Markup` is escaped.
        words: the number of columns of words, the first ones, which are aligned on the left; the others on the right.
    """
    styles = [LEFT if i < words else RIGHT for i in range(len(head))]
    top = "".join(f"<th{style}>{_cell(cell)}</th>" for cell, style in zip(head, styles, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{style}>{_cell(cell)}</td>" for cell, style in zip(row, styles, strict=True)) + "</tr>"
        for row in rows
    )
    title = f"<p>{escape(caption)}</p>" if caption else ""
    return f"<div>{title}<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{more}</div>"


def facts(title: str, rows: Iterable[tuple[str, object]], *, more: str = "") -> str:
    """Return the facts about an object in HTML: its class in bold, then a table of names and values.

    Args:
        rows: names and values; anything but `Markup` is escaped.
    """
    body = "".join(f"<tr><th{LEFT}>{_cell(name)}</th><td{LEFT}>{_cell(value)}</td></tr>" for name, value in rows)
    return f"<div><b>{escape(title)}</b><table><tbody>{body}</tbody></table>{more}</div>"


def note(text: str) -> str:
    """Return a line of small text in HTML."""
    return f"<p><small>{escape(text)}</small></p>"


def curve(values: Sequence[float], name: str) -> str:
    """Return a line through values as a small SVG picture in the colour of the text; "" for fewer than two.

    Args:
        name: what they are, for readers who do not see the picture.
    """
    if len(values) < 2:
        return ""
    width, height = CURVE
    low, high = min(values), max(values)
    extent = (high - low) or 1.0
    points = " ".join(
        f"{4 + i * (width - 8) / (len(values) - 1):.1f},{4 + (high - value) * (height - 8) / extent:.1f}"
        for i, value in enumerate(values)
    )
    label = escape(f"{name}: from {values[0]:.4g} to {values[-1]:.4g}")
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="{label}"><title>{label}</title>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )


def _cell(value: object) -> str:
    return value if isinstance(value, Markup) else escape(str(value))


class ProgressBar:
    """A bar in the output of a notebook's cell, which `show` makes and then changes."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, stage: str, details: str, share: float | None) -> None:
        """Show a state.

        Args:
            share: what is done of all, from 0 to 1; None where that is not known.
        """
        display: Any = importlib.import_module("IPython.display").display
        bar = "" if share is None else f'<progress value="{share:.4f}" max="1"></progress> '
        content = {
            "text/html": f"<div>{bar}<b>{escape(stage)}</b> {escape(details)}</div>",
            "text/plain": f"{stage}  {details}",
        }
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def clear(self) -> None:
        """Show nothing any more."""
        if self._handle is not None:
            self._handle.update({"text/html": "", "text/plain": ""}, raw=True)
