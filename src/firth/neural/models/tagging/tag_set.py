"""The tags of a target: as they are read and shown, and as a model scores them.

What
    Parts of speech are scored as they are. Tags of spans are read in any scheme and scored in BIO or BIOES; broken ones
    are read as conlleval reads them. Shown are BIO tags, or BIOES where the training data have them.
Objective
    Which tags may follow one another, so that a CRF gives no probability to tags that mark no spans.
Source
    Ratinov and Roth 2009, "Design challenges and misconceptions in named entity recognition", section 3.1 (BIOES).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError, UnknownTargetError, brief, counted, warn_caller
from firth.readers.span_tags import (
    BIO,
    BIOES,
    OUTSIDE,
    broken_spans,
    may_follow,
    notation_of,
    scheme_of,
    span_tags,
    spans_of,
)

UNKNOWN_TAG = -1
USUAL = ("BIO", "IOB1", "BIOES")  # notations of tags
NAMED = 5  # tags that a message names
SEPARATOR = "|"  # of the attributes of a tag
Ids = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_SHOWN = {"S": "B", "E": "I"}
Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class TagSet:
    """The K tags of a target.

    Attributes:
        names: K tags as they are scored.
        scheme: "bio" or "bioes" if they mark spans, else None.
        shown_scheme: the scheme in which tags are shown, likewise.
        broken: spans of the training data that broke the rules of their scheme.
        attributed: whether tags are attributes with values, such as Case=Nom|Number=Sing, which are scored one by one.
    """

    names: list[str]
    scheme: str | None = None
    shown_scheme: str | None = None
    broken: int = 0
    attributed: bool = False

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def shown_of(self) -> list[str]:
        """K tags as they are shown."""
        if self.scheme == self.shown_scheme:
            return self.names
        return [_SHOWN.get(name[:1], name[:1]) + name[1:] for name in self.names]

    @cached_property
    def shown(self) -> list[str]:
        """The L tags that are shown, in the order of `names`."""
        return list(dict.fromkeys(self.shown_of))

    @cached_property
    def groups(self) -> npt.NDArray[np.float64]:
        """(K, L), 1 where a scored tag is shown as a tag of `shown`."""
        return np.array([[name == shown for shown in self.shown] for name in self.shown_of], dtype=np.float64)

    @property
    def members(self) -> list[list[int]]:
        """Of each of the L tags that are shown, the numbers of the tags that are shown so."""
        return [np.flatnonzero(column).tolist() for column in self.groups.T]

    @cached_property
    def as_shown(self) -> "TagSet":
        """The L tags that are shown, as a set."""
        return TagSet(self.shown, self.shown_scheme, self.shown_scheme, self.broken)

    @cached_property
    def attributes(self) -> npt.NDArray[np.float32]:
        """(K, A), 1 where a tag has an attribute with a value; (K, 0) unless `attributed`."""
        parts = [name.split(SEPARATOR) if self.attributed else [] for name in self.names]
        columns = {part: column for column, part in enumerate(dict.fromkeys(chain.from_iterable(parts)))}
        table = np.zeros((len(self), len(columns)), np.float32)
        for row, of_tag in zip(table, parts, strict=True):
            row[[columns[part] for part in of_tag]] = 1
        return table

    def encode(self, tags: Sequence[str]) -> Ids:
        """Return (T,) numbers of tags in any scheme; -1 for tags that are unknown."""
        coded = tags if self.scheme is None else span_tags(spans_of(tags), len(tags), self.scheme)
        return np.array([self._ids.get(tag, UNKNOWN_TAG) for tag in coded], np.int64)

    def decode(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return tags as they are shown."""
        return tuple(self.shown_of[number] for number in ids)

    def normal(self, tags: Sequence[str]) -> tuple[str, ...]:
        """Return tags in any scheme in that of `shown`."""
        if self.shown_scheme is None:
            return tuple(tags)
        return tuple(span_tags(spans_of(tags), len(tags), self.shown_scheme))

    @cached_property
    def allowed(self) -> tuple[Flags, Flags, Flags]:
        """Which tags may follow one another, (K, K), begin a sentence, (K,), and end one, (K,)."""
        if self.scheme is None:
            every = np.ones(len(self), dtype=bool)
            return np.ones((len(self), len(self)), dtype=bool), every, every
        scheme, names = self.scheme, self.names
        pairs = np.array([[may_follow(a, b, scheme) for b in names] for a in names])
        first = np.array([may_follow(OUTSIDE, name, scheme) for name in names])
        return pairs, first, np.array([may_follow(name, OUTSIDE, scheme) for name in names])


def learn_tag_set(sentences: Sequence[Sequence[str]], scheme: str) -> TagSet:
    """Return the tags of training sentences."""
    given = scheme_of(sentences)
    if given is None:
        counts = Counter(tag for tags in sentences for tag in tags)
        attributed = any(_is_attributed(tag) for tag in counts)
        return TagSet(sorted(counts, key=lambda tag: (-counts[tag], tag)), attributed=attributed)
    kinds = Counter(kind for tags in sentences for _, _, kind in spans_of(tags))
    coded = BIOES if given == BIOES else scheme
    prefixes = "BIES" if coded == BIOES else "BI"
    ordered = sorted(kinds, key=lambda kind: (-kinds[kind], kind))
    names = [OUTSIDE, *(f"{prefix}-{kind}" if kind else prefix for kind in ordered for prefix in prefixes)]
    broken = sum(broken_spans(tags, given) for tags in sentences)
    return TagSet(names, coded, BIOES if given == BIOES else BIO, broken)


def _is_attributed(tag: str) -> bool:
    parts = tag.split(SEPARATOR)
    return len(parts) > 1 and all("=" in part for part in parts)


def check_notation(sentences: Sequence[Sequence[str]], target: str, name: str) -> str | None:
    """Return the notation of tags, or None; warn of one that is not usual, and of tags that break its rules."""
    notation, scheme = notation_of(sentences), scheme_of(sentences)
    if notation is None or scheme is None:
        return None
    if notation not in USUAL:
        example = next(tag for tags in sentences for tag in tags if len(tag) > 1 or tag.upper() != OUTSIDE)
        warn_caller(f"{name}: tags of {target} are {notation}, such as {example}; they are read as {scheme.upper()}")
    if broken := sum(broken_spans(tags, scheme) for tags in sentences):
        warn_caller(
            f"{name}: {broken:,} spans of {target} break the rules of their tags; they are read as conlleval does"
        )
    return notation


def check_tags(
    trained: TagSet, sentences: Sequence[Sequence[str]], target: str, name: str, *, held_out: bool = False
) -> None:
    """Warn of gold tags that a tagger does not know."""
    counts = Counter(tag for tags in sentences for tag in trained.normal(tags))
    if held_out and trained.scheme is not None:
        del counts[OUTSIDE]
    unknown = [tag for tag, _ in counts.most_common() if tag not in trained.shown]
    if not unknown:
        return
    listed = ", ".join(unknown[:NAMED]) + (", ..." if len(unknown) > NAMED else "")
    if len(unknown) == len(counts):
        expected = ", ".join(trained.shown[:NAMED]) + (", ..." if len(trained.shown) > NAMED else "")
        raise CorpusError(f"{name}: none of its tags ({listed}) is a tag of {target!r} here; expected {expected}")
    if not held_out:
        words = sum(counts[tag] for tag in unknown)
        warn_caller(f"{name}: {counted(words, 'word')} with tags of {target!r} that the tagger does not know: {listed}")


class ByTarget(dict[str, Value]):
    """A value for each target, such as tags or scores.

    Another target is an error that names those there are.
    """

    def __missing__(self, target: str) -> Value:
        raise UnknownTargetError(f"no target {brief(target)} here; expected one of {', '.join(self)}")

    def __str__(self) -> str:
        """One target after the other: its name, and its value behind it or below it."""
        texts = ((target, str(value)) for target, value in self.items())
        return "\n".join(f"{target}:{chr(10) if chr(10) in text else ' '}{text}" for target, text in texts)
