"""Spans of characters to spans of tokens, and what becomes of those that do not meet."""

import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from firth.documents.document import Document, Entity, sentence_comments
from firth.documents.entity_shapes import Marked, MarkedSpan, MarkedText, TaggedWords
from firth.errors import brief, counted, warn_caller
from firth.readers.conllu import DependencySentence
from firth.readers.span_tags import spans_of

BORDERS, OUTSIDE, OTHER = "do not meet the borders of tokens", "are empty or outside the text", "have another text"
PARTS = "are in several parts"
LISTED = 5  # spans that a warning shows
_BOM = "\ufeff"
_UNITS = {  # what offsets count, as in JavaScript, or where line ends were changed later; and the characters concerned
    "units of UTF-16": re.compile("[\U00010000-\U0010ffff]"),
    "a line end as one character": re.compile("\r\n"),
}
_EMPTY_LINE = re.compile(r"\n\s*\n")


class LeftOutSpan(NamedTuple):
    """A span that no tokens stand for.

    Attributes:
        place: line or number of its text in the file, or the name of its file.
        start: as the file has it.
        end: as the file has it.
    """

    place: int | str
    start: int
    end: int
    label: str
    text: str
    problem: str


class LeftOutSpans(UserWarning):
    """Spans of a file were left out.

    Attributes:
        spans: all of them; the message lists the first.
    """

    def __init__(self, message: str, spans: Sequence[LeftOutSpan]) -> None:
        super().__init__(message, spans)
        self.spans = list(spans)

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass
class Alignment:
    """The spans of the texts of a file.

    Attributes:
        trimmed: spans that began or ended in white space.
        converted: texts whose offsets count something else than characters, by what it is.
        joined: entities that went over the end of a sentence of the rules, which is no end then.
        skipped: texts that nobody annotated or accepted.
        others: other annotation than spans, by kind.
    """

    path: str | os.PathLike[str]
    spans: int = 0
    left_out: list[LeftOutSpan] = field(default_factory=list)
    trimmed: int = 0
    converted: Counter[str] = field(default_factory=Counter)
    joined: list[str] = field(default_factory=list)
    skipped: int = 0
    others: Counter[str] = field(default_factory=Counter)

    def document(self, example: Marked, number: int | str) -> Document:
        """Return a document with the entities whose spans meet tokens.

        Args:
            example: text with spans, or words with tags.
            number: line or number of it in the file, or the name of its file.
        """
        if isinstance(example, TaggedWords):
            return _tagged_document(example)
        example = _without_mark(example)
        self.others.update(example.others)
        document = _with_tokens(Document.from_text(example.text, name=example.name), example.tokens)
        tokens = _Tokens(document)
        spans = example.spans
        problems = [tokens.problem(span) for span in spans]
        for unit, pattern in _UNITS.items() if any(problems) else ():
            converted = _converted(example, pattern)
            other_problems = [tokens.problem(span) for span in converted]
            if sum(map(bool, other_problems)) < sum(map(bool, problems)):
                spans, problems = converted, other_problems
                self.converted[unit] += 1
                break
        self.spans += len(spans)
        self.left_out += [
            LeftOutSpan(number, span.start, span.end, span.label, example.text[max(span.start, 0) : span.end], problem)
            for span, problem in zip(spans, problems, strict=True)
            if problem
        ]
        kept = [span for span, problem in zip(spans, problems, strict=True) if not problem]
        self.trimmed += sum(tokens.trimmed(span) != (span.start, span.end) for span in kept)
        entities = {tokens.entity(span): span.confidence for span in kept}
        confidences = [confidence for confidence in entities.values() if confidence is not None]
        document, crossing = _joined(document, entities)
        self.joined += crossing
        return document.annotated(
            entities=list(entities), confidences=confidences if len(confidences) == len(entities) else ()
        )

    def tell(self) -> None:
        """Warn, at the end of the file, of what was left out, and say what was assumed."""
        notes = []
        for unit, texts in self.converted.items():
            notes.append(f"offsets of {counted(texts, 'text')} count {unit} and were converted")
        if self.joined:
            count = counted(len(self.joined), "span")
            notes.append(f"sentences were joined where {count} went over their ends, such as {brief(self.joined[0])}")
        if self.trimmed:
            notes.append(f"white space at the ends of {counted(self.trimmed, 'span')} was left out")
        if self.skipped:
            notes.append(f"{counted(self.skipped, 'text')} without accepted annotation left out")
        if self.others:
            counts = ", ".join(f"{count:,} {kind}" for kind, count in self.others.most_common())
            notes.append(f"other annotation than spans left out: {counts}")
        if notes:
            warn_caller(f"{self.path}: {'; '.join(notes)}")
        if self.left_out:
            kinds = Counter(span.problem for span in self.left_out)
            counts = ", ".join(f"{count:,} {problem}" for problem, count in kinds.most_common())
            shown = "; ".join(
                f"{span.place}: {brief(span.text)} [{span.start}:{span.end}] {span.label}"
                for span in self.left_out[:LISTED]
            )
            more = "; ..." if len(self.left_out) > LISTED else ""
            summary = f"left out {len(self.left_out):,} of {counted(self.spans, 'span')}"
            warn_caller(LeftOutSpans(f"{self.path}: {summary}: {counts} ({shown}{more})", self.left_out))


class _Tokens:
    """Where the tokens of a document begin and end."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.starts = {start: number for number, (start, _) in enumerate(document.offsets)}
        self.ends = {end: number for number, (_, end) in enumerate(document.offsets, 1)}

    def trimmed(self, span: MarkedSpan) -> tuple[int, int]:
        """Return start and end without white space."""
        inside = self.text[span.start : span.end]
        start = span.start + len(inside) - len(inside.lstrip())
        return start, max(start, span.start + len(inside.rstrip()))

    def problem(self, span: MarkedSpan) -> str:
        """Return why no tokens stand for a span, or ""."""
        if not 0 <= span.start < span.end <= len(self.text):
            return OUTSIDE
        if span.in_parts:
            return PARTS
        # Label Studio shows one space for several, and repeats the text as shown.
        if span.written is not None and span.written.split() != self.text[span.start : span.end].split():
            return OTHER
        start, end = self.trimmed(span)
        return "" if start in self.starts and end in self.ends and start < end else BORDERS

    def entity(self, span: MarkedSpan) -> Entity:
        """Return the entity of a span without a problem."""
        start, end = self.trimmed(span)
        return Entity(self.starts[start], self.ends[end], span.label)


def _tagged_document(example: TaggedWords) -> Document:
    entities, first = list[Entity](), 0
    for words, tags in example.sentences:
        entities += [Entity(first + start, first + end, label) for start, end, label in spans_of(tags)]
        first += len(words)
    sentences = tuple(DependencySentence.of(words) for words, _ in example.sentences if words)
    return Document(sentences, example.name, entities=tuple(entities))


def _with_tokens(document: Document, tokens: Sequence[tuple[int, int]]) -> Document:
    """Return a document with given tokens in its sentences, if each character that is not white space is in one."""
    text = document.text
    tokens = [(start, end) for start, end in tokens if text[max(start, 0) : max(end, 0)].strip()]
    borders = [0, *chain.from_iterable(tokens), len(text)]
    if (
        not tokens
        or borders != sorted(borders)
        or any(text[a:b].strip() for a, b in zip(borders[::2], borders[1::2], strict=True))
    ):
        return document
    ends = [document.offsets[first - 1][1] for first in document.sentence_starts[1:]]
    numbers = [bisect_left(ends, start + 1) for start, _ in tokens]  # a token is in the sentence that it begins in
    sentences = [list(group) for _, group in groupby(zip(numbers, tokens, strict=True), key=itemgetter(0))]
    return _of_sentences(document.name, text, [[span for _, span in sentence] for sentence in sentences])


def _joined(document: Document, entities: Iterable[Entity]) -> tuple[Document, list[str]]:
    """Return a document whose sentences do not end inside entities, and the texts of those that they ended in.

    `Maister Tho. Cromwell` tells that the rules were wrong about `Tho.`; what has an empty line in it is no name.
    """
    starts, crossing, inside = document.sentence_starts, list[str](), set[int]()
    for start, end, _ in entities:
        ends = starts[bisect_right(starts, start) : bisect_left(starts, end)]
        if ends and not _EMPTY_LINE.search(written := document.span_text(start, end)):
            crossing.append(written)
            inside.update(ends)
    if not inside:
        return document, crossing
    kept = [*(start for start in starts if start not in inside), len(document.offsets)]
    sentences = [document.offsets[first:end] for first, end in pairwise(kept)]
    return _of_sentences(document.name, document.text, sentences), crossing


def _of_sentences(name: str, text: str, sentences: Sequence[Sequence[tuple[int, int]]]) -> Document:
    """Return the document of the places of the tokens of each sentence."""
    rows = (DependencySentence.of(text[start:end] for start, end in sentence).rows for sentence in sentences)
    comments = (sentence_comments(name, number, text, spans) for number, spans in enumerate(sentences, 1))
    return Document(tuple(map(DependencySentence, rows, comments)), name, text, tuple(chain.from_iterable(sentences)))


def _without_mark(example: MarkedText) -> MarkedText:
    """Return a text without a byte order mark, which `Document.from_text` leaves out."""
    if not example.text.startswith(_BOM):
        return example
    spans = tuple(span._replace(start=span.start - 1, end=span.end - 1) for span in example.spans)
    tokens = tuple((max(start - 1, 0), max(end - 1, 0)) for start, end in example.tokens)
    return replace(example, text=example.text.removeprefix(_BOM), spans=spans, tokens=tokens)


def _converted(example: MarkedText, unit: re.Pattern[str]) -> tuple[MarkedSpan, ...]:
    """Return spans whose offsets counted units of one or two characters, or two a character; others stay as they are.

    Args:
        unit: what counts otherwise: two characters count as one, one as two.
    """
    widths = [1] * len(example.text)
    for match in unit.finditer(example.text):
        widths[match.start()] = 0 if len(match[0]) == 2 else 2
    indices = dict[int, int]()
    for index, offset in enumerate(accumulate(widths, initial=0)):
        indices.setdefault(offset, index)
    return tuple(
        span._replace(start=indices.get(span.start, span.start), end=indices.get(span.end, span.end))
        for span in example.spans
    )
