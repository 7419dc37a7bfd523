"""Options of models that read the words of sentences: their vectors."""

from firth.options import check, option, options_class

CHARACTERS = ("cnn", "lstm", "none")
EMBEDDINGS = ("tuned", "static")


@options_class
class TokenOptions:
    """Options of the vectors of words, for taggers and parsers.

    Raises:
        OptionError: an option is out of its range.
    """

    dim: int = option(100, "width of the word vectors that are trained; given vectors decide it if tuned", minimum=1)
    embedding: str = option(
        "tuned",
        "given word vectors: tuned, they start the trained ones; static, they are kept, beside the trained ones",
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
