"""Spans of text in colours: entities and coreference chains as HTML, and with brackets for a terminal.

Each span is underlined in its colour, with a label behind it; spans inside others, and spans that cross, have lines one
below the other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from firth.arguments import explained
from firth.documents.document import Document
from firth.errors import OptionError, brief
from firth.plots.drawing import Drawing, check_number
from firth.plots.picture import COLOURS

MOST = 200  # sentences of a drawing
LEGEND = 12  # chains that are named above the text
LINE = 5  # pixels from one underline to the next
_STYLE = """.firth-spans { max-width: 900px; font-size: 16px; }
.firth-spans p { margin: 0 0 10px; }
.firth-spans span { background-repeat: no-repeat; background-size: 100% 3px; }
.firth-spans small { font-size: 10px; font-weight: bold; margin-left: 2px; user-select: none; }
.firth-legend span { display: inline-block; line-height: 22px; margin-right: 16px; font-size: 13px; }"""


@dataclass(frozen=True)
class _Marked:
    """A span to mark.

    Attributes:
        start: its first token.
        end: the token after its last.
        label: short text behind it.
        group: number of what it belongs to: a type of entities, a chain.
        level: 0 for the highest underline.
    """

    start: int
    end: int
    label: str
    group: int
    level: int = 0

    @property
    def colour(self) -> str:
        return COLOURS[self.group % len(COLOURS)]


@explained
def entity_spans(document: Any, *, number: int = MOST, title: str | None = None) -> Drawing:
    """Return a document with its entities marked, a colour per type.

    Args:
        document: a `firth.Document`.
        number: sentences to draw at most.
        title: by default the name of the document.

    Raises:
        OptionError: it is not a document, or `number` is below 1.
    """
    document = _checked(document, number)
    counts = Counter(entity.label for entity in document.entities)
    types = {label: i for i, (label, _) in enumerate(counts.most_common())}
    spans = [_Marked(entity.start, entity.end, entity.label, types[entity.label]) for entity in document.entities]
    legend = [(f"{label} ({counts[label]:,})", group) for label, group in types.items()]
    return _drawing(document, spans, legend, number, title or document.name or "Entities")


@explained
def coreference_chains(
    document: Any, *, number: int = MOST, singletons: bool = False, title: str | None = None
) -> Drawing:
    """Return a document with its coreference chains marked: mentions of one chain have its number and colour.

    Args:
        document: a `firth.Document`.
        number: sentences to draw at most.
        singletons: whether to mark mentions that nothing else refers to.
        title: by default the name of the document.

    Raises:
        OptionError: it is not a document, or `number` is below 1.
    """
    document = _checked(document, number)
    chains = [cluster for cluster in document.clusters if singletons or len(cluster) > 1]
    spans = [_Marked(start, end, str(i + 1), i) for i, cluster in enumerate(chains) for start, end in cluster]
    last = (*document.sentence_starts, len(document))[min(number, len(document.sentences))]
    drawn = [i for i, cluster in enumerate(chains) if cluster[0][0] < last]
    longest = sorted(drawn, key=lambda i: -len(chains[i]))[:LEGEND]
    legend = [(f"{i + 1}: {_name(document, chains[i])} ({len(chains[i]):,})", i) for i in longest]
    return _drawing(document, spans, legend, number, title or document.name or "Coreference chains")


def _checked(document: Any, number: Any) -> Document:
    check_number(number)
    if not isinstance(document, Document):
        raise OptionError(f"{brief(document)}: expected a firth.Document")
    return document


def _name(document: Document, cluster: Sequence[tuple[int, int]]) -> str:
    """The mention that tells most about a chain: one with a capital letter, else the longest of a few words."""
    texts = [" ".join(document.tokens[start:end]) for start, end in cluster if end - start <= 5]
    named = Counter(text for text in texts if text[0].isupper() and text.lower() not in _PRONOUNS)
    return named.most_common(1)[0][0] if named else max(texts, key=len, default="...")


_PRONOUNS = frozenset(
    {"i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "himself", "she", "her", "herself", "it"}
    | {"its", "itself", "they", "them", "their", "themselves", "this", "that", "these", "those"}
)


def _drawing(
    document: Document, spans: Sequence[_Marked], legend: Sequence[tuple[str, int]], number: int, title: str
) -> Drawing:
    starts = (*document.sentence_starts, len(document))
    last = starts[min(number, len(document.sentences))]
    shown = _with_levels([span for span in spans if span.start < last])
    left_out = len(document.sentences) - number
    return Drawing(
        title=title,
        text="\n".join(_paragraphs_as_text(document, shown, last)),
        body="\n".join(
            [
                '<div class="firth-spans">',
                f'<p class="firth-legend">{"".join(_legend(*entry) for entry in legend)}</p>',
                *_paragraphs(document, shown, last),
                "</div>",
            ]
        ),
        style="\n".join([_STYLE, *_rules(shown)]),
        notes=(f"the first {number:,} of {len(document.sentences):,} sentences are drawn",) if left_out > 0 else (),
    )


def _with_levels(spans: Sequence[_Marked]) -> list[_Marked]:
    """Give spans levels: a span below those that it covers or crosses."""
    tops: defaultdict[int, int] = defaultdict(int)  # of each token, levels that are taken
    placed = []
    for span in sorted(spans, key=lambda span: (span.end - span.start, span.start)):
        level = max(tops[token] for token in range(span.start, span.end))
        for token in range(span.start, span.end):
            tops[token] = level + 1
        placed.append(_Marked(span.start, span.end, span.label, span.group, level))
    return sorted(placed, key=lambda span: (span.start, -span.end))


def _rules(spans: Sequence[_Marked]) -> Iterator[str]:
    """Room for the underlines; and mentions of the group under the mouse stand out."""
    levels = 1 + max((span.level for span in spans), default=0)
    yield f".firth-spans p {{ line-height: {26 + LINE * levels}px; }}"
    for group in sorted({span.group for span in spans}):
        name, colour = f".firth-{group}", COLOURS[group % len(COLOURS)]
        yield f".firth-spans:has({name}:hover) {name} {{ background-color: {colour}44 !important; }}"


def _legend(text: str, group: int) -> str:
    colour = COLOURS[group % len(COLOURS)]
    return f'<span class="firth-{group}" style="border-bottom: 3px solid {colour}">{escape(text)}</span>'


def _places(document: Document) -> Sequence[tuple[int, int]]:
    """Places of tokens in a text: the raw one, or that of `_text`."""
    if document.offsets:
        return document.offsets
    starts, at = [], 0
    for token in document.tokens:
        starts.append((at, at + len(token)))
        at += len(token) + 1
    return starts


def _paragraphs(document: Document, spans: Sequence[_Marked], last: int) -> Iterator[str]:
    """Yield paragraphs of HTML: of raw text as it has them, else one a sentence."""
    for start, end in _stretches(document, last):
        yield f'<p dir="auto">{"".join(_pieces(document, spans, start, end))}</p>'


def _stretches(document: Document, last: int) -> Iterator[tuple[int, int]]:
    """Yield the first token and the one after the last of each paragraph."""
    starts = [start for start in document.sentence_starts if start < last]
    if document.offsets:
        offsets = document.offsets
        starts = [s for s in starts if not s or "\n\n" in _gap(document.text, offsets[s - 1][1], offsets[s][0])]
    yield from pairwise([*starts, last])


def _gap(text: str, start: int, end: int) -> str:
    """White space between tokens, without the spaces in empty lines."""
    return "".join(character for character in text[start:end] if character == "\n" or not character.isspace())


def _pieces(document: Document, spans: Sequence[_Marked], start: int, end: int) -> Iterator[str]:
    """Yield stretches of text that the same spans cover, as HTML."""
    here = [span for span in spans if span.start < end and span.end > start]
    cuts = sorted({start, end, *(cut for span in here for cut in (span.start, span.end) if start < cut < end)})
    text, starts = _text(document), _places(document)
    for first, after in pairwise(cuts):
        covering = [span for span in here if span.start <= first and span.end >= after]
        written = escape(text[starts[first][0] : starts[after - 1][1]])
        gap = "" if after == end else escape(text[starts[after - 1][1] : max(starts[after - 1][1], starts[after][0])])
        yield _piece(written, gap, covering, after)


def _piece(written: str, gap: str, covering: Sequence[_Marked], after: int) -> str:
    """A stretch of text and the gap behind it, which is underlined by the spans that go on."""
    if not covering:
        return written + gap
    ending = sorted((span for span in covering if span.end == after), key=lambda span: span.level)
    labels = "".join(f'<small style="color: {span.colour}">{escape(span.label)}</small>' for span in ending)
    going_on = [span for span in covering if span.end > after]
    behind = _underlined(gap, going_on) if going_on else gap
    return _underlined(written + labels, covering) + behind


def _underlined(written: str, spans: Sequence[_Marked]) -> str:
    if not written:
        return ""
    classes = " ".join(f"firth-{span.group}" for span in spans)
    deepest = max(span.level for span in spans)
    images = ", ".join(f"linear-gradient({span.colour}, {span.colour})" for span in spans)
    positions = ", ".join(f"0 calc(100% - {(deepest - span.level) * LINE}px)" for span in spans)
    room = 4 + deepest * LINE
    inner = min(spans, key=lambda span: span.level)
    lines = f"background-image: {images}; background-position: {positions}; padding-bottom: {room}px"
    style = f"background-color: {inner.colour}14; {lines}"
    return f'<span class="{classes}" style="{style}">{written}</span>'


def _text(document: Document) -> str:
    return document.text if document.offsets else " ".join(document.tokens)


def _paragraphs_as_text(document: Document, spans: Sequence[_Marked], last: int) -> Iterator[str]:
    """Yield sentences, with brackets around spans and the label before the closing one."""
    opening, closing = defaultdict[int, int](int), defaultdict[int, list[str]](list)
    for span in sorted(spans, key=lambda span: -span.start):
        opening[span.start] += 1
        closing[span.end - 1].append(span.label)
    text, starts = _text(document), _places(document)
    ends = {start - 1 for start in document.sentence_starts}
    line: list[str] = []
    for token in range(last):
        written = text[slice(*starts[token])]
        line.append("[" * opening[token] + written + "".join(f" {label}]" for label in closing[token]))
        if token in ends or token == last - 1:
            yield "".join(line)
            line = []
        elif starts[token + 1][0] > starts[token][1]:
            line.append(" ")
