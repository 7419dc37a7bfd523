"""Pairs of words in patterns typical of antonyms: "from hot to cold", "either dead or alive".

What: a pattern is a sequence of words with two slots, X and Y. One pass over a corpus counts which words fill them.
Antonyms co-occur in patterns of contrast; synonyms replace each other instead.

Objective: with n_p(x, y) how often x and y fill X and Y of pattern p, in either order, n_p(x) = sum_y n_p(x, y), and
N_p = sum_x n_p(x) / 2,

    pmi_p(x, y) = log( 2 N_p n_p(x, y) / (n_p(x) n_p(y)) )
    association = max(0, pmi) * n / (n + 1) * m / (m + 1),    n = n_p(x, y),  m = min(n_p(x), n_p(y))

Source: Church and Hanks 1990, "Word association norms, mutual information, and lexicography"; Lin, Zhao, Qin and Zhou
2003, "Identifying synonyms among distributionally similar words", section 3.1, for patterns that opposites fill and
synonyms do not; Pantel and Lin 2002, "Discovering word senses from text", section 3, for the factors n / (n + 1)
m / (m + 1), which reduce the score of pairs that occur once.

Departures: both orders are counted together, because a pair is a set: its words fill each slot once, hence the 2 in the
formula. A word with itself ("from day to day") is not a pair. A corpus contains neither punctuation nor rare words, so
a match may span a comma or a dropped word.

Cost: one look-up per token and a few comparisons at the first words of patterns; 8 bytes per match.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.errors import CorpusError, OptionError, brief_repr
from firth.kernels.compiled import compiled
from firth.postprocess.word_pairs import Pair
from firth.progress import Progress, Status, compiling, reporting
from firth.text.forms import place_of
from firth.vocabulary import Vocabulary

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# English patterns: first contrast, then plain lists, which show how often a pair is listed at all.
PATTERNS = (
    "from X to Y",
    "from the X to the Y",
    "either X or Y",
    "neither X nor Y",
    "both X and Y",
    "between X and Y",
    "between the X and the Y",
    "whether X or Y",
    "X rather than Y",
    "X instead of Y",
    "X versus Y",
    "X vs Y",
    "X as opposed to Y",
    "X and not Y",
    "not X but Y",
    "X but not Y",
    "not X or Y",
    "more X than Y",
    "X as well as Y",
    "the X and the Y",
    "the X or the Y",
    "X and Y alike",
    "X and or Y",
    "X or Y",
    "X nor Y",
    "X and Y",
)
_X, _Y, _END = -1, -2, -3  # in place of word ids: the two slots, and the padding after a pattern
_UNKNOWN = -4  # a word that is not in the corpus


@dataclass(frozen=True, eq=False)
class PatternCounts:
    """Counts of word pairs in patterns, the result of `count_patterns`.

    Attributes:
        vocabulary: words of the corpus.
        patterns: P patterns.
        keys: (n,) int64, ascending: (pattern V + lower id) V + higher id.
        counts: (n,) int64, counts of both orders together.
    """

    vocabulary: Vocabulary
    patterns: tuple[str, ...]
    keys: Ids
    counts: Ids

    __repr__ = brief_repr

    def __len__(self) -> int:
        """Return the number of distinct pairs, summed over the patterns."""
        return len(self.keys)

    @cached_property
    def totals(self) -> Floats:
        """Number of matches of each pattern, (P,)."""
        sums = np.bincount(self._parts[0], weights=self.counts, minlength=len(self.patterns))
        return sums.astype(np.float64)

    @cached_property
    def of_words(self) -> Floats:
        """Count of each word in either slot of each pattern, (P, V)."""
        pattern, first, second = self._parts
        words, shape = len(self.vocabulary), (len(self.patterns), len(self.vocabulary))
        sums = [
            np.bincount(pattern * words + word, weights=self.counts, minlength=shape[0] * words)
            for word in (first, second)
        ]
        return np.asarray((sums[0] + sums[1]).reshape(shape))

    def of_pairs(self, pairs: Sequence[Pair]) -> Floats:
        """Return the count of n pairs in each pattern, in both orders together, (n, P); 0 for unknown words."""
        ids = self._ids(pairs)
        words = len(self.vocabulary)
        codes = np.sort(ids, axis=1) @ np.array([words, 1])
        keys = np.arange(len(self.patterns)) * words**2 + codes[:, None]
        indices = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        matches = np.equal(self.keys[indices], keys) & (ids.min(axis=1) >= 0)[:, None]
        return np.where(matches, self.counts[indices], 0).astype(np.float64)

    def association(self, pairs: Sequence[Pair]) -> Floats:
        """Return the association of n pairs with patterns (see the module's docstring), (n, P) in nats, at least 0."""
        first, second = self._ids(pairs).T
        margins = self.of_words.T  # (V, P); id -1, an unknown word, has pair counts of 0
        return _association(self.of_pairs(pairs), margins[first], margins[second], self.totals)

    def partners(self, word: str) -> tuple[list[str], Floats]:
        """Return the n words that match any pattern together with a word, and their associations (n, P)."""
        number = place_of(word, self.vocabulary.ids)
        word_id = -1 if number is None else number
        _, first, second = self._parts
        ids = np.unique(np.concatenate([second[first == word_id], first[second == word_id]]))
        words = [self.vocabulary.words[i] for i in ids.tolist()]
        return words, self.association([(word, partner) for partner in words])

    @cached_property
    def _parts(self) -> tuple[Ids, Ids, Ids]:
        """Pattern, lower word and higher word of each key."""
        words = len(self.vocabulary)
        return self.keys // words**2, self.keys // words % words, self.keys % words

    def _ids(self, pairs: Sequence[Pair]) -> Ids:
        ids = self.vocabulary.ids
        return np.array([(ids.get(first, -1), ids.get(second, -1)) for first, second in pairs], np.int64).reshape(-1, 2)


@explained
def count_patterns(
    corpus: Corpus | Any,
    patterns: Iterable[str] = PATTERNS,
    *,
    progress: Progress = None,
    **text: Unpack[TextArguments],
) -> PatternCounts:
    """Count the word pairs that match patterns.

    Args:
        corpus: the encoded text, or any input of `Corpus.build`: a path, texts, lists of tokens, a table.
        patterns: patterns such as "from X to Y": words, with X and Y once each. A pattern with a word that is not in
            the corpus has no matches.
        progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
        **text: options of `Corpus.build` for a text that is not a corpus yet, such as min_count=2, column="body".

    Raises:
        OptionError: a pattern lacks X, Y or a word; or there are no patterns.
        CorpusError: no pattern matches.
    """
    patterns = tuple(dict.fromkeys(" ".join(pattern.split()) for pattern in patterns))
    corpus = as_corpus(corpus, text, progress=progress)
    table = _Table.of(patterns, corpus.vocabulary)
    with reporting(progress) as report:
        compiling(lambda: table.matches(corpus.ids[:0], corpus.offsets[:1]), report)
        report(Status(stage="matching patterns", total=corpus.num_tokens))
        matches = table.matches(corpus.ids, corpus.offsets)
    if not len(matches):
        raise CorpusError(
            f"{corpus.num_tokens:,} tokens contain none of {len(patterns)} patterns, such as {patterns[0]!r}: expected "
            "more text, in the patterns' language, including function words"
        )
    keys, counts = np.unique(matches, return_counts=True)
    return PatternCounts(corpus.vocabulary, patterns, keys, counts)


@dataclass(frozen=True)
class _Table:
    """Patterns for the kernel.

    Attributes:
        tokens: (P, L) word ids, or the marks above.
        anchors: (P,) position of each pattern's first word.
        starts: (V + 1,) start in `order` of the patterns with each first word.
        order: (P,) patterns sorted by their first word.
    """

    tokens: npt.NDArray[np.int32]
    anchors: Ids
    starts: Ids
    order: Ids

    @classmethod
    def of(cls, patterns: Sequence[str], vocabulary: Vocabulary) -> "_Table":
        if not patterns:
            raise OptionError("no patterns: expected at least one, such as 'from X to Y'")
        rows = [_encoded(pattern, vocabulary) for pattern in patterns]
        tokens = np.full((len(rows), max(map(len, rows))), _END, dtype=np.int32)
        for line, row in zip(tokens, rows, strict=True):
            line[: len(row)] = row
        anchors = np.argmax((tokens >= 0) | (tokens == _UNKNOWN), axis=1)
        first = tokens[np.arange(len(rows)), anchors]
        possible = np.flatnonzero((tokens != _UNKNOWN).all(axis=1))
        order = possible[np.argsort(first[possible], kind="stable")]
        starts = np.searchsorted(first[order], np.arange(len(vocabulary) + 1))
        return cls(tokens, anchors, starts, order)

    def matches(self, ids: npt.NDArray[np.int32], offsets: Ids) -> Ids:
        """Return the key of each match, in the order of the text."""
        keys = np.empty(0, dtype=np.int64)
        for _ in range(2):  # the first pass counts, the second one writes
            count = find_matches(ids, offsets, self.tokens, self.anchors, self.starts, self.order, keys)
            keys = keys if len(keys) else np.empty(count, dtype=np.int64)
        return keys


def _encoded(pattern: str, vocabulary: Vocabulary) -> list[int]:
    tokens = pattern.split()
    if tokens.count("X") != 1 or tokens.count("Y") != 1 or len(tokens) < 3:
        raise OptionError(f"pattern {pattern!r}: expected words with X and Y once each, such as 'from X to Y'")
    special_ids = {"X": _X, "Y": _Y}
    return [special_ids.get(token, vocabulary.ids.get(token, _UNKNOWN)) for token in tokens]


def _association(together: Floats, first: Floats, second: Floats, totals: Floats) -> Floats:
    """Return the association of the module's docstring, elementwise over (n, P)."""
    smaller = np.minimum(first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(2 * totals * together / (first * second))
    discount = together / (together + 1) * smaller / (smaller + 1)
    return np.where(together > 0, np.maximum(pmi, 0) * discount, 0.0)


@compiled
def find_matches(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    offsets: npt.NDArray[np.int64],  # (S + 1,) starts of sentences
    tokens: npt.NDArray[np.int32],  # (P, L) words of patterns, and marks
    anchors: npt.NDArray[np.int64],  # (P,) position of each pattern's first word
    starts: npt.NDArray[np.int64],  # (V + 1,) start in `order` of the patterns with each first word
    order: npt.NDArray[np.int64],  # patterns sorted by their first word
    keys: npt.NDArray[np.int64],  # written up to its length: one key per match
) -> int:
    """Find all matches of the patterns; return their number."""
    words, count = np.int64(len(starts) - 1), 0
    for sentence in range(len(offsets) - 1):
        begin, end = offsets[sentence], offsets[sentence + 1]
        for position in range(begin, end):
            word = ids[position]
            for k in range(starts[word], starts[word + 1]):
                pattern = order[k]
                at, x, y = position - anchors[pattern], -1, -1
                fits = at >= begin
                for i in range(tokens.shape[1]):
                    token = tokens[pattern, i]
                    if token == _END or not fits:
                        break
                    if at + i >= end:
                        fits = False
                    elif token == _X:
                        x = ids[at + i]
                    elif token == _Y:
                        y = ids[at + i]
                    else:
                        fits = token == ids[at + i]
                if fits and x != y:
                    if count < len(keys):
                        keys[count] = (pattern * words + min(x, y)) * words + max(x, y)
                    count += 1
    return count
