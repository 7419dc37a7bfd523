"""The whole loss of each neural language model, from ids to mean log-probability, against central differences."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.unit.neural.models.language.tiny import EVERY, text_of, untrained

STEP = 2e-6


def loss(module, ids, targets):
    first, state = module(ids[:, :3], None)
    second, _ = module(ids[:, 3:], state)
    hidden = torch.cat([first, second], 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)  # the same noise words at every call
        return module.output.loss(hidden.flatten(0, 1), targets.flatten()).mean()


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter(name, tmp_path):
    """In float64, two streams of six words in chunks of three whose state is not cut off; two directions a parameter.

    A direction moves every number of the parameter up or down, so that a wrong number anywhere changes its derivative.
    """
    text = text_of(tmp_path)
    how = dataclasses.replace(EVERY[name], dropout=0.0)
    module = untrained(how, text).module.double().train()
    ids = torch.from_numpy(text.ids[:12].astype("int64")).reshape(2, 6)
    targets = torch.from_numpy(text.ids[20:32].astype("int64")).reshape(2, 6)
    loss(module, ids, targets).backward()
    random = torch.Generator().manual_seed(0)
    for name, parameter in module.named_parameters():
        before, gradient = parameter.detach().clone(), parameter.grad
        for _ in range(2):
            direction = 2.0 * torch.randint(2, parameter.shape, generator=random).double() - 1
            if name == "embedding.characters.weight":
                direction[0] = 0  # what fills up short words is no character, and is not learned
            losses = []
            for step in (STEP, -STEP):
                parameter.data.copy_(before + step * direction)
                with torch.no_grad():
                    losses.append(loss(module, ids, targets).item())
            parameter.data.copy_(before)
            derivative = (losses[0] - losses[1]) / (2 * STEP)
            assert (gradient * direction).sum().item() == pytest.approx(derivative, abs=1e-7, rel=1e-6), name
