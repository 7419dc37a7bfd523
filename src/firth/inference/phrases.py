"""Forced phrases: which of them a text has, and how a beam is divided among texts that have more or fewer.

What: a search with forced phrases keeps texts that have written 0, 1, 2, ... of the forced words side by side, in
    banks with a share of the beam each. Otherwise texts that avoid an improbable phrase would push out those that have
    it. Each step also considers, for each text, the next words of the phrases that it lacks.
Objective: the best text among those that contain every phrase, a phrase given twice at least twice.
Source: Post and Vilar 2018, Fast Lexically Constrained Decoding with Dynamic Beam Allocation for Neural Machine
    Translation, section 3. The grid of Hokamp and Liu 2017, Lexically Constrained Decoding for Sequence Generation
    Using Grid Beam Search, has a beam per number of written words: its cost grows with the number of forced words,
    differs from prompt to prompt in a batch, and buys little quality. Knuth, Morris and Pratt 1977, Fast Pattern
    Matching in Strings (which part of a phrase a text ends with).
Departures: phrases may share words: "new york city" has both "new york" and "york city". What a text has is thus a
    function of the text alone. All candidates of a row take part, not only the best of the whole beam and of the row.
    Slots that a bank cannot fill go to the highest bank that can.
Cost: O(phrases) per candidate word that occurs in a phrase; the calls of the model are those of any beam search.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

# For each phrase: how often it was written, and how many of its words the text ends with
Progress = tuple[tuple[int, int], ...]


class Phrases:
    """Phrases that a text must contain.

    Args:
        phrases: ids of each phrase, at least one each; a phrase given k times must occur k times.

    Attributes:
        needed: how often each phrase must occur.
        words: those that occur in a phrase.
        start: the progress of a text without words.
    """

    def __init__(self, phrases: Sequence[Sequence[int]]) -> None:
        self.needed = Counter(tuple(phrase) for phrase in phrases)
        self.total = sum(map(len, phrases))
        self.words = frozenset(word for phrase in phrases for word in phrase)
        self.start: Progress = ((0, 0),) * len(self.needed)
        self._fallbacks = [_fallbacks(phrase) for phrase in self.needed]

    def advance(self, progress: Progress, word: int) -> Progress:
        """Return the progress of a text after one more word."""
        return tuple(
            _advanced(phrase, fallbacks, count, matched, word)
            for phrase, fallbacks, (count, matched) in zip(self.needed, self._fallbacks, progress, strict=True)
        )

    def bank(self, progress: Progress) -> int:
        """Return how many of the forced words are written: those of whole phrases, and of the longest one begun."""
        rows = list(zip(self.needed.items(), progress, strict=True))
        whole = sum(len(phrase) * min(count, needed) for (phrase, needed), (count, _) in rows)
        return whole + max((matched for (_, needed), (count, matched) in rows if count < needed), default=0)

    def met(self, progress: Progress) -> bool:
        """Whether every phrase is written."""
        return all(count >= needed for needed, (count, _) in zip(self.needed.values(), progress, strict=True))

    def next_words(self, progress: Progress) -> list[int]:
        """Return the words that begin or continue a phrase that a text lacks."""
        rows = zip(self.needed.items(), progress, strict=True)
        return list(dict.fromkeys(phrase[matched] for (phrase, needed), (count, matched) in rows if count < needed))


def allocate(available: Mapping[int, int], slots: int, last: int) -> dict[int, int]:
    """Divide the slots of a beam among banks.

    Args:
        last: number of the bank of texts that have every phrase.

    Returns:
        Slots by bank: equal shares, the remainder to the last bank; free slots to the highest bank with more
        candidates.
    """
    share, rest = divmod(slots, last + 1)
    result = {bank: min(count, share + (rest if bank == last else 0)) for bank, count in available.items()}
    for bank in sorted(available, reverse=True):
        result[bank] += min(slots - sum(result.values()), available[bank] - result[bank])
    return result


def _advanced(
    phrase: tuple[int, ...], fallbacks: Sequence[int], count: int, matched: int, word: int
) -> tuple[int, int]:
    while matched and phrase[matched] != word:
        matched = fallbacks[matched]
    matched += phrase[matched] == word
    return (count + 1, fallbacks[matched]) if matched == len(phrase) else (count, matched)


def _fallbacks(phrase: Sequence[int]) -> list[int]:
    """Return, for each m, the length of the longest proper prefix of the phrase that ends its first m words."""
    result, length = [0, 0], 0
    for word in phrase[1:]:
        while length and phrase[length] != word:
            length = result[length]
        length += phrase[length] == word
        result.append(length)
    return result
