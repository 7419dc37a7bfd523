"""Recurrent classifier of texts: a bidirectional LSTM, or another cell, and pooling over its outputs.

What: the words of a text are read forward and backward; the outputs of all steps become one vector by their maximum,
    their mean, the last step, or learned attention.
Objective: with x_t the vector of word t,

    y = stack(x_1 ... x_n),   h = pool_t y_t,   log p(label) = log softmax(W dropout(h) + b)

Source: Conneau et al. 2017 (InferSent), section 3.2.2 (maximum); Lin et al. 2017, section 2, and Yang et al. 2016,
    section 2.2 (attention); Graves and Schmidhuber 2005 for the bidirectional LSTM.
Departures: none in the encoder. A tenth of the training data selects the epoch.
Cost: 16 H^2 + 8 D H multiplications per word for a layer of an LSTM in both directions; three times that in training.
"""

from typing import ClassVar

import torch

from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.recurrent import CELLS, RecurrentStack
from firth.neural.layers.sequence_pooling import TRAINED_POOLINGS, Pooling
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
from firth.neural.models.tokens.embedders import INPUT, OUTPUT
from firth.neural.models.tokens.features import joined
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors


@options_class
class RecurrentClassifier(LabelOptions):
    """Recurrent classifier of texts or pairs of texts.

    Source:
        Conneau et al. 2017 and the papers in the module's docstring, with the formula.
    """

    presets: ClassVar = {
        "lstm": Preset("Bidirectional LSTM and a maximum over time (Conneau et al. 2017).", cell="lstm")
    }
    common_options: ClassVar = ("dim", "hidden", "layers", "pooling", "embedding", "dropout", "tokens", "pairs")
    train = train_label_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=32, optimiser="adam", lr=0.001, clip_norm=5.0, patience=3
    )

    embed_places: ClassVar[tuple[str, ...]] = (INPUT, OUTPUT)

    cell: str = option("lstm", "recurrent cell", choices=tuple(CELLS))
    dim: int = option(300, "width of word vectors; given vectors decide it", minimum=1)
    hidden: int = option(150, "width of each layer's hidden state in one direction", minimum=1)
    layers: int = option(1, "number of recurrent layers", minimum=1)
    bidirectional: bool = option(True, "whether texts are also read backward")
    pooling: str = option("max", "pooling over time", choices=TRAINED_POOLINGS)
    embedding: str = option("tuned", "word vectors: tuned, or static (given and kept)", choices=("tuned", "static"))
    dropout: float = option(
        0.3, "dropout of word vectors, between layers, and before the last layer", minimum=0, maximum=0.99
    )
    tokens: str = option("words", "how texts are split into words", choices=WORD_TOKENS)
    extra_words: int = extra_words_option()
    max_length: int = max_length_option(1000, "words")

    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> "RecurrentEncoder":
        """Return an encoder with random parameters; see `LabelOptions.build_encoder`."""
        return RecurrentEncoder(self, reader, vectors)


class RecurrentEncoder(Encoder):
    """Encoder of a recurrent classifier; arguments as in `LabelOptions.build_encoder`."""

    def __init__(self, options: RecurrentClassifier, reader: TextReader, vectors: WordVectors | None) -> None:
        super().__init__()
        seed, frozen = int(torch.randint(2**31, ())), options.embedding == "static"
        self.embedding = word_table(reader, options.dim, vectors, frozen=frozen, seed=seed)
        self.contextual = contextual_vectors(reader)
        joins = {} if self.contextual is None else self.contextual.widths
        self.stack = RecurrentStack(
            options.dim + joins.get(INPUT, 0),
            options.hidden,
            options.layers,
            cell=options.cell,
            bidirectional=options.bidirectional,
            dropout=Dropouts(inputs=options.dropout, layers=options.dropout),
        )
        self.pooling = Pooling(options.pooling, self.stack.width + joins.get(OUTPUT, 0))
        self.width = self.pooling.width

    def forward(self, inputs: Sequences) -> torch.Tensor:
        """Return (B, D) vectors; see `Encoder.forward`."""
        lengths = inputs.lengths.cpu()  # where the kernels of a GPU expect them, too
        context = {} if self.contextual is None else self.contextual(inputs.sentences)
        x = joined(self.embedding(inputs.ids), context, INPUT)
        outputs, _ = self.stack(x, None, lengths)  # (B, T, H')
        vectors: torch.Tensor = self.pooling(joined(outputs, context, OUTPUT), inputs.lengths)
        return vectors
