"""Widths of text on a terminal."""

import unicodedata


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
