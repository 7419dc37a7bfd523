"""Captions of images, or of whatever has feature vectors: a language model that is conditioned on features.

What
    Features of an image, one vector or a grid of them, come from elsewhere. A recurrent decoder, that of translators,
    writes the caption, with the same searches.
Objective
    m_p = relu(W f_p + e_p) for each cell p of the grid, with standardised features f and a vector e per cell; m is
    their mean. They enter the decoder in up to three ways:
    initial state  (h_0, c_0) = tanh(U m + b)
    gate bias      each gate of the cell is s(W x_t + V m + U h_t-1 + b)
    attention      over the cells, as over the words of a source; `firth.neural.layers.recurrent_decoder` has formulas
Source
    Vinyals, Toshev, Bengio and Erhan 2015, "Show and Tell", section 3 (a decoder that starts from features); Kiros,
    Salakhutdinov and Zemel 2014, "Multimodal Neural Language Models", section 3.1 (features as a bias); Xu et al. 2015,
    "Show, Attend and Tell", sections 3.1.2 and 4.2 (attention over a grid).
Departures
    Show and Tell reads the features as the first word; here they are the first state. In Kiros et al. the features bias
    the vector of the predicted word, here the gates. Attention is scored by the state after a recurrent step, in Xu et
    al. by the one before; the attentional state enters the next step (input feeding).
Cost
    P D M multiplications per caption for the features; the rest is that of a translator's decoder over P states.
"""

from typing import Any, ClassVar

from firth.errors import OptionError
from firth.neural.layers.attention import KINDS as SCORES
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.registry import make_output
from firth.neural.layers.recurrent_decoder import RecurrentDecoder
from firth.neural.models.captions.conditioning import BiasedTarget, FeatureEncoder
from firth.neural.models.captions.data import Shape
from firth.neural.models.captions.train import train_captioner
from firth.neural.models.translation.decoders import RecurrentTarget
from firth.neural.models.translation.module import TranslationModule
from firth.neural.models.translation.units import Units
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class


@options_class
class Captioner:
    """Caption model: learns to describe feature vectors or grids of them.

    Raises:
        OptionError: an option is out of its range, or the features would not be read at all.

    Source:
        Vinyals et al. 2015, Kiros et al. 2014, Xu et al. 2015; the module's docstring has the formula and every
        departure.
    """

    train = train_captioner
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=64, optimiser="adam", lr=0.002, clip_norm=5.0, schedule="linear"
    )

    initial_state: bool = option(True, "the features give the decoder's first state")
    gate_bias: bool = option(False, "the features are a bias of the decoder's gates at every step")
    attention: str = option("additive", "attention over the cells of a grid", choices=("none", *SCORES))
    positions: bool = option(True, "position encoding: a learned vector for each cell of a grid")
    units: str = option("words", "what captions are split into", choices=("words", "subwords"))
    size: int = option(10_000, "maximum number of words or subwords", minimum=1)
    min_count: int = option(1, "minimum count of a word", minimum=1)
    lowercase: bool = option(False, "captions are read in lower case")
    max_length: int = option(60, "maximum tokens of a caption; longer ones are not learned", minimum=1)
    dim: int | None = option(None, "width of word vectors; default: hidden", minimum=1)
    hidden: int = option(256, "width of the states", minimum=1)
    layers: int = option(1, "number of layers", minimum=1)
    cell: str = option("lstm", "recurrent cell", choices=("lstm", "gru"))
    input_feeding: bool = option(True, "the attentional state of a step enters the next; not without attention")
    label_smoothing: float = option(
        0.1, "label smoothing: share of probability given to other words", minimum=0, maximum=0.99
    )
    dropout: float = option(0.2, "dropout rate", minimum=0, maximum=0.99)

    def __post_init__(self) -> None:
        check(self)
        if not self.initial_state and not self.gate_bias and self.attention == "none":
            raise OptionError(
                "initial_state=False, gate_bias=False and attention='none': the features would not be read; expected "
                "one of the three at least"
            )

    @property
    def has_attention(self) -> bool:
        """Whether the decoder looks at cells."""
        return self.attention != "none"

    def build(self, shape: Shape, units: Units) -> TranslationModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            shape: of the features.
            units: of captions.
        """
        from torch import nn

        dim = self.dim or self.hidden
        encoder = FeatureEncoder(
            shape.cells, shape.dim, self.hidden, positions=self.positions and shape.grid, dropout=self.dropout
        )
        output = make_output(
            "full", OutputConfig(self.hidden, len(units), units.counts, None), smoothing=self.label_smoothing
        )
        return TranslationModule(nn.Identity(), WordEmbedding(len(units), dim), encoder, self._decoder(dim), output)

    def _decoder(self, dim: int) -> Any:
        decoder = RecurrentDecoder(
            dim + self.hidden * self.gate_bias,
            self.hidden,
            self.hidden,
            layers=self.layers,
            cell=self.cell,
            attention=self.attention,
            input_feeding=self.input_feeding and self.has_attention,
            dropout=self.dropout,
        )
        bridge = "linear" if self.initial_state else "none"
        target = RecurrentTarget(
            decoder, layers=self.layers, cell=self.cell, encoder_width=self.hidden, bridge=bridge
        )  # fmt: skip
        return BiasedTarget(target) if self.gate_bias else target
