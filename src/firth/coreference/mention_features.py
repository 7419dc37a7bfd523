"""Mentions of a document as arrays: features of each mention alone, and codes that pairs compare."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from firth.coreference import word_lists as lists
from firth.coreference.mentions import KINDS, Mention, read_mentions
from firth.coreference.quotations import quotation_of_tokens, quotations, speakers
from firth.documents.document import Document, Span

Ids = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]
CLASSES = (
    *(kind for kind in KINDS if kind != "pronoun"),
    *lists.GROUPS,
)  # of a mention: its kind, or a pronoun's group
VALUES = {
    "number": ("", "singular", "plural"),
    "gender": ("", "male", "female", "neuter"),
    "animacy": ("", "animate", "inanimate"),
    "person": (0, 1, 2, 3),
}
_PREMODIFIERS = {
    "article": lists.ARTICLES,
    "indefinite": lists.INDEFINITE,
    "demonstrative": lists.DEMONSTRATIVE,
    "possessive": lists.POSSESSIVE,
}
LENGTHS = (1, 2, 3, 5, 8)  # buckets begin at these
COUNTS = (1, 2, 4, 8, 16)
_POSITIONS = (1, 4, 16, 64)


@dataclass(frozen=True, eq=False)
class MentionArrays:
    """M mentions of a document as arrays.

    Attributes:
        mentions: M mentions in the order of the text.
        spans: (M, 2) first token and the one after the last.
        heads: (M,) numbers of the heads.
        sentences: (M,) numbers of the sentences.
        classes: (M,) rows of `CLASSES`.
        values: (M,) rows of `VALUES` by name.
        texts: (M,) equal where the words are.
        head_words: (M,) equal where the heads are.
        contents: (M, W) words that are no small words, as a sparse matrix of ones.
        head_contents: (M, W) the head, in the same columns.
        quotations: (M,) quotation that each is in, -1 for none.
        speakers: (M,) mention that speaks the quotation, -1 for none.
        bits: (M, F) features of mentions alone.
    """

    mentions: list[Mention]
    spans: Ids
    heads: Ids
    sentences: Ids
    classes: Ids
    values: dict[str, Ids]
    texts: Ids
    head_words: Ids
    contents: sparse.csr_array
    head_contents: sparse.csr_array
    quotations: Ids
    speakers: Ids
    bits: Bits

    def __len__(self) -> int:
        return len(self.mentions)


def mention_arrays(document: Document, spans: Sequence[Span] | None = None) -> MentionArrays:
    """Return the mentions of a document as arrays.

    Args:
        spans: of the mentions; None for those of the document's chains.
    """
    mentions = read_mentions(document, spans)
    quoted = quotations(document)
    inside = quotation_of_tokens(len(document), quoted)
    speaker = np.append(speakers(document, mentions, quoted), -1)
    starts = np.array([mention.start for mention in mentions], dtype=np.int64)
    of_quotation = inside[starts] if len(starts) else starts
    words = [[word for word in mention.words if word not in lists.SMALL_WORDS] for mention in mentions]
    heads = [[mention.head] for mention in mentions]
    columns = _numbers([word for part in (*words, *heads) for word in part])
    return MentionArrays(
        mentions,
        np.array([mention.span for mention in mentions], dtype=np.int64).reshape(-1, 2),
        np.array([mention.head_token for mention in mentions], dtype=np.int64),
        np.array([mention.sentence for mention in mentions], dtype=np.int64),
        np.array([CLASSES.index(mention.group or mention.kind) for mention in mentions], dtype=np.int64),
        {
            name: np.array([values.index(getattr(mention, name)) for mention in mentions], dtype=np.int64)
            for name, values in VALUES.items()
        },
        _numbered([mention.text for mention in mentions]),
        _numbered([mention.head for mention in mentions]),
        _incidence(words, columns),
        _incidence(heads, columns),
        of_quotation,
        speaker[of_quotation],
        _bits(document, mentions, of_quotation),
    )


def one_hot(codes: Ids, count: int) -> Bits:
    """Return (N, count) ones at N codes."""
    return np.asarray(codes[:, None] == np.arange(count), dtype=np.uint8)


def buckets(values: Ids, starts: Sequence[int]) -> Bits:
    """Return (N, B) ones where a value is at least the start of each bucket: a thermometer."""
    return np.asarray(values[:, None] >= np.array(starts), dtype=np.uint8)


def _numbers(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _numbered(names: Sequence[str]) -> Ids:
    number_of = _numbers(names)
    return np.array([number_of[name] for name in names], dtype=np.int64)


def _incidence(words: Sequence[Sequence[str]], columns: Mapping[str, int]) -> sparse.csr_array:
    rows = [row for row, mention_words in enumerate(words) for _ in set(mention_words)]
    at = [columns[word] for mention_words in words for word in sorted(set(mention_words))]
    return sparse.csr_array((np.ones(len(rows), np.int32), (rows, at)), shape=(len(words), max(len(columns), 1)))


def _bits(document: Document, mentions: Sequence[Mention], quotations: Ids) -> Bits:
    """Return (M, F) features of mentions alone."""
    if not mentions:
        return np.zeros((0, mention_feature_count()), np.uint8)
    starts = np.array(document.sentence_starts)
    spans = np.array([mention.span for mention in mentions])
    offsets = spans[:, 0] - starts[[mention.sentence for mention in mentions]]
    seen_text, seen_head, earlier = Counter[str](), Counter[str](), []
    for mention in mentions:
        earlier.append((seen_text[mention.text], seen_head[mention.head]))
        seen_text[mention.text] += 1
        seen_head[mention.head] += 1
    later = np.array([(seen_text[mention.text], seen_head[mention.head]) for mention in mentions]) - np.array(earlier)
    nested = [_is_nested(spans, number) for number in range(len(spans))]
    after = [document.tokens[end] if end < len(document) else "" for end in spans[:, 1].tolist()]
    groups = [
        one_hot(np.array([CLASSES.index(m.group or m.kind) for m in mentions]), len(CLASSES)),
        *(one_hot(np.array([v.index(getattr(m, n)) for m in mentions]), len(v)) for n, v in VALUES.items()),
        *(
            np.array([[m.words[0] in premodifiers] for m in mentions], np.uint8)
            for premodifiers in _PREMODIFIERS.values()
        ),
        buckets(spans[:, 1] - spans[:, 0], LENGTHS),
        buckets(np.array(earlier)[:, 0], COUNTS),
        buckets(np.array(earlier)[:, 1], COUNTS),
        buckets(later[:, 0], COUNTS),
        buckets(offsets, COUNTS),
        buckets(np.arange(len(mentions)), _POSITIONS),
        np.array(nested, np.uint8),
        np.array([[word in ("'s", "’s"), word == ",", word.lower() in ("who", "which", "of")] for word in after]),
        (quotations >= 0)[:, None],
    ]
    return np.concatenate([np.asarray(group, np.uint8) for group in groups], axis=1)


def _is_nested(spans: Ids, number: int) -> tuple[bool, bool]:
    """Return whether a mention is inside of another, and whether another is inside of it."""
    start, end = spans[number]
    near = spans[max(0, number - 20) : number + 20]
    other = (near[:, 0] != start) | (near[:, 1] != end)
    inside = other & (near[:, 0] <= start) & (near[:, 1] >= end)
    around = other & (near[:, 0] >= start) & (near[:, 1] <= end)
    return bool(inside.any()), bool(around.any())


def mention_feature_count() -> int:
    """Return F, the number of features of a mention."""
    classes = len(CLASSES) + sum(map(len, VALUES.values())) + len(_PREMODIFIERS)
    return classes + len(LENGTHS) + 4 * len(COUNTS) + len(_POSITIONS) + 2 + 3 + 1
