"""The plain file of transformers: gradients, and the scores, loss and gradients of `firth.TransformerLM`."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from examples.plain import transformer
from tests.examples.differences import check_directions
from tests.unit.neural.models.language.tiny import text_of, untrained

D, H, CONTEXT = 8, 2, 6


def test_gradients():
    torch.manual_seed(0)
    model = transformer.Transformer(5, CONTEXT, D, H).double()
    ids = torch.randint(5, (2, CONTEXT + 1))
    check_directions(model, lambda: model.loss(ids))


def test_the_future_is_hidden():
    torch.manual_seed(0)
    model, ids = transformer.Transformer(5, CONTEXT, D, H), torch.randint(5, (1, CONTEXT))
    changed = ids.clone()
    changed[0, -1] = (ids[0, -1] + 1) % 5
    assert torch.equal(model(ids)[0, :-1], model(changed)[0, :-1])
    assert not torch.equal(model(ids)[0, -1], model(changed)[0, -1])


def test_agrees_with_firth(tmp_path):
    """Log-probabilities and gradients to 1e-5: float32 has 6e-8, and a block adds up some hundred numbers near 1."""
    options = firth.TransformerLM(dim=D, layers=2, heads=H, context=CONTEXT, positions="learned", dropout=0.0)
    fast = untrained(options, text_of(tmp_path)).module
    V = fast.output.words
    plain = transformer.Transformer(V, CONTEXT, D, H, layers=2)
    parameters = {"E": fast.embedding.weight, "d": fast.output.bias, "positions": fast.stack.positions.table}
    for number, block in enumerate(fast.stack.blocks):
        for name, parameter in block.named_parameters():
            last = name.removeprefix("attention.")
            parameters[f"blocks.{number}.{last}"] = parameter
    parameters |= {"norm.weight": fast.stack.norm.weight, "norm.bias": fast.stack.norm.bias}
    with torch.no_grad():
        for parameter in parameters.values():  # norms and biases, too, are other than at the start
            parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    plain.load_state_dict({name: parameter.detach().clone() for name, parameter in parameters.items()})

    ids = torch.randint(V, (3, CONTEXT + 1), generator=torch.Generator().manual_seed(0))
    hidden, _ = fast(ids[:, :-1])
    log_p = fast.output.log_prob(hidden.flatten(0, 1)).view(3, CONTEXT, V)
    np.testing.assert_allclose(plain(ids[:, :-1]).detach(), log_p.detach(), atol=1e-5)
    loss = fast.output.loss(hidden.flatten(0, 1), ids[:, 1:].flatten()).mean()
    assert plain.loss(ids).item() == pytest.approx(loss.item(), rel=1e-5)
    loss.backward()
    plain.loss(ids).backward()
    for name, parameter in plain.named_parameters():
        np.testing.assert_allclose(parameter.grad, parameters[name].grad, atol=1e-5)


def test_learns_a_text(capsys):
    torch.manual_seed(0)
    model, ids = transformer.Transformer(4, CONTEXT, D, H), torch.arange(200) % 4
    start = model.loss(ids[None, : CONTEXT + 1]).item()
    transformer.train(model, ids, steps=100, size=8)
    assert float(capsys.readouterr().out.split()[3]) < start  # the mean of all steps
    assert model.loss(ids[None, : CONTEXT + 1]).item() < 0.5 * start


def test_runs_from_the_command_line(tmp_path, capsys, monkeypatch):
    text, generate = tmp_path / "text.txt", transformer.Transformer.generate
    text.write_text("the cat sat on the mat\n" * 30)
    monkeypatch.setattr(transformer, "train", lambda model, ids: None)  # at its full size it takes half a minute
    monkeypatch.setattr(transformer.Transformer, "generate", lambda model, ids, _: generate(model, ids, 20))
    transformer.main([str(text)])
    assert len(capsys.readouterr().out) == 22
