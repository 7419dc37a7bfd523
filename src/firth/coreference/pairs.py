"""Pairs of mentions: which earlier mentions are candidate antecedents of each, and features of each pair.

What
    A mention's candidates are the nearest ones before it and, of those further away, the nearest that share its head
    or have a head among its words. Features are ones and zeros: matches of words, agreement, distances, nesting,
    apposition, quotations and who speaks them, and how many compatible mentions lie between.
Source
    The features are those of Soon, Ng and Lim 2001 (section 3), Durrett and Klein 2013 (section 3) and Clark and
    Manning 2016 (section 3.1) that need no named entities and no genre; those of quotations follow Almeida et al. 2014,
    "A joint model for quotation attribution and coreference resolution".
Departures
    Distances are thermometers, a bit for each bucket that is reached, so that a linear layer reads any step function.
Cost
    (candidates per mention) x M pairs of F bytes; some array operations per document.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from firth.coreference.mention_features import CLASSES, VALUES, Bits, Ids, MentionArrays, buckets, one_hot
from firth.documents.document import Document

TOKENS = (1, 2, 3, 5, 10, 20, 40, 80, 160, 320, 640)
SENTENCES = (1, 2, 3, 5, 8, 16, 32)
MENTIONS = (2, 3, 4, 6, 9, 14, 22, 36, 60, 100)
BETWEEN = (1, 2, 3, 5, 9)
COPULAS = frozenset(("is", "was", "are", "were", "be", "been", "am", "'s", "'m", "became", "become", "seemed"))


@dataclass(frozen=True, eq=False)
class Pairs:
    """P pairs of mentions of a document, ordered by the later mention, then by the earlier one.

    Attributes:
        anaphors: (P,) number of the later mention.
        antecedents: (P,) number of the earlier one.
        classes: (P,) row of the pair's classes of mentions, below `CLASS_PAIRS`.
        bits: (P, F) features.
    """

    anaphors: Ids
    antecedents: Ids
    classes: Ids
    bits: Bits

    def __len__(self) -> int:
        return len(self.anaphors)


CLASS_PAIRS = len(CLASSES) ** 2


def candidate_pairs(arrays: MentionArrays, *, nearest: int, matching: int) -> tuple[Ids, Ids]:
    """Return (P,) later and (P,) earlier mentions of the pairs that a model scores.

    Args:
        nearest: how many of the mentions before one are its candidates.
        matching: how many more further away that share its head, or have a head among its words.
    """
    count = len(arrays)
    if not count:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    later = np.repeat(np.arange(count), np.minimum(np.arange(count), nearest))
    first = np.maximum(np.arange(count) - nearest, 0)
    sizes = np.arange(count) - first
    earlier = np.arange(len(later)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + first[later]
    far = _matching(arrays, nearest, matching)
    keys = np.unique(np.concatenate([later * count + earlier, far[0] * count + far[1]]))
    return keys // count, keys % count


def _matching(arrays: MentionArrays, nearest: int, matching: int) -> tuple[Ids, Ids]:
    """Return pairs of mentions further apart than `nearest` with matching heads, the nearest ones."""
    count = len(arrays)
    # Pronouns match nothing, and their rows would fill the product.
    kept = np.flatnonzero([mention.kind != "pronoun" for mention in arrays.mentions])
    # pairs in which the head of the first is among the words of the second
    shared = (arrays.head_contents[kept] @ arrays.contents[kept].T).tocoo()
    rows, columns = kept[np.concatenate([shared.row, shared.col])], kept[np.concatenate([shared.col, shared.row])]
    keep = rows - columns > nearest
    keys = np.unique(rows[keep] * count + (count - 1 - columns[keep]))  # the nearest first
    rows, columns = keys // count, count - 1 - keys % count
    first = np.searchsorted(rows, rows)
    keep = np.arange(len(rows)) - first < matching
    return rows[keep], columns[keep]


def read_pairs(document: Document, arrays: MentionArrays, *, nearest: int, matching: int) -> Pairs:
    """Return the pairs of a document with their features; for `nearest` and `matching` see `candidate_pairs`."""
    later, earlier = candidate_pairs(arrays, nearest=nearest, matching=matching)
    classes = arrays.classes[later] * len(CLASSES) + arrays.classes[earlier]
    if not len(later):
        return Pairs(later, earlier, classes, np.zeros((0, feature_count()), np.uint8))
    agreeing = _agreeing(arrays, later, earlier)
    columns = [
        *_matches(arrays, later, earlier),
        *_agreement(arrays, later, earlier),
        agreeing[:, None],
        *_distances(arrays, later, earlier),
        *_structure(document, arrays, later, earlier),
        *_speech(arrays, later, earlier),
        *_recency(arrays, later, earlier, agreeing),
    ]
    return Pairs(later, earlier, classes, np.concatenate([np.asarray(column, np.uint8) for column in columns], axis=1))


def _shared(first: sparse.csr_array, second: sparse.csr_array) -> Ids:
    """Return (P,) the words that two rows share."""
    return np.asarray(first.multiply(second).sum(axis=1)).ravel()


def _matches(arrays: MentionArrays, later: Ids, earlier: Ids) -> list[npt.NDArray[np.bool_]]:
    sizes = np.asarray(arrays.contents.sum(axis=1)).ravel()
    words, heads = (arrays.contents[later], arrays.contents[earlier]), arrays.head_contents
    common = _shared(*words)
    text = arrays.texts[later] == arrays.texts[earlier]
    head = arrays.head_words[later] == arrays.head_words[earlier]
    bits = [
        text,
        head,
        head & ~text,
        _shared(heads[later], words[1]) > 0,
        _shared(heads[earlier], words[0]) > 0,
        common > 0,
        common > 1,
        (common > 0) & (common == sizes[later]),
        (common > 0) & (common == sizes[earlier]),
        head & (common == sizes[later]) & (common == sizes[earlier]),
        head & (common < sizes[later]) & (common < sizes[earlier]),  # each has a word of its own
    ]
    return [np.stack(bits, axis=1)]


def _agreement(arrays: MentionArrays, later: Ids, earlier: Ids) -> list[Bits]:
    bits = []
    for name, values in VALUES.items():
        a, b = arrays.values[name][later], arrays.values[name][earlier]
        state = np.where((a == 0) | (b == 0), 0, np.where(a == b, 1, 2))
        bits.append(one_hot(state, 3))
        if len(values) == len(VALUES["gender"]) and name == "gender":
            bits.append(one_hot(a, len(values)) & (state == 1)[:, None])
    return bits


def _agreeing(arrays: MentionArrays, later: Ids, earlier: Ids) -> npt.NDArray[np.bool_]:
    """Return (P,) whether number, gender and animacy may agree."""
    result = np.ones(len(later), np.bool_)
    for name in ("number", "gender", "animacy"):
        a, b = arrays.values[name][later], arrays.values[name][earlier]
        result &= (a == 0) | (b == 0) | (a == b)
    return result


def _distances(arrays: MentionArrays, later: Ids, earlier: Ids) -> list[Bits]:
    tokens = arrays.spans[later, 0] - arrays.spans[earlier, 1]
    return [
        buckets(tokens, TOKENS),
        buckets(arrays.sentences[later] - arrays.sentences[earlier], SENTENCES),
        buckets(later - earlier, MENTIONS),
    ]


def _structure(document: Document, arrays: MentionArrays, later: Ids, earlier: Ids) -> list[npt.NDArray[np.bool_]]:
    """Nesting, apposition, a copula between the two, positions in the sentence."""
    start, end = arrays.spans[later].T
    end_before = arrays.spans[earlier, 1]
    tokens = [token.lower() for token in document.tokens]
    comma = np.array([token == "," for token in [*tokens, ""]])
    copulas = np.concatenate([[0], np.cumsum([token in COPULAS for token in tokens])])
    apart = start - end_before
    same = arrays.sentences[later] == arrays.sentences[earlier]
    near = same & (apart >= 1) & (apart <= 4)
    starts = np.array(document.sentence_starts)[arrays.sentences]
    at_start = arrays.spans[:, 0] - starts <= 1
    first_of_sentence = np.concatenate([[True], arrays.sentences[1:] != arrays.sentences[:-1]])
    bits = [
        end <= end_before,  # inside of the earlier one
        same,
        same & (apart == 1) & comma[end_before],
        same & (apart == 0),
        near & (copulas[np.maximum(start, end_before)] - copulas[end_before] > 0),
        at_start[later],
        at_start[earlier],
        first_of_sentence[later],
        first_of_sentence[earlier],
        arrays.heads[later] == arrays.heads[earlier],
    ]
    return [np.stack(bits, axis=1)]


def _speech(arrays: MentionArrays, later: Ids, earlier: Ids) -> list[npt.NDArray[np.bool_]]:
    """Quotations and their speakers."""
    a, b = arrays.quotations[later], arrays.quotations[earlier]
    speaks_a, speaks_b = arrays.speakers[later], arrays.speakers[earlier]
    texts = np.append(arrays.texts, -1)
    both = (a >= 0) & (b >= 0)
    both_known = both & (speaks_a >= 0) & (speaks_b >= 0)
    same_speaker = both_known & ((speaks_a == speaks_b) | (texts[speaks_a] == texts[speaks_b]))
    person = arrays.values["person"]
    first, second = person == 1, person == 2
    bits = [
        both & (a == b),
        both & (a == b + 1),
        both & (a == b + 2),
        both & (a > b + 2),
        (a < 0) & (b < 0),
        (a >= 0) & (b < 0),
        (a < 0) & (b >= 0),
        (speaks_a == earlier) & first[later],
        (speaks_b == later) & first[earlier],
        (speaks_a == earlier) & second[later],
        (speaks_b == later) & second[earlier],
        (speaks_a == earlier) & ~first[later] & ~second[later],
        (speaks_b == later) & ~first[earlier] & ~second[earlier],
        same_speaker,
        both_known & ~same_speaker,
    ]
    return [np.stack(bits, axis=1)]


def _recency(arrays: MentionArrays, later: Ids, earlier: Ids, agreeing: npt.NDArray[np.bool_]) -> list[Bits]:
    """Mentions between that agree, are equal, have the class of the earlier one; and how often this one came before."""
    ends = np.searchsorted(later, np.arange(len(arrays)), side="right")
    same_text = arrays.texts[later] == arrays.texts[earlier]
    same_class = arrays.classes[later] == arrays.classes[earlier]
    nouns = np.array([mention.kind == "name" for mention in arrays.mentions])[earlier]
    result = []
    for flags in (agreeing, same_text, same_class, agreeing & nouns):
        total = np.cumsum(flags)
        result.append(buckets(total[ends[later] - 1] - total, BETWEEN))  # among candidates after this one
    before = np.zeros(len(arrays), np.int64)
    seen: dict[int, int] = {}
    for number, text in enumerate(arrays.texts.tolist()):
        seen[text] = seen.get(text, 0) + 1
        before[number] = seen[text]
    return [*result, buckets(before[earlier], (2, 4, 8, 16))]


def feature_count() -> int:
    """Return F, the number of features of a pair."""
    matches, structure, speech, recency = 11, 10, 15, 4 * len(BETWEEN) + 4
    agreement = 3 * len(VALUES) + len(VALUES["gender"]) + 1
    return matches + agreement + len(TOKENS) + len(SENTENCES) + len(MENTIONS) + structure + speech + recency
