"""Tags of words that mark spans, such as entities and chunks: BIO (IOB2), IOB1, BIOES, BILOU, BMES, BMEWO.

What
    BIO begins every span with B- and goes on with I-. IOB1, of CoNLL-2003, begins it with I-, and with B- only behind
    a span of the same type. BIOES ends it with E-, and marks a span of one word with S-. BILOU says L and U for E and
    S, BMES and BMEWO say M and W for I and S. Letters may be lower-case, and "_" may stand for "-".
Objective
    The spans of tags, whatever the scheme; the tags of spans.
Source
    Tjong Kim Sang and Buchholz 2000, "Introduction to the CoNLL-2000 shared task: chunking", section 2, and its program
    conlleval, which says where a span begins and ends in tags that break the rules.
Departures
    None.
Cost
    One pass over the tags.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from firth.errors import FormatError

OUTSIDE = "O"
BIO, IOB1, BIOES = "bio", "iob1", "bioes"
ALPHABETS = {"BIO": "BIO", "BIOES": "BIOES", "BILOU": "BILOU", "BMES": "BMESO", "BMEWO": "BMEWO"}  # scheme: its letters
Span = tuple[int, int, str]  # first word, one past the last, type
_TAG = re.compile(r"([BIOESLUMW])(?:([-_])(.*))?", re.DOTALL | re.IGNORECASE)
_LETTERS = {"L": "E", "U": "S", "M": "I", "W": "S"}  # as BIOES has them


@lru_cache(1 << 12)
def as_bioes(tag: str) -> str:
    """Return a tag with the letters of BIO and BIOES: "S-PER" for "U-PER" and "u_PER", "O" for "o"."""
    match = _TAG.fullmatch(tag)
    if not match:
        raise FormatError(
            f"the tag {tag!r}: expected O, or a type behind B-, I-, E- or S- (or L-, U-, M-, W-), such as B-PER"
        )
    letter = _LETTERS.get(match[1].upper(), match[1].upper())
    return letter if letter == OUTSIDE or not match[2] else f"{letter}-{match[3]}"


def is_span_tag(tag: str) -> bool:
    """Return whether a tag marks a span, or that there is none."""
    return _TAG.fullmatch(tag) is not None


def spans_of(tags: Iterable[str]) -> list[Span]:
    """Return the spans that the tags of a sentence mark, in order.

    Args:
        tags: in any of the schemes; what is behind the first "-" is the type.
    """
    spans: list[Span] = []
    start, kind = -1, ""
    before = OUTSIDE
    for position, tag in enumerate([*map(as_bioes, tags), OUTSIDE]):
        prefix, _, of = tag.partition("-")
        inside = before != OUTSIDE
        # A span ends before a new one, and where the tag before says so.
        begins = prefix != OUTSIDE and (prefix in "BS" or not inside or before in "ES" or of != kind)
        if inside and (prefix == OUTSIDE or begins):
            spans.append((start, position, kind))
        if begins:
            start = position
        before, kind = prefix, of
    return spans


def notation_of(sentences: Iterable[Sequence[str]]) -> str | None:
    """Return how tags are written: "BIO", "IOB1", "BILOU", "BIO in lower case with '_'"; None if they mark no spans.

    Args:
        sentences: tags of the words of each.
    """
    sequences = list(sentences)
    seen = {tag for tags in sequences for tag in tags}
    matches = [match for match in map(_TAG.fullmatch, seen) if match]
    letters = {match[1].upper() for match in matches}
    scheme = next((name for name, alphabet in ALPHABETS.items() if letters <= set(alphabet)), None)
    if scheme is None or len(matches) < len(seen) or letters <= {OUTSIDE}:
        return None
    lower = any(match[1].islower() for match in matches)
    joined = any(match[2] == "_" for match in matches)
    alone = not any(match[2] for match in matches)
    unusual = lower or joined or scheme not in ("BIO", "BIOES")
    if alone and unusual and not letters >= {"B", "E"}:  # parts of speech
        return None
    if scheme == "BIO" and _is_iob1(sequences):
        scheme = "IOB1"
    return f"{scheme}{' in lower case' * lower}{' with ' + repr('_') if joined else ''}"


def _is_iob1(sequences: Iterable[Sequence[str]]) -> bool:
    begins_with_i = False
    for tags in sequences:
        tags = [*map(as_bioes, tags)]
        for before, tag in zip([OUTSIDE, *tags], tags, strict=False):
            prefix, same = tag[:1], before != OUTSIDE and before[1:] == tag[1:]
            if prefix == "B" and not same:
                return False
            begins_with_i |= prefix == "I" and not same
    return begins_with_i


def scheme_of(sentences: Iterable[Sequence[str]]) -> str | None:
    """Return the scheme that tags have by `as_bioes`: "bio", "iob1", "bioes"; None where they mark no spans.

    Args:
        sentences: tags of the words of each.
    """
    notation = notation_of(sentences)
    if notation is None:
        return None
    return {"BIO": BIO, "IOB1": IOB1}.get(notation.split()[0], BIOES)


def span_tags(spans: Iterable[Span], length: int, scheme: str = BIO) -> list[str]:
    """Return the tags of a sentence.

    Args:
        spans: that do not overlap.
        scheme: "bio" or "bioes".
    """
    tags = [OUTSIDE] * length
    for start, end, kind in spans:
        behind = f"-{kind}" if kind else ""
        tags[start:end] = [f"B{behind}", *[f"I{behind}"] * (end - start - 1)]
        if scheme == BIOES:
            tags[end - 1] = f"{'S' if end - start == 1 else 'E'}{behind}"
    return tags


def may_follow(before: str, tag: str, scheme: str) -> bool:
    """Return whether a tag may follow another one; "O" also stands for the beginning and the end of a sentence.

    Args:
        scheme: "bio" or "bioes".
    """
    first, second = before[:1], tag[:1]
    same = before[1:] == tag[1:]
    if second in "IE":
        return first in "BI" and same
    return scheme == BIO or first not in "BI"  # with E and S, a span does not end in B or I


def broken_spans(tags: Sequence[str], scheme: str) -> int:
    """Return how many spans of a sentence break the rules of their scheme; `spans_of` reads them as conlleval does.

    Args:
        scheme: "bio", "iob1" or "bioes".
    """
    if scheme == IOB1:
        return 0  # every sequence is valid
    tags = [OUTSIDE, *map(as_bioes, tags), OUTSIDE]
    return sum(not may_follow(a, b, scheme) for a, b in itertools.pairwise(tags))
