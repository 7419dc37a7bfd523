"""Texts to ids: tokens, vocabulary, unknown words, and the limit on length."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.corpus import size_defaults
from firth.errors import CorpusError
from firth.neural.training.batching import pad
from firth.text.characters import fold
from firth.text.inputs import Text
from firth.text.tokenise import unicode_tokens, whitespace_tokens
from firth.vectors.word_vectors import WordVectors

PAD, UNKNOWN = 0, 1  # ids; words follow
TOKENS: dict[str, Callable[[str], Sequence[str]]] = {
    "unicode": unicode_tokens,
    "whitespace": whitespace_tokens,
    "characters": lambda text: list(fold(text)),
}
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sequences:
    """Inputs of an encoder of sequences.

    Attributes:
        ids: (B, T) int64, padded on the right.
        lengths: (B,) int64, at least 1.
    """

    ids: torch.Tensor
    lengths: torch.Tensor

    def to(self, device: torch.device) -> "Sequences":
        """Return the inputs on a device."""
        return Sequences(self.ids.to(device), self.lengths.to(device))


@dataclass(frozen=True, eq=False)
class TextReader:
    """Reads texts as ids.

    Attributes:
        words: V tokens; the id of `words[i]` is i + 2, after padding and the unknown word.
        tokens: how a text is split: a name of `TOKENS`. Lists of tokens are taken as they are.
        max_length: tokens that are read of a text; the others are left out.
        min_count: minimum count of a word in the training texts.
        counted: number of tokens of the training texts.
    """

    words: list[str]
    tokens: str
    max_length: int
    min_count: int = 1
    counted: int = 0
    _ids: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ids", {word: i for i, word in enumerate(self.words, UNKNOWN + 1)})

    def __len__(self) -> int:
        """Return the number of ids, V + 2."""
        return len(self.words) + UNKNOWN + 1

    @cached_property
    def table_words(self) -> list[str]:
        """The words in the order of their ids; padding and the unknown word have no name."""
        return ["", "\0", *self.words]

    def read(self, text: Text) -> Ids:
        """Return the ids of a text, all of them; see `shorten`."""
        known = self._ids
        return np.fromiter((known.get(token, UNKNOWN) for token in split(text, self.tokens)), np.int64)

    def shorten(self, ids: Ids) -> Ids:
        """Return the ids that are read: at most `max_length`, and the unknown word for an empty text."""
        return ids[: self.max_length] if len(ids) else np.array([UNKNOWN])

    def is_long(self, ids: Ids) -> bool:
        """Return whether a text has more tokens than are read."""
        return len(ids) > self.max_length

    def is_known(self, ids: Ids) -> bool:
        """Return whether a text has a known token."""
        return bool((ids > UNKNOWN).any())

    def collate(self, items: Sequence[Ids]) -> Sequences:
        """Return the inputs of a batch."""
        return Sequences(*pad(items, PAD))


def split(text: Text, tokens: str) -> Sequence[str]:
    """Return the tokens of a text; a list of tokens is returned as it is."""
    return TOKENS[tokens](text) if isinstance(text, str) else text


def learn_reader(
    texts: Iterable[Text],
    tokens: str,
    *,
    min_count: int | None,
    max_length: int,
    vectors: WordVectors | None = None,
    extra_words: int = 0,
) -> TextReader:
    """Return a reader whose words are those of training texts.

    Args:
        texts: the training texts.
        tokens: a name of `TOKENS`.
        min_count: minimum count of a word; None chooses it by the number of words (`firth.corpus.size_defaults`).
        max_length: tokens that are read of a text.
        vectors: words with a vector are kept however rare they are.
        extra_words: most frequent words of `vectors` that are known, too, so that texts to come have fewer unknown
            words.

    Raises:
        CorpusError: no word is left.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(split(text, tokens))
    total = sum(counts.values())
    least = size_defaults.min_count(total) if min_count is None else min_count
    has_vector: Any = {} if vectors is None else vectors.key_to_index
    words = [word for word, count in counts.items() if count >= least or word in has_vector]
    words.sort(key=lambda word: (-counts[word], word))
    if not words:
        raise CorpusError(
            f"no word of the training texts occurs at least {least} times ({total:,} in all): expected more text, "
            "or a lower min_count"
        )
    if vectors is not None:
        words += [word for word in vectors.index_to_key[:extra_words] if word not in counts]
    return TextReader(words, tokens, max_length, least, total)
