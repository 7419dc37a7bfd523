"""Texts to ids: tokens, vocabulary, unknown words, and the limit on length."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.corpus import size_defaults
from firth.errors import CorpusError
from firth.neural.models.tokens.embedders import Embedders
from firth.neural.training.batching import TensorBatch, pad
from firth.text.characters import fold
from firth.text.inputs import Text
from firth.text.tokenise import cased_tokens, unicode_tokens, whitespace_tokens, words_of
from firth.text.wordpieces import WordPieces
from firth.vectors.word_vectors import WordVectors

PAD, UNKNOWN = 0, 1  # ids; words follow
UNKNOWN_WORD = "<unk>"  # what embedders read of an empty text
TOKENS: dict[str, Callable[[str], Sequence[str]]] = {
    "words": words_of,
    "unicode": unicode_tokens,
    "whitespace": whitespace_tokens,
    "cased": cased_tokens,
    "characters": lambda text: list(fold(text)),
}
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sequences(TensorBatch):
    """Inputs of an encoder of sequences.

    Attributes:
        ids: (B, T) int64, padded on the right.
        lengths: (B,) int64, at least 1.
        sentences: the words of each text, for embedders; none if there are no embedders.
    """

    ids: torch.Tensor
    lengths: torch.Tensor
    sentences: tuple[tuple[str, ...], ...] = ()

    on_cpu: ClassVar = ("sentences",)


@dataclass(frozen=True, eq=False)
class ReadText:
    """A text of T words as ids, with the words, which embedders read.

    Attributes:
        ids: (T,).
        words: T words.
    """

    ids: Ids
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def tobytes(self) -> bytes:
        """Return the ids, and the words, which tell unknown ones apart."""
        return self.ids.tobytes() + "\0".join(self.words).encode("utf-8", "surrogatepass")


TextIds = Ids | ReadText


@dataclass(frozen=True, eq=False)
class TextReader:
    """Reads texts as ids.

    Attributes:
        words: V tokens; the id of `words[i]` is i + 2, after padding and the unknown word.
        tokens: how a text is split: a name of `TOKENS`. Lists of tokens are taken as they are.
        max_length: tokens that are read of a text; the others are left out.
        min_count: minimum count of a word in the training texts.
        counted: number of tokens of the training texts.
        embedders: of words in context.
        pieces: word pieces of a pretrained encoder, whose ids take the place of those above; None for words.
        sizes: of that encoder, a `firth.neural.models.pretraining.network.EncoderConfig`.
    """

    words: list[str]
    tokens: str
    max_length: int
    min_count: int = 1
    counted: int = 0
    embedders: Embedders = ()
    pieces: WordPieces | None = None
    sizes: Any = None
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

    def read(self, text: Text) -> TextIds:
        """Return the ids of a text, all of them, with its words if there are embedders; see `shorten`."""
        if self.pieces is not None:
            read = self.pieces.encode([text]) if isinstance(text, str) else [self.pieces.encode_words([text])[0][0]]
            return np.array(read[0], dtype=np.int64)
        tokens = split(text, self.tokens)
        ids = np.fromiter((self._ids.get(token, UNKNOWN) for token in tokens), np.int64)
        return ReadText(ids, tuple(tokens)) if self.embedders else ids

    def shorten(self, ids: TextIds) -> TextIds:
        """Return the ids that are read: at most `max_length`, and the unknown word for an empty text."""
        if isinstance(ids, ReadText):
            words = ids.words[: self.max_length] or (UNKNOWN_WORD,)
            return ReadText(ids.ids[: self.max_length] if len(ids) else np.array([UNKNOWN]), words)
        unknown = UNKNOWN if self.pieces is None else self.pieces.unk_id
        return ids[: self.max_length] if len(ids) else np.array([unknown])

    def is_long(self, ids: TextIds) -> bool:
        """Return whether a text has more tokens than are read."""
        return len(ids) > self.max_length

    def is_known(self, ids: TextIds) -> bool:
        """Return whether a text has a known token; an embedder knows all."""
        if isinstance(ids, ReadText):
            return bool(len(ids))
        return bool((ids > UNKNOWN if self.pieces is None else ids != self.pieces.unk_id).any())

    def collate(self, items: Sequence[TextIds]) -> Sequences:
        """Return the inputs of a batch."""
        ids = [item.ids if isinstance(item, ReadText) else item for item in items]
        if self.pieces is not None:
            pieces = self.pieces
            whole = [np.concatenate(([pieces.cls_id], text, [pieces.sep_id])) for text in ids]
            return Sequences(*pad(whole, pieces.pad_id))
        return Sequences(*pad(ids, PAD), tuple(item.words for item in items if isinstance(item, ReadText)))

    @property
    def unit(self) -> str:
        """What the tokens are: "words", "characters" or "word pieces"."""
        if self.pieces is not None:
            return "word pieces"
        return "characters" if self.tokens == "characters" else "words"


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
    embedders: Embedders = (),
) -> TextReader:
    """Return a reader whose words are those of training texts.

    Args:
        tokens: a name of `TOKENS`.
        min_count: minimum count of a word; None chooses it by the number of words (`firth.corpus.size_defaults`).
        vectors: words with a vector are kept however rare they are.
        extra_words: most frequent words of `vectors` that are known, too, so that texts to come have fewer unknown
            words.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(split(text, tokens))
    total = sum(counts.values())
    least = size_defaults.min_count(total) if min_count is None else min_count
    words = frequent_words(counts, least, vectors, extra_words)
    if not words or counts[words[0]] == 0:
        raise CorpusError(
            f"no word of the training texts occurs at least {least} times ({total:,} in all): expected more text, "
            f"or lower min_count={least}"
        )
    return TextReader(words, tokens, max_length, least, total, embedders)


def frequent_words(
    counts: Mapping[str, int], min_count: int, vectors: WordVectors | None, extra_words: int
) -> list[str]:
    """Return the words that are frequent or have a vector, most frequent first; then the first words of the vectors."""
    has_vector: Any = {} if vectors is None else vectors.key_to_index
    words = [word for word, count in counts.items() if count >= min_count or word in has_vector]
    words.sort(key=lambda word: (-counts[word], word))
    if vectors is not None:
        words += [word for word in vectors.index_to_key[:extra_words] if word not in counts]
    return words
