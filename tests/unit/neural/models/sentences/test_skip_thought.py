"""Skip-thought vectors: what is shared, where gradients come from, and what training learns."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import itertools

import firth
from firth.errors import OptionError
from firth.neural.layers.packed import Packing
from firth.neural.models.sentences.data import SentenceText, TokenBatch, Triples
from firth.neural.models.sentences.options import look_up
from firth.neural.models.sentences.skip_thought import neighbour_task
from firth.neural.training.devices import new_module
from firth.vocabulary import Vocabulary
from tests.unit.neural.models.sentences.tiny import OPTIONS, documents

WORDS = Vocabulary(["</s>", "<unk>", "a", "b", "c", "d"], np.array([9, 8, 7, 6, 5, 4]), 39)


def module_of(**options):
    return new_module(0, firth.SkipThought(**{"dim": 3, "hidden": 4, "output": "full", **options}).build_module, WORDS)


def batch():
    return Triples(
        TokenBatch(torch.tensor([[2, 3, 4], [5, 0, 0]]), torch.tensor([3, 1])),
        TokenBatch(torch.tensor([[0, 2, 0, 0], [0, 3, 4, 0]]), torch.tensor([3, 4])),
        TokenBatch(torch.tensor([[0, 5, 5, 0], [0, 2, 0, 0]]), torch.tensor([4, 3])),
    )


@pytest.mark.parametrize(("encoder", "width", "networks"), [("uni", 4, 1), ("bi", 4, 1), ("combine", 8, 2)])
def test_widths(encoder, width, networks):
    module = module_of(encoder=encoder)
    assert module.width == width
    assert module.encode(batch().current.ids, batch().current.lengths).shape == (2, width)
    assert len(module.models) == networks
    assert [len(each.encoders) for each in module.parts] == {"uni": [1], "bi": [2], "combine": [1, 2]}[encoder]
    assert module.input_table.shape == (6, 3 * networks)


def test_decoders_share_words_and_nothing_else():
    (model,) = module_of().parts
    own = {id(p) for p in model.previous.parameters()}
    assert own.isdisjoint({id(p) for p in model.following.parameters()})
    assert not torch.equal(model.previous.weight_ih, model.following.weight_ih)
    assert sum("embedding.weight" in name for name, _ in model.named_parameters()) == 1
    assert sum(name.startswith("output") and name.endswith("weight") for name, _ in model.named_parameters()) == 1


def test_the_loss_is_that_of_the_words_of_both_neighbours():
    """7 words with their ends: two decoders, each word given the ones before it and the vector of the sentence."""
    module, read = module_of().double(), batch()
    losses = module(read)
    assert losses.shape == (10,)
    torch.testing.assert_close(-module.log_prob_of(read), losses)
    (model,) = module.parts
    vector = module.encode(read.current.ids[:1], read.current.lengths[:1])
    words = [0, 5, 5, 0]  # the sentence after the first one
    h, total = torch.zeros(4, dtype=torch.float64), 0.0
    for before, word in itertools.pairwise(words):
        x, layer = model.embedding.weight[before], model.following
        a = layer.weight_ih @ x + layer.weight_ch @ vector[0] + layer.bias_ih
        u = layer.weight_hh @ h + layer.bias_hh
        r, z = torch.sigmoid(a[:4] + u[:4]), torch.sigmoid(a[4:8] + u[4:8])
        h = (1 - z) * torch.tanh(a[8:] + r * u[8:]) + z * h
        total -= model.output.log_prob(h[None])[0, word]
    only_first = Triples(*(TokenBatch(p.ids[:1], p.lengths[:1]) for p in (read.current, read.previous, read.following)))
    assert module(only_first)[-3:].sum().item() == pytest.approx(total.item(), rel=1e-12)


def test_both_models_of_a_combination_have_their_own_part():
    """Of an added word's columns and of the loss, which is the mean of both."""
    module, read = module_of(encoder="combine").double(), batch()
    added, ids, lengths = torch.randn(2, 6).double(), torch.tensor([[2, 7, 6]]), torch.tensor([3])
    packing = Packing(lengths)
    parts = [model.encode(ids[0], packing, part) for model, part in zip(module.parts, added.chunk(2, 1), strict=True)]
    torch.testing.assert_close(module.encode(ids, lengths, added), torch.cat(parts, 1))
    torch.testing.assert_close(module(read), (module.parts[0](read) + module.parts[1](read)) / 2)
    table = torch.arange(8.0).view(4, 2)
    assert look_up(table[:2], torch.tensor([[3, 0, 2]]), table[2:])[0].tolist() == table[[3, 0, 2]].tolist()


def test_figures_of_the_task_are_means_per_word():
    """The loss of a step, over the words of a batch; that of an evaluation, over those of the held-out text."""
    text = SentenceText.of(documents(2), {}, defaults={**firth.SkipThought.text, "min_count": 1})
    module = new_module(0, firth.SkipThought(dim=3, hidden=4, output="full").build_module, text.vocabulary).eval()
    task = neighbour_task(module, text, text, limit=9, batch_size=3)
    (first, *_) = task.batches.epoch(0)
    output = task.step(first, None, None)
    assert output.loss.item() == pytest.approx(module(first).mean().item(), rel=1e-6)
    assert output.nats.item() == pytest.approx(output.loss.item() * output.predictions, rel=1e-6)
    with torch.no_grad():
        losses = torch.cat([module(each) for each in task.batches.epoch(0)])
    assert task.evaluate() == {
        "loss": pytest.approx(losses.mean().item(), rel=1e-5),
        "perplexity": pytest.approx(losses.mean().exp().item(), rel=1e-4),
    }


def test_the_encoder_learns_from_both_decoders():
    module = module_of()
    (model,) = module.parts
    losses, weight = module(batch()), model.encoders[0].weight_hh
    before, after = (torch.autograd.grad(part.sum(), weight, retain_graph=True)[0] for part in losses.split([5, 5]))
    assert before.abs().max() > 1e-4
    assert after.abs().max() > 1e-4
    assert not torch.allclose(before, after)


@pytest.mark.parametrize("encoder", ["uni", "bi"])
def test_gradients_are_those_of_finite_differences(encoder):
    module, read = module_of(dim=2, hidden=2, encoder=encoder).double(), batch()
    exact = torch.autograd.grad(module(read).sum(), list(module.parameters()))
    for parameter, gradient in zip(module.parameters(), exact, strict=True):
        flat, place = parameter.detach().view(-1), int(gradient.abs().argmax())
        with torch.no_grad():
            kept, values = float(flat[place]), []
            for step in (1e-6, -1e-6):
                flat[place] = kept + step
                values.append(module(read).sum().item())
            flat[place] = kept
        assert (values[0] - values[1]) / 2e-6 == pytest.approx(float(gradient.view(-1)[place]), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("encoder", ["uni", "bi", "combine"])
def test_padding_and_the_other_sentences_do_not_matter(encoder):
    module = module_of(encoder=encoder)
    alone = module.encode(torch.tensor([[2, 3]]), torch.tensor([2]))
    among = module.encode(torch.tensor([[5, 4, 3, 2, 2], [2, 3, 5, 5, 5]]), torch.tensor([5, 2]))
    torch.testing.assert_close(among[1:], alone, rtol=1e-6, atol=1e-6)


def test_the_bidirectional_encoder_reads_backward():
    """Its second half of a sentence is the state of the second encoder after the sentence from its end."""
    module = module_of(encoder="bi")
    (model,) = module.parts
    model.encoders[1].load_state_dict(model.encoders[0].state_dict())
    onward = module.encode(torch.tensor([[2, 3, 4]]), torch.tensor([3]))
    back = module.encode(torch.tensor([[4, 3, 2]]), torch.tensor([3]))
    torch.testing.assert_close(onward[:, :2], back[:, 2:])
    assert not torch.allclose(onward[:, :2], onward[:, 2:])


def test_training_learns_the_neighbours_and_resumes_to_the_bit(tmp_path):
    texts, how = documents(), firth.TrainingOptions(epochs=2, batch_size=4, lr=0.02)
    text = {"min_count": 1, "cache": tmp_path / "cache", "progress": False, "training": how}
    whole = firth.SkipThought(**OPTIONS).train(texts, held_out=documents(2, seed=9), **text)
    rows = whole.metadata["training"]["rows"]
    assert rows[-1]["held_out_loss"] < 0.9 * np.log(14)

    def stop(row):
        raise KeyboardInterrupt

    arguments = {**text, "held_out": documents(2, seed=9), "checkpoint": tmp_path / "state"}
    with pytest.warns(UserWarning, match="interrupted in epoch 2"):
        firth.SkipThought(**OPTIONS).train(texts, callbacks=[stop], **arguments)
    resumed = firth.SkipThought(**OPTIONS).train(texts, **arguments)
    assert (resumed.encode(["w1 w2", "w5"]) == whole.encode(["w1 w2", "w5"])).all()


def test_input_vectors_may_start_at_given_ones(tmp_path):
    vectors = firth.WordVectors(["w1", "w2", "other"], np.array([[1.0, 2], [3, 4], [5, 6]], dtype=np.float32))
    how = firth.TrainingOptions(epochs=1, lr=1e-12)
    text = {"min_count": 1, "cache": tmp_path, "progress": False, "training": how, "vectors": vectors}
    model = firth.SkipThought(dim=2, hidden=4).train(documents(2), **text)
    np.testing.assert_allclose(model.word_vectors()["w2"], [3, 4], atol=1e-4)
    with pytest.raises(OptionError, match="vectors of width 2 for dim=3: expected the same; use dim=2"):
        firth.SkipThought(dim=3, hidden=4).train(documents(2), **text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoder": "both"}, "encoder='both': expected one of uni, bi, combine"),
        ({"encoder": "bi", "hidden": 5}, "hidden=5 with encoder='bi': expected an even number"),
        ({"output": "tree:tree=learned"}, "a tree is learned by language models only"),
        ({"output": "soft"}, "output='soft': expected one of full"),
        ({"max_length": 0}, "max_length=0: expected"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(OptionError, match=message):
        firth.SkipThought(**options)
