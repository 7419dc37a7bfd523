"""Two groups of documents as one encoded text: the same words, and counts in each group.

What: texts are encoded with all of their words, so that each word has a count in both groups, however rare it is there.
Words that both groups together have less than `min_count` times are left out. The groups can then be divided anew at
will: a division copies ids, and encodes nothing.

Cost: 4 bytes per token and 8 per sentence, in a folder, mapped.
"""

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import size_defaults
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.corpus.options import is_learned
from firth.errors import CorpusError, OptionError, RareWordError, UnknownWordError, brief
from firth.kernels.compiled import read_only
from firth.kernels.scan import count_ids
from firth.progress import Progress
from firth.randomness import generator
from firth.runs.samples import units_of
from firth.storage.untrusted import mapped_numbers
from firth.vectors.lexicon import Lexicon
from firth.vocabulary import Vocabulary

Ints = npt.NDArray[np.int64]

BLOCK = 1 << 20  # tokens mapped at once
COMPARED = 5  # least count by default of a word in each group to be compared: what fewer contexts say is chance
_IDS, _OFFSETS = "ids.bin", "offsets.bin"
_SEVERAL = "several in each group: a folder with a file for each, such as chapters, a list of texts or a table"
_TRIES = 1000  # random divisions that were there before, in a row


@dataclass(frozen=True)
class Tally:
    """How often all words stand in each of two groups, those that are not compared, too.

    Attributes:
        names: of the groups.
        vocabularies: of the groups.
        floors: counts from which a group's vocabulary has words; 1 for all.
        min_count: count that a word must have in each group to be compared.
    """

    names: tuple[str, str]
    vocabularies: tuple[Vocabulary, Vocabulary]
    floors: tuple[int, int]
    min_count: int

    def in_each(self, word: str) -> tuple[int, int]:
        """Return how often a word stands in each group; 0 where its vocabulary lacks it."""
        first, second = (int(v.counts[v.ids[word]]) if word in v else 0 for v in self.vocabularies)
        return first, second

    def rare(self, word: str) -> RareWordError | None:
        """Return the error for a word that is not compared; None for one that is in neither group."""
        counts = self.in_each(word)
        if not any(counts):
            return None
        there = [
            f"{count:,}" if count or floor == 1 else f"less than {floor:,}"
            for count, floor in zip(counts, self.floors, strict=True)
        ]
        which = [i for i in (0, 1) if counts[i] < self.min_count]
        if len(which) == 1:
            (i,) = which
            where = f"in {self.names[i]}: {there[i]} there, {there[1 - i]} in {self.names[1 - i]}"
        else:
            where = f"in both groups: {there[0]} in {self.names[0]}, {there[1]} in {self.names[1]}"
        wanted = f"expected at least {self.min_count:,} in each; lower min_count={self.min_count}, or use longer texts"
        if not which:  # its documents are so few that random groups do not have it on both sides
            where, wanted = where.replace("in both groups", "in too few documents"), "use more documents"
        return RareWordError(word, f"{brief(word)} is too rare {where}; {wanted}")

    def unknown(self, word: str, compared: Lexicon) -> UnknownWordError:
        """Return the error for a word that is not among the compared ones: too rare in a group, or in neither."""
        forms = [word, *(compared.forms(word) if compared.forms is not None else ())]
        errors = (self.rare(form) for form in forms)
        return next((error for error in errors if error is not None), None) or compared.unknown(word)


@dataclass(frozen=True)
class Groups:
    """Two groups of documents.

    Attributes:
        corpus: the documents of the first group, then those of the second.
        sizes: number of documents in each.
        tokens: number of words in each.
        unit: plural noun for what takes the place of documents.
        counts: (2, V) of the words in each.
        tally: the counts of all words in each, those left out, too.
    """

    corpus: Corpus
    sizes: tuple[int, int]
    tokens: tuple[int, int]
    unit: str
    counts: Ints
    tally: Tally

    @classmethod
    def read(
        cls,
        sources: Sequence[Any],
        names: tuple[str, str],
        text: Mapping[str, Any],
        folder: Path,
        *,
        defaults: Mapping[str, Any] | None,
        threads: int,
        progress: Progress,
    ) -> "Groups":
        """Encode two texts; see `read_texts` and `of`."""
        parts, limits = read_texts(sources, text, defaults=defaults, threads=threads, progress=progress)
        return cls.of(parts, names, limits, folder)

    @classmethod
    def of(
        cls, parts: Sequence[Corpus], names: tuple[str, str], limits: Mapping[str, int | None], folder: Path
    ) -> "Groups":
        """Return two texts as one.

        Args:
            limits: `min_count` and `max_size` of both texts together.
            folder: for the text; it must stay as long as it is used.

        Raises:
            OptionError: the texts are read in different ways, or a group has a single document.
            CorpusError: there are no common words.
        """
        _check_alike(parts, names)
        unit = _common_unit(parts, names)
        floors = (_floor(parts[0]), _floor(parts[1]))
        least = limits["min_count"]
        rule = max(size_defaults.min_count(min(part.num_tokens for part in parts)), *floors)
        least, wanted = (rule, max(rule, COMPARED)) if least is None else (least, least)
        corpus, counts = _pooled(parts, least, limits["max_size"], folder)
        if (counts.min(axis=0) >= wanted).sum() < 2:
            raise CorpusError(
                f"fewer than two words stand {wanted:,} times in {names[0]} and as often in {names[1]}; expected "
                f"longer texts of one language, or lower min_count={wanted}"
            )
        return cls(
            corpus,
            (len(units_of(parts[0])), len(units_of(parts[1]))),
            (int(counts[0].sum()), int(counts[1].sum())),
            unit,
            counts,
            Tally(names, (parts[0].vocabulary, parts[1].vocabulary), floors, wanted),
        )

    def compared(self) -> npt.NDArray[np.bool_]:
        """Return which words stand in both groups often enough, (V,)."""
        return np.asarray((self.counts >= self.tally.min_count).all(axis=0))

    def refusal(self, word: str) -> UnknownWordError | None:
        """Return the error for a word that is not compared; None for one that is."""
        compared = Lexicon([self.corpus.vocabulary.words[row] for row in np.flatnonzero(self.compared()).tolist()])
        tokens = self.corpus.options.tokens
        compared.read_by(tokens if isinstance(tokens, str) else None)
        return None if compared.row_of(word) is not None else self.tally.unknown(word, compared)

    def given(self) -> tuple[Ints, Ints]:
        """Return the documents of each group."""
        first, second = self.sizes
        return np.arange(first), np.arange(first, first + second)

    def divisions(self, number: int, seed: int) -> list[tuple[Ints, Ints]]:
        """Return random divisions of the documents into groups of the same sizes, each another one.

        Raises:
            OptionError: there are not as many.
        """
        first, whole = self.sizes[0], sum(self.sizes)
        ways = math.comb(whole, first) // (2 if 2 * first == whole else 1) - 1
        if ways < number:
            raise OptionError(
                f"permutations={number}: {self.sizes[0]} and {self.sizes[1]} {self.unit} can be divided anew in "
                f"{ways} ways only; expected more {self.unit}: build the groups from shorter ones, such as chapters"
            )
        seen, divisions = {self._key(np.arange(first))}, []
        for k in range(number * _TRIES):
            order = generator(seed, f"division {k}").permutation(whole)
            parts = np.sort(order[:first]), np.sort(order[first:])
            if (key := self._key(parts[0])) not in seen:
                seen.add(key)
                divisions.append(parts)
            if len(divisions) == number:
                break
        return divisions

    def _key(self, first: Ints) -> bytes:
        """Return what two divisions have in common that differ in the order of the groups alone."""
        inside = np.zeros(sum(self.sizes), dtype=bool)
        inside[first] = True
        if self.sizes[0] == self.sizes[1] and not inside[0]:
            inside = ~inside
        return inside.tobytes()

    def resampled(self, seed: int) -> tuple[Ints, Ints]:
        """Return documents of each group drawn with replacement."""
        first, second = self.sizes
        draw = generator(seed, "documents").integers
        return np.sort(draw(0, first, first)), np.sort(draw(first, first + second, second))


def read_texts(
    sources: Sequence[Any],
    text: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any] | None,
    threads: int,
    progress: Progress,
) -> tuple[list[Corpus], dict[str, int | None]]:
    """Encode texts with all of their words; return them, and the limits of the words of two of them together.

    Args:
        sources: corpora, or whatever `Corpus.build` takes.
        text: options of `Corpus.build`; `min_count` and `max_size` are the limits.
        defaults: options of the text that the model needs.

    Raises:
        OptionError: an option has no meaning for several texts.
        CorpusError: a text cannot be read.
    """
    options = {**(defaults or {}), **text}
    limits = {name: options.pop(name, None) for name in ("min_count", "max_size")}
    given = {name: value for name, value in text.items() if name not in limits}
    if is_learned(options.get("tokens")):
        raise OptionError(
            f"tokens={options['tokens']!r} would be learned from each group by itself, and differ; expected words, "
            "or firth.Subwords learned from both"
        )
    if options.get("unknown") is not None:
        raise OptionError(
            f"unknown={options['unknown']!r}: a contrast leaves rare words out, and has no word for them; leave it out"
        )
    whole = {**options, "min_count": 1}
    parts = [
        as_corpus(source, given if isinstance(source, Corpus) else whole, threads=threads, progress=progress)
        for source in sources
    ]
    return parts, limits


def _floor(corpus: Corpus) -> int:
    return max(corpus.options.min_count or 1, 1)


def _check_alike(parts: Sequence[Corpus], names: tuple[str, str]) -> None:
    first, second = (part.options.described() for part in parts)
    for name in first.keys() | second.keys():
        if name not in ("min_count", "max_size") and first.get(name) != second.get(name):
            raise OptionError(
                f"{name} is {first.get(name)!r} in the corpus {names[0]} and {second.get(name)!r} in {names[1]}; "
                "expected two corpora that were built with the same options"
            )


def _common_unit(parts: Sequence[Corpus], names: tuple[str, str]) -> str:
    """Return what the documents of both groups are called."""
    units = [units_of(part) for part in parts]
    if units[0].name != units[1].name:
        single = names[[own.name for own in units].index("sentences")]
        raise OptionError(
            f"{single} is one text, or one file, whose documents are not known, and the other group has several; "
            f"expected {_SEVERAL}"
        )
    for name, own in zip(names, units, strict=True):
        if len(own) < 2:
            raise OptionError(
                f"{name} is a single {own.name[:-1]}: what chance does cannot be told from it; expected {_SEVERAL}"
            )
    return units[0].name


def _pooled(parts: Sequence[Corpus], least: int, most: int | None, folder: Path) -> tuple[Corpus, Ints]:
    """Write both texts one after the other; return them with the counts (2, V) of the words."""
    words = list(dict.fromkeys(word for part in parts for word in part.vocabulary.words))
    union = {word: i for i, word in enumerate(words)}
    rows = [np.fromiter((union[word] for word in part.vocabulary.words), np.int64) for part in parts]
    total = np.zeros(len(words), dtype=np.int64)
    for part, own in zip(parts, rows, strict=True):
        total[own] += part.vocabulary.counts
    kept = sorted(np.flatnonzero(total >= least).tolist(), key=lambda i: (-total[i], words[i]))[:most]
    new = np.full(len(words), -1, dtype=np.int32)
    new[kept] = np.arange(len(kept), dtype=np.int32)
    counts, end = np.zeros((2, len(kept)), dtype=np.int64), 0
    try:
        with (folder / _IDS).open("wb") as ids, (folder / _OFFSETS).open("wb") as offsets:
            offsets.write(np.zeros(1, dtype=np.int64).data)
            for part, own, count in zip(parts, rows, counts, strict=True):
                end = _append(part, new[own], count, end, ids, offsets)
    except OSError as error:
        raise CorpusError(
            f"{folder}: the two groups cannot be written ({error.strerror or error}); expected room for 4 bytes a "
            "word; free some, or name another folder with FIRTH_CACHE"
        ) from error
    borders = [units_of(part).borders for part in parts]
    documents = None if parts[0].documents is None else np.append(borders[0], borders[1][1:] + borders[0][-1])
    state = f"{parts[0].fingerprint} {parts[1].fingerprint} {least} {most}"
    corpus = dataclasses.replace(
        parts[0],
        path=folder,
        vocabulary=Vocabulary(
            [words[i] for i in kept], counts.sum(axis=0), sum(part.vocabulary.total for part in parts)
        ),
        ids=mapped_numbers(folder / _IDS, "<i4"),
        offsets=mapped_numbers(folder / _OFFSETS, "<i8"),
        options=dataclasses.replace(parts[0].options, min_count=least, max_size=most),
        fingerprint=hashlib.blake2b(state.encode(), digest_size=16).hexdigest(),
        documents=documents,
    )
    return corpus, counts


def _append(corpus: Corpus, new: npt.NDArray[np.int32], counts: Ints, end: int, ids: Any, offsets: Any) -> int:
    """Write the sentences of a text with new ids, without words whose id is -1; return the number of all tokens."""
    start, last = 0, len(corpus.offsets) - 1
    while start < last:
        stop = int(np.searchsorted(corpus.offsets, corpus.offsets[start] + BLOCK, side="right")) - 1
        stop = min(max(stop, start + 1), last)
        borders = np.asarray(corpus.offsets[start : stop + 1])
        numbers = new[corpus.ids[borders[0] : borders[-1]]]
        kept = numbers >= 0
        before = np.append(0, np.cumsum(kept))[borders - borders[0]]
        block = np.ascontiguousarray(numbers[kept])
        count_ids(read_only(block), counts)
        ids.write(block.data)
        offsets.write((end + before[1:]).astype(np.int64).data)
        end, start = end + len(block), stop
    return end
