"""Options of models that read the words of sentences: their vectors."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from firth.errors import OptionError
from firth.neural.models.tokens.embedders import Embedders
from firth.neural.models.tokens.reader import Sentence, TokenReader, learn_token_reader
from firth.options import check, check_kind, option, options_class
from firth.vectors.word_vectors import WordVectors

Options = TypeVar("Options", bound=Any)

CHARACTERS = ("cnn", "lstm", "none")
EMBEDDINGS = ("tuned", "static", "none")


@options_class
class TokenOptions:
    """Options of the vectors of words, for taggers and parsers."""

    dim: int = option(100, "width of the word vectors that are trained; given vectors decide it if tuned", minimum=1)
    embedding: str = option(
        "tuned",
        "given word vectors: tuned, they start the trained ones; static, they are kept, beside the trained ones; none: "
        "there is no table of words",
        choices=EMBEDDINGS,
    )
    characters: str = option(
        "cnn", "vectors of words from their characters: by a CNN, an LSTM, or none", choices=CHARACTERS
    )
    char_dim: int = option(30, "width of character vectors", minimum=1)
    char_width: int = option(50, "width of the vector of a word from its characters", minimum=1)
    column_dim: int = option(20, "width of the vectors of tags and of other columns that are read", minimum=1)
    min_count: int = option(1, "minimum count of a word; rarer ones are unknown", minimum=1)
    lowercase: bool = option(True, "look words up in lower case; characters keep it")
    word_dropout: float = option(
        0.25, "word dropout: a word of count n is read as unknown with probability a / (a + n); this is a", minimum=0
    )
    extra_words: int = option(
        50_000,
        "most frequent words of given vectors that are known, too, besides those of the training sentences",
        minimum=0,
    )

    def __post_init__(self) -> None:
        check(self)

    def learn_reader(
        self,
        sentences: Iterable[Sentence],
        vectors: WordVectors | None,
        *,
        columns: Sequence[str] = (),
        embedders: Embedders = (),
    ) -> TokenReader:
        """Return a reader of the words of training sentences; see `learn_token_reader`."""
        return learn_token_reader(
            sentences,
            min_count=self.min_count,
            lowercase=self.lowercase,
            characters=self.characters != "none",
            columns=columns,
            vectors=vectors,
            extra_words=self.extra_words,
            tuned=self.embedding == "tuned",
            embedders=embedders,
        )


def with_vectors(
    options: Options, vectors: WordVectors | None, *, own_words: bool = True, needed: bool = True
) -> Options:
    """Return options with the width of given vectors, and no more extra words than they have."""
    changes: dict[str, Any] = {"extra_words": 0}
    if vectors is not None:
        check_kind("vectors", vectors, WordVectors)
        if options.embedding == "none":
            raise OptionError("vectors with embedding='none': expected embedding='static', or no vectors")
        changes["extra_words"] = min(options.extra_words, len(vectors))
        changes |= {"dim": vectors.dim} if options.embedding == "tuned" or not own_words else {}
    elif needed and options.embedding == "static":
        raise OptionError("embedding='static' without vectors: expected vectors=, or embedding='tuned'")
    return dataclasses.replace(options, **changes)
