"""Fonts for words in any script: matplotlib's own font, and fonts of the system for other letters."""

import contextlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from firth.errors import import_extra

OWN = "DejaVu Sans"  # comes with matplotlib
UNSEEN = {" ", *map(chr, range(0xFE00, 0xFE10))}  # the latter choose between forms of the letter before
BOXES = "Last Resort"  # so does this one, which has a box for every letter


def families(texts: Iterable[str]) -> tuple[list[str], set[str]]:
    """Return font families that together cover some texts, and the letters that no font has."""
    manager = import_extra("matplotlib.font_manager", "draw", "plots")
    letters = {letter for text in texts for letter in text if letter.isprintable() and letter not in UNSEEN}
    letters = {letter for letter in letters if ord(letter) not in _letters(manager.findfont(OWN), 0)}
    names = [OWN]
    # Fonts with most letters first, so that few fonts are used.
    while letters:
        best = max(_faces(manager), key=lambda face: (_coverage(face, letters), "Sans" in face[0]), default=None)
        if best is None or not _coverage(best, letters):
            break
        names.append(best[0])
        letters = {letter for letter in letters if ord(letter) not in _letters(*best[1:])}
    return names, letters


def _coverage(face: tuple[str, str, int], letters: set[str]) -> int:
    there = _letters(*face[1:])
    return sum(ord(letter) in there for letter in letters)


@cache
def _take_new_fonts(manager: Any) -> None:
    """Add fonts to matplotlib that were installed after its last scan."""
    files = {font.fname for font in manager.fontManager.ttflist}
    for path in manager.findSystemFonts():
        if path not in files:
            # Skip files that matplotlib cannot use as a font.
            with contextlib.suppress(RuntimeError, OSError, ValueError, UnicodeError):
                manager.fontManager.addfont(path)


def _faces(manager: Any) -> list[tuple[str, str, int]]:
    """The upright fonts of normal weight, as (family, file, number within the file)."""
    _take_new_fonts(manager)
    return [
        (font.name, font.fname, getattr(font, "index", 0))  # before 3.11 only the first face of a file can be used
        for font in manager.fontManager.ttflist
        if font.style == "normal" and font.weight in (400, "normal", "regular") and not font.name.startswith(BOXES)
    ]


@cache
def _letters(path: str, index: int) -> frozenset[int]:
    """The letters that a font has outlines for; none if it cannot be read."""
    ft2font = import_extra("matplotlib.ft2font", "draw", "plots")
    try:
        font = ft2font.FT2Font(path, face_index=index) if index else ft2font.FT2Font(path)
    except (RuntimeError, OSError, TypeError):  # what matplotlib raises for a file it cannot use varies
        return frozenset()
    return frozenset(font.get_charmap()) if font.scalable else frozenset()
