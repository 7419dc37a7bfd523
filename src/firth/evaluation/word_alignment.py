"""Two annotations of one text and the words that they share, as the shared task of CoNLL 2018 defines it.

What
    `Annotation` holds the words of sentences in arrays, with their place in the text without its white space;
    `shared_words` pairs the words of two of them.
Objective
    Tokens are spans [start, end) of the characters of the text without white space. A word that is a token of its own
    has the word of the same span. Words of a multiword token stand at no characters of their own: in the stretch of
    text that multiword tokens of either side cover, with the tokens inside it, the words of both sides are paired by
    a longest common subsequence of their forms, in lower case. Of several such subsequences it is the one that skips
    words of the first side first.
Source
    Zeman et al. 2018, "CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies", section
    4.1, and https://universaldependencies.org/conll18/evaluation.html.
Departures
    Empty nodes are skipped, also inside multiword tokens.
Cost
    One pass over the words; n m for n and m words of a stretch with multiword tokens.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.readers.conllu import FORM, DependencySentence, Row

Ints = npt.NDArray[np.int64]
Pair = tuple[int, int]  # numbers of a word of each side

ROOT, NO_HEAD = -1, -2  # in place of the number of a head
_SPACE = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")  # space separators (Zs) of Unicode
_AROUND = 10  # characters shown on either side of a difference


class Annotation:
    """The words and tokens of a text; spans are of its characters without white space.

    Args:
        sentences: the annotated text.
        side: "gold" or "system", for messages.

    Attributes:
        text: the characters without white space.
        rows: columns of each word.
        multiword: whether each word's token has several words.
        heads: (N,) number of each word's head, from 0 over the whole text; -1 for the root, -2 for none.
        spans: (N, 2) start and end of each word's token.
        tokens: (M, 2) start and end of each token.
        sentences: (S, 2) start and end of each sentence.
        trees: number of sentences with heads.

    Raises:
        FormatError: the heads of a sentence form no tree, or a token has white space only.
    """

    def __init__(self, sentences: Iterable[DependencySentence], side: str) -> None:
        self.side, self.trees = side, 0
        self.rows: list[Row] = []
        self.multiword: list[bool] = []
        self._forms: list[str] = []  # of tokens
        token_of: list[int] = []  # of each word
        heads: list[int] = []
        sizes: list[int] = []  # tokens of each sentence
        for number, sentence in enumerate(sentences, 1):
            before = len(self._forms)
            heads += self._heads(sentence, number)
            self._add(sentence, number, token_of)
            sizes.append(len(self._forms) - before)
        self.text = "".join(self._forms)
        ends = np.cumsum(np.fromiter(map(len, self._forms), np.int64, len(self._forms)))
        self.tokens = np.stack([np.concatenate([[0], ends])[:-1], ends], axis=1)
        self.spans = self.tokens[np.array(token_of, dtype=np.int64)]
        behind = np.concatenate([[0], ends])[np.cumsum([0, *sizes])]
        self.sentences = np.stack([behind[:-1], behind[1:]], axis=1)
        self.heads = np.array(heads, dtype=np.int64)

    def _add(self, sentence: DependencySentence, number: int, token_of: list[int]) -> None:
        """Add the tokens and words of a sentence."""
        first, last = len(self._forms), 0
        for row in sentence.rows:
            identifier = row[0]
            if "-" in identifier:
                last = int(identifier.partition("-")[2])
                self._forms.append(row[FORM])
            elif identifier.isdecimal():  # else an empty node
                inside = last > 0 and int(identifier) <= last
                if not inside:
                    self._forms.append(row[FORM])
                self.rows.append(row)
                self.multiword.append(inside)
                token_of.append(len(self._forms) - 1)
        forms = self._forms[first:]
        if not _SPACE.search("".join(forms)):
            return
        self._forms[first:] = forms = [_SPACE.sub("", form) for form in forms]
        if "" in forms:
            raise FormatError(
                f"{self.side} sentence {number:,}: token {forms.index('') + 1} has no character but white space, "
                "expected at least one"
            )

    def _heads(self, sentence: DependencySentence, number: int) -> list[int]:
        """Return the heads of a sentence, which is not yet added."""
        heads, first = sentence.heads, len(self.rows) - 1
        if sentence.tree_problem:
            raise FormatError(
                f"{self.side} sentence {number:,}: {sentence.tree_problem}; expected one tree, or '_' as every head"
            )
        self.trees += bool(heads)
        return [head + first if head else ROOT for head in heads] if heads else [NO_HEAD] * len(sentence)

    def column(self, number: int) -> list[str]:
        """Return a column of the words."""
        return [row[number] for row in self.rows]

    def form(self, word: int) -> str:
        """Return what is compared of a word inside a stretch with multiword tokens."""
        form = self.rows[word][FORM]
        return (form if self.multiword[word] else _SPACE.sub("", form)).lower()


def check_same_text(gold: Annotation, system: Annotation) -> None:
    """Check that both are of one text.

    Raises:
        FormatError: the characters without white space differ; the message says where.
    """
    texts = gold.text, system.text
    if texts[0] == texts[1]:
        return
    pairs = enumerate(zip(*texts, strict=False))
    at = next((position for position, (a, b) in pairs if a != b), min(map(len, texts)))
    shown = [repr(text[max(0, at - _AROUND) : at + _AROUND]) for text in texts]
    lengths = " (of {:,} and {:,})".format(*map(len, texts)) if len(texts[0]) != len(texts[1]) else ""
    sentence = min(int(np.searchsorted(gold.sentences[:, 1], at, side="right")) + 1, len(gold.sentences))
    raise FormatError(
        f"the texts differ at character {at + 1:,}{lengths} without white space, in gold sentence {sentence:,}: gold "
        f"has {shown[0]}, the system {shown[1]}; expected the same text, however it is cut into tokens and sentences"
    )


def shared_words(gold: Annotation, system: Annotation) -> tuple[Ints, Ints]:
    """Return the numbers of words that two annotations of one text share: of the gold side, and of the other."""
    pairs: list[Pair] = []
    sides = _Side(gold), _Side(system)
    starts, ends, multiword = sides[0].starts, sides[0].ends, gold.multiword
    other_starts, other_ends, other_multiword = sides[1].starts, sides[1].ends, system.multiword
    i, j, words, other_words = 0, 0, len(starts), len(other_starts)
    while i < words and j < other_words:
        if multiword[i] or other_multiword[j]:
            first, other_first, i, j = _stretch(*sides, i, j)
            pairs += _longest_common(gold, system, range(first, i), range(other_first, j))
        elif starts[i] == other_starts[j] and ends[i] == other_ends[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif starts[i] <= other_starts[j]:
            i += 1
        else:
            j += 1
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return numbers[:, 0], numbers[:, 1]


class _Side:
    """The words of an annotation as lists, which a loop reads faster than arrays."""

    def __init__(self, annotation: Annotation) -> None:
        self.starts: list[int] = annotation.spans[:, 0].tolist()
        self.ends: list[int] = annotation.spans[:, 1].tolist()
        self.multiword = annotation.multiword


def _stretch(gold: _Side, system: _Side, i: int, j: int) -> tuple[int, int, int, int]:
    """Return the words of either side in the stretch of a multiword token: the first, and the ones behind the last.

    It ends where no multiword token of either side goes on. A token that reaches beyond the end is outside.

    Args:
        i: next gold word.
        j: next word of the system; one of both is in a multiword token.
    """
    if gold.multiword[i]:
        end = gold.ends[i]
        j += not system.multiword[j] and system.starts[j] < gold.starts[i]
    else:
        end = system.ends[j]
        i += gold.starts[i] < system.starts[j]
    first, other_first = i, j
    while _within(gold, i, end) or _within(system, j, end):
        take_gold = i < len(gold.starts) and (j >= len(system.starts) or gold.starts[i] <= system.starts[j])
        side, word = (gold, i) if take_gold else (system, j)
        if side.multiword[word]:
            end = max(end, side.ends[word])
        i, j = i + take_gold, j + (not take_gold)
    return first, other_first, i, j


def _within(side: _Side, word: int, end: int) -> bool:
    """Return whether a word is in a stretch up to a character: those of multiword tokens that begin in it, others."""
    if word >= len(side.starts):
        return False
    return side.starts[word] < end if side.multiword[word] else side.ends[word] <= end


def _longest_common(gold: Annotation, system: Annotation, words: range, other_words: range) -> list[Pair]:
    """Return pairs of words whose forms are a longest common subsequence."""
    forms, other_forms = [gold.form(word) for word in words], [system.form(word) for word in other_words]
    if forms == other_forms:
        return list(zip(words, other_words, strict=True))
    longest = _lengths(forms, other_forms)
    pairs, i, j = [], 0, 0
    while i < len(forms) and j < len(other_forms):
        if forms[i] == other_forms[j]:
            pairs.append((words[i], other_words[j]))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _lengths(forms: Sequence[str], other_forms: Sequence[str]) -> list[list[int]]:
    """Return the length of the longest common subsequence of what is left from each place of both."""
    longest = [[0] * (len(other_forms) + 1) for _ in range(len(forms) + 1)]
    for i in reversed(range(len(forms))):
        row, below = longest[i], longest[i + 1]
        for j in reversed(range(len(other_forms))):
            row[j] = 1 + below[j + 1] if forms[i] == other_forms[j] else max(below[j], row[j + 1])
    return longest


def equal(right: Sequence[str], given: Sequence[str], ours: Ints, theirs: Ints) -> npt.NDArray[np.bool_]:
    """Return which shared words have the same value.

    Args:
        right: a value for each gold word.
        given: for each word of the other side.
        ours: shared words among the gold ones.
        theirs: among the others.
    """
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    ids = [np.fromiter(map(numbers.__getitem__, column), np.int64, len(column)) for column in (right, given)]
    return np.asarray(ids[0][ours] == ids[1][theirs])
