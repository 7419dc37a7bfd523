"""The method `train` of summarizers: that of translators, with the options of a summarizer."""

from typing import Any, Unpack

from firth.arguments import explained
from firth.neural.models.summaries.summary_model import SummaryModel
from firth.neural.models.translation.train import train_translator
from firth.neural.training.options import RunArguments


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
    return SummaryModel(train_translator(options.translator, pairs, held_out=held_out, **run), options)
