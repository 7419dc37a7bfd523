"""The whole loss of each neural language model, from ids to mean log-probability, against central differences."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.unit.neural.models.language.tiny import EVERY, text_of, untrained

STEP = 1e-5


def loss(module, ids, targets):
    first, state = module(ids[:, :3], None)
    second, _ = module(ids[:, 3:], state)
    hidden = torch.cat([first, second], 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)  # the same noise words at every call
        return module.output.loss(hidden.flatten(0, 1), targets.flatten()).mean()


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter(name, tmp_path):
    """In float64, two streams of six words in chunks of three whose state is not cut off; eight numbers a parameter."""
    text = text_of(tmp_path)
    how = dataclasses.replace(EVERY[name], dropout=0.0)
    module = untrained(how, text).module.double().train()
    ids = torch.from_numpy(text.ids[:12].astype("int64")).reshape(2, 6)
    targets = torch.from_numpy(text.ids[20:32].astype("int64")).reshape(2, 6)
    loss(module, ids, targets).backward()
    drawn = torch.Generator().manual_seed(0)
    for name, parameter in module.named_parameters():
        # What fills up short words is no character, and is not learned.
        skipped = parameter.shape[1] if name == "embedding.characters.weight" else 0
        flat, gradient = parameter.data.view(-1)[skipped:], parameter.grad.view(-1)[skipped:]
        for place in torch.randint(len(flat), (8,), generator=drawn).tolist():
            before = flat[place].item()
            figures = []
            for change in (STEP, -STEP):
                flat[place] = before + change
                with torch.no_grad():
                    figures.append(loss(module, ids, targets).item())
            flat[place] = before
            assert gradient[place].item() == pytest.approx((figures[0] - figures[1]) / (2 * STEP), abs=1e-7, rel=1e-6)
