"""Batches of sentences with what a task knows about them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from firth.neural.models.tokens.reader import ReadSentence
from firth.neural.training.batching import Buckets

Known = TypeVar("Known")


def sentence_batches(
    sentences: Sequence[ReadSentence],
    known: Sequence[Known],
    collate: Callable[[list[ReadSentence], list[Known]], Any],
    *,
    batch_size: int,
    tokens: bool = False,
    seed: int = 0,
    shuffle: bool = True,
) -> Buckets[tuple[ReadSentence, Known]]:
    """Return sentences in batches of similar length.

    Args:
        sentences: N, each of at least one word.
        known: N, what the task knows of each: its tags, its tree.
        collate: returns the batch of some sentences and what is known of them.
        batch_size: maximum number of sentences per batch, or of words with padding.
        tokens: whether `batch_size` counts words.
        seed: of the order.
        shuffle: whether each epoch has a new order.
    """

    def batch(items: list[tuple[ReadSentence, Known]]) -> Any:
        return collate([sentence for sentence, _ in items], [each for _, each in items])

    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    items = list(zip(sentences, known, strict=True))
    return Buckets(
        items=items, lengths=lengths, collate=batch, batch_size=batch_size, tokens=tokens, seed=seed, shuffle=shuffle
    )
