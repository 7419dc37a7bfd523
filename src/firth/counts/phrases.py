"""Phrase detection: words that occur together more often than by chance become one token.

What: a corpus in which `new york` is one word, `new_york`. Connector words ("of", "the") may occur inside a phrase:
`bank_of_america`. Several passes build longer phrases from shorter ones.

Objective, with n_a, n_b the counts of two words, n_ab the count of b after a, N the number of words, p = n / N:

    count  (n_ab - min_count) N / (n_a n_b)
    pmi    log(p_ab / (p_a p_b))
    npmi   log(p_ab / (p_a p_b)) / -log p_ab

A pair is a phrase if its score exceeds the threshold and n_ab is at least `min_count`.

Source: Mikolov et al. 2013 (NIPS), "Distributed representations of words and phrases and their compositionality",
section 4, equation 6, times N as in word2phrase.c; Church and Hanks 1990 (pmi); Bouma 2009, "Normalized (pointwise)
mutual information in collocation extraction", section 3 (npmi).

Departures: n_a counts all positions of a word, also those followed by connectors. The same threshold holds in every
pass; word2phrase is called again with a lower one by hand.

Cost: one look at each token per pass; 8 bytes per token in memory. Words that the corpus leaves out are ignored: to
find phrases among all words of a text, build its corpus with `min_count=1`.
"""

import functools
import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained, names_files
from firth.corpus.as_corpus import as_corpus, derive
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments, TokenTextArguments
from firth.errors import ArgumentTypeError, FormatError, OptionError, brief
from firth.hints import Hinted
from firth.kernels.compiled import read_only
from firth.kernels.cooccurrence import MOST_REACH, find_positions
from firth.kernels.phrases import EMPTY, count_candidates, enter_phrases, join_phrases
from firth.kernels.threads import usable_threads
from firth.options import option, options_class
from firth.progress import Progress, Status, reporting
from firth.storage.checksums import unstamped, with_checksum
from firth.storage.files import check_replaceable, first_bytes, replacing_file
from firth.storage.untrusted import file_bytes, parse_json

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
EVERY_WORD = {"min_count": 1}  # default options of a text: rare words count as neighbours, too
BLOCK = 1 << 20  # tokens joined at once
CHUNKS_PER_THREAD = 16  # chunks of words; threads that finish early take the next


@options_class
class Phrases:
    """Options of phrase detection.

    Source:
        Mikolov et al. 2013 (NIPS), section 4; the module's docstring gives the formulas.
    """

    scoring: str = option("count", "score of a pair of words", choices=tuple(THRESHOLDS))
    threshold: float | None = option(
        None, "score above which a pair is a phrase; by default 100 (count), 5 (pmi), 0.5 (npmi)", minimum=-1e9
    )
    min_count: int = option(5, "minimum count of a pair in the corpus", minimum=1)
    passes: int = option(
        1, "number of passes; each pass joins pairs in the result of the one before", minimum=1, maximum=10
    )
    connectors: tuple[str, ...] = option((), "connector words, which may occur inside a phrase but not at its ends")
    delimiter: str = option("_", "delimiter between the words of a phrase")

    def __post_init__(self) -> None:
        options.check(self)
        words: Any = self.connectors
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise OptionError(f"connectors={self.connectors!r}: expected a list of words, such as ['of', 'the']")
        if not isinstance(self.delimiter, str) or not self.delimiter:
            raise OptionError(f"delimiter={self.delimiter!r}: expected a non-empty string, such as '_'")

    @explained(min_count=1)
    def learn(
        self,
        corpus: Corpus | Any,
        *,
        threads: int | None = None,
        progress: Progress = None,
        **text: Unpack[TextArguments],
    ) -> "PhraseTable":
        """Find the phrases of a corpus.

        Args:
            corpus: a corpus, or any source that `Corpus.build` takes, of which every word is kept.
            **text: options of `Corpus.build`, such as min_count=2 or column="body", for a source that is not a corpus.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one.
        """
        threads = usable_threads(threads)
        corpus = as_corpus(corpus, text, defaults=EVERY_WORD, progress=progress)
        table = PhraseTable([], tuple(self.connectors), self.delimiter)
        with reporting(progress) as report:
            for number in range(self.passes):
                report(Status(stage=f"finding phrases, pass {number + 1}/{self.passes}"))
                phrase_text = _Text.of(corpus, table)
                phrases = self._score(phrase_text, _candidates(phrase_text, self.min_count, threads))
                table = PhraseTable([*table.passes, phrases], table.connectors, table.delimiter)
                if not phrases:
                    break
        return table

    def _score(self, text: "_Text", candidates: npt.NDArray[np.int64]) -> dict[tuple[str, ...], tuple[int, float]]:
        position, size, together = candidates.T
        first, last = (text.counts[text.ids[at]].astype(np.float64) for at in (position, position + size - 1))
        words = float(len(text.ids))
        if self.scoring == "count":
            score = (together - self.min_count) * words / (first * last)
        else:
            score = np.log(together * words / (first * last))
            if self.scoring == "npmi":
                with np.errstate(divide="ignore", invalid="ignore"):
                    score = np.where(together < words, score / -np.log(together / words), 1.0)
        threshold = THRESHOLDS[self.scoring] if self.threshold is None else self.threshold
        above = np.flatnonzero(score > threshold)
        phrases = [
            (
                tuple(text.words[i] for i in text.ids[position[k] : position[k] + size[k]].tolist()),
                int(together[k]),
                float(score[k]),
            )
            for k in above.tolist()
        ]
        return {
            words: (count, value) for words, count, value in sorted(phrases, key=lambda phrase: (-phrase[2], phrase[0]))
        }


def _is_table(path: Path) -> bool:
    return json.dumps(FORMAT).encode() in first_bytes(path)


check_target = functools.partial(check_replaceable, is_ours=_is_table, what="files of phrases")


@dataclass(frozen=True, repr=False)
class PhraseTable(Hinted):
    """Detected phrases: the result of `Phrases.learn`.

    Attributes:
        passes: the phrases of each pass, best first: words -> (count, score); a word may be a phrase of an earlier
            pass.
        connectors: words that may occur inside a phrase.
        delimiter: delimiter between the words of a phrase.
    """

    passes: Sequence[Mapping[tuple[str, ...], tuple[int, float]]]
    connectors: tuple[str, ...]
    delimiter: str

    def __len__(self) -> int:
        return sum(len(phrases) for phrases in self.passes)

    def __iter__(self) -> Iterator[tuple[str, int, float]]:
        """Yield each phrase, its count and its score, pass by pass, best first."""
        for phrases in self.passes:
            for words, (count, score) in phrases.items():
                yield self.delimiter.join(words), count, score

    def __repr__(self) -> str:
        first = ", ".join(repr(phrase) for phrase, _, _ in itertools.islice(self, 3))
        return f"<PhraseTable: {len(self):,} phrases{': ' if first else ''}{first}{' ...' if len(self) > 3 else ''}>"

    if not TYPE_CHECKING:

        def __getitem__(self, tokens: object) -> None:  # gensim's way
            raise ArgumentTypeError(
                f"table[{brief(tokens)}]: a table of phrases has no items; use table.join(tokens) for a sentence, or "
                "table.apply(corpus)"
            )

    def __contains__(self, phrase: object) -> bool:
        return any(phrase == table_phrase for table_phrase, _, _ in self)

    def join(self, tokens: Sequence[str]) -> list[str]:
        """Join the phrases of a sentence, from left to right.

        Args:
            tokens: the words of the sentence.
        """
        connectors = set(self.connectors)
        joined = list(tokens)
        for phrases in self.passes:
            words, joined, position = joined, [], 0
            while position < len(words):
                after = position + 1
                if words[position] not in connectors:
                    while after < len(words) and words[after] in connectors:
                        after += 1
                candidate = tuple(words[position : after + 1])
                if candidate in phrases:
                    joined.append(self.delimiter.join(candidate))
                    position = after + 1
                else:
                    joined += words[position:after]
                    position = after
        return joined

    @explained
    def apply(
        self,
        corpus: Corpus | Any,
        *,
        min_count: int | None = None,
        max_size: int | None = None,
        column: str | int | None = None,
        cache: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        **text: Unpack[TokenTextArguments],
    ) -> Corpus:
        """Return the corpus with phrases as words.

        Args:
            corpus: a corpus, or any source that `Corpus.build` takes.
            min_count: minimum count of a word or phrase to be kept; by default chosen from the size of the text.
            max_size: maximum vocabulary size: the most frequent words are kept.
            column: the column with texts or lists of tokens, for a table.
            cache: folder of built corpora; FIRTH_CACHE or the user's cache folder if None.
            **text: other options of `Corpus.build`, for a source that is not a corpus.

        Raises:
            CorpusError: no word is left, or the corpus cannot be written.
        """
        given = text if column is None else {**text, "column": column}
        corpus = as_corpus(corpus, given, defaults=EVERY_WORD, progress=progress)
        with reporting(progress) as report:
            report(Status(stage="joining phrases"))
            before = _Text.of(corpus, PhraseTable(self.passes[:-1], self.connectors, self.delimiter))
            words, blocks = before.join(self.passes[-1] if self.passes else {}, self.delimiter)
            return derive(corpus, words, blocks, min_count=min_count, max_size=max_size, cache=cache)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the phrases as JSON.

        Raises:
            OptionError: the path is a file with other content.
            OSError: the file cannot be written.
        """
        check_target(path)
        passes = [[[*words, count, score] for words, (count, score) in phrases.items()] for phrases in self.passes]
        content = {
            "format": FORMAT, "version": VERSION, "delimiter": self.delimiter, "connectors": self.connectors,
            "passes": passes,
        }  # fmt: skip
        with replacing_file(path) as file:
            text = json.dumps(with_checksum(content), ensure_ascii=False, indent=1)
            file.write(text.encode("utf-8", "surrogatepass"))

    @classmethod
    @names_files
    def open(cls, path: str | os.PathLike[str]) -> "PhraseTable":
        """Open phrases saved by `save`.

        Raises:
            FormatError: the file is damaged or holds something else.
        """
        try:
            content = unstamped(parse_json(file_bytes(Path(path))))
            if (content["format"], content["version"]) != (FORMAT, VERSION):
                raise ValueError(f"{content['format']!r} version {content['version']}")
            passes = [{tuple(row[:-2]): (int(row[-2]), float(row[-1])) for row in rows} for rows in content["passes"]]
            words = [
                content["delimiter"],
                *content["connectors"],
                *(word for phrases in passes for phrase in phrases for word in phrase),
            ]
            if not all(isinstance(word, str) for word in words) or any(
                len(phrase) < 2 for phrases in passes for phrase in phrases
            ):
                raise ValueError("phrases, connectors or a delimiter that are not words")
            return cls(passes, tuple(content["connectors"]), content["delimiter"])
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
            raise FormatError(
                f"{path}: not a file of phrases ({error}); expected a file saved by PhraseTable.save"
            ) from error


@dataclass(frozen=True)
class _Text:
    """A corpus in memory, with the phrases of some passes joined."""

    words: Sequence[str]
    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    connectors: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, corpus: Corpus, table: PhraseTable) -> "_Text":
        """Return a corpus after all passes of a table."""
        words = list(corpus.vocabulary.words)
        connectors = np.array([word in set(table.connectors) for word in words], dtype=bool)
        text = cls(words, corpus.ids, corpus.offsets, np.asarray(corpus.vocabulary.counts), connectors)
        for phrases in table.passes:
            text = text._joined(phrases, table.delimiter)
        return text

    def join(
        self, phrases: Mapping[tuple[str, ...], Any], delimiter: str
    ) -> tuple[list[str], Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]]:
        """Return the words and phrases, and blocks of the text as their ids.

        In a block -1 ends each sentence; the second array holds the counts so far.
        """
        ids = {word: i for i, word in enumerate(self.words)}
        joinable = [words for words in phrases if all(word in ids for word in words)]
        tokens = np.array([ids[word] for words in joinable for word in words], dtype=np.int32)
        ends = np.cumsum([0, *(len(words) for words in joinable)])
        table = np.full(1 << (2 * len(joinable) + 1).bit_length(), EMPTY, dtype=np.int64)
        enter_phrases(tokens, ends, table)
        names = [*self.words, *(delimiter.join(words) for words in joinable)]

        def blocks() -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
            counts = np.zeros(len(names), dtype=np.int64)
            first = 0
            while first < len(self.offsets) - 1:
                last = int(np.searchsorted(self.offsets, self.offsets[first] + BLOCK, side="right")) - 1
                last = min(max(last, first + 1), len(self.offsets) - 1)
                size = int(self.offsets[last] - self.offsets[first]) + last - first
                numbers, offsets = np.empty(size, dtype=np.int32), self.offsets[first : last + 1]
                n = join_phrases(self.ids, offsets, self.connectors, tokens, ends, table, numbers, counts)
                yield numbers[:n], counts
                first = last

        return names, blocks()

    def _joined(self, phrases: Mapping[tuple[str, ...], Any], delimiter: str) -> "_Text":
        words, blocks = self.join(phrases, delimiter)
        parts, counts = [], np.zeros(len(words), dtype=np.int64)
        for numbers, so_far in blocks:
            parts.append(numbers)
            counts = so_far
        numbers = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        ends = np.flatnonzero(numbers < 0)
        offsets = np.concatenate([[0], ends - np.arange(len(ends))])
        connectors = np.concatenate([self.connectors, np.zeros(len(words) - len(self.words), dtype=bool)])
        return _Text(words, read_only(numbers[numbers >= 0]), read_only(offsets), counts, connectors)


def _candidates(text: _Text, least: int, threads: int) -> npt.NDArray[np.int64]:
    """Return candidates with at least this count, (C, 3): a position, the number of words and the count of each."""
    words = len(text.words)
    starts = np.concatenate([[0], np.cumsum(text.counts)])
    positions = np.empty(starts[-1], dtype=np.int64)
    reach = MOST_REACH if text.connectors.any() else 1
    find_positions(text.ids, text.offsets, 0, words, starts, 0, reach, positions)
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], CHUNKS_PER_THREAD * threads + 1)).tolist()

    def count(first: int, last: int) -> npt.NDArray[np.int64]:
        # Each candidate takes at least `least` of the positions of its first word.
        candidates = np.empty((int((text.counts[first:last] // least).sum()), 3), dtype=np.int64)
        n = count_candidates(text.ids, first, last, 0, starts, positions, text.connectors, least, candidates)
        return candidates[:n].copy()

    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(count, [0, *cuts[1:-1]], [*cuts[1:-1], words])))
