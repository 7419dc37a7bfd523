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
from firth.plots.drawing import FONT, Drawing
from firth.plots.labels import text_width
from firth.plots.picture import COLOURS, INK
from firth.plots.terminal import cells, padded
from firth.readers.conllu import NONE, DependencySentence

MOST = 20  # sentences of a drawing
Ports = Sequence[Sequence[Arc | None]]  # what stands above each word
WORD, SMALL = 15, 11  # pixels
LEVEL, PORT, ROUND, GAP, MARGIN = 22, 8, 6, 16, 12  # pixels


@explained
def dependency_arcs(source: Any, *, number: int = MOST, title: str | None = None) -> Drawing:
    """Return the dependency trees of sentences as arcs from heads to dependents.

    Labels stand in the line of their arc. No label covers another, and only arcs of trees that are not projective
    cross.

    Args:
        source: a `firth.Document`, a sentence with a tree (`firth.readers.conllu.DependencySentence`), or several.
        number: sentences to draw at most.
        title: by default the name of the document, or the beginning of the first sentence.

    Raises:
        OptionError: there is no sentence, or one has no tree.
    """
    sentences = _sentences(source)
    shown = sentences[:number]
    if not shown:
        raise OptionError("no sentence to draw: expected at least one with a tree")
    bare = next((each for each in shown if not each.heads), None)
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
    found = [
        sentence for item in items if isinstance(item, Document | DependencySentence) for sentence in _sentences(item)
    ]
    if not found:
        raise OptionError("no sentence to draw: expected a Document, or DependencySentence with trees")
    return found


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
        ports = ports_of(arcs, len(sentence))
        centres = _centres(sentence, ports)
        floor = MARGIN + SMALL + levels * LEVEL
        tagged = any(tag != NONE for tag in sentence.tags)
        parts = [_arc(arc, ports, centres, floor) for arc in arcs]
        parts += [_root(sentence.relations[root], _place(ports[root], None, centres[root]), root_level, floor)]
        for word, tag, centre in zip(sentence.words, sentence.tags, centres, strict=True):
            parts.append(f'<text x="{centre:.1f}" y="{floor + 20}" class="w">{escape(word)}</text>')
            if tagged:
                parts.append(f'<text x="{centre:.1f}" y="{floor + 36}" class="t">{escape(tag)}</text>')
        width = centres[-1] + _half(sentence, len(sentence) - 1, ports) + MARGIN
        return cls("\n".join(parts), width, floor + (48 if tagged else 32))


def _half(sentence: DependencySentence, word: int, ports: Ports) -> float:
    written = max(text_width(sentence.words[word], WORD), text_width(sentence.tags[word], SMALL))
    return max(written, PORT * len(ports[word])) / 2


def _centres(sentence: DependencySentence, ports: Ports) -> list[float]:
    """Return the centre of each word: far enough from those before it for the words and for the labels between them."""
    halves = [_half(sentence, word, ports) for word in range(len(sentence))]
    centres = [MARGIN + max(halves[0], text_width(sentence.relations[0], SMALL) / 2)]
    for word in range(1, len(sentence)):
        place = centres[-1] + halves[word - 1] + GAP + halves[word]
        for arc in ports[word]:
            if arc is not None and arc.right == word:
                start = max([_place(ports[arc.left], arc, centres[arc.left]), *_crossing(arc, ports, centres)])
                needed = text_width(arc.label, SMALL) + 2 * ROUND + 8
                place = max(place, start + needed - _place(ports[word], arc, 0.0))
        centres.append(place)
    return centres


def _crossing(arc: Arc, ports: Ports, centres: Sequence[float]) -> list[float]:
    """Return where lines of higher arcs go through an arc, from left to right."""
    return [
        _place(ports[word], other, centres[word])
        for word in range(arc.left + 1, arc.right)
        for other in ports[word]
        if other is not None and other.level > arc.level
    ]


def _place(ports: Sequence[Arc | None], arc: Arc | None, centre: float) -> float:
    return centre + PORT * (list(ports).index(arc) - (len(ports) - 1) / 2)


def _arc(arc: Arc, ports: Ports, centres: Sequence[float], floor: float) -> str:
    left, right = (_place(ports[word], arc, centres[word]) for word in (arc.left, arc.right))
    top = floor - arc.level * LEVEL
    level = f"q0 {-ROUND} {ROUND} {-ROUND}H{right - ROUND:.1f}q{ROUND} 0 {ROUND} {ROUND}"
    path = f"M{left:.1f} {floor}V{top + ROUND}{level}V{floor}"
    tip = left if arc.dependent == arc.left else right
    width = text_width(arc.label, SMALL)
    middle = _label_place([left + ROUND, *_crossing(arc, ports, centres), right - ROUND], width)
    return (
        f'<g class="a"><title>{escape(arc.label)}</title><path d="{path}"/>{_tip(tip, floor)}'
        f'<rect x="{middle - width / 2 - 2:.1f}" y="{top - 7}" width="{width + 4:.1f}" height="14"/>'
        f'<text x="{middle:.1f}" y="{top + 4}" class="l">{escape(arc.label)}</text></g>'
    )


def _label_place(edges: Sequence[float], width: float) -> float:
    """Return the middle of an arc's label: as central as its ends and the lines between them leave room for."""
    central = (edges[0] + edges[-1]) / 2
    rooms = [(low + width / 2 + 3, high - width / 2 - 3) for low, high in pairwise(edges)]
    places = [min(max(central, low), high) for low, high in rooms if low <= high]
    return min(places, key=lambda place: abs(place - central), default=central)


def _root(label: str, place: float, level: int, floor: float) -> str:
    top = floor - level * LEVEL
    return (
        f'<g class="a"><path d="M{place:.1f} {top + 6}V{floor}"/>{_tip(place, floor)}'
        f'<text x="{place:.1f}" y="{top + 2}" class="l">{escape(label)}</text></g>'
    )


def _tip(place: float, floor: float) -> str:
    return f'<polygon points="{place - 3.5:.1f},{floor - 6} {place + 3.5:.1f},{floor - 6} {place:.1f},{floor}"/>'


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
