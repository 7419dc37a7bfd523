"""Questions with their paragraphs in batches of similar length."""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.neural.layers.masks import inside_of
from firth.neural.models.tokens.reader import ReadSentence, TokenInputs, TokenReader, lower
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch, pad
from firth.progress import Progress
from firth.text.running_text import Span, sentences_and_tokens

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
MATCHES = 4  # features of a token of a paragraph
_ENDINGS = ((re.compile(r"(?<![ea])ies$"), "y"), (re.compile(r"(?<![aeo])es$"), "e"), (re.compile(r"(?<![us])s$"), ""))
_PAST = re.compile(r"(?<=....)(?:ed|ing|e)$")


@dataclass(frozen=True, eq=False)
class Passage:
    """A text of T tokens.

    Attributes:
        text: as it was given.
        borders: (T, 2) first character of each token, and the one after it.
        sentence: ids of the tokens.
        keys: (3, T) numbers of the token as written, in lower case, without an ending.
        frequencies: (T,) count of the token in lower case, divided by T.
        tags: of each tagger's target, (T,) numbers of tags from 1; 0 for unknown ones.
    """

    text: str
    borders: Ints
    sentence: ReadSentence
    keys: Ints
    frequencies: Floats
    tags: tuple[Ints, ...] = ()

    def __len__(self) -> int:
        return len(self.borders)

    def window(self, first: int, last: int) -> "Passage":
        """Return the tokens from `first` to before `last`, of the same text."""
        part = slice(first, last)
        read = self.sentence
        sentence = ReadSentence(
            read.words[part], read.given[part], tuple(column[part] for column in read.columns), read.forms[part]
        )
        tags = tuple(column[part] for column in self.tags)
        return Passage(self.text, self.borders[part], sentence, self.keys[:, part], self.frequencies[part], tags)

    def answer(self, first: int, last: int) -> tuple[int, int]:
        """Return the first character of the tokens `first` to `last`, both included, and the one after them."""
        return int(self.borders[first, 0]), int(self.borders[last, 1])

    def tokens_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last token that have a character from `start` to before `end`.

        Raises:
            ValueError: there is none.
        """
        inside = np.flatnonzero((self.borders[:, 1] > start) & (self.borders[:, 0] < end))
        if not len(inside):
            raise ValueError(f"no token from {start} to {end}")
        return int(inside[0]), int(inside[-1])


@dataclass
class Numbers:
    """Numbers of distinct strings, in the order in which they are first seen."""

    ids: dict[str, int] = field(default_factory=dict)

    def __call__(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of words."""
        return [self.ids.setdefault(word, len(self.ids)) for word in words]


def stem(word: str) -> str:
    """Return a word in lower case without an English ending.

    >>> [stem(word) for word in ("cities", "houses", "walked", "walking", "class")]
    ['city', 'hous', 'walk', 'walk', 'class']
    """
    word = lower(word)
    for pattern, end in _ENDINGS:
        shorter, count = pattern.subn(end, word)
        if count:
            return _PAST.sub("", shorter)
    return _PAST.sub("", word)


@dataclass(frozen=True, eq=False)
class PassageReader:
    """Reads texts as passages.

    Attributes:
        tokens: the vocabulary.
        taggers: whose tags are features of the words of paragraphs.
        numbers: of words, shared by the texts that are compared.
    """

    tokens: TokenReader
    taggers: Sequence[Any] = ()
    numbers: Numbers = field(default_factory=Numbers)

    @property
    def tag_counts(self) -> tuple[int, ...]:
        """The number of tags of each target of the taggers."""
        return tuple(len(tags) for tagger in self.taggers for tags in tagger.tags.values())

    def read(self, texts: Sequence[str], *, tags: bool = False, progress: Progress = False) -> list[Passage]:
        """Return the passages of texts."""
        sentences = [sentences_and_tokens(text) for text in texts]
        columns = self._tagged(texts, sentences, progress) if tags else [()] * len(texts)
        return [
            self._passage(text, list(itertools.chain.from_iterable(tokens)), tags_of_text)
            for text, tokens, tags_of_text in zip(texts, sentences, columns, strict=True)
        ]

    def _passage(self, text: str, borders: list[Span], tags: tuple[Ints, ...]) -> Passage:
        forms = [text[start:end] for start, end in borders]
        keys = [self.numbers(forms), self.numbers(map(lower, forms)), self.numbers(map(stem, forms))]
        rows = np.array(keys, np.int64).reshape(3, -1)
        _, positions, counts = np.unique(rows[1], return_inverse=True, return_counts=True)
        frequencies = (counts[positions.reshape(-1)] / max(len(forms), 1)).astype(np.float32)
        ids = self.tokens.read(forms)
        return Passage(text, np.array(borders, np.int64).reshape(-1, 2), ids, rows, frequencies, tags)

    def _tagged(
        self, texts: Sequence[str], sentences: Sequence[Sequence[Sequence[Span]]], progress: Progress
    ) -> list[tuple[Ints, ...]]:
        """Return of each text the numbers of its tags for each target of the taggers."""
        words = [
            [text[start:end] for start, end in sentence]
            for text, of_text in zip(texts, sentences, strict=True)
            for sentence in of_text
        ]
        columns: list[list[Ints]] = [[] for _ in texts]
        for tagger in self.taggers:
            tagged = tagger.predict(words, progress=progress) if words else []
            for target, names in tagger.tags.items():
                ids = {name: number for number, name in enumerate(names, 1)}
                rows = iter(tagged)
                for column, of_text in zip(columns, sentences, strict=True):
                    tags = [tag for _, row in zip(of_text, rows, strict=False) for tag in row.tags[target]]
                    column.append(np.array([ids.get(tag, 0) for tag in tags], np.int64))
        return [tuple(column) for column in columns]


def match_features(paragraph: Passage, question: Passage) -> Floats:
    """Return (T, 4): whether a token of the paragraph is in the question, by each of `keys`; and its frequency."""
    matches = [np.isin(words, asked) for words, asked in zip(paragraph.keys, question.keys, strict=True)]
    return np.stack([*matches, paragraph.frequencies], axis=1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Pair:
    """A question, its paragraph or a part of it, and what is known of the answer.

    Attributes:
        question: with one token at least.
        span: first and last token of the answer in `paragraph`; None if it has none.
    """

    question: Passage
    paragraph: Passage
    span: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class ReadingBatch(TensorBatch):
    """A batch of B questions about paragraphs of up to T tokens.

    Attributes:
        questions: B questions of up to Q tokens.
        paragraphs: B paragraphs.
        features: (B, T, 4) float32; see `match_features`.
        tags: of each target of taggers (B, T) int64.
        spans: (B, 2) int64 first and last token of the answer; T, T for no answer.
    """

    questions: TokenInputs
    paragraphs: TokenInputs
    features: torch.Tensor
    tags: tuple[torch.Tensor, ...]
    spans: torch.Tensor

    @property
    def inside(self) -> torch.Tensor:
        """(B, T) whether there is a token."""
        return inside_of(self.paragraphs.words, self.paragraphs.lengths)

    @property
    def asked(self) -> torch.Tensor:
        """(B, Q) whether there is a token of the question."""
        return inside_of(self.questions.words, self.questions.lengths)


def collate(reader: TokenReader, pairs: Sequence[Pair]) -> ReadingBatch:
    """Return a batch of pairs."""
    questions = reader.collate([pair.question.sentence for pair in pairs])
    paragraphs = reader.collate([pair.paragraph.sentence for pair in pairs])
    steps = paragraphs.words.shape[1]
    features = torch.zeros(len(pairs), steps, 4)
    for row, pair in enumerate(pairs):
        features[row, : len(pair.paragraph)] = torch.from_numpy(match_features(pair.paragraph, pair.question))
    columns = zip(*(pair.paragraph.tags for pair in pairs), strict=True)
    spans = [(steps, steps) if pair.span is None else pair.span for pair in pairs]
    tags = tuple(pad(column)[0] for column in columns)
    return ReadingBatch(questions, paragraphs, features, tags, torch.tensor(spans, dtype=torch.int64))


def pair_batches(reader: TokenReader, pairs: Sequence[Pair], **options: Unpack[BatchOptions]) -> Buckets[Pair]:
    """Return pairs in batches of similar length."""
    return Buckets.of(pairs, lambda rows: collate(reader, rows), lambda pair: len(pair.paragraph), **options)
