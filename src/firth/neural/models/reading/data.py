"""Questions with their paragraphs in batches of similar length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from firth.neural.models.reading.passages import Passage, match_features
from firth.neural.models.tokens.reader import TokenInputs, TokenReader
from firth.neural.training.batching import Buckets, pad


@dataclass(frozen=True, eq=False)
class Pair:
    """A question, its paragraph or a part of it, and what is known of the answer.

    Attributes:
        question: with one token at least.
        paragraph: likewise.
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
    """Return pairs in batches of similar length.

    Args:
        reader: that read them.
        pairs: N.
        batch_size: B, questions per batch.
        seed: of the order.
        shuffle: whether each epoch has a new order.
    """
    lengths = np.array([len(pair.paragraph) for pair in pairs], dtype=np.int64)

    def batch(some: list[Pair]) -> ReadingBatch:
        return collate(reader, some)

    return Buckets(items=pairs, lengths=lengths, collate=batch, batch_size=batch_size, seed=seed, shuffle=shuffle)
