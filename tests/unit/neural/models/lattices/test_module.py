"""The module against lattices written out path by path, and against an LSTM."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.language.language_model import new_module
from tests.unit.neural.models.lattices.brute_force import Reference
from tests.unit.neural.models.lattices.tiny import tiny_module, tiny_text

TEXTS = [[1, 2, 3, 1, 2, 1, 2, 3, 3, 1], [2, 2, 3, 1, 1, 2, 3, 1, 2, 3]]
CHUNKS = [(1, 2), (2, 3), (1, 2, 3), (3, 1), (2, 3, 1)]


def module_of(senses=1, max_length=3, chunks=CHUNKS, **changes):
    sizes = {"dim": 3, "hidden": 4, "dropout": 0.0, **changes}
    return tiny_module(firth.LatticeLM(max_length=max_length, senses=senses, **sizes), 5, chunks).eval()


def read(module, texts):
    ids = torch.tensor(texts)
    return module(ids, module.start(torch.full((len(ids),), module.bos)))


@pytest.mark.parametrize(("senses", "length"), [(1, 10), (2, 6)])
def test_totals_and_scores_are_those_of_all_paths(senses, length):
    module, texts = module_of(senses), [text[:length] for text in TEXTS]
    nodes = read(module, texts).nodes
    for row, text in enumerate(texts):
        reference = Reference(module, text)
        assert len(reference.paths) > 20
        torch.testing.assert_close(nodes.totals[-1, row], reference.total, atol=1e-9, rtol=0)
        found = torch.stack([nodes.scores[2 + i, row, j - i - 1, k % senses] for i, j, k in reference.scores])
        torch.testing.assert_close(found, torch.stack(list(reference.scores.values())), atol=1e-9, rtol=0)


def test_gradients_are_those_of_all_paths():
    module, text = module_of(2), TEXTS[0][:5]
    parameters = dict(module.named_parameters())
    ours = torch.autograd.grad(read(module, [text]).nodes.totals[-1].sum(), list(parameters.values()))
    reference = torch.autograd.grad(Reference(module, text).total, list(parameters.values()))
    for name, one, other in zip(parameters, ours, reference, strict=True):
        assert other.abs().max() > 1e-6, name
        torch.testing.assert_close(one, other, atol=1e-9, rtol=0, msg=lambda text, name=name: f"{name}: {text}")


def test_senses_share_the_row_of_their_unit():
    """At first the senses of a unit are equally likely; all together have the frequency that the model begins at."""
    module = firth.LatticeLM(max_length=1, senses=2, dim=3, hidden=4, dropout=0.0).build(4, [], 0).double()
    counts = torch.tensor([5.5, 2.5, 1.5, 0.5])
    module.begin_at(counts - 0.5)
    found = module.unit_probabilities(torch.zeros(1, 4, dtype=torch.float64))[0]
    torch.testing.assert_close(found, counts.double() / 10, atol=1e-6, rtol=0)
    scores = read(module, [[1, 2, 3]]).nodes.scores
    torch.testing.assert_close(scores[..., 0], scores[..., 1], atol=1e-12, rtol=0)
    read(module, [[1, 2, 3]]).nodes.totals[-1].sum().backward()
    assert not torch.equal(module.weight.grad[2], module.weight.grad[3])  # different embeddings part the senses
    torch.testing.assert_close(module.unit_weight.grad, module.weight.grad.view(4, 2, 4).sum(1), atol=1e-12, rtol=0)


def test_windows_and_batch_mates_change_nothing():
    module = module_of(2)
    whole = read(module, TEXTS).nodes.totals[-1]
    for row, text in enumerate(TEXTS):
        state, total = module.start(torch.tensor([module.bos])), 0.0
        for start, stop in ((0, 1), (1, 2), (2, 6), (6, 10)):
            reading = module(torch.tensor([text[start:stop]]), state)
            state, total = reading.state, total + float(reading.nodes.totals[-1, 0].detach())
        assert total == pytest.approx(float(whole[row].detach()), abs=1e-9)


def test_chunks_of_one_token_are_an_lstm():
    text = tiny_text()
    how = firth.RecurrentLM(dim=6, hidden=8, layers=1, dropout=0.0)
    lstm = new_module(how, text.vocabulary, text.eos_id, 3)
    options = firth.LatticeLM(max_length=1, dim=6, hidden=8, dropout=0.0)
    lattice = options.build(len(text.vocabulary), [], text.eos_id)
    layer = lstm.stack.layers[0]
    with torch.no_grad():
        lattice.embedding.weight.copy_(lstm.embedding.weight)
        lattice.weight.copy_(lstm.output.weight)
        lattice.bias.copy_(lstm.output.bias)
    lattice.cell.load_state_dict(layer.state_dict())
    ids = torch.from_numpy(text.ids.astype("int64"))
    before = torch.cat([torch.tensor([text.eos_id]), ids[:-1]])
    hidden, _ = lstm(before[None])
    losses = lstm.output.loss(hidden[0], ids)
    total = lattice(ids[None], lattice.start(before[None, 0])).nodes.totals[-1, 0]
    assert float(total.detach()) == pytest.approx(-float(losses.sum().detach()), abs=1e-5)
    ours = torch.autograd.grad(-total, [lattice.embedding.weight, *lattice.cell.parameters(), lattice.weight])
    theirs = torch.autograd.grad(losses.sum(), [lstm.embedding.weight, *layer.parameters(), lstm.output.weight])
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("merge", ["sampled", "gumbel"])
def test_drawn_states_are_for_training(merge):
    drawn, expected = module_of(merge=merge, temperature=0.5), module_of()
    assert torch.equal(read(drawn, TEXTS).nodes.totals, read(expected, TEXTS).nodes.totals)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        one, other = (read(drawn.train(), TEXTS).nodes.totals for _ in range(2))
    assert not torch.equal(one, other)


def test_gumbel_of_a_low_temperature_is_a_draw():
    results = []
    for merge, temperature in (("sampled", 1.0), ("gumbel", 1e-6)):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            results.append(read(module_of(merge=merge, temperature=temperature).train(), TEXTS).nodes.totals)
    torch.testing.assert_close(*results, atol=1e-9, rtol=0)


def test_absent_chunks_are_no_edges():
    module = module_of(chunks=[(4, 4)])
    scores = read(module, TEXTS).nodes.scores
    assert torch.isneginf(scores[:, :, 1:]).all()
    assert torch.isfinite(scores[2:-1, :, 0]).all()
