"""Latent predictor networks: texts whose parts are generated or copied, whichever explains them.

What: a record has named fields. Its text is a sequence of segments; a predictor writes each of them: one generates a
    byte, the other copies the whole value of a field. Which segments there are is never annotated: the probability of a
    text is the sum over all segmentations and predictors. Names that were never seen are copied like all others.
Objective: with o_t the decoder's output before byte t + 1, which depends on the bytes before it alone,

    log alpha_t = log [ alpha_{t-1} p(generate | o_{t-1}) p(y_t | o_{t-1})
                        + sum_f alpha_{t-l} p(copy | o_{t-l}) p(f | o_{t-l}) [y_{t-l+1} .. y_t = value of f, l long] ]
    p(y) = alpha_T;   p(f | o) = softmax over the fields of (W o) . u_f

    a_t = attention of h_t over all bytes of all fields, one softmax for all of them;   r = LSTM over [h_t; a_t]
    o_t = tanh(W' [h_t; r_t; a_t])
Source: Ling, Grefenstette, Hermann, Kocisky, Senior, Wang and Blunsom 2016, "Latent predictor networks for code
    generation": section 3 (structured attention), 4 (predictors and their marginalisation).
Departures:
- Bytes in place of characters, so that every text can be read and written.
- Attention has dot products of decoder states and projected encoder states with the vector of their field. What was
  read does not feed the next state of the decoder's LSTM, so that all steps of a text are computed together; a second
  LSTM reads it, and knows what was written already.
- A text is written byte by byte, by the probability of the next byte over all predictors, copies that have begun
  included; the authors' beam search extends by whole segments. Beams are left out: they are full of short texts before
  a longer one ends.
- Fields are copied whole; the authors' third predictor copies single words of a field.
- The segments' sum is that of `structs.segmentations`, of which the entropy, samples and the best path come as well.
Cost: per byte two LSTM steps, a row of attention over all bytes of the record, and L (F + 1) sums for copies of up to L
    bytes.
"""

from typing import Any, ClassVar, Unpack

import torch

from firth.arguments import explained
from firth.errors import OptionError
from firth.neural.models.predictors.data import Example, RecordBatch, read_examples, read_records, record_batches
from firth.neural.models.predictors.module import PredictorModule
from firth.neural.models.predictors.predict import PredictorModel
from firth.neural.structs.segmentations import segments_total
from firth.neural.structs.semirings import LOG
from firth.neural.supervised import SupervisedTask, digest, on_device, split_rows
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import StepOutput
from firth.options import option, options_class, values_of
from firth.timing import running_clock

EVAL_BATCH = 64  # records per batch of an evaluation


@explained
def train_predictors(
    options: Any,
    inputs: Any,
    targets: Any,
    *,
    held_out: Any = None,
    held_out_targets: Any = None,
    **run: Unpack[RunArguments],
) -> PredictorModel:
    """Learn to write texts about records.

    Args:
        options: `firth.LatentPredictorNetwork`.
        inputs: records, mappings from names of fields to strings; a record may lack fields.
        targets: their texts.
        held_out: records that select the best epoch. Without them a tenth of the training examples is held out.
        held_out_targets: their texts.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out records.

    Raises:
        CorpusError: there are no records, not as many texts, or a held-out record has an unknown field.
        ArgumentTypeError: a record is no mapping from strings to strings, or a text is no string.
        OptionError: an option is out of its range, or held-out records have no texts.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    if (held_out is None) != (held_out_targets is None):
        raise OptionError("held_out and held_out_targets: one is given without the other; expected both or neither")
    with running_clock():
        fields, values = read_records(inputs)
        examples = read_examples(values, targets)
        if held_out is None:
            rows, test_rows = split_rows(len(examples), config.seed, f"inputs: {len(examples)} record")
            examples, test = [examples[row] for row in rows], [examples[row] for row in test_rows]
        else:
            test = read_examples(read_records(held_out, fields)[1], held_out_targets)
        module = new_module(config.seed, options.build, len(fields), copies=2)
        limit = options.max_copy if options.copying else 0
        evaluation = record_batches(test, batch_size=EVAL_BATCH, max_copy=limit, shuffle=False)
        predictions = int(evaluation.lengths.sum()) + len(evaluation.lengths)  # bytes and ends

        def total(batch: RecordBatch) -> torch.Tensor:
            return -segments_total(module(batch), LOG).sum()

        def loss(batch: RecordBatch, progress: TrainingProgress) -> StepOutput:
            nats, count = total(batch), int(batch.lengths.sum())
            return StepOutput((nats / count).float(), nats.detach(), count)

        task = SupervisedTask(
            module=module,
            batches=record_batches(examples, batch_size=config.training.batch_size, max_copy=limit, seed=config.seed),
            loss=loss,
            figures=lambda: {"loss": sum(float(total(batch)) for batch in on_device(evaluation, module)) / predictions},
            unit="bytes",
            eval_predictions=predictions,
        )
        data = {"examples": _digest(fields, examples, test), "records": len(examples)}
        facts = fit_model(task, options, config, data, facts={"held_out_records": len(test)})
    return PredictorModel(module, options, fields, {"training": facts})


def _digest(fields: list[str], *parts: list[Example]) -> str:
    """Return a digest of the data of a run."""
    shown = [fields, *([(example.values, example.target) for example in part] for part in parts)]
    return digest(repr(shown))


@options_class
class LatentPredictorNetwork:
    """Latent predictor network: writes texts about records, and copies their fields.

    Source:
        Ling et al. 2016; the module's docstring has the formula and every departure.
    """

    train = train_predictors
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=32, optimiser="adam", lr=0.002, clip_norm=1.0, schedule="linear"
    )

    dim: int = option(48, "width of the vectors of bytes and fields", minimum=1)
    hidden: int = option(128, "width of the states", minimum=1)
    dropout: float = option(0.1, "dropout of vectors and of the decoder's output", minimum=0, maximum=0.99)
    copying: bool = option(True, "whether values of fields are copied; otherwise all bytes are generated")
    max_copy: int = option(40, "longest value that is copied, in bytes", minimum=1)
    max_length: int = option(400, "longest text that is written, in bytes", minimum=1)

    def build(self, fields: int) -> PredictorModule:
        """Return a module with random parameters from torch's default generator."""
        return PredictorModule(fields, **values_of(self, "dim", "hidden", "dropout", "copying", "max_copy"))
