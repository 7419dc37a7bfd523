"""The method `train` of pointer networks: check the examples, create a module, run the training loop."""

import hashlib
from typing import Any, Unpack

from firth.arguments import explained
from firth.errors import OptionError
from firth.neural.models.pointers.data import PointerExamples, pointer_batches, read_examples
from firth.neural.models.pointers.pointer_model import PointerModel
from firth.neural.models.pointers.task import PointerTask
from firth.neural.training.devices import new_parameters
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.timing import running_clock

EVAL_BATCH = 256  # examples per batch of an evaluation


@explained
def train_pointer_network(
    options: Any,
    inputs: Any,
    targets: Any,
    *,
    held_out: Any = None,
    held_out_targets: Any = None,
    **run: Unpack[RunArguments],
) -> PointerModel:
    """Train a pointer network.

    Args:
        options: `firth.PointerNetwork`.
        inputs: sets of vectors: arrays of N vectors of D numbers, N different from set to set; or one array (B, N, D).
            Numbers are best near 1.
        targets: for each set, the positions from 0 to point at, in order. Where several orders are right, such as those
            of a cycle, always give the same one of them.
        held_out: sets that select the best epoch. Without them a tenth of the training examples is held out.
        held_out_targets: their positions.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out examples.

    Raises:
        CorpusError: there are no examples, not as many targets as sets, or a position is outside its set.
        KindError: a set is no array of numbers.
        ShapeError: a set is empty, or its vectors have another width.
        OptionError: an option is out of its range, held-out sets have no targets, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    if (held_out is None) != (held_out_targets is None):
        raise OptionError("held_out and held_out_targets: one is given without the other; expected both or neither")
    with running_clock():
        examples = read_examples(inputs, targets, order=options.order)
        if held_out is None:
            rows, judged_rows = split_rows(len(examples), config.seed, f"inputs: {len(examples)} set")
            examples, judged = examples.rows(rows), examples.rows(judged_rows)
        else:
            judged = read_examples(held_out, held_out_targets, order=options.order, dim=examples.dim)
        with new_parameters(config.seed, 2):
            module = options.build(examples.dim)
        task = PointerTask(
            module,
            pointer_batches(examples, batch_size=config.training.batch_size, seed=config.seed),
            pointer_batches(judged, batch_size=EVAL_BATCH, shuffle=False),
            predictions=sum(len(each) + 1 for each in judged.targets),
        )
        data = {"examples": _digest(examples, judged), "sets": len(examples)}
        facts = fit_model(task, options, config, data, facts={"held_out_sets": len(judged)})
    return PointerModel(module, options, examples.dim, {"training": facts})


def _digest(*parts: PointerExamples) -> str:
    """Return a digest of the data of a run."""
    digest = hashlib.blake2b(digest_size=16)
    for examples in parts:
        for inputs, targets in zip(examples.inputs, examples.targets, strict=True):
            digest.update(str(inputs.shape).encode())
            digest.update(inputs.tobytes())
            digest.update(targets.tobytes())
    return digest.hexdigest()
