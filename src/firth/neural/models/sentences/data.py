"""Texts as rows of ids; sentences in their order, and triples of neighbours: a sentence between two others.

What: a corpus whose sentences keep their order. A sentence without words ends a document: what stands on its two sides
    is not adjacent.
Objective: every sentence that has a neighbour on both sides once per epoch, in batches of similar length.
Source: Kiros et al. 2015, section 2.1.
Departures: sentences longer than the limit are cut; the authors' program leaves them out.
Cost: the ids stay on disk, memory-mapped; eight bytes per sentence in memory.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np
import numpy.typing as npt
import torch

from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError
from firth.language.text import EOS, UNK, LanguageText, TextRules, vocabulary_of
from firth.neural.training.batching import Buckets, TensorBatch, pad
from firth.progress import Progress
from firth.vocabulary import Vocabulary

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TokenRows(Sequence[Ids]):
    """N rows of a long array of ids.

    Attributes:
        ids: of all texts.
        starts: (N,) int64, the first token of each row.
        lengths: (N,) int64, at least 1.
    """

    ids: Ids
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, number: int) -> Ids: ...
    @overload
    def __getitem__(self, number: slice) -> "TokenRows": ...
    def __getitem__(self, number: int | slice) -> "Ids | TokenRows":
        if isinstance(number, slice):
            return TokenRows(self.ids, self.starts[number], self.lengths[number])
        return self.ids[self.starts[number] : self.starts[number] + self.lengths[number]]

    def take(self, rows: npt.NDArray[Any]) -> "TokenRows":
        """Return some of the rows, given by their numbers or by a mask."""
        return TokenRows(self.ids, self.starts[rows], self.lengths[rows])


def sentences(text: LanguageText) -> TokenRows:
    """Return the sentences of a text that have a token."""
    offsets = np.asarray(text.offsets, dtype=np.int64)
    starts, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
    return TokenRows(text.ids, starts[lengths > 0], lengths[lengths > 0])


def pieces(rows: TokenRows, limit: int) -> TokenRows:
    """Return rows cut into pieces of at most `limit` tokens, none of which is left out."""
    counts = -(-rows.lengths // limit)
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)  # of the piece in its row
    starts = np.repeat(rows.starts, counts) + number * limit
    ends = np.repeat(rows.starts + rows.lengths, counts)
    return TokenRows(rows.ids, starts, np.minimum(starts + limit, ends) - starts)


def different(rows: TokenRows) -> TokenRows:
    """Return each row once, at its first place: a copy of a text would be its own negative."""
    first: dict[bytes, int] = {}
    for number, row in enumerate(rows):
        first.setdefault(row.tobytes(), number)
    return rows.take(np.fromiter(first.values(), dtype=np.int64, count=len(first)))


@dataclass(frozen=True, eq=False)
class TokenBatch(TensorBatch):
    """B rows of ids.

    Attributes:
        ids: (B, T) int64, padded on the right.
        lengths: (B,) int64, on the CPU.
    """

    on_cpu: ClassVar = ("lengths",)

    ids: torch.Tensor
    lengths: torch.Tensor

    @classmethod
    def of(cls, rows: Sequence[Any]) -> "TokenBatch":
        """Return rows of ids as a batch."""
        return cls(*pad(rows))

    def __len__(self) -> int:
        return len(self.lengths)


def row_batches(
    rows: TokenRows,
    batch_size: int,
    *,
    limit: int,
    seed: int = 0,
    shuffle: bool = True,
    collate: Callable[[list[Ids]], Any] = TokenBatch.of,
) -> Buckets[Ids]:
    """Return rows in batches of similar length.

    Raises:
        CorpusError: there are fewer than two rows.
    """
    if len(rows) < 2:
        raise CorpusError(f"{len(rows)} text with tokens: expected two or more to learn from")
    cut = TokenRows(rows.ids, rows.starts, np.minimum(rows.lengths, limit))
    return Buckets(items=cut, lengths=cut.lengths, collate=collate, batch_size=batch_size, seed=seed, shuffle=shuffle)


@dataclass(frozen=True, eq=False)
class SentenceText:
    """The sentences of a text, as ids of a model.

    Attributes:
        vocabulary: V words, with `<unk>` and `</s>`.
        rules: how the text was tokenised.
        corpus: the S sentences; those without words end documents.
        numbers: (W,) int32, the id in the vocabulary of each word of the corpus.
    """

    vocabulary: Vocabulary
    rules: TextRules
    corpus: Corpus
    numbers: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls,
        source: Any,
        options: Mapping[str, Any],
        *,
        defaults: Mapping[str, Any],
        like: "SentenceText | None" = None,
        progress: Progress = None,
    ) -> "SentenceText":
        """Read a text.

        Raises:
            CorpusError: the text is empty, or the corpus left words out; or none of them is known.
        """
        if like is None:
            corpus = as_corpus(source, options, defaults={"unknown": UNK, **defaults}, progress=progress)
            vocabulary, rules, numbers = vocabulary_of(corpus)
            return cls(vocabulary, rules, corpus, numbers)
        reading = {**defaults, **like.rules.corpus_options(), "sentences": like.corpus.options.sentences}
        reading |= {"min_count": 1, "max_size": None, "keep_empty": like.corpus.options.keep_empty}
        corpus = as_corpus(source, options, defaults=reading, progress=progress)
        unknown = like.vocabulary.ids[UNK]
        numbers = np.array([like.vocabulary.ids.get(word, unknown) for word in corpus.vocabulary.words], dtype=np.int32)
        if (numbers == unknown).all():
            raise CorpusError(
                f"none of the {len(numbers):,} words of the held-out text, such as {corpus.vocabulary.words[0]!r}, is "
                f"in the model's vocabulary of {len(like.vocabulary):,}; expected text of the same language"
            )
        return cls(like.vocabulary, like.rules, corpus, numbers)

    def read(self, held_out: Any, options: Mapping[str, Any], progress: Progress) -> "SentenceText":
        """Read held-out text from the column of the training text; options as for it."""
        given = {} if isinstance(held_out, Corpus) else {k: v for k, v in options.items() if k in ("column", "cache")}
        return self.of(held_out, given, defaults={}, like=self, progress=progress)

    def __len__(self) -> int:
        return len(self.corpus)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """(S,) number of words of each sentence; 0 where a document ends."""
        offsets = np.asarray(self.corpus.offsets, dtype=np.int64)
        return offsets[1:] - offsets[:-1]

    def sentence(self, number: int, limit: int) -> npt.NDArray[np.int64]:
        """Return the first ids of a sentence, `limit` of them at most."""
        first, end = self.corpus.offsets[number], self.corpus.offsets[number + 1]
        return self.numbers[self.corpus.ids[first : min(end, first + limit)]].astype(np.int64)

    def middles(self) -> npt.NDArray[np.int64]:
        """Return the sentences that have a neighbour on both sides, (M,)."""
        filled = self.lengths > 0
        return np.flatnonzero(filled[1:-1] & filled[:-2] & filled[2:]) + 1


@dataclass(frozen=True, eq=False)
class Triples(TensorBatch):
    """B sentences with their neighbours.

    Attributes:
        current: the sentences.
        previous: the sentence before each, with `</s>` on both sides.
        following: the sentence after each, with `</s>` on both sides.
    """

    current: TokenBatch
    previous: TokenBatch
    following: TokenBatch


def triples(text: SentenceText, *, limit: int, batch_size: int, shuffle: bool = True, seed: int = 0) -> Buckets[int]:
    """Return the triples of a text in batches of sentences of similar length.

    Raises:
        CorpusError: no sentence has a neighbour on both sides.
    """
    middles = text.middles()
    if not len(middles):
        filled = np.count_nonzero(text.lengths)
        raise CorpusError(
            f"none of {filled:,} sentences has a neighbour on both sides in its document: expected running text, "
            'split with sentences="punctuation", or one sentence per line (sentences="line") in its order'
        )
    eos = np.array([text.vocabulary.ids[EOS]])

    def neighbours(numbers: Sequence[int]) -> TokenBatch:
        return TokenBatch.of([np.concatenate([eos, text.sentence(number, limit), eos]) for number in numbers])

    def collate(numbers: list[int]) -> Triples:
        return Triples(
            TokenBatch.of([text.sentence(number, limit) for number in numbers]),
            neighbours([number - 1 for number in numbers]),
            neighbours([number + 1 for number in numbers]),
        )

    items: Any = middles  # an array of N numbers is a sequence of them
    lengths = np.minimum(text.lengths[middles], limit)
    return Buckets(items=items, lengths=lengths, collate=collate, batch_size=batch_size, shuffle=shuffle, seed=seed)
