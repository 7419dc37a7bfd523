"""The method `train` of latent predictor networks: check the records, create a module, run the training loop."""

import hashlib
from typing import Any, Unpack

from firth.arguments import explained
from firth.errors import OptionError
from firth.neural.models.predictors.data import Example, read_examples, read_records, record_batches
from firth.neural.models.predictors.predictor_model import PredictorModel
from firth.neural.models.predictors.task import PredictorTask
from firth.neural.training.devices import new_parameters
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
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
        KindError: a record is no mapping from strings to strings, or a text is no string.
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
            rows, judged_rows = split_rows(len(examples), config.seed, f"inputs: {len(examples)} record")
            examples, judged = [examples[row] for row in rows], [examples[row] for row in judged_rows]
        else:
            judged = read_examples(read_records(held_out, fields)[1], held_out_targets)
        with new_parameters(config.seed, 2):
            module = options.build(len(fields))
        limit = options.max_copy if options.copying else 0
        task = PredictorTask(
            module,
            record_batches(examples, batch_size=config.training.batch_size, max_copy=limit, seed=config.seed),
            record_batches(judged, batch_size=EVAL_BATCH, max_copy=limit, shuffle=False),
        )
        data = {"examples": _digest(fields, examples, judged), "records": len(examples)}
        facts = fit_model(task, options, config, data, facts={"held_out_records": len(judged)})
    return PredictorModel(module, options, fields, {"training": facts})


def _digest(fields: list[str], *parts: list[Example]) -> str:
    """Return a digest of the data of a run."""
    shown = [fields, *([(each.values, each.target) for each in part] for part in parts)]
    return hashlib.blake2b(repr(shown).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
