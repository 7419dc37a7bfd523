"""Translators: encoder-decoders that turn a text into another, from recurrent networks to transformers.

What
    An encoder reads the source, a decoder writes the target token by token. Recurrent decoders look at the encoder's
    states by attention of any kind, transformers by several heads.
Objective
    -sum_t log p(y_t | y_1 .. y_t-1, x), with label smoothing; p from the output layer over the decoder's state.
Source
    Sutskever, Vinyals and Le 2014 (attention="none"); Bahdanau, Cho and Bengio 2015 (additive); Luong, Pham and Manning
    2015 (dot, general, local, input feeding); Vaswani et al. 2017 (transformer); Bradbury et al. 2017 (QRNN); Press and
    Wolf 2017 (three-way tying); Szegedy et al. 2016 (label smoothing); See, Liu and Manning 2017 (copying, coverage);
    Paulus, Xiong and Socher 2018 (intra-attention);
    Luong and Manning 2016 (spelled words; their characters are copied as See et al. copy words); Bengio et al. 2015,
    Goyal et al. 2017 (scheduled sampling).
Departures
- The decoder starts from a layer over the encoder's last states (bridge="linear"), or from these states themselves
  ("last", Sutskever et al.).
- Attention queries are the decoder's states of the same step, also for additive scores.
- Adam and gradients of bounded norm in place of SGD.
Cost
    `python -m benchmarks.translation` measures tokens per second.
"""

from typing import Any, ClassVar

from torch import nn

from firth.errors import OptionError
from firth.neural.layers.attended_characters import AttendedCharacters
from firth.neural.layers.attention import KINDS as SCORES
from firth.neural.layers.character_decoder import CharacterDecoder
from firth.neural.layers.characters import CharacterCNN
from firth.neural.layers.copying import CopyGate
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputConfig, OutputLayer
from firth.neural.layers.output.registry import OUTPUTS, make_output
from firth.neural.layers.positions import POSITIONS
from firth.neural.layers.recurrent_decoder import LOCAL, RecurrentDecoder
from firth.neural.layers.scheduled_sampling import KINDS as OWN_WORDS
from firth.neural.layers.scheduled_sampling import SCHEDULES, FeedingOptions, true_share
from firth.neural.layers.spelling import Spelling
from firth.neural.layers.transformer import NORMS, TransformerConfig
from firth.neural.models.language.language_model import parse_output
from firth.neural.models.translation.coders import (
    BRIDGES,
    RecurrentEncoder,
    RecurrentTarget,
    SelfAttentiveEncoder,
    SelfAttentiveTarget,
)
from firth.neural.models.translation.data import LONGEST_WORD, SPELLED
from firth.neural.models.translation.module import TranslationModule
from firth.neural.models.translation.train import train_translator
from firth.neural.models.translation.units import KINDS, Units
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, check, option, options_class, values_of

CELLS = ("lstm", "gru", "qrnn")
TRANSFORMER, SUBWORDS = "transformer", "subwords"
ATTENTIVE = (  # need attention
    "copying", "coverage", "coverage_loss", "coverage_from", "intra_temporal", "intra_decoder", "spelling_copying",
)  # fmt: skip
TIES = ("none", "target", "all")
FILTERS = (25, 50, 75, 75, 75)  # of the character CNN, of width 1, 2, ...


@options_class
class Translator:
    """Translator of texts.

    Raises:
        OptionError: an option is out of its range, or two do not fit each other.

    Source:
        Sutskever et al. 2014, Bahdanau et al. 2015, Luong et al. 2015, Vaswani et al. 2017; the module's docstring has
        the formula and every departure.
    """

    train = train_translator
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=12, batch_size=64, optimiser="adam", lr=0.001, schedule="linear", warmup=200, clip_norm=1.0
    )
    presets: ClassVar = {
        "attention": Preset("LSTMs with attention and input feeding (Luong et al. 2015).", unused=("heads", "ffn_dim")),
        "lstm": Preset(
            "LSTMs without attention (Sutskever et al. 2014).",
            unused=("heads", "ffn_dim", "local", "window", "input_feeding", *ATTENTIVE),
            attention="none",
            bridge="last",
        ),
        "transformer": Preset(
            "Transformer (Vaswani et al. 2017).",
            unused=("bidirectional", "attention", "local", "window", "input_feeding", *ATTENTIVE, "bridge"),
            encoder=TRANSFORMER,
            decoder=TRANSFORMER,
        ),
    }
    common_options: ClassVar = (
        "source_units", "target_units", "joint", "source_size", "target_size", "lowercase", "hidden", "layers",
        "dropout",
    )  # fmt: skip

    source_units: str = option("subwords", "units of the source; characters: words, spelled by a CNN", choices=KINDS)
    target_units: str = option("subwords", "units of the target", choices=KINDS[:2])
    joint: bool = option(False, "one vocabulary for both sides")
    source_size: int = option(8000, "vocabulary size of the source: words or subwords", minimum=1)
    target_size: int = option(8000, "vocabulary size of the target; of both sides with joint", minimum=1)
    min_count: int = option(2, "minimum count of a word; rarer ones are unknown", minimum=1)
    lowercase: bool = option(False, "read texts in lower case")
    reverse_source: bool = option(False, "read the source from the last word to the first")
    max_length: int = option(100, "maximum length of a source or a target in tokens", minimum=1)
    truncate: bool = option(False, "truncate longer texts in training; else their pairs are left out")
    encoder: str = option("lstm", "encoder", choices=(*CELLS, TRANSFORMER))
    decoder: str = option("lstm", "decoder", choices=(*CELLS, TRANSFORMER))
    hidden: int = option(256, "width of the states", minimum=1)
    layers: int = option(1, "number of layers of the encoder and of the decoder", minimum=1)
    bidirectional: bool = option(True, "recurrent encoders also read backward, with half the width in each direction")
    dim: int | None = option(None, "width of word vectors; default: that of the states", minimum=1)
    attention: str = option("general", "attention of a recurrent decoder", choices=("none", *SCORES))
    local: str = option("none", "local attention: a window of the source that moves on, or is predicted", choices=LOCAL)
    window: int = option(10, "tokens on each side of the centre of local attention", minimum=1)
    input_feeding: bool = option(True, "the attentional state of a step enters the next; not without attention")
    copying: bool = option(False, "pointer-generator: the decoder also writes source words that it attends to")
    coverage: bool = option(False, "the attention of earlier steps enters the scores")
    coverage_loss: float = option(
        0.0, "weight of the coverage loss: attention to what was attended to before", minimum=0
    )
    coverage_from: float = option(
        0.0, "share of the training after which coverage and its loss are used", minimum=0, maximum=1
    )
    intra_temporal: bool = option(
        False, "intra-temporal attention: scores of earlier steps lower the scores of source tokens"
    )
    intra_decoder: bool = option(False, "intra-decoder attention: the decoder also looks at its own earlier states")
    bridge: str = option(
        "linear", "first state of a recurrent decoder: a layer over the encoder's last states, these, or zeros",
        choices=BRIDGES,
    )  # fmt: skip
    heads: int = option(4, "attention heads of a transformer", minimum=1)
    ffn_dim: int | None = option(None, "width of a transformer's feed-forward network; default: 4 hidden", minimum=1)
    norm: str = option("pre", "layer normalisation of a transformer, before or after each part", choices=NORMS)
    positions: str = option("sinusoidal", "position encoding of a transformer", choices=POSITIONS)
    output_layer: str = option("full", f"output layer: {', '.join(OUTPUTS)}; its options follow after colons")
    tie_weights: str = option(
        "none", "weight tying: of target embedding and output layer, or with joint also of the source", choices=TIES
    )
    label_smoothing: float = option(
        0.1, "label smoothing: share of probability given to other words; 0 for output layers other than full",
        minimum=0, maximum=0.99,
    )  # fmt: skip
    dropout: float = option(0.2, "dropout rate", minimum=0, maximum=0.99)
    spelling: str = option(
        "none", "target words that a decoder of characters learns, known ones once a batch; it writes unknown ones",
        choices=SPELLED,
    )  # fmt: skip
    spelling_weight: float = option(1.0, "factor on the loss of characters", minimum=0, exclusive=True)
    spelling_hidden: int = option(128, "width of the state of the decoder of characters", minimum=1)
    spelling_copying: bool = option(
        False, "pointer-generator of characters: the decoder of characters also copies those of attended source words"
    )
    scheduled_sampling: str = option(
        "none", "scheduled sampling: what the decoder reads in place of a part of the true words in training",
        choices=("none", *OWN_WORDS),
    )  # fmt: skip
    sampling_rate: float = option(0.25, "share of own words at the end of the training", minimum=0, maximum=1)
    sampling_schedule: str = option("linear", "how the share of own words rises", choices=SCHEDULES)
    sampling_temperature: float = option(1.0, "temperature of soft and gumbel own words", minimum=0, exclusive=True)
    batch_tokens: int = option(
        0, "tokens per batch, of the longer side with padding; 0 for batch_size pairs", minimum=0
    )

    def __post_init__(self) -> None:
        check(self)
        kind, _ = parse_output(self.output_layer)
        if self.label_smoothing and kind != "full":
            raise OptionError(
                f"label_smoothing={self.label_smoothing} with output_layer={kind!r}: expected 0, or 'full'"
            )
        if self.joint and self.source_units != self.target_units:
            raise OptionError(
                f"joint with source_units={self.source_units!r} and target_units={self.target_units!r}: expected the "
                "same units"
            )
        if self.spells and self.target_units != "words":
            raise OptionError(
                f"spelling={self.spelling!r} with target_units={self.target_units!r}: expected target_units='words'"
            )
        if self.spelling_copying and not (self.spells and self.source_units == "characters" and self.tells_attention):
            raise OptionError(
                "spelling_copying needs source_units='characters', spelling='all' or 'unknown', and a recurrent "
                "decoder with attention: it copies characters of the source words that are attended to"
            )
        if self.tie_weights == "all" and not self.joint:
            raise OptionError("tie_weights='all' ties source and target: expected joint=True as well")
        if self.attention == "none" and self.decoder != TRANSFORMER and (self.coverage or self.local != "none"):
            raise OptionError("attention='none' with coverage or local: these need attention")
        if (self.intra_temporal or self.intra_decoder) and not self.tells_attention:
            raise OptionError("intra_temporal and intra_decoder need a recurrent decoder with attention")
        if self.coverage_loss and not self.coverage:
            raise OptionError(f"coverage_loss={self.coverage_loss} without coverage: expected coverage=True as well")
        if self.copying:
            self._check_copying()
        if self.bridge == "last" and self.decoder != TRANSFORMER and self.encoder != self.decoder:
            raise OptionError(
                f"bridge='last' with encoder={self.encoder!r} and decoder={self.decoder!r}: expected the same cell"
            )
        if self.bidirectional and self.encoder != TRANSFORMER and self.hidden % 2:
            raise OptionError(f"hidden={self.hidden}: expected an even number, half of it for each direction")

    def _check_copying(self) -> None:
        if not self.tells_attention:
            raise OptionError("copying needs a recurrent decoder with attention: it copies what it attends to")
        if self.label_smoothing:
            raise OptionError(f"label_smoothing={self.label_smoothing} with copying: expected 0")
        if self.spells:
            raise OptionError(f"spelling={self.spelling!r} with copying: expected one of them to write unknown words")
        if SUBWORDS in (self.source_units, self.target_units) and not self.joint:
            raise OptionError("copying of subwords: expected joint=True, or words as units of source and target")

    @property
    def translator(self) -> "Translator":
        """The options themselves: those of the encoder-decoder."""
        return self

    @property
    def spells(self) -> bool:
        """Whether a decoder of characters spells unknown words."""
        return self.spelling != "none"

    @property
    def has_attention(self) -> bool:
        """Whether the decoder looks at the source at every step."""
        return self.decoder == TRANSFORMER or self.attention != "none"

    @property
    def tells_attention(self) -> bool:
        """Whether the decoder computes its attention as one distribution per step, so that a search can use it."""
        return self.decoder != TRANSFORMER and self.attention != "none"

    def feeding(self, fraction: float) -> FeedingOptions | None:
        """Return what the decoder reads in training when a fraction of the run is over; None for true words."""
        if self.scheduled_sampling == "none" or not self.sampling_rate:
            return None
        share = true_share(self.sampling_schedule, self.sampling_rate, fraction)
        return FeedingOptions(share=share, own=self.scheduled_sampling, temperature=self.sampling_temperature)

    def build(self, source: Units, target: Units) -> TranslationModule:
        """Return a module with random parameters from torch's default generator."""
        dim = self.dim or self.hidden
        targets = WordEmbedding(len(target), dim)
        sources: nn.Module
        if self.tie_weights == "all":
            sources = targets
        elif source.spelled:
            sources = CharacterCNN(source.words, filters=FILTERS, width=dim, longest=LONGEST_WORD, bound=0.5)
        else:
            sources = WordEmbedding(len(source), dim)
        transformer = TRANSFORMER in (self.encoder, self.decoder)
        encoder = self._encoder(dim)
        decoder = self._decoder(dim, encoder.width)
        output = self._output(target, None if self.tie_weights == "none" else targets.weight)
        gate = CopyGate(self.hidden, dim) if self.copying else None
        speller = attended = None
        if self.spells:
            if isinstance(sources, CharacterCNN) and self.decoder != TRANSFORMER and self.attention != "none":
                as_target = Spelling(target.characters).ids_of(sources.spelling) if self.spelling_copying else None
                attended = AttendedCharacters(sources.characters.weight.shape[1], self.spelling_hidden, as_target)
            speller = CharacterDecoder(
                target.characters,
                width_in=self.hidden + dim * (attended is not None),
                hidden=self.spelling_hidden,
                longest=LONGEST_WORD,
                source_width=self.spelling_hidden * (attended is not None),
                copying=self.spelling_copying,
            )
        scale, weight = dim**0.5 if transformer else 1.0, self.coverage_loss
        parts = (sources, targets, encoder, decoder, output, gate, speller, attended)
        return TranslationModule(*parts, scale=scale, coverage_loss=weight)

    @property
    def _blocks(self) -> TransformerConfig:
        return TransformerConfig(width=self.hidden, **values_of(self, "heads", "ffn_dim", "norm", "dropout"))

    def _encoder(self, dim: int) -> Any:
        if self.encoder == TRANSFORMER:
            return SelfAttentiveEncoder(
                dim, self._blocks, self.layers, context=self.max_length + 1, positions=self.positions
            )
        width = self.hidden // 2 if self.bidirectional else self.hidden
        return RecurrentEncoder(
            dim, width, self.layers, cell=self.encoder, bidirectional=self.bidirectional, dropout=self.dropout
        )

    def _decoder(self, dim: int, encoder_width: int) -> Any:
        if self.decoder == TRANSFORMER:
            return SelfAttentiveTarget(
                dim,
                self._blocks,
                self.layers,
                context=self.max_length + 1,
                positions=self.positions,
                encoder_width=encoder_width,
            )
        decoder = RecurrentDecoder(
            dim,
            self.hidden,
            encoder_width,
            cell=self.decoder,
            input_feeding=self.input_feeding and self.attention != "none",
            **values_of(self, "layers", "attention", "local", "window", "coverage"),
            **values_of(self, "intra_temporal", "intra_decoder", "dropout"),
        )
        return RecurrentTarget(
            decoder, layers=self.layers, cell=self.decoder, encoder_width=encoder_width, bridge=self.bridge
        )

    def _output(self, target: Units, tied: Any) -> OutputLayer:
        kind, options = parse_output(self.output_layer)
        if kind == "full":
            options = {"smoothing": self.label_smoothing, **options}
        return make_output(kind, OutputConfig(self.hidden, len(target), target.counts, tied), **options)
