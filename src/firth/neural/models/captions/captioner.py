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

from collections.abc import Callable
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from firth.arguments import explained
from firth.errors import OptionError
from firth.neural.layers.attention import KINDS as SCORES
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.registry import make_output
from firth.neural.layers.recurrent_decoder import RecurrentDecoder
from firth.neural.layers.state import State
from firth.neural.models.captions.data import CaptionData, Shape, caption_data, read_captions, read_features
from firth.neural.models.captions.predict import CaptionModel
from firth.neural.models.translation.coders import Encoded, RecurrentTarget
from firth.neural.models.translation.module import TranslationModule
from firth.neural.models.translation.train import translation_task
from firth.neural.models.translation.units import Units, learn_units
from firth.neural.supervised import digest, split_rows
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.options import check, option, options_class, values_of
from firth.timing import running_clock

EVAL_BATCH = 128  # captions per batch of an evaluation


class FeatureEncoder(nn.Module):
    """A layer over the features of each cell: m_p = relu(W (f_p - mean) / deviation + b + e_p).

    Attributes:
        width: M.
    """

    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(self, cells: int, dim: int, width: int, *, positions: bool, dropout: float) -> None:
        super().__init__()
        self.width, self.project, self.dropout = width, nn.Linear(dim, width), Dropout(dropout)
        self.positions = nn.Parameter(torch.randn(cells, width)) if positions else None  # as large as W f
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("deviation", torch.ones(dim))

    def standardise(self, features: npt.NDArray[np.float32]) -> None:
        """Take mean and standard deviation from (N, P, D) features."""
        flat = features.reshape(-1, features.shape[2])
        mean, deviation = flat.mean(0, dtype=np.float64), flat.std(0, dtype=np.float64)
        with torch.no_grad():
            self.mean.copy_(torch.from_numpy(mean))
            self.deviation.copy_(torch.from_numpy(np.where(deviation > 1e-6 * np.abs(mean) + 1e-12, deviation, 1)))

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Encoded:
        """Return (B, P, M) states and their mean, given (B, P, D) features."""
        states = self.project((x - self.mean) / self.deviation)
        states = states if self.positions is None else states + self.positions
        states = self.dropout(states.relu())
        return Encoded(states, lengths, states.mean(1), None)


class BiasedTarget(nn.Module):
    """A recurrent decoder that reads the mean of the states m beside each word.

    In a gate s(W x_t + V m + U h) the product V m is a bias of each gate, the same at every step.

    Attributes:
        width: H.
        sequential: True.
    """

    sequential = True

    def __init__(self, target: RecurrentTarget) -> None:
        super().__init__()
        self.target, self.width = target, target.width

    def start(self, encoded: Encoded) -> tuple[Any, State]:
        """Return what the decoder looks at, and its first state; see `Decoder`."""
        memory, state = self.target.start(encoded)
        return (memory, encoded.summary), state

    def read(self, x: torch.Tensor, memory: Any, state: State) -> tuple[torch.Tensor, torch.Tensor | None, State]:
        """Return outputs, attention and state; see `Decoder`."""
        return self.target.read(_beside(x, memory[1]), memory[0], state)

    def prepared(self) -> Callable[[torch.Tensor, Any, State], tuple[torch.Tensor, torch.Tensor | None, State]]:
        """Return what reads one step in a search; see `Decoder`."""
        read = self.target.prepared()
        return lambda x, memory, state: read(_beside(x, memory[1]), memory[0], state)

    def attention(self, x: torch.Tensor, memory: Any, state: State) -> torch.Tensor:
        """Return attention; see `Decoder`."""
        return self.target.attention(_beside(x, memory[1]), memory[0], state)


def _beside(x: torch.Tensor, summary: torch.Tensor) -> torch.Tensor:
    """Return (B, T, D) inputs with (P, M) vectors beside them, each for B / P consecutive rows."""
    B, T = x.shape[:2]
    rows = summary.repeat_interleave(B // len(summary), 0)
    return torch.cat([x, rows[:, None].expand(B, T, -1)], 2)


@explained
def train_captioner(
    options: Any,
    features: Any,
    captions: Any,
    *,
    held_out: Any = None,
    held_out_captions: Any = None,
    **run: Unpack[RunArguments],
) -> CaptionModel:
    """Train a caption model.

    Args:
        options: `firth.Captioner`.
        features: (N, D) numbers, a vector per image, or (N, P, D), a grid of P cells per image. Each of the D features
            is standardised.
        captions: of each image a text, or a list of texts.
        held_out: features of images that select the best epoch. Without them a tenth of the images is held out, with
            all their captions.
        held_out_captions: their captions.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out captions: of the lowest cross entropy.

    Raises:
        ArgumentTypeError: the features are no array of numbers, or the captions no texts.
        ShapeError: the features have another shape, or there are not captions of as many images.
        CorpusError: a number is not finite, an image has no caption, or all captions are too long.
        OptionError: an option is out of its range, held-out images have no captions, or the checkpoint is of another
            run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    if (held_out is None) != (held_out_captions is None):
        raise OptionError("held_out and held_out_captions: one is given without the other; expected both or neither")
    with running_clock():
        grid, shape = read_features(features)
        texts = read_captions(captions, len(grid))
        if held_out is None:
            parts = split_rows(len(grid), config.seed, f"features: {len(grid)} image")
            (grid, texts), (test_grid, test_texts) = ((grid[rows], [texts[row] for row in rows]) for rows in parts)
        else:
            test_grid, _ = read_features(held_out, shape, "held_out")
            test_texts = read_captions(held_out_captions, len(test_grid), "held_out_captions")
        every = [text for several in texts for text in several]
        settings = {"min_count": options.min_count, "lowercase": options.lowercase}
        units = learn_units(every, options.units, options.size, **settings)
        train = caption_data(grid, texts, units, options.max_length)
        test = caption_data(test_grid, test_texts, units, options.max_length)
        module = new_module(config.seed, options.build, shape, units, copies=2)
        module.encoder.standardise(train.features)
        batches = train.batches(config.training.batch_size, seed=config.seed)
        evaluation = test.batches(EVAL_BATCH, shuffle=False)
        task = translation_task(module, batches, evaluation, predictions=test.tokens)
        data = {"examples": _digest(units, train, test), "images": len(train.features)}
        more = {
            "captions": len(train.examples),
            "held_out_images": len(test.features),
            "target_tokens": train.tokens,
            "dropped": {"long": train.dropped} if train.dropped else {},
        }
        facts = fit_model(task, options, config, data, facts=more)
    return CaptionModel(module, options, units, shape, {"training": facts})


def _digest(units: Units, *parts: CaptionData) -> str:
    """Return a digest of the data of a run."""
    content = (
        (
            str(part.features.shape),
            np.asarray(part.features),
            [(row.to_bytes(8, "little"), len(ids).to_bytes(4, "little"), ids) for row, ids in part.examples],
        )
        for part in parts
    )
    return digest("\n".join(units.words), content)


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
        """Return a module with random parameters from torch's default generator."""
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
            input_feeding=self.input_feeding and self.has_attention,
            **values_of(self, "layers", "cell", "attention", "dropout"),
        )
        bridge = "linear" if self.initial_state else "none"
        target = RecurrentTarget(
            decoder, layers=self.layers, cell=self.cell, encoder_width=self.hidden, bridge=bridge
        )  # fmt: skip
        return BiasedTarget(target) if self.gate_bias else target
