"""Phrases: words that stand together more often than chance has it, joined into one.

What: a corpus in which `new york` is one word, `new_york`. Words that only connect ("of", "the") may stand inside a
phrase: `bank_of_america`. Several passes make longer phrases out of shorter ones.

Objective, with n_a, n_b how often two words stand in the corpus, n_ab how often b follows a, N all words, p = n / N:

    count  (n_ab - min_count) N / (n_a n_b)
    pmi    log(p_ab / (p_a p_b))
    npmi   log(p_ab / (p_a p_b)) / -log p_ab

A pair is a phrase where its score is above the threshold and n_ab is at least `min_count`.

Source: Mikolov et al. 2013 (NIPS), "Distributed representations of words and phrases and their compositionality",
section 4, equation 6, times N as in word2phrase.c; Church and Hanks 1990 (pmi); Bouma 2009, "Normalized (pointwise)
mutual information in collocation extraction", section 3 (npmi).

Departures: n_a is of all places of a word, connectors between it and the next as well; a threshold holds in every pass,
where word2phrase is called again with a lower one by hand.

Cost: a look at each token and pass; 8 bytes a token in memory. Words that the corpus leaves out are no words here
either: to find phrases between all words of a text, build its corpus with `min_count=1`.
"""

import functools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.derived import derive
from firth.corpus.encoded import Corpus
from firth.errors import FormatError, OptionError
from firth.kernels.cooccurrence import MOST_REACH, find_places
from firth.kernels.phrases import EMPTY, count_candidates, enter_phrases, join_phrases
from firth.kernels.threads import usable_threads
from firth.options import option, options_class
from firth.progress import Progress, Status, reporting
from firth.storage.checksums import stamped, unstamped
from firth.storage.files import beginning, check_replaceable, replacing_file
from firth.storage.untrusted import parse_json

THRESHOLDS = {"count": 100.0, "pmi": 5.0, "npmi": 0.5}
ENGLISH_CONNECTORS = (
    "a",
    "an",
    "the",
    "for",
    "of",
    "with",
    "without",
    "at",
    "from",
    "to",
    "in",
    "on",
    "by",
    "and",
    "or",
)
FORMAT, VERSION = "firth phrases", 1
EVERY_WORD = {"min_count": 1}  # of a text that is no corpus yet: rare words count as neighbours, too
BLOCK = 1 << 20  # tokens that are joined at once
PIECES = 16  # of the words, a thread: those that finish early take what is left


@options_class
class Phrases:
    """Detection of phrases: options that learn.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Mikolov et al. 2013 (NIPS), section 4; the module's docstring gives the formulas.
    """

    scoring: str = option("count", "how a pair is scored", choices=tuple(THRESHOLDS))
    threshold: float | None = option(
        None, "score above which a pair is a phrase; by default 100 (count), 5 (pmi), 0.5 (npmi)", minimum=-1e9
    )
    min_count: int = option(5, "fewest times that a pair must stand in the corpus", minimum=1)
    passes: int = option(1, "times that pairs are joined, each over what the one before made", minimum=1, maximum=10)
    connectors: tuple[str, ...] = option((), "words that may stand inside a phrase, and not at its ends")
    delimiter: str = option("_", "what stands between the words of a phrase")

    def __post_init__(self) -> None:
        options.check(self)
        words: Any = self.connectors
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise OptionError(f"connectors={self.connectors!r}: expected a list of words, such as ['of', 'the']")
        if not isinstance(self.delimiter, str) or not self.delimiter:
            raise OptionError(f"delimiter={self.delimiter!r}: expected a string that is not empty, such as '_'")

    def learn(
        self, corpus: Corpus | Any, *, threads: int | None = None, progress: Progress = None, **text: Any
    ) -> "PhraseTable":
        """Find the phrases of a corpus.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table; of that
                every word is kept.
            threads: how many; by default one a processor.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one.
        """
        many = usable_threads(threads)
        corpus = as_corpus(corpus, text, defaults=EVERY_WORD, progress=progress)
        table = PhraseTable([], tuple(self.connectors), self.delimiter)
        with reporting(progress) as report:
            for number in range(self.passes):
                report(Status(stage=f"finding phrases, pass {number + 1}/{self.passes}"))
                joined = _Text.of(corpus, table)
                found = self._score(joined, _candidates(joined, self.min_count, many))
                table = PhraseTable([*table.passes, found], table.connectors, table.delimiter)
                if not found:
                    break
        return table

    def _score(self, text: "_Text", found: npt.NDArray[np.int64]) -> dict[tuple[str, ...], tuple[int, float]]:
        place, size, together = found.T
        one, other = (text.counts[text.ids[at]].astype(np.float64) for at in (place, place + size - 1))
        words = float(len(text.ids))
        if self.scoring == "count":
            score = (together - self.min_count) * words / (one * other)
        else:
            score = np.log(together * words / (one * other))
            if self.scoring == "npmi":
                with np.errstate(divide="ignore", invalid="ignore"):
                    score = np.where(together < words, score / -np.log(together / words), 1.0)
        threshold = THRESHOLDS[self.scoring] if self.threshold is None else self.threshold
        kept = np.flatnonzero(score > threshold)
        named = [
            (
                tuple(text.words[i] for i in text.ids[place[k] : place[k] + size[k]].tolist()),
                int(together[k]),
                float(score[k]),
            )
            for k in kept.tolist()
        ]
        return {words: (count, value) for words, count, value in sorted(named, key=lambda each: (-each[2], each[0]))}


def _is_table(path: Path) -> bool:
    return json.dumps(FORMAT).encode() in beginning(path)


check_target = functools.partial(check_replaceable, is_ours=_is_table, what="files of phrases")


@dataclass(frozen=True)
class PhraseTable:
    """Phrases that were found: what `Phrases.learn` returns.

    Attributes:
        passes: for each pass its phrases, the best first: the words, how often they stand together, their score. A word
            may be a phrase of an earlier pass.
        connectors: words that may stand inside a phrase.
        delimiter: what stands between its words.
    """

    passes: Sequence[Mapping[tuple[str, ...], tuple[int, float]]]
    connectors: tuple[str, ...]
    delimiter: str

    def __len__(self) -> int:
        return sum(len(found) for found in self.passes)

    def __iter__(self) -> Iterator[tuple[str, int, float]]:
        """Yield each phrase, how often it stands in the corpus, and its score; the best first, pass by pass."""
        for found in self.passes:
            for words, (count, score) in found.items():
                yield self.delimiter.join(words), count, score

    def __contains__(self, phrase: object) -> bool:
        return any(phrase == found for found, _, _ in self)

    def join(self, tokens: Sequence[str]) -> list[str]:
        """Return a sentence in which phrases are one token each, from left to right.

        Args:
            tokens: its words.
        """
        inside = set(self.connectors)
        made = list(tokens)
        for found in self.passes:
            given, made, place = made, [], 0
            while place < len(given):
                after = place + 1
                if given[place] not in inside:
                    while after < len(given) and given[after] in inside:
                        after += 1
                candidate = tuple(given[place : after + 1])
                if candidate in found:
                    made.append(self.delimiter.join(candidate))
                    place = after + 1
                else:
                    made += given[place:after]
                    place = after
        return made

    def apply(
        self,
        corpus: Corpus | Any,
        *,
        min_count: int = 5,
        max_size: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        **text: Any,
    ) -> Corpus:
        """Return the corpus with phrases as words.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes.
            min_count: fewest times that a word or phrase must occur to be kept.
            max_size: most words to keep, the most frequent ones.
            cache: the folder that holds built corpora; FIRTH_CACHE or the user's cache folder where None.
            progress: as in `Phrases.learn`.
            **text: further options of `Corpus.build` for a text that is no corpus yet, such as column="body".

        Raises:
            CorpusError: no word is left, or the corpus cannot be written.
        """
        corpus = as_corpus(corpus, text, defaults=EVERY_WORD, progress=progress)
        with reporting(progress) as report:
            report(Status(stage="joining phrases"))
            before = _Text.of(corpus, PhraseTable(self.passes[:-1], self.connectors, self.delimiter))
            words, blocks = before.joined(self.passes[-1] if self.passes else {}, self.delimiter)
            return derive(corpus, words, blocks, min_count=min_count, max_size=max_size, cache=cache)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the phrases to a file of JSON.

        Args:
            path: of the file.

        Raises:
            OptionError: a file of something else is there.
            OSError: it cannot be written.
        """
        check_target(path)
        passes = [[[*words, count, score] for words, (count, score) in found.items()] for found in self.passes]
        told = {
            "format": FORMAT, "version": VERSION, "delimiter": self.delimiter, "connectors": self.connectors,
            "passes": passes,
        }  # fmt: skip
        with replacing_file(path) as file:
            file.write(json.dumps(stamped(told), ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "PhraseTable":
        """Read phrases from a file that `save` wrote.

        Args:
            path: of the file.

        Raises:
            FormatError: it holds something else.
        """
        try:
            told = unstamped(parse_json(Path(path).read_bytes()))
            if (told["format"], told["version"]) != (FORMAT, VERSION):
                raise ValueError(f"{told['format']!r} version {told['version']}")
            passes = [{tuple(row[:-2]): (int(row[-2]), float(row[-1])) for row in found} for found in told["passes"]]
            words = [
                told["delimiter"],
                *told["connectors"],
                *(word for found in passes for key in found for word in key),
            ]
            if not all(isinstance(word, str) for word in words) or any(
                len(key) < 2 for found in passes for key in found
            ):
                raise ValueError("phrases, connectors or a delimiter that are not words")
            return cls(passes, tuple(told["connectors"]), told["delimiter"])
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
            raise FormatError(
                f"{path}: not a file of phrases ({error}); expected what PhraseTable.save wrote"
            ) from error


@dataclass(frozen=True)
class _Text:
    """A corpus with the phrases of some passes joined."""

    words: Sequence[str]
    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    connectors: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, corpus: Corpus, table: PhraseTable) -> "_Text":
        """Return a corpus after all passes of a table."""
        words = list(corpus.vocabulary.words)
        inside = np.array([word in set(table.connectors) for word in words], dtype=bool)
        made = cls(words, corpus.ids, corpus.offsets, np.asarray(corpus.vocabulary.counts), inside)
        for found in table.passes:
            made = made._after(found, table.delimiter)
        return made

    def joined(
        self, found: Mapping[tuple[str, ...], Any], delimiter: str
    ) -> tuple[list[str], Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]]:
        """Return all words with the phrases behind them, and the text as numbers of those, a block at a time.

        Each block ends every sentence with -1; the second array are the counts of the words up to there.
        """
        place = {word: i for i, word in enumerate(self.words)}
        known = [words for words in found if all(word in place for word in words)]
        tokens = np.array([place[word] for words in known for word in words], dtype=np.int32)
        ends = np.cumsum([0, *(len(words) for words in known)])
        table = np.full(1 << (2 * len(known) + 1).bit_length(), EMPTY, dtype=np.int64)
        enter_phrases(tokens, ends, table)
        named = [*self.words, *(delimiter.join(words) for words in known)]

        def blocks() -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
            counts = np.zeros(len(named), dtype=np.int64)
            first = 0
            while first < len(self.offsets) - 1:
                last = int(np.searchsorted(self.offsets, self.offsets[first] + BLOCK, side="right")) - 1
                last = min(max(last, first + 1), len(self.offsets) - 1)
                size = int(self.offsets[last] - self.offsets[first]) + last - first
                numbers, some = np.empty(size, dtype=np.int32), self.offsets[first : last + 1]
                n = join_phrases(self.ids, some, self.connectors, tokens, ends, table, numbers, counts)
                yield numbers[:n], counts
                first = last

        return named, blocks()

    def _after(self, found: Mapping[tuple[str, ...], Any], delimiter: str) -> "_Text":
        words, blocks = self.joined(found, delimiter)
        parts, counts = [], np.zeros(len(words), dtype=np.int64)
        for numbers, so_far in blocks:
            parts.append(numbers)
            counts = so_far
        numbers = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        ends = np.flatnonzero(numbers < 0)
        offsets = np.concatenate([[0], ends - np.arange(len(ends))])
        connectors = np.concatenate([self.connectors, np.zeros(len(words) - len(self.words), dtype=bool)])
        return _Text(words, numbers[numbers >= 0], offsets, counts, connectors)


def _candidates(text: _Text, least: int, threads: int) -> npt.NDArray[np.int64]:
    """Return the candidates that stand there at least so often, (C, 3): a place of each, its words, its count."""
    words = len(text.words)
    starts = np.concatenate([[0], np.cumsum(text.counts)])
    places = np.empty(starts[-1], dtype=np.int64)
    reach = MOST_REACH if text.connectors.any() else 1
    find_places(text.ids, text.offsets, 0, words, starts, 0, reach, places)
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], PIECES * threads + 1)).tolist()

    def count(first: int, last: int) -> npt.NDArray[np.int64]:
        # Of n places of a word, each candidate takes at least `least`.
        found = np.empty((int((text.counts[first:last] // least).sum()), 3), dtype=np.int64)
        n = count_candidates(text.ids, first, last, 0, starts, places, text.connectors, least, found)
        return found[:n].copy()

    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(count, [0, *cuts[1:-1]], [*cuts[1:-1], words])))
