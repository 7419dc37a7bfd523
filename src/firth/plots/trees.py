"""Dependency trees as arcs over the words: SVG, and characters for a terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from firth.arguments import explained
from firth.documents.document import Document
from firth.errors import OptionError
from firth.plots.arcs import Arc, arcs_of, characters, ports_of
from firth.plots.drawing import FONT, Drawing, cells, check_number, padded
from firth.plots.labels import text_width
from firth.plots.picture import COLOURS, INK
from firth.readers.conllu import NONE, DependencySentence

MOST = 20  # sentences of a drawing
WORD, SMALL = 15, 11  # pixels
LEVEL, PORT, ROUND, GAP, MARGIN = 22, 6, 6, 16, 12  # pixels


@explained
def dependency_arcs(source: Any, *, number: int = MOST, title: str | None = None) -> Drawing:
    """Return the dependency trees of sentences as arcs from heads to dependents.

    Labels stand in the line of their arc, arrows over the middle of their word. No label covers another, and only arcs
    of trees that are not projective cross.

    Args:
        source: a `firth.Document`, a sentence with a tree (`firth.readers.conllu.DependencySentence`), or several.
        number: sentences to draw at most.
        title: by default the name of the document, or the beginning of the first sentence.

    Raises:
        OptionError: there is no sentence, or one has no tree, or `number` is below 1.
    """
    check_number(number)
    sentences = _sentences(source)
    shown = sentences[:number]
    if not shown:
        raise OptionError("no sentence to draw: expected at least one with a tree")
    bare = next((sentence for sentence in shown if not sentence.heads), None)
    if bare is not None:
        raise OptionError(
            f"the sentence {' '.join(bare.words)[:60]!r} has no tree; parse it first: firth annotate --parser"
        )
    pictures = [_Picture.of(sentence) for sentence in shown]
    name = source.name if isinstance(source, Document) else ""
    return Drawing(
        title=title or name or " ".join(shown[0].words)[:60],
        text="\n\n".join(_text(sentence) for sentence in shown),
        body="\n".join(f'<div class="firth-tree">{picture.svg}</div>' for picture in pictures),
        style=".firth-tree { overflow-x: auto; margin-bottom: 20px; }",
        svg=_stacked(pictures),
        notes=(f"the first {number:,} of {len(sentences):,} sentences are drawn",) if len(sentences) > number else (),
    )


def _sentences(source: Any) -> Sequence[DependencySentence]:
    if isinstance(source, DependencySentence):
        return [source]
    if isinstance(source, Document):
        return source.sentences
    items: list[Any] = list(source) if isinstance(source, Iterable) and not isinstance(source, str) else []
    sentences = [
        sentence for item in items if isinstance(item, Document | DependencySentence) for sentence in _sentences(item)
    ]
    if not sentences:
        raise OptionError("no sentence to draw: expected a Document, or DependencySentence with trees")
    return sentences


@dataclass(frozen=True)
class _Word:
    """Where a word and its lines are, in pixels.

    Attributes:
        lines: place of each line above the word, from its centre; the line with the arrow is right over the centre.
        left: width that the word takes left of its centre.
        right: and right of it.
    """

    lines: dict[Arc | None, float]
    left: float
    right: float

    @classmethod
    def of(cls, sentence: DependencySentence, word: int, ports: Sequence[Arc | None]) -> "_Word":
        arrow = next(i for i, arc in enumerate(ports) if arc is None or arc.dependent == word)
        written = max(text_width(sentence.words[word], WORD), text_width(sentence.tags[word], SMALL))
        if sentence.heads[word] == 0:
            written = max(written, text_width(sentence.relations[word], SMALL))
        left, right = (max(written / 2, PORT * (lines + 0.5)) for lines in (arrow, len(ports) - 1 - arrow))
        return cls({arc: PORT * (i - arrow) for i, arc in enumerate(ports)}, left, right)


@dataclass(frozen=True)
class _Picture:
    """A tree as SVG, with its size in pixels."""

    inner: str
    width: float
    height: float

    @property
    def svg(self) -> str:
        return _svg(self.inner, self.width, self.height)

    @classmethod
    def of(cls, sentence: DependencySentence) -> "_Picture":
        arcs = arcs_of(sentence.heads, sentence.relations)
        root = sentence.heads.index(0)
        near = [arc.level for arc in arcs if arc.left <= root + 1 and arc.right >= root - 1]
        root_level = 1 + max(near, default=0)
        levels = max([root_level, *(arc.level for arc in arcs)])
        words = [_Word.of(sentence, word, ports) for word, ports in enumerate(ports_of(arcs, len(sentence)))]
        centres = _centres(words)
        floor = MARGIN + SMALL + levels * LEVEL
        tagged = any(tag != NONE for tag in sentence.tags)
        parts = [_arc(arc, words, centres, floor) for arc in arcs]
        parts.append(_root(sentence.relations[root], centres[root], root_level, floor))
        for form, tag, centre in zip(sentence.words, sentence.tags, centres, strict=True):
            parts.append(f'<text x="{centre:.1f}" y="{floor + 20}" class="w">{escape(form)}</text>')
            if tagged:
                parts.append(f'<text x="{centre:.1f}" y="{floor + 36}" class="t">{escape(tag)}</text>')
        return cls("\n".join(parts), centres[-1] + words[-1].right + MARGIN, floor + (48 if tagged else 32))


def _centres(words: Sequence[_Word]) -> list[float]:
    """Return the centre of each word: far enough from those before it for the words and for the labels between them."""
    centres = [MARGIN + words[0].left]
    for number, word in enumerate(words[1:], 1):
        x = centres[-1] + words[number - 1].right + GAP + word.left
        for arc, line in word.lines.items():
            if arc is not None and arc.right == number:
                start = max([centres[arc.left] + words[arc.left].lines[arc], *_crossing(arc, words, centres)])
                x = max(x, start + text_width(arc.label, SMALL) + 2 * ROUND + 8 - line)
        centres.append(x)
    return centres


def _crossing(arc: Arc, words: Sequence[_Word], centres: Sequence[float]) -> list[float]:
    """Return where lines of higher arcs go through an arc, from left to right."""
    return [
        centres[word] + line
        for word in range(arc.left + 1, arc.right)
        for other, line in words[word].lines.items()
        if other is not None and other.level > arc.level
    ]


def _arc(arc: Arc, words: Sequence[_Word], centres: Sequence[float], floor: float) -> str:
    left, right = (centres[word] + words[word].lines[arc] for word in (arc.left, arc.right))
    top = floor - arc.level * LEVEL
    level = f"q0 {-ROUND} {ROUND} {-ROUND}H{right - ROUND:.1f}q{ROUND} 0 {ROUND} {ROUND}"
    path = f"M{left:.1f} {floor}V{top + ROUND}{level}V{floor}"
    width = text_width(arc.label, SMALL)
    middle = _label_place([left + ROUND, *_crossing(arc, words, centres), right - ROUND], width)
    return (
        f'<g class="a"><title>{escape(arc.label)}</title><path d="{path}"/>{_tip(centres[arc.dependent], floor)}'
        f'<rect x="{middle - width / 2 - 2:.1f}" y="{top - 7}" width="{width + 4:.1f}" height="14"/>'
        f'<text x="{middle:.1f}" y="{top + 4}" class="l">{escape(arc.label)}</text></g>'
    )


def _label_place(edges: Sequence[float], width: float) -> float:
    """Return the middle of an arc's label: as central as its ends and the lines between them leave room for."""
    central = (edges[0] + edges[-1]) / 2
    rooms = [(low + width / 2 + 3, high - width / 2 - 3) for low, high in pairwise(edges)]
    candidates = [min(max(central, low), high) for low, high in rooms if low <= high]
    return min(candidates, key=lambda x: abs(x - central), default=central)


def _root(label: str, x: float, level: int, floor: float) -> str:
    top = floor - level * LEVEL
    return (
        f'<g class="a"><path d="M{x:.1f} {top + 6}V{floor}"/>{_tip(x, floor)}'
        f'<text x="{x:.1f}" y="{top + 2}" class="l">{escape(label)}</text></g>'
    )


def _tip(x: float, floor: float) -> str:
    return f'<polygon points="{x - 3.5:.1f},{floor - 6} {x + 3.5:.1f},{floor - 6} {x:.1f},{floor}"/>'


def _stacked(pictures: Sequence[_Picture]) -> str:
    """One SVG with the trees below one another."""
    parts, height = [], 0.0
    for picture in pictures:
        parts.append(f'<g transform="translate(0 {height})">{picture.inner}</g>')
        height += picture.height + 16
    return _svg("\n".join(parts), max(picture.width for picture in pictures), height - 16)


def _svg(inner: str, width: float, height: float) -> str:
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" \
viewBox="0 0 {width:.0f} {height:.0f}" role="img"><style>
.w {{ font: {WORD}px {FONT}; fill: {INK}; text-anchor: middle; }}
.t, .l {{ font: {SMALL}px {FONT}; text-anchor: middle; fill: #666; }}
.l {{ fill: {COLOURS[0]}; }}
.a path {{ fill: none; stroke: #9a9a9a; stroke-width: 1.2; }}
.a polygon {{ fill: #666; }} .a rect {{ fill: white; }}
.a:hover path {{ stroke: {COLOURS[1]}; stroke-width: 2; }} .a:hover .l {{ fill: {COLOURS[1]}; }}
</style><rect width="100%" height="100%" fill="white"/>
{inner}
</svg>"""


def _text(sentence: DependencySentence) -> str:
    """The tree for a terminal: a word a line."""
    lines = characters(arcs_of(sentence.heads, sentence.relations), len(sentence))
    widths = [max(map(cells, column)) for column in (sentence.words, sentence.tags)]
    rows = zip(lines, sentence.words, sentence.tags, sentence.relations, strict=True)
    return "\n".join(
        f"{arcs} {padded(word, widths[0])}  {padded(tag, widths[1])}  {relation}".rstrip()
        for arcs, word, tag, relation in rows
    )
