"""Batches of sentences with tags, and the sentences that select the model."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from firth.neural.models.tags.examples import TaggedExamples
from firth.neural.models.tags.tag_set import Ids, TagSet
from firth.neural.models.tokens.data import sentence_batches
from firth.neural.models.tokens.reader import ReadSentence, TokenInputs, TokenReader
from firth.neural.training.batching import Buckets, pad


@dataclass(frozen=True, eq=False)
class TagBatch:
    """A batch of sentences with tags.

    Attributes:
        inputs: B sentences.
        tags: of each target (B, T) int64 numbers of tags; 0 at padding.
        fresh: True: no state is carried.
        scale: 1.
    """

    inputs: TokenInputs
    tags: tuple[torch.Tensor, ...]
    fresh: bool = True
    scale: float = 1.0

    def to(self, device: torch.device) -> "TagBatch":
        """Return the batch with its tensors on a device."""
        return TagBatch(self.inputs.to(device), tuple(tags.to(device) for tags in self.tags))


def tag_batches(
    reader: TokenReader,
    sentences: Sequence[ReadSentence],
    tags: Sequence[tuple[Ids, ...]],
    *,
    batch_size: int,
    seed: int = 0,
    shuffle: bool = True,
) -> Buckets[tuple[ReadSentence, tuple[Ids, ...]]]:
    """Return sentences with tags in batches of similar length.

    Args:
        reader: that read the sentences.
        sentences: N.
        tags: of each sentence, the numbers of its tags for each target.
        batch_size: B, sentences per batch.
        seed: of the order.
        shuffle: whether each epoch has a new order.
    """

    def collate(some: list[ReadSentence], known: list[tuple[Ids, ...]]) -> TagBatch:
        columns = zip(*known, strict=True)
        return TagBatch(reader.collate(some), tuple(pad(column)[0] for column in columns))

    return sentence_batches(sentences, tags, collate, batch_size=batch_size, seed=seed, shuffle=shuffle)


def encoded(examples: TaggedExamples, sets: Sequence[TagSet]) -> list[tuple[Ids, ...]]:
    """Return for each sentence the numbers of its tags for each target; -1 for unknown tags."""
    columns = [
        [known.encode(tags) for tags in sequences]
        for known, sequences in zip(sets, examples.tags.values(), strict=True)
    ]
    return list(zip(*columns, strict=True))
