"""A map of words: similar words are near each other."""

from collections.abc import Sequence

from firth.arguments import explained
from firth.errors import counted
from firth.plots.layout import flatten
from firth.plots.map_page import MOST
from firth.plots.picture import FADED, SIZE, Picture, Points
from firth.plots.projection import project
from firth.plots.words import Groups, Vectors, check_vectors, choose, content_words, name_of
from firth.runs.runs import Runs
from firth.runs.stability import STABLE
from firth.vectors.word_vectors import WordVectors

USUAL = 1_000
GREY_WORDS = "Grey: unstable words; two runs share less than half of their ten nearest."
UNDOTTED = 80  # words up to which labels stand at their places, without dots


@explained
def word_map(
    vectors: Vectors | Runs,
    words: Sequence[str] | None = None,
    *,
    groups: Groups | None = None,
    heads: Sequence[str] = (),
    method: str | None = None,
    number: int = USUAL,
    stop_words: bool = False,
    seed: int = 0,
    title: str | None = None,
) -> Picture:
    """Return a map of words.

    Args:
        vectors: the vectors; or runs, whose consensus is drawn, with unstable words in grey.
        words: words to draw; by default those of the groups, or without groups the most frequent ones. Words without a
            vector are left out, with a note.
        groups: words by the name of their group; each group has a colour.
        heads: words to highlight, such as those that groups are named after.
        method: projection onto the plane; see `project`.
        number: number of words at most, the most frequent ones; never more than 20,000. If there is no room for all
            labels, heads and frequent words come first.
        stop_words: whether words such as "the", "of" and "you" are among the most frequent ones that are drawn by
            default; see `firth.vocabulary.stop_words`. Words that are named are always drawn.
        seed: random seed of the projection.

    Raises:
        ArgumentTypeError: `vectors` are something else, such as a path.
        OptionError: there are no words, too few for the method, or the method is unknown.
        UnknownWordError: none of the words has a vector.
        MissingExtraError: the library of the method is not installed.
    """
    runs = vectors if isinstance(vectors, Runs) else None
    vectors = vectors.consensus if isinstance(vectors, Runs) else vectors
    check_vectors(vectors)
    left_out: list[str] = []
    if words is None and groups is None:
        words, left_out = (vectors.words, []) if stop_words else content_words(vectors)
    selection = choose(vectors, words or (), groups, most=min(number, MOST), keep=heads)
    positions, caption = project(selection.rows, method, seed)
    ranks = vectors.key_to_index
    order = sorted(range(len(selection.words)), key=lambda i: ranks.get(selection.words[i], len(ranks)))
    labels = [selection.words[i] for i in order]
    overlaps = None if runs is None else runs.overlaps(labels)
    stable = [overlaps is None or bool(overlaps[i] >= STABLE) for i in range(len(labels))]
    points = Points(
        xy=positions[order],
        labels=labels,
        groups=[selection.groups[i] if stable[rank] else FADED for rank, i in enumerate(order)],
        heads=[selection.words[i] in set(heads) for i in order],
        dotted=len(order) > UNDOTTED,
    )
    names = [*(groups or {}), None]  # the last is that of `NO_GROUP`
    rows = [
        {"word": word, "x": x, "y": y, **({"group": names[selection.groups[i]]} if groups else {})}
        for word, (x, y), i in zip(points.labels, points.xy.tolist(), order, strict=True)
    ]
    if overlaps is not None:
        rows = [{**row, "overlap": share} for row, share in zip(rows, overlaps.tolist(), strict=True)]
        caption = f"{caption} {GREY_WORDS}"
    return Picture(
        kind="map",
        title=f"Map of {counted(len(order), 'word')}{name_of(vectors)}" if title is None else title,
        marks=[points],
        rows=rows,
        caption=caption,
        notes=[*left_out, *selection.notes],
        groups=[] if set(selection.names) <= set(heads) else selection.names,
        size=SIZE,
    )


def text_map(vectors: WordVectors, words: Sequence[str], *, width: int = 78, height: int = 22) -> str:
    """Return a map of words in plain characters.

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
