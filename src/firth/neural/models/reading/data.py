"""Questions with their paragraphs in batches of similar length."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.neural.models.tokens.reader import ReadSentence, TokenInputs, TokenReader, lower
from firth.neural.training.batching import Buckets, pad
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
        places: (T, 2) first character of each token, and the one after it.
        sentence: ids of the tokens.
        keys: (3, T) numbers of the token as written, in lower case, without an ending.
        frequencies: (T,) count of the token in lower case, divided by T.
        tags: of each tagger's target, (T,) numbers of tags from 1; 0 for unknown ones.
    """

    text: str
    places: Ints
    sentence: ReadSentence
    keys: Ints
    frequencies: Floats
    tags: tuple[Ints, ...] = ()

    def __len__(self) -> int:
        return len(self.places)

    def window(self, first: int, last: int) -> "Passage":
        """Return the tokens from `first` to before `last`, of the same text."""
        part = slice(first, last)
        read = self.sentence
        sentence = ReadSentence(
            read.words[part], read.given[part], tuple(column[part] for column in read.columns), read.forms[part]
        )
        tags = tuple(column[part] for column in self.tags)
        return Passage(self.text, self.places[part], sentence, self.keys[:, part], self.frequencies[part], tags)

    def answer(self, first: int, last: int) -> tuple[int, int]:
        """Return the place in the text of the tokens `first` to `last`, both included."""
        return int(self.places[first, 0]), int(self.places[last, 1])

    def tokens_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last token that have a character of the place `start` to before `end`.

        Raises:
            ValueError: there is none.
        """
        inside = np.flatnonzero((self.places[:, 1] > start) & (self.places[:, 0] < end))
        if not len(inside):
            raise ValueError(f"no token from {start} to {end}")
        return int(inside[0]), int(inside[-1])


@dataclass
class Numbers:
    """Numbers of distinct strings, in the order in which they are first seen."""

    known: dict[str, int] = field(default_factory=dict)

    def __call__(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of words."""
        return [self.known.setdefault(word, len(self.known)) for word in words]


def stem(word: str) -> str:
    """Return a word in lower case without an English ending.

    >>> [stem(word) for word in ("cities", "houses", "walked", "walking", "class")]
    ['city', 'hous', 'walk', 'walk', 'class']
    """
    found = lower(word)
    for pattern, end in _ENDINGS:
        shorter, count = pattern.subn(end, found)
        if count:
            found = shorter
            break
    return _PAST.sub("", found)


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
            self._passage(text, [place for sentence in each for place in sentence], found)
            for text, each, found in zip(texts, sentences, columns, strict=True)
        ]

    def _passage(self, text: str, places: list[Span], tags: tuple[Ints, ...]) -> Passage:
        forms = [text[start:end] for start, end in places]
        keys = [self.numbers(forms), self.numbers(map(lower, forms)), self.numbers(map(stem, forms))]
        rows = np.array(keys, np.int64).reshape(3, -1)
        _, positions, counts = np.unique(rows[1], return_inverse=True, return_counts=True)
        frequencies = (counts[positions.reshape(-1)] / max(len(forms), 1)).astype(np.float32)
        ids = self.tokens.read(forms)
        return Passage(text, np.array(places, np.int64).reshape(-1, 2), ids, rows, frequencies, tags)

    def _tagged(
        self, texts: Sequence[str], sentences: Sequence[Sequence[Sequence[Span]]], progress: Progress
    ) -> list[tuple[Ints, ...]]:
        """Return of each text the numbers of its tags for each target of the taggers."""
        words = [
            [text[start:end] for start, end in sentence]
            for text, each in zip(texts, sentences, strict=True)
            for sentence in each
        ]
        columns: list[list[Ints]] = [[] for _ in texts]
        for tagger in self.taggers:
            found = tagger.predict(words, progress=progress) if words else []
            for target, names in tagger.tags.items():
                ids = {name: number for number, name in enumerate(names, 1)}
                rows = iter(found)
                for column, each in zip(columns, sentences, strict=True):
                    tags = [tag for _, sentence in zip(each, rows, strict=False) for tag in sentence.tags[target]]
                    column.append(np.array([ids.get(tag, 0) for tag in tags], np.int64))
        return [tuple(column) for column in columns]


def match_features(paragraph: Passage, question: Passage) -> Floats:
    """Return (T, 4) features of the tokens of a paragraph; the module's docstring has them."""
    matches = [np.isin(one, other) for one, other in zip(paragraph.keys, question.keys, strict=True)]
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
class ReadingBatch:
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

    fresh, scale = True, 1.0

    @property
    def inside(self) -> torch.Tensor:
        """(B, T) whether there is a token."""
        words = self.paragraphs.words
        steps = torch.arange(words.shape[1], device=words.device)
        return steps < self.paragraphs.lengths.to(words.device).unsqueeze(1)

    @property
    def asked(self) -> torch.Tensor:
        """(B, Q) whether there is a token of the question."""
        words = self.questions.words
        steps = torch.arange(words.shape[1], device=words.device)
        return steps < self.questions.lengths.to(words.device).unsqueeze(1)

    def to(self, device: torch.device) -> "ReadingBatch":
        """Return the batch on a device."""
        return ReadingBatch(
            self.questions.to(device),
            self.paragraphs.to(device),
            self.features.to(device),
            tuple(column.to(device) for column in self.tags),
            self.spans.to(device),
        )


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


def pair_batches(
    reader: TokenReader, pairs: Sequence[Pair], *, batch_size: int, seed: int = 0, shuffle: bool = True
) -> Buckets[Pair]:
    """Return pairs in batches of similar length."""
    lengths = np.array([len(pair.paragraph) for pair in pairs], dtype=np.int64)

    def batch(some: list[Pair]) -> ReadingBatch:
        return collate(reader, some)

    return Buckets(items=pairs, lengths=lengths, collate=batch, batch_size=batch_size, seed=seed, shuffle=shuffle)
