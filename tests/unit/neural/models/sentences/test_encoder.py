"""The encoder: the same vectors whatever the padding, gradients, and a network that a start determines."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.neural.models.sentences.encoder import EncoderModule
from firth.vocabulary import Vocabulary
from tests.gradients.neural.directions import check_parameters

VOCABULARY = Vocabulary(["<unk>", "a", "b", "c"], np.array([4, 3, 2, 1]), 10)
OPTIONS = {
    "transformer": firth.SentenceMaskedLM(dim=8, heads=2, layers=2, dropout=0.0),
    "bilstm": firth.SentenceMaskedLM(encoder="bilstm", dim=6, layers=1, dropout=0.0),
    "average": firth.SentenceMaskedLM(encoder="average", dim=6, dropout=0.0),
}
each = pytest.mark.parametrize("kind", OPTIONS)


def module_of(kind):
    torch.manual_seed(0)
    return EncoderModule(OPTIONS[kind].with_defaults(), VOCABULARY, predicts_words=True).double()


@each
def test_a_vector_is_the_mean_of_the_outputs_whatever_stands_beside_the_text(kind):
    module = module_of(kind).eval()
    ids, lengths = torch.tensor([[1, 2, 3, 1], [3, 2, 0, 0]]), torch.tensor([4, 2])
    together = module.encode(ids, lengths)
    alone = module.encode(ids[1:, :2], lengths[1:])
    torch.testing.assert_close(together[1:], alone, rtol=0, atol=1e-12)
    torch.testing.assert_close(alone, module.hidden(ids[1:, :2], lengths[1:]).mean(1), rtol=0, atol=1e-12)
    other = ids.clone()
    other[1, 2:] = 3
    torch.testing.assert_close(module.encode(other, lengths), together, rtol=0, atol=1e-12)


def test_word_vectors_are_multiplied_by_the_root_of_the_width():
    module, seen = module_of("transformer").eval(), []
    module.layers.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    module.encode(torch.tensor([[1, 3]]), torch.tensor([2]))
    torch.testing.assert_close(seen[0][0], 8**0.5 * module.embedding.weight[[1, 3]])


def test_an_average_is_that_of_word_vectors_in_any_order():
    module = module_of("average").eval()
    ids, lengths = torch.tensor([[1, 2, 3]]), torch.tensor([3])
    expected = 6**0.5 * module.embedding.weight[[1, 2, 3]].mean(0)
    torch.testing.assert_close(module.encode(ids, lengths)[0], expected)
    torch.testing.assert_close(module.encode(ids.flip(1), lengths)[0], expected)
    assert {name for name, _ in module.named_parameters() if not name.startswith("prediction.")} == {"embedding.weight"}


@each
def test_gradients_equal_finite_differences(kind):
    """Of the loss of masked words and of the contrast of means together, along directions of all parameters."""
    module = module_of(kind).train()
    ids, lengths = torch.tensor([[1, 2, 3, 1], [3, 2, 0, 0]]), torch.tensor([4, 2])
    positions = torch.tensor([[True, False, True, False], [False, True, False, False]])

    def loss():
        hidden = module.hidden(ids.masked_fill(positions, 4), lengths)
        predicted = module.prediction.loss(hidden[positions], ids[positions]).mean()
        return predicted + module(ids, lengths).pow(2).sum()

    check_parameters(module, loss)


def test_the_head_shares_the_table_which_has_a_row_for_the_mask():
    module = module_of("transformer")
    assert module.embedding.weight.shape == (5, 8)
    assert module.prediction.output.weight is module.embedding.weight
    assert module.masking.mask_id == 4


def test_a_start_determines_the_network():
    start = firth.SentenceMaskedLM(dim=8, heads=2).with_defaults()
    assert (start.encoder, start.layers) == ("transformer", 4)
    own = firth.SimCSE(dropout=0.3).with_defaults(start)
    assert (own.encoder, own.dim, own.heads, own.layers, own.dropout) == ("transformer", 8, 2, 4, 0.3)
    assert firth.SimCSE(dim=8).with_defaults(start).dim == 8
    with pytest.raises(OptionError, match=r"dim=16, layers=2 with a start that has dim=8, layers=4: .* leave"):
        firth.SimCSE(dim=16, layers=2).with_defaults(start)
    assert firth.SimCSE(encoder="bilstm").with_defaults().layers == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 10, "heads": 4}, "heads=4: expected a divisor of dim=10"),
        ({"dim": 12, "heads": 4}, "each head has 3; expected an even number"),
        ({"dim": 7, "encoder": "bilstm"}, "expected an even number"),
        ({"layers": 1, "encoder": "average"}, "expected 0, as it has no layers"),
        ({"layers": 0}, "layers=0 with encoder='transformer': expected 1 or more"),
    ],
)
def test_networks_that_cannot_be(options, message):
    with pytest.raises(OptionError, match=message):
        firth.SentenceMaskedLM(**options).with_defaults()


def test_a_module_starts_from_another_with_or_without_its_head():
    with_head, without = module_of("transformer"), None
    torch.manual_seed(1)
    without = EncoderModule(OPTIONS["transformer"].with_defaults(), VOCABULARY).double()
    without.start_from(with_head)
    ids, lengths = torch.tensor([[1, 2, 3]]), torch.tensor([3])
    assert torch.equal(without.eval().encode(ids, lengths), with_head.eval().encode(ids, lengths))
    again = EncoderModule(OPTIONS["transformer"].with_defaults(), VOCABULARY, predicts_words=True).double()
    again.start_from(without)
    assert torch.equal(again.eval().encode(ids, lengths), without.encode(ids, lengths))
    assert again.prediction.output.weight is again.embedding.weight
