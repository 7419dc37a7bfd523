"""Very deep convolutional classifier of texts (VD-CNN): characters, narrow convolutions, up to 49 layers of them.

What: the vectors of characters pass four levels of temporal blocks; between levels the text is halved. Of every filter
    of the last level the eight highest values, in their order, enter two hidden layers.
Objective: with X the (n, 16) vectors of the characters and S the stack of `firth.neural.layers.temporal_blocks`,

    h = relu(V relu(U kmax_8(S X) + c) + d),   log p(label) = log softmax(W h + b)

Source: Conneau, Schwenk, Barrault and LeCun 2017, "Very deep convolutional networks for text classification", section
    3, table 2 (depths 9, 17, 29 and 49).
Departures:
- A text has its own length; in the paper all are cut or padded to 1,014 characters. Texts of fewer than 57 characters
  have fewer than eight steps at the end, and zeros follow.
- The characters are those of the training texts, with case folded; the paper has 69 fixed ones.
- Adam in place of SGD with momentum, which needs more passes over small data.
Cost: 280,000 multiplications per character at depth 9, 610,000 at depth 17, and 12.6 million per text for the two
    hidden layers of 2,048; three times that in training.
"""

from typing import ClassVar

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.sequence_pooling import k_max
from firth.neural.layers.temporal_blocks import TemporalStack
from firth.neural.models.classification.classifier import Encoder, LabelOptions, max_length_option, word_table
from firth.neural.models.classification.reader import Sequences, TextReader
from firth.neural.models.classification.train import train_label_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors

DEPTHS = {9: (1, 1, 1, 1), 17: (2, 2, 2, 2), 29: (5, 5, 2, 2), 49: (8, 8, 5, 3)}  # blocks of two layers per level


@options_class
class VDCNNClassifier(LabelOptions):
    """Very deep convolutional classifier of texts or pairs of texts, over characters.

    Source:
        Conneau et al. 2017; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"vdcnn": Preset("Up to 49 layers of convolutions over characters (Conneau et al. 2017).")}
    common_options: ClassVar = ("depth", "shortcuts", "filters", "hidden", "max_length", "pairs")
    train = train_label_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=64, optimiser="adam", lr=0.0005, schedule="linear", warmup=200, clip_norm=1.0, patience=3
    )

    depth: int = option(9, "convolutional layers: 9, 17, 29 or 49", minimum=9, maximum=49)
    shortcuts: bool = option(False, "shortcut (residual) connections around blocks")
    dim: int = option(16, "width of character vectors", minimum=1)
    filters: int = option(64, "filters of the first level; each level doubles them", minimum=1)
    k: int = option(8, "values per filter that k-max pooling keeps", minimum=1)
    hidden: int = option(2048, "width of the two hidden layers", minimum=1)
    dropout: float = option(0.0, "dropout before the last layer", minimum=0, maximum=0.99)
    max_length: int = max_length_option(1014, "characters")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.depth not in DEPTHS:
            raise OptionError(f"depth={self.depth}: expected one of {', '.join(map(str, DEPTHS))}")

    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> "VDCNNEncoder":
        """Return an encoder with random parameters; see `LabelOptions.build_encoder`."""
        return VDCNNEncoder(self, reader)


class VDCNNEncoder(Encoder):
    """Encoder of VD-CNN; arguments as in `LabelOptions.build_encoder`."""

    def __init__(self, options: VDCNNClassifier, reader: TextReader) -> None:
        super().__init__()
        self.embedding = word_table(reader, options.dim, None)
        self.stack = TemporalStack(options.dim, options.filters, DEPTHS[options.depth], shortcuts=options.shortcuts)
        self.k = options.k
        first = nn.Linear(options.k * self.stack.width, options.hidden)
        self.hidden = nn.Sequential(first, nn.ReLU(), nn.Linear(options.hidden, options.hidden), nn.ReLU())
        self.width = options.hidden

    def forward(self, inputs: Sequences) -> torch.Tensor:
        """Return (B, D) vectors; see `Encoder.forward`."""
        x, lengths = self.stack(self.embedding(inputs.ids), inputs.lengths)  # (B, T / 8, 8 filters)
        vectors: torch.Tensor = self.hidden(k_max(x, lengths, self.k).flatten(1))
        return vectors
