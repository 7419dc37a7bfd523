"""Tags of words that mark spans, such as entities and chunks: BIO, IOB1, BIOES.

What
    BIO begins every span with B- and goes on with I-. IOB1, of CoNLL-2003, begins it with I-, and with B- only behind
    a span of the same type. BIOES ends it with E-, and marks a span of one word with S-.
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

from collections.abc import Iterable, Sequence

from firth.errors import FormatError

OUTSIDE = "O"
PREFIXES = frozenset("BIOES")
BIO, IOB1, BIOES = "bio", "iob1", "bioes"
Span = tuple[int, int, str]  # first word, one past the last, type


def spans_of(tags: Sequence[str]) -> list[Span]:
    """Return the spans that the tags of a sentence mark, in order.

    Args:
        tags: in any of the schemes; what is behind the first "-" is the type.

    Raises:
        FormatError: a tag begins with none of B, I, O, E and S.
    """
    spans: list[Span] = []
    start, kind = -1, ""
    before = OUTSIDE
    for place, tag in enumerate([*tags, OUTSIDE]):
        prefix, _, of = tag.partition("-")
        if prefix not in PREFIXES:
            raise FormatError(f"the tag {tag!r}: expected O, or a type behind B-, I-, E- or S-, such as B-PER")
        inside = before != OUTSIDE
        # A span ends before a new one, and where the tag before says so.
        begins = prefix != OUTSIDE and (prefix in "BS" or not inside or before in "ES" or of != kind)
        if inside and (prefix == OUTSIDE or begins):
            spans.append((start, place, kind))
        if begins:
            start = place
        before, kind = prefix, of
    return spans


def scheme_of(sentences: Iterable[Sequence[str]]) -> str | None:
    """Return the scheme of tags: "bio", "iob1", "bioes", or None where they mark no spans, as parts of speech do.

    Args:
        sentences: tags of the words of each.
    """
    sequences = list(sentences)
    seen = {tag for tags in sequences for tag in tags}
    prefixes = {tag.partition("-")[0] for tag in seen}
    if not prefixes <= PREFIXES or prefixes <= {OUTSIDE}:
        return None
    if prefixes & set("ES"):
        return BIOES
    begins_with_i = False
    for tags in sequences:
        for before, tag in zip([OUTSIDE, *tags], tags, strict=False):
            prefix, same = tag[:1], before != OUTSIDE and before[1:] == tag[1:]
            if prefix == "B" and not same:
                return BIO
            begins_with_i |= prefix == "I" and not same
    return IOB1 if begins_with_i else BIO


def span_tags(spans: Iterable[Span], length: int, scheme: str = BIO) -> list[str]:
    """Return the tags of a sentence.

    Args:
        spans: that do not overlap.
        length: words of the sentence.
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
        before: tag of the word before.
        tag: tag of the word.
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
        tags: of the sentence.
        scheme: "bio", "iob1" or "bioes".
    """
    if scheme == IOB1:
        return 0  # every sequence is valid
    return sum(not may_follow(a, b, scheme) for a, b in zip([OUTSIDE, *tags], [*tags, OUTSIDE], strict=True))
