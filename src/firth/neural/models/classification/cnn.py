"""Convolutional classifier of texts: filters over windows of words, the maximum over time, one linear layer.

What: each filter looks at windows of three, four or five words; of all windows of a text only the highest counts, so
    that a filter is a detector of a phrase. Word vectors are random, given and kept (static), given and tuned, or both
    at once (multichannel).
Objective: with x_t the vector of word t, for each width w and filter

    c_p = W [x_p; ...; x_{p+w-1}] + b,   h = relu(max_p c_p),   log p(label) = log softmax(U dropout(h) + d)

    the lengths of the rows of U are at most 3. Multichannel: c_p is the sum over both tables, each with its W.
Source: Kim 2014, "Convolutional neural networks for sentence classification", sections 2, 2.1 and 3.1; Zhang and
    Wallace 2017 for what matters among its options.
Departures:
- The lower-cased words of `tokens="words"` have no punctuation; Kim keeps some: `tokens="whitespace"` reads text
  that is tokenised already as it is.
- Every window that touches a word counts, and none else: Kim pads all sentences to one length, so that windows of
  padding count, too.
- Adam in place of Adadelta, which `optimiser="adadelta"` gives. Dropout scales the vector in training, not the weights
  afterwards: with the same limit on their length, the weights that are used are 1 / (1 - dropout) times Kim's.
- Kim initialises unknown words with the variance of the given vectors; here they also have their mean. The rows of
  padding and of the unknown word begin with zeros.
Cost: 12 D F multiplications per word with three widths; three times that in training, and the rows of a batch's words.
"""

from collections.abc import Sequence
from typing import ClassVar

import torch

from firth.errors import OptionError
from firth.neural.layers.convolution import Convolutions
from firth.neural.layers.sequence_pooling import pooled
from firth.neural.models.classification.classifier import (
    WORD_TOKENS,
    Encoder,
    LabelOptions,
    contextual_vectors,
    extra_words_option,
    max_length_option,
    word_table,
)
from firth.neural.models.classification.reader import Sequences, TextReader
from firth.neural.models.classification.train import train_label_model
from firth.neural.models.tokens.embedders import INPUT
from firth.neural.models.tokens.features import joined
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors

EMBEDDINGS = ("tuned", "static", "multichannel")


@options_class
class CNNClassifier(LabelOptions):
    """Convolutional classifier of texts or pairs of texts.

    Source:
        Kim 2014; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"cnn": Preset("Convolutions over words and a maximum over time (Kim 2014).")}
    common_options: ClassVar = ("dim", "embedding", "dropout", "tokens", "pairs")
    train = train_label_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=12, batch_size=50, optimiser="adam", lr=0.001, patience=3
    )

    embed_places: ClassVar[tuple[str, ...]] = (INPUT,)

    dim: int = option(300, "width of word vectors; given vectors decide it", minimum=1)
    embedding: str = option(
        "tuned", "word vectors: tuned, static (given and kept), or multichannel (both)", choices=EMBEDDINGS
    )
    widths: str | Sequence[int] = option("3,4,5", "words that filters read, separated by commas")
    filters: int = option(100, "filters of each width", minimum=1)
    dropout: float = option(0.5, "dropout before the last layer", minimum=0, maximum=0.99)
    max_norm: float = option(3.0, "max-norm: greatest length of the last weights of a label; 0 for any", minimum=0)
    tokens: str = option("words", "how texts are split into words", choices=WORD_TOKENS)
    extra_words: int = extra_words_option()
    max_length: int = max_length_option(1000, "words")

    def __post_init__(self) -> None:
        if not isinstance(self.widths, str):
            object.__setattr__(self, "widths", ",".join(map(str, self.widths)))
        super().__post_init__()
        _ = self.filter_widths

    @property
    def filter_widths(self) -> tuple[int, ...]:
        """The widths as numbers."""
        try:
            widths = tuple(int(width) for width in str(self.widths).split(","))
        except ValueError:
            widths = ()
        if not widths or not all(1 <= width <= self.max_length for width in widths):
            raise OptionError(f"widths={self.widths!r}: expected whole numbers of at least 1, such as '3,4,5'")
        return widths

    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> "CNNEncoder":
        """Return an encoder with random parameters; see `LabelOptions.build_encoder`."""
        return CNNEncoder(self, reader, vectors)


class CNNEncoder(Encoder):
    """Encoder of Kim's model; arguments as in `LabelOptions.build_encoder`."""

    def __init__(self, options: CNNClassifier, reader: TextReader, vectors: WordVectors | None) -> None:
        super().__init__()
        seed = int(torch.randint(2**31, ()))
        frozen = options.embedding == "static"
        self.embedding = word_table(reader, options.dim, vectors, frozen=frozen, seed=seed)
        self.static = None
        if options.embedding == "multichannel":
            self.static = word_table(reader, options.dim, vectors, frozen=True, seed=seed)
        widths = options.filter_widths
        self.contextual = contextual_vectors(reader)
        joins = 0 if self.contextual is None else self.contextual.widths[INPUT]
        channels = 1 if self.static is None else 2
        self.convolutions = Convolutions(channels * options.dim + joins, options.filters, widths)
        self.width = options.filters * len(widths)

    @property
    def embeddings(self) -> tuple[torch.nn.Module, ...]:
        """See `Encoder.embeddings`."""
        return (self.embedding,) if self.static is None else (self.embedding, self.static)

    def forward(self, inputs: Sequences) -> torch.Tensor:
        """Return (B, D) vectors; see `Encoder.forward`."""
        x = self.embedding(inputs.ids)  # (B, T, D)
        if self.static is not None:
            x = torch.cat([x, self.static(inputs.ids)], dim=2)  # the sum over both channels of a filter
        if self.contextual is not None:
            x = joined(x, self.contextual(inputs.sentences), INPUT)
        outputs = self.convolutions(x, inputs.lengths)
        # relu rises, so that it may follow the maximum.
        return torch.relu(torch.cat([pooled(c, windows, "max") for c, windows in outputs], dim=1))
