"""Toy: the mean of a text's word vectors, and one linear layer.

What: the smallest neural classifier that can be made of firth's parts; `test_five_places.py` puts it into a copy of the
    package.
Objective: log p(label) = log softmax(U mean_t x_t + d).
Source: none; it stands for a model that is still to come.
Departures: none.
Cost: D additions per word.
"""

from typing import ClassVar

import torch

from firth.neural.models.classification.classifier import Encoder, LabelOptions, max_length_option, word_table
from firth.neural.models.classification.reader import Sequences, TextReader
from firth.neural.models.classification.train import train_label_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors


@options_class
class ToyClassifier(LabelOptions):
    """Mean of word vectors: the options, and `train`."""

    presets: ClassVar = {"toy": Preset("Toy: the mean of word vectors.")}
    common_options: ClassVar = ("dim",)
    train = train_label_model
    training: ClassVar[TrainingOptions] = TrainingOptions(epochs=20, batch_size=10, optimiser="adam", lr=0.05)

    dim: int = option(8, "toy width of word vectors; given vectors decide it", minimum=1)
    tokens: ClassVar[str] = "words"
    extra_words: ClassVar[int] = 0
    max_length: int = max_length_option(100, "words")

    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> "ToyEncoder":
        """Return an encoder with random parameters; see `LabelOptions.build_encoder`."""
        return ToyEncoder(self, reader, vectors)


class ToyEncoder(Encoder):
    """The mean of word vectors; arguments as in `LabelOptions.build_encoder`."""

    def __init__(self, options: ToyClassifier, reader: TextReader, vectors: WordVectors | None) -> None:
        super().__init__()
        self.embedding = word_table(reader, options.dim, vectors, frozen=False, seed=0)
        self.width = options.dim

    @property
    def embeddings(self) -> tuple[torch.nn.Module, ...]:
        """See `Encoder.embeddings`."""
        return (self.embedding,)

    def forward(self, inputs: Sequences) -> torch.Tensor:
        """Return (B, D) vectors; see `Encoder.forward`."""
        within = torch.arange(inputs.ids.shape[1]) < inputs.lengths[:, None]
        means: torch.Tensor = (self.embedding(inputs.ids) * within[..., None]).sum(1) / inputs.lengths[:, None]
        return means
