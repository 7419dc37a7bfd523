"""Summarizers: encoder-decoders that write words and copy words of the source.

What
    The encoder-decoder of `firth.Translator` with one vocabulary and one table of vectors for both sides, a gate
    between writing and copying, and coverage in the last part of the training. Long sources are truncated.
Objective
    -sum_t log P(y_t) + w sum_t sum_s min(alpha_ts, c_ts), the latter and coverage itself only in the last part; P is
    the mixture of `layers.copying`.
Source
    See, Liu and Manning 2017; Paulus, Xiong and Socher 2018 (intra-attention).
Departures
- Attention scores are products ("general") in place of additive ones, with input feeding (Luong et al. 2015).
- Adam in place of Adagrad; the coverage phase is a share of the run in place of 3,000 updates.
Cost
    That of the translator; the phase with coverage has no compiled steps and takes about twice as long per token.
"""

from typing import Any, ClassVar, Unpack

from firth.arguments import explained
from firth.neural.layers.attention import KINDS as SCORES
from firth.neural.models.summaries.predict import SummaryModel
from firth.neural.models.translation.train import train_translator
from firth.neural.models.translation.translator import CELLS, Translator
from firth.neural.training.options import RunArguments, TrainingOptions
from firth.options import Preset, check, option, options_class, values_of


@explained
def train_summarizer(options: Any, pairs: Any, *, held_out: Any = None, **run: Unpack[RunArguments]) -> SummaryModel:
    """Train a summarizer on texts with their summaries.

    Args:
        options: `firth.Summarizer`.
        pairs: a list of pairs (text, summary); two files with a text per line, as a tuple; or one file: a table
            separated by tabs, or JSON lines.
        held_out: pairs that select the best epoch, in any form of `pairs`. Without them a tenth of the training pairs
            is held out; test data never select a model.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out pairs: of the lowest cross entropy, with the coverage loss.

    Raises:
        FormatError: a file is damaged, or holds no pair.
        ShapeError: two files differ in length.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    run.setdefault("training", options.training)
    return SummaryModel.of(train_translator(options.translator, pairs, held_out=held_out, **run), options)


@options_class
class Summarizer:
    """Summarizer of texts.

    Raises:
        OptionError: an option is out of its range, or two do not fit each other.

    Source:
        See, Liu and Manning 2017; the module's docstring has the formula and every departure.
    """

    train = train_summarizer
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=32, optimiser="adam", lr=0.002, schedule="linear", warmup=200, clip_norm=2.0
    )
    presets: ClassVar = {
        "pointer-generator": Preset("Copying with coverage (See, Liu and Manning 2017)."),
        "attention": Preset(
            "Without copying (Nallapati et al. 2016).", unused=("coverage_loss", "coverage_from"), copying=False,
            coverage=False,
        ),
        "intra-attention": Preset(
            "Copying with intra-attention (Paulus, Xiong and Socher 2018).", unused=("coverage_loss", "coverage_from"),
            coverage=False, intra_temporal=True, intra_decoder=True,
        ),
    }  # fmt: skip
    common_options: ClassVar = ("size", "lowercase", "max_length", "hidden", "dim", "dropout")

    size: int = option(10000, "vocabulary size in words", minimum=1)
    min_count: int = option(2, "minimum count of a word; rarer ones are unknown, but can be copied", minimum=1)
    lowercase: bool = option(True, "read and write lower case")
    max_length: int = option(100, "tokens that are read of a source, and of a summary in training", minimum=1)
    cell: str = option("lstm", "cell of encoder and decoder", choices=CELLS)
    hidden: int = option(256, "width of the states", minimum=2)
    layers: int = option(1, "number of layers of the encoder and of the decoder", minimum=1)
    dim: int = option(128, "width of word vectors", minimum=1)
    attention: str = option("general", "attention", choices=SCORES)
    copying: bool = option(True, "pointer-generator: the decoder also writes source words that it attends to")
    coverage: bool = option(True, "the attention of earlier steps enters the scores")
    coverage_loss: float = option(1.0, "weight of the coverage loss, if there is coverage", minimum=0)
    coverage_from: float = option(
        0.8, "share of the training after which coverage and its loss are used", minimum=0, maximum=1
    )
    intra_temporal: bool = option(
        False, "intra-temporal attention: scores of earlier steps lower the scores of source words"
    )
    intra_decoder: bool = option(False, "intra-decoder attention: the decoder also looks at its own earlier states")
    dropout: float = option(0.2, "dropout rate", minimum=0, maximum=0.99)

    def __post_init__(self) -> None:
        check(self)
        _ = self.translator

    @property
    def translator(self) -> Any:
        """The options of the encoder-decoder."""
        shared = (
            "min_count", "lowercase", "max_length", "hidden", "layers", "dim", "attention", "copying", "coverage",
            "intra_temporal", "intra_decoder", "dropout",
        )  # fmt: skip
        return Translator(
            source_units="words",
            target_units="words",
            joint=True,
            tie_weights="all",
            target_size=self.size,
            truncate=True,
            encoder=self.cell,
            decoder=self.cell,
            coverage_loss=self.coverage_loss if self.coverage else 0.0,
            coverage_from=self.coverage_from if self.coverage else 0.0,
            label_smoothing=0.0,
            **values_of(self, *shared),
        )
