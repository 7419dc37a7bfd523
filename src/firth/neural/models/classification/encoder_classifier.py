"""Classifier of texts over a pretrained encoder: frozen, fine-tuned, or thawed from the top.

What
    A pretrained encoder reads a text as word pieces; the mean of their states, or the state before them, is its vector,
    over which a linear layer gives labels.
Objective
    log p(label) = log softmax(W dropout(h) + b). With `tuning="all"` every parameter learns; the learning rate of block
    l of L is lr decay^(L - l), of the vectors of tokens lr decay^L. With "gradual" only the head learns in the
    first epoch, and with each further epoch one more block from the top. With "frozen" the encoder stays as it is, and
    each text is encoded once.
Source
    Devlin et al. 2019, section 4.1 (fine-tuning); Howard and Ruder 2018, "ULMFiT", section 3.2 (discriminative learning
    rates) and 3.3 (gradual unfreezing); Clark et al. 2020, appendix B (layer-wise decay).
Departures
    The learning rate rises over three tenths of the run and falls with half a cosine wave, so that warm-up suits any
    number of texts. Training does not stop early: the last epochs, at low rates, gain most. No pooler, a layer with
    tanh, stands between the states and the labels. Rates decay by 0.9 per block; Howard and Ruder divide by 2.6.
Cost
    That of the encoder, three times in training; of a frozen one, once per text.
"""

import dataclasses
import os
from typing import Any, ClassVar, Unpack, cast

import torch

from firth.arguments import explained
from firth.corpus.table_options import TableOptions
from firth.errors import ArgumentTypeError, OptionError
from firth.loading import load_as
from firth.neural.layers.sequence_pooling import pooled
from firth.neural.models.classification.classifier import Encoder, LabelModule, LabelOptions
from firth.neural.models.classification.predict import LabelModel
from firth.neural.models.classification.reader import Sequences, TextReader
from firth.neural.models.classification.train import read_labelled, train_module
from firth.neural.models.pretraining.encoder_model import POOLINGS, PretrainedEncoder
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork
from firth.neural.training.optimisers import DiscriminativeRates
from firth.neural.training.options import RunConfig, TableRunArguments, TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.options import Preset, check_path, option, options_class
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

TUNINGS = ("all", "gradual", "frozen")


@explained
def fine_tune(
    options: "EncoderClassifier",
    source: Any,
    labels: Any = None,
    *,
    column: str | int | None = None,
    held_out: Any = None,
    held_out_labels: Any = None,
    **run: Unpack[TableRunArguments],
) -> LabelModel:
    """Train a classifier over a pretrained encoder.

    Args:
        options: with the encoder's folder.
        source: texts with labels, as for `firth.CNNClassifier.train`.
        labels: their labels, likewise.
        column: the column of texts in a table, likewise.
        held_out: examples that select the best epoch. Without them a tenth of the training examples is held out.
        held_out_labels: labels of `held_out`, likewise.
        **run: training options and circumstances of the run; see `RunConfig`; and how a table in a text file is read.

    Returns:
        The model of the best evaluation on held-out examples; it holds the encoder.

    Raises:
        CorpusError: the source is missing, not text, or empty; no example has a label, or all have the same.
        OptionError: there is no encoder in the folder, or an option is out of its range.
        DivergenceError: training diverged.
    """
    if options.encoder is None:
        raise OptionError(
            "the encoder is missing: give encoder='FOLDER', as firth.MaskedLM or firth pretrain makes one"
        )
    table_options, rest = TableOptions.among(run)
    config = RunConfig.of(options.training, rest)
    with running_clock():
        start = load_as(options.encoder, PretrainedEncoder, "the folder of a contextual encoder")
        reader = TextReader(
            start.pieces.vocabulary,
            "wordpieces",
            min(options.max_length, start.max_pieces),
            pieces=start.pieces,
            sizes=start.config,
        )
        examples, validation, left_out = read_labelled(
            options, source, labels, column, held_out, held_out_labels, config, table_options
        )

        def prepare(module: LabelModule) -> None:
            cast("PretrainedTextEncoder", module.encoder).network.load_state_dict(start.module.state_dict())

        model = train_module(options, reader, examples, validation, config, left_out=left_out, prepare=prepare)
        cast("PretrainedTextEncoder", model.module.encoder).forget()
        return model


@options_class
class EncoderClassifier(LabelOptions):
    """Classifier of texts or pairs of texts over a pretrained encoder.

    Source:
        Devlin et al. 2019, Howard and Ruder 2018; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "encoder": Preset("A pretrained encoder, fine-tuned or frozen (Devlin et al. 2019).", unused={"min_count"})
    }
    common_options: ClassVar = ("encoder", "tuning", "pooling", "pairs")
    train = fine_tune
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=8, batch_size=32, optimiser="adamw", lr=0.0003, weight_decay=0.01, schedule="one-cycle",
        clip_norm=1.0,
    )  # fmt: skip

    encoder: str | None = option(None, "pretrained encoder: its folder")
    tuning: str = option(
        "all", "what learns besides the head: all, one more block with each epoch, or nothing", choices=TUNINGS
    )
    layer_decay: float = option(
        0.9, "factor on the learning rate from each block to the one below", minimum=0, maximum=1, exclusive=True
    )
    pooling: str = option("mean", "vector of a text: mean of its states, or the state before it", choices=POOLINGS)
    dropout: float = option(0.1, "dropout of the encoder, and before the last layer", minimum=0, maximum=0.99)
    max_length: int = option(126, "word pieces that are read of a text, the first ones", minimum=1, maximum=100_000)

    def __post_init__(self) -> None:
        if self.encoder is not None:
            given: object = self.encoder
            if isinstance(given, PretrainedEncoder):
                raise ArgumentTypeError(
                    "encoder: found an encoder in memory; expected its folder: save it first, by save('FOLDER')"
                )
            check_path(self.encoder, "encoder")
            object.__setattr__(self, "encoder", os.fspath(self.encoder))
        super().__post_init__()

    @property
    def reads(self) -> tuple[str, int]:
        """Word pieces; see `LabelledOptions.reads`."""
        return "wordpieces", self.max_length

    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> "PretrainedTextEncoder":
        """Return an encoder with random parameters; see `LabelOptions.build_encoder`."""
        assert isinstance(reader.sizes, EncoderConfig)
        return PretrainedTextEncoder(self, reader.sizes, reader.max_length)


class PretrainedTextEncoder(Encoder, DiscriminativeRates):
    """Texts to vectors by a pretrained network."""

    def __init__(self, options: EncoderClassifier, sizes: EncoderConfig, max_length: int) -> None:
        super().__init__()
        assert max_length + 2 <= sizes.max_length, "texts are longer than the positions"
        self.network = EncoderNetwork(dataclasses.replace(sizes, dropout=options.dropout))
        self.width, self._options = sizes.dim, options
        self._frozen_blocks = 0 if options.tuning == "all" else sizes.layers + 1
        self._vectors: dict[bytes, torch.Tensor] = {}  # of a frozen network, by the ids of a text

    @property
    def embeddings(self) -> tuple[torch.nn.Module, ...]:
        """See `Encoder.embeddings`."""
        return (self.network.embeddings.word,)

    def advance(self, progress: TrainingProgress) -> None:
        """Thaw the blocks whose turn it is; see `Encoder.advance`."""
        if self._options.tuning == "gradual":
            self._frozen_blocks = max(0, self.network.config.layers + 1 - int(progress.epoch))

    def lr_factors(self) -> list[tuple[list[torch.nn.Parameter], float]]:
        """Return the parameters of each block with the factor on their learning rate."""
        decay, blocks = self._options.layer_decay, list(self.network.blocks.blocks)
        rates = [(list(block.parameters()), decay ** (len(blocks) - 1 - i)) for i, block in enumerate(blocks)]
        below = [*self.network.embeddings.parameters(), *self.network.project.parameters()]
        return [(below, decay ** len(blocks)), *rates]

    def forward(self, inputs: Sequences) -> torch.Tensor:
        """Return (B, D) vectors; see `Encoder.forward`."""
        if self._options.tuning == "frozen" and self.training:
            return self._remembered(inputs)
        return self._pooled(inputs)

    def _pooled(self, inputs: Sequences) -> torch.Tensor:
        ids, lengths = inputs.ids, inputs.lengths
        same = bool((lengths == ids.shape[1]).all())  # without a mask, attention is faster
        states = self.network.states(ids, None if same else lengths, frozen=self._frozen_blocks)[-1]
        if self._options.pooling == "cls":
            return states[:, 0]
        return pooled(states[:, 1:], lengths - 2, "mean")  # without [CLS] and [SEP]

    def forget(self) -> None:
        """Free the memory of vectors that training has kept."""
        self._vectors.clear()

    @torch.no_grad()
    def _remembered(self, inputs: Sequences) -> torch.Tensor:
        """Return vectors of a network that does not learn: each text is encoded once, without dropout."""
        keys = [row[:length].cpu().numpy().tobytes() for row, length in zip(inputs.ids, inputs.lengths, strict=True)]
        new = [number for number, key in enumerate(keys) if key not in self._vectors]
        if new:
            self.network.eval()
            lengths = inputs.lengths[new]
            rows = self._pooled(Sequences(inputs.ids[new][:, : int(lengths.max())], lengths)).float()
            self._vectors |= {keys[number]: row for number, row in zip(new, rows, strict=True)}
        return torch.stack([self._vectors[key] for key in keys])
