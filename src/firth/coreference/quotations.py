"""Quotations of a document, and which mention speaks each: "I" and "you" mean other people inside of them.

What
    Text between quotation marks. A straight mark opens and closes by turns, but always opens where it begins a
    sentence while no quotation of that sentence is open. The speaker is the mention beside a verb of saying, right
    after the quotation or right before it. What follows "said she" at once has the same speaker; else
    speakers alternate.
Source
    The patterns are those of Elson and McKeown 2010, "Automatic attribution of quoted speech in literary narrative",
    section 4, without their learned ranking.
Departures
    None but the missing ranking.
Cost
    One pass over tokens and mentions.
"""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth.coreference import word_lists as lists
from firth.coreference.mentions import Mention
from firth.documents.document import Document, Span

OPENING = frozenset(("“", "``", "«", "„"))
CLOSING = frozenset(("”", "''", "»"))
STRAIGHT = '"'
NEAR = 8  # tokens between a quotation and its speaker
_FAR = 3  # quotations further apart than this many sentences are of different conversations
Ids = npt.NDArray[np.int64]


def quotations(document: Document) -> list[Span]:
    """Return the spans between quotation marks, with the marks, in order; they do not overlap.

    One that is not closed ends with its sentence.
    """
    spans: list[Span] = []
    begin = -1
    starts = frozenset(document.sentence_starts)
    single = not any(token in OPENING or token in CLOSING or token == STRAIGHT for token in document.tokens)
    opening, closing = (frozenset("‘"), frozenset("’")) if single else (OPENING, CLOSING)
    for number, token in enumerate(document.tokens):
        fresh = number in starts
        if begin >= 0 and fresh and (token in opening or (token == STRAIGHT and _opens(document, number))):
            spans.append((begin, number))  # a paragraph of the same speech, or a mark that is missing
            begin = number
        elif begin < 0 and (token in opening or token == STRAIGHT):
            begin = number
        elif begin >= 0 and (token in closing or token == STRAIGHT):
            spans.append((begin, number + 1))
            begin = -1
    if begin >= 0:
        spans.append((begin, next((start for start in document.sentence_starts if start > begin), len(document))))
    return spans


def _opens(document: Document, number: int) -> bool:
    """Return whether a straight mark at the start of a sentence opens: a word follows, and the sentence continues."""
    after = document.tokens[number + 1 : number + 2]
    return bool(after) and after[0][0].isalnum()


def quotation_of_tokens(count: int, spans: Sequence[Span]) -> Ids:
    """Return (T,) the number of the quotation that each token is in, -1 for none."""
    result = np.full(count, -1)
    for number, (start, end) in enumerate(spans):
        result[start:end] = number
    return result


def speakers(document: Document, mentions: Sequence[Mention], spans: Sequence[Span]) -> Ids:
    """Return (Q,) the number of the mention that speaks each quotation, -1 where none is found."""
    narration = _Narration(document, mentions, spans)
    sentence_of, result = narration.sentence_of, np.full(len(spans), -1)
    turn: list[int] = []  # first quotation of each turn of speech
    for quotation, (start, _) in enumerate(spans):
        before = spans[quotation - 1][1] if quotation else 0
        speaker = narration.speaker_of(quotation)
        near = bool(turn) and 0 < start - before <= 2 * NEAR and narration.has_verb_of_saying(before, start)
        goes_on = near and result[quotation - 1] >= 0 and speaker in (-1, result[quotation - 1])
        if not goes_on:
            turn.append(quotation)
        if speaker >= 0 or goes_on:
            result[quotation] = speaker if speaker >= 0 else result[quotation - 1]
        elif (said_before := narration.beside(max(before, start - NEAR), start, False)) >= 0:
            result[quotation] = said_before
        elif len(turn) > 2 and sentence_of[start] - sentence_of[spans[turn[-3]][0]] <= 2 * _FAR:
            result[quotation] = result[turn[-3]]
    return result


class _Narration:
    """The words outside the quotations of a document."""

    def __init__(self, document: Document, mentions: Sequence[Mention], spans: Sequence[Span]) -> None:
        inside = quotation_of_tokens(len(document), spans)
        self._spans, self._mentions = spans, mentions
        self._outer = [number for number, mention in enumerate(mentions) if inside[mention.start] < 0]
        self._starts = [mentions[number].start for number in self._outer]
        self._lower = [token.lower() for token in document.tokens]
        sizes = [len(sentence) for sentence in document.sentences]
        self.sentence_of = np.repeat(np.arange(len(sizes)), sizes)

    def speaker_of(self, quotation: int) -> int:
        """Return the mention that a verb of saying names right after a quotation, or before it in its sentence."""
        start, end = self._spans[quotation]
        before = self._spans[quotation - 1][1] if quotation else 0
        after = self._spans[quotation + 1][0] if quotation + 1 < len(self._spans) else len(self._lower)
        of = self.sentence_of
        # "... No ." Bob said, "Yes": the sentence after one quotation may say who speaks the next.
        opens = end < after < len(self._lower) and of[end - 1] < of[end] == of[after]
        if not (opens and self._lower[end] not in lists.SAYING):
            said_after = self.beside(end, min(end + NEAR, after), True)
            if said_after >= 0:
                return said_after
        return self.beside(max(before, start - NEAR, int(np.searchsorted(of, of[start]))), start, False)

    def has_verb_of_saying(self, low: int, high: int) -> bool:
        """Return whether there is a verb of saying among tokens."""
        return any(word in lists.SAYING for word in self._lower[low:high])

    def beside(self, low: int, high: int, first: bool) -> int:
        """Return the mention beside the first, or last, verb of saying among tokens; -1 for none."""
        verbs = [token for token in range(low, high) if self._lower[token] in lists.SAYING]
        near = self._outer[bisect_left(self._starts, low) : bisect_left(self._starts, high)]
        nearby = [(number, self._mentions[number]) for number in near if self._mentions[number].end <= high]
        if not verbs or not nearby:
            return -1
        verb = verbs[0] if first else verbs[-1]
        gap, _, number = min((_gap(mention, verb), mention.start - mention.end, number) for number, mention in nearby)
        return number if gap <= 2 else -1


def _gap(mention: Mention, verb: int) -> int:
    """Return the tokens between a mention and a verb, fewer for a subject before it."""
    return verb - mention.end if mention.end <= verb else mention.start - verb
