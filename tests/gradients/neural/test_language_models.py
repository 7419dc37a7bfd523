"""The whole loss of each neural language model, from ids to mean log-probability, against central differences."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.gradients.neural.directions import check_parameters
from tests.unit.neural.models.language.tiny import EVERY, text_of, untrained


def loss(module, ids, targets):
    first, state = module(ids[:, :3], None)
    second, _ = module(ids[:, 3:], state)
    hidden = torch.cat([first, second], 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)  # the same noise words at every call
        return module.output.loss(hidden.flatten(0, 1), targets.flatten()).mean()


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter(name, tmp_path):
    """In float64, two streams of six words in chunks of three whose state is not cut off."""
    text = text_of(tmp_path)
    how = dataclasses.replace(EVERY[name], dropout=0.0)
    module = untrained(how, text).module.double().train()
    ids = torch.from_numpy(text.ids[:12].astype("int64")).reshape(2, 6)
    targets = torch.from_numpy(text.ids[20:32].astype("int64")).reshape(2, 6)
    padding = "embedding.characters.weight"  # what fills up short words is no character, and is not learned
    check_parameters(module, lambda: loss(module, ids, targets), without=[padding])
