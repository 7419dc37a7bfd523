"""Transformer classifier of texts: blocks of attention over the whole text, and pooling.

What: every word attends to all words of its text, in several blocks; the outputs become one vector by their mean, or
    another pooling.
Objective: with x_t the vector of word t, of width D or brought to it by a matrix,

    y = blocks(sqrt(D) x_t + position_t),   h = pool_t y_t,   log p(label) = log softmax(W dropout(h) + b)

Source: Vaswani et al. 2017, section 3 (encoder); `firth.neural.layers.transformer` has the blocks.
Departures: pre-norm and learned positions by default. Trained from scratch on some thousand texts, it is seldom better
    than a CNN: what makes transformers strong is learned from other text first.
Cost: 12 D^2 multiplications per word and block, and 2 T D for attention; three times that in training.
"""

from typing import ClassVar

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.positions import POSITIONS
from firth.neural.layers.sequence_pooling import TRAINED_POOLINGS, Pooling
from firth.neural.layers.transformer import ACTIVATIONS, NORMS, TransformerConfig, TransformerEncoder
from firth.neural.models.classification.classifier import (
    WORD_TOKENS,
    Encoder,
    LabelOptions,
    extra_words_option,
    max_length_option,
    word_table,
)
from firth.neural.models.classification.reader import Sequences, TextReader
from firth.neural.models.classification.train import train_label_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors


@options_class
class TransformerClassifier(LabelOptions):
    """Transformer classifier of texts or pairs of texts.

    Source:
        Vaswani et al. 2017; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"transformer": Preset("Blocks of attention over the whole text (Vaswani et al. 2017).")}
    common_options: ClassVar = ("width", "layers", "heads", "pooling", "embedding", "dropout", "tokens", "pairs")
    train = train_label_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=32, optimiser="adam", lr=0.0005, schedule="linear", warmup=100, clip_norm=1.0, patience=3
    )

    dim: int = option(128, "width of word vectors; given vectors decide it", minimum=1)
    width: int = option(128, "width of the blocks (d_model)", minimum=1)
    layers: int = option(2, "number of transformer blocks", minimum=1)
    heads: int = option(4, "attention heads; the width is divided among them", minimum=1)
    positions: str = option("learned", "position encoding", choices=POSITIONS)
    norm: str = option("pre", "layer norm before each part of a block (pre-norm), or after it", choices=NORMS)
    activation: str = option("gelu", "activation of the feed-forward network", choices=tuple(ACTIVATIONS))
    pooling: str = option("mean", "pooling over time", choices=TRAINED_POOLINGS)
    embedding: str = option("tuned", "word vectors: tuned, or static (given and kept)", choices=("tuned", "static"))
    dropout: float = option(
        0.2, "dropout of inputs, of the output of each part, and before the last layer", minimum=0, maximum=0.99
    )
    tokens: str = option("words", "how texts are split into words", choices=WORD_TOKENS)
    extra_words: int = extra_words_option()
    max_length: int = max_length_option(256, "words")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % self.heads or (self.positions == "rotary" and self.width // self.heads % 2):
            raise OptionError(
                f"heads={self.heads}: expected a divisor of width={self.width}, with an even number per head for "
                "rotary positions"
            )
        if self.positions in ("sinusoidal", "relative") and self.width % 2:
            raise OptionError(f"width={self.width}: sinusoids come in pairs; expected an even number")

    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> "TransformerTextEncoder":
        """Return an encoder with random parameters; see `LabelOptions.build_encoder`."""
        return TransformerTextEncoder(self, reader, vectors)


class TransformerTextEncoder(Encoder):
    """Encoder of a transformer classifier; arguments as in `LabelOptions.build_encoder`."""

    def __init__(self, options: TransformerClassifier, reader: TextReader, vectors: WordVectors | None) -> None:
        super().__init__()
        seed, frozen = int(torch.randint(2**31, ())), options.embedding == "static"
        self.embedding = word_table(reader, options.dim, vectors, frozen=frozen, seed=seed)
        if vectors is None:
            nn.init.normal_(self.embedding.weight, std=options.width**-0.5)
        same = options.dim == options.width
        self.project = nn.Identity() if same else nn.Linear(options.dim, options.width, bias=False)
        config = TransformerConfig(
            width=options.width,
            heads=options.heads,
            norm=options.norm,
            activation=options.activation,
            dropout=options.dropout,
        )
        self.blocks = TransformerEncoder(
            config, options.layers, context=options.max_length, positions=options.positions
        )
        self.pooling = Pooling(options.pooling, options.width)
        self.scale, self.width = options.width**0.5, self.pooling.width

    def forward(self, inputs: Sequences) -> torch.Tensor:
        """Return (B, D) vectors; see `Encoder.forward`."""
        x = self.scale * self.project(self.embedding(inputs.ids))  # (B, T, D)
        vectors: torch.Tensor = self.pooling(self.blocks(x, inputs.lengths), inputs.lengths)
        return vectors
