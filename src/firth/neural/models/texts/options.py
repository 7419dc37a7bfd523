"""Options that all models of texts with labels share."""

import abc
from typing import Any, ClassVar

import torch

from firth.errors import OptionError
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.label_heads import LabelHead, PairHead
from firth.neural.models.texts.module import Encoder, LabelModule
from firth.neural.models.texts.reader import PAD, UNKNOWN, TextReader
from firth.neural.models.tokens.contextual_vectors import ContextualVectors
from firth.neural.training.devices import new_parameters
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class
from firth.vectors.word_vectors import WordVectors

PAIRS = ("entailment", "paraphrase", "relatedness")
SPREAD = 0.25  # of random word vectors: Kim 2014, section 3.1
WORD_TOKENS = ("words", "unicode", "whitespace", "cased")


def max_length_option(default: int, unit: str) -> Any:
    """Return the field for the limit on the length of a text."""
    return option(default, f"{unit} that are read of a text, the first ones", minimum=1, maximum=10_000)


def extra_words_option() -> Any:
    """Return the field for the words that given vectors add to the vocabulary."""
    return option(
        50_000,
        "most frequent words of given vectors that are known, too, besides those of the training texts",
        minimum=0,
    )


class LabelledOptions(abc.ABC):
    """What options of models of texts and of trees with labels share; their fields are those of the subclasses.

    A model sets `train`, and `training` to its default training options.
    """

    training: ClassVar[TrainingOptions]
    embed_places: ClassVar[tuple[str, ...]] = ()  # where vectors of embedders join the network
    pairs: str | None
    pair_hidden: int
    lowest: int
    highest: int
    min_count: int | None

    def __post_init__(self) -> None:
        check(self)
        if self.lowest >= self.highest:
            raise OptionError(f"lowest={self.lowest}, highest={self.highest}: expected lowest to be below highest")

    @property
    @abc.abstractmethod
    def reads(self) -> tuple[str, int]:
        """How texts are split, a name of `firth.neural.models.texts.reader.TOKENS`, and how many tokens are read."""

    @property
    def symmetric(self) -> bool:
        """Whether the order of a pair does not matter."""
        return self.pairs in ("paraphrase", "relatedness")

    @abc.abstractmethod
    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> Encoder:
        """Return an encoder with random parameters from torch's default generator.

        Args:
            reader: the vocabulary.
            vectors: to start from, of the width `dim`; None for random ones.
        """

    def build_head(self, width: int, labels: int) -> LabelHead | PairHead:
        """Return a head with random parameters for L labels over vectors of width D."""
        rate = float(getattr(self, "dropout", 0.0))
        if self.pairs:
            return PairHead(width, labels, symmetric=self.symmetric, hidden=self.pair_hidden, dropout=rate)
        return LabelHead(width, labels, dropout=rate, max_norm=float(getattr(self, "max_norm", 0.0)))


@options_class
class LabelOptions(LabelledOptions):
    """Options of a model of texts with labels: what all of them have.

    Raises:
        OptionError: an option is out of its range.
    """

    pairs: str | None = option(
        None,
        "what is asked of pairs of texts: entailment (a label, the order matters), paraphrase (a label, it does not), "
        "relatedness (a score); default: single texts with labels",
        choices=PAIRS,
    )
    pair_hidden: int = option(50, "width of the hidden layer over pairs", minimum=1)
    lowest: int = option(1, "lowest score of pairs, with pairs=relatedness", minimum=-1000)
    highest: int = option(5, "highest score of pairs, with pairs=relatedness", maximum=1000)
    min_count: int | None = option(
        None, "minimum count of a word; rarer ones are unknown; default: by the size of the text", minimum=1
    )

    @property
    def reads(self) -> tuple[str, int]:
        """Words, or characters where there is no option for tokens; see `LabelledOptions.reads`."""
        return getattr(self, "tokens", "characters"), self.max_length  # type: ignore[attr-defined]  # each has its own


def new_module(
    options: LabelledOptions,
    reader: TextReader,
    labels: int,
    seed: int,
    vectors: WordVectors | None = None,
    *,
    copies: int = 1,
) -> LabelModule:
    """Return a module with random parameters; torch's own random state is kept.

    Args:
        options: of the model.
        reader: with its vocabulary.
        labels: L.
        seed: of the parameters.
        vectors: to start from.
        copies: numbers in memory per parameter: 1, or 2 in training.

    Raises:
        OptionError: the model needs more memory than this machine has, or no word has a vector.
    """
    with new_parameters(seed, copies):
        encoder = options.build_encoder(reader, vectors)
        return LabelModule(encoder, options.build_head(encoder.width, labels))


def contextual_vectors(reader: TextReader) -> ContextualVectors | None:
    """Return the vectors of a reader's embedders; None if there are none."""
    return ContextualVectors(reader.embedders) if reader.embedders else None


def word_table(
    reader: TextReader, dim: int, vectors: WordVectors | None, *, frozen: bool = False, seed: int = 0
) -> WordEmbedding:
    """Return the table of a reader's words; padding and the unknown word begin with zeros."""
    if vectors is None:
        table = WordEmbedding(len(reader), dim, frozen=frozen)
        torch.nn.init.uniform_(table.weight, -SPREAD, SPREAD)
    else:
        table = WordEmbedding.from_vectors(vectors, reader.table_words, frozen=frozen, seed=seed)
    with torch.no_grad():
        table.weight[[PAD, UNKNOWN]] = 0.0
    return table
