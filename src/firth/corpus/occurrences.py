"""A concordance: every occurrence of a word, a phrase or a pattern as it is written, with what stands around it.

What: keyword in context (KWIC), read from the text itself: spelling and punctuation are those of the author, sentences
    go on over wrapped lines, and each occurrence has its file and line. A word is found by the rule that the corpus
    counts by, so that its number of occurrences is that of the vocabulary; where it is not, a warning says why.
Source: Luhn 1960, "Key word-in-context index for technical literature".
Cost: one pass over the text, of which only the passages that may hold the word are split into words; memory of a
    passage. Another order than that of the text keeps the occurrences: with a limit only as many, otherwise all.
"""

import heapq
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from firth import notebook
from firth.corpus.kwic import Occurrence, kwic_lines
from firth.corpus.options import CorpusOptions
from firth.corpus.passages import Passage
from firth.corpus.word_query import WordQuery
from firth.errors import OptionError, brief, warn_caller
from firth.options import check_whole
from firth.text.sentence_ends import sentence_spans
from firth.text.token_spans import Token, TokenFinder, token_finder

SORTS = ("file", "left", "right")
LONGEST = 2_000  # characters of a sentence; where none ends for longer, each line is one
PER_WORD = 40  # characters that a word and what follows it may take, for the margins of a piece of text
_SPACE = re.compile(r"\s+")
_SHOWN = 20  # occurrences that a notebook or a terminal shows


@dataclass(frozen=True)
class Counts:
    """What a vocabulary says about a query.

    Attributes:
        words: count of each word of the vocabulary that the query means.
        why: why the vocabulary may count otherwise; "" if it should not.
    """

    words: dict[str, int]
    why: str


@dataclass(frozen=True)
class SourceText:
    """A text that can be searched.

    Attributes:
        passages: returns the passages of one reading; takes the characters of a margin.
        rule: for words: of the text, or the one that stands for it.
        options: how the text is read.
        counts: returns what its vocabulary says about a query; None where there is no vocabulary.
        files: the files that it stands in.
    """

    passages: Callable[[int], Iterator[Passage]]
    rule: Any
    options: CorpusOptions
    counts: Callable[[WordQuery], Counts] | None = None
    files: tuple[str, ...] = ()


@dataclass
class Concordance:
    """The occurrences of a word, a phrase or a pattern; iterating over it reads the text, each time anew.

    Attributes:
        query: what is looked for.
        window: words on either side.
        sort: "file", the order of the text; "left" or "right": by the words on that side, the nearest first.
        limit: occurrences at most, the first in this order; None for all.
        forms: how often each form was found by the last iteration, beyond the limit too where it went that far.
        files: in how many files, rows or texts; as `forms`.
    """

    query: WordQuery
    text: SourceText
    window: int = 8
    sort: str = "file"
    limit: int | None = None
    forms: Counter[str] = field(default_factory=Counter)
    files: int = 0
    _in_files: bool = False

    def __post_init__(self) -> None:
        check_whole("window", self.window, 1)
        if self.limit is not None:
            check_whole("limit", self.limit, 1)
        if self.sort not in SORTS:
            raise OptionError(f"sort={brief(self.sort)}: expected {', '.join(map(repr, SORTS))}")

    def __iter__(self) -> Iterator[Occurrence]:
        if self.sort == "file":
            return itertools.islice((occurrence for occurrence, _ in self._found()), self.limit)
        numbered = enumerate(self._found())  # the number keeps the order of the text where all words are alike
        keyed = ((key, number, occurrence) for number, (occurrence, key) in numbered)
        ordered = sorted(keyed) if self.limit is None else heapq.nsmallest(self.limit, keyed)
        return (occurrence for _, _, occurrence in ordered)

    @property
    def unit(self) -> str:
        """What `files` counts, as a word after its number."""
        unit = "file" if self._in_files else "text"
        return unit if self.files == 1 else f"{unit}s"

    @property
    def total(self) -> int:
        """Occurrences that the last iteration has found."""
        return self.forms.total()

    def read(self) -> Iterator[Occurrence]:
        """Yield the occurrences up to the limit, and count the others as well."""
        if self.sort != "file":
            yield from self
            return
        for number, (occurrence, _) in enumerate(self._found()):
            if self.limit is None or number < self.limit:
                yield occurrence

    def __str__(self) -> str:
        return "\n".join(kwic_lines(list(itertools.islice(self, _SHOWN))))

    def _repr_html_(self) -> str:
        names = ("file", "line", "before", "match", "after")
        rows = [[getattr(row, name) for name in names] for row in itertools.islice(self, _SHOWN)]
        return notebook.table(names, rows, words=1)

    def __repr__(self) -> str:
        return f"Concordance({self.query.written!r}, window={self.window}, sort={self.sort!r}, limit={self.limit})"

    def _found(self) -> Iterator[tuple[Occurrence, tuple[str, ...]]]:
        """Yield all occurrences in the order of the text, each with what it is sorted by."""
        self.forms, self.files = Counter(), 0
        finder = token_finder(self.text.rule)
        reader = _Reader(self, finder)
        last: tuple[str, int] | None = None
        for passage in self.text.passages(max(2 * LONGEST, PER_WORD * self.window)):
            if not self.query.may_match(passage.text, finder):
                continue
            for occurrence, form, key in reader.occurrences(passage):
                self.forms[form] += 1
                source = (occurrence.file, 0) if occurrence.file else ("", occurrence.line)
                self.files, last = self.files + (source != last), source
                self._in_files = bool(occurrence.file)
                yield occurrence, key
        if self.text.counts is not None:
            _compare(self.forms, self.text.counts(self.query), self.query)


def _compare(forms: Counter[str], counts: Counts, query: WordQuery) -> None:
    """Warn where a vocabulary counts other than what was found."""
    if len(query.parts) > 1 or forms == counts.words:
        return
    other = sorted(word for word in forms.keys() | counts.words if forms[word] != counts.words.get(word, 0))
    shown = ", ".join(f"{word!r} {forms[word]:,} and {counts.words.get(word, 0):,}" for word in other[:5])
    more = f" and {len(other) - 5:,} more" if len(other) > 5 else ""
    warn_caller(f"the text and the vocabulary of the corpus count differently: {shown}{more}; {counts.why}")


class _Reader:
    """Finds the occurrences of a query in passages."""

    def __init__(self, asked: Concordance, finder: TokenFinder) -> None:
        self._asked, self._finder = asked, finder
        self._matchers = asked.query.matchers()
        self._language = asked.text.options.language

    def occurrences(self, passage: Passage) -> Iterator[tuple[Occurrence, str, tuple[str, ...]]]:
        """Yield each occurrence, its form and what it is sorted by."""
        tokens = self._tokens(passage)
        firsts = self._firsts(tokens)
        if not firsts:
            return
        spans = [(0, len(passage.text))] if passage.tokens else sentence_spans(passage.text, self._language)
        sentence = 0
        for first in firsts:
            last = first + len(self._matchers) - 1
            start, end = tokens[first][1], tokens[last][2]
            if not passage.begin <= start < passage.end:
                continue
            while sentence + 1 < len(spans) and spans[sentence + 1][0] <= start:
                sentence += 1
            whole = spans[sentence] if spans[sentence][1] - spans[sentence][0] <= LONGEST else passage.line_span(start)
            if len(self._matchers) > 1 and end > spans[sentence][1]:
                continue
            yield self._occurrence(passage, tokens, first, last, whole)

    def _tokens(self, passage: Passage) -> list[Token]:
        if not passage.tokens:
            return self._finder.tokens(passage.text)
        tokens, start = list[Token](), 0
        for word in passage.text.split(" "):
            made = self._finder.tokens(word)  # what the rule makes of it, where that is one word
            tokens.append((made[0][0] if len(made) == 1 else word, start, start + len(word)))
            start += len(word) + 1
        return tokens

    def _firsts(self, tokens: list[Token]) -> list[int]:
        """Return the first token of each occurrence; those of a phrase do not overlap."""
        head, *tail = self._matchers
        starts = [i for i, token in enumerate(tokens[: max(0, len(tokens) - len(tail))]) if head(token[0])]
        if not tail:
            return starts
        firsts, after = list[int](), 0
        for i in starts:
            if i >= after and all(matches(tokens[i + n][0]) for n, matches in enumerate(tail, 1)):
                firsts.append(i)
                after = i + len(self._matchers)
        return firsts

    def _occurrence(
        self, passage: Passage, tokens: list[Token], first: int, last: int, sentence: tuple[int, int]
    ) -> tuple[Occurrence, str, tuple[str, ...]]:
        text, window = passage.text, self._asked.window
        start, end = tokens[first][1], tokens[last][2]
        left, right = tokens[max(0, first - window) : first], tokens[last + 1 : last + 1 + window]
        begin = _outward(
            text, left[0][1] if left else start, -1, tokens[first - window - 1][2] if first > window else 0
        )
        until = tokens[last + 1 + window][1] if last + 1 + window < len(tokens) else len(text)
        finish = _outward(text, right[-1][2] if right else end, 1, until)
        occurrence = Occurrence(
            passage.file,
            passage.line(start),
            _on_one_line(text[begin:start]).lstrip(),
            _on_one_line(text[start:end]),
            _on_one_line(text[end:finish]).rstrip(),
            _on_one_line(text[slice(*sentence)]).strip(),
        )
        if self._asked.sort == "file":
            return occurrence, " ".join(token[0] for token in tokens[first : last + 1]), ()
        near = left[::-1] if self._asked.sort == "left" else right
        key = tuple(unicodedata.normalize("NFD", word).casefold() for word, _, _ in near)
        return occurrence, " ".join(token[0] for token in tokens[first : last + 1]), key


def _outward(text: str, position: int, step: int, most: int) -> int:
    """Return a position moved over the marks that stand at a word, up to white space or the next word."""
    while position != most and not text[position - (step < 0)].isspace():
        position += step
    return position


def _on_one_line(text: str) -> str:
    return _SPACE.sub(" ", text)
