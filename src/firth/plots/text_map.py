"""A map of words for a terminal: words on lines, roughly at their places."""

from collections.abc import Sequence

from firth.plots.layout import flatten
from firth.vectors.word_vectors import WordVectors


def text_map(vectors: WordVectors, words: Sequence[str], *, width: int = 78, height: int = 22) -> str:
    """Return a map of words in plain characters.

    Args:
        words: words to place; those named first have the first choice of their place.

    Returns:
        At most `height` lines; a word that finds no free place on its line or one nearby is left out.
    """
    points = flatten(vectors.get_vector(list(words)))
    low = points.min(axis=0)
    extent = (points.max(axis=0) - low).clip(min=1e-12)
    canvas = [[" "] * width for _ in range(height)]
    for word, (x, y) in zip(words, (points - low) / extent, strict=True):
        label = word[:width]
        _write(canvas, label, round(x * (width - len(label))), round((1 - y) * (height - 1)))
    return "\n".join("".join(line).rstrip() for line in canvas).strip("\n")


def _write(canvas: list[list[str]], label: str, column: int, row: int) -> None:
    """Write a label on its line, or on the nearest line with room, with a space on each side."""
    for nearby in sorted(range(len(canvas)), key=lambda line: abs(line - row)):
        around = canvas[nearby][max(column - 1, 0) : column + len(label) + 1]
        if abs(nearby - row) <= len(canvas) // 4 and all(mark == " " for mark in around):
            canvas[nearby][column : column + len(label)] = label
            return
