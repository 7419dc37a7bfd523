"""The whole loss of a transition parser, from ids to mean cross entropy, against central differences."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.training.options import RunConfig
from tests.gradients.neural.directions import check_parameters
from tests.unit.neural.models.parsers.tiny import treebank


@pytest.mark.parametrize(("system", "activation"), [("arc-standard", "cube"), ("arc-eager", "tanh")])
def test_every_parameter(system, activation):
    """In float64, over the states of four sentences; two directions per parameter."""
    options = firth.TransitionParser(
        system=system, activation=activation, dim=3, tag_dim=2, hidden=4, dropout=0.0, word_dropout=0.0
    )
    sentences = treebank(4)
    torch.manual_seed(0)
    module = options.build(options.vocabulary(sentences, None), None).double().train()
    for table in (module.words, module.tags, module.labels):
        torch.nn.init.normal_(table.weight)
    task = options.task(module, sentences, sentences, RunConfig(firth.TrainingOptions(batch_size=50)))
    (batch,) = task.batches.epoch(0)
    check_parameters(module, lambda: task.step(batch, None, None).loss)
