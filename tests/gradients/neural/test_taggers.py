"""The whole loss of each kind of tagger, from ids to the loss per sentence, against central differences."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.tagging.tag_set import learn_tag_set
from firth.neural.models.tokens.reader import learn_token_reader
from firth.neural.training.devices import new_module
from tests.gradients.neural.directions import check_parameters

SENTENCES = [["a", "b", "c", "a"], ["ab", "c"], ["b"]]
CASES = [
    ("bilstm", "crf", "lstm"),
    ("bilstm", "softmax", "cnn"),
    ("window", "crf", "cnn"),
    ("window", "margin", "none"),
]


@pytest.mark.parametrize(("encoder", "head", "characters"), CASES)
def test_every_parameter(encoder, head, characters):
    """In float64, with two targets, one of them spans; two directions per parameter."""
    sets = [learn_tag_set([["X", "Y"]], "bioes"), learn_tag_set([["B-A", "I-A"]], "bioes")]
    options = firth.Tagger(
        targets="pos,ner", encoder=encoder, head=head, characters=characters, spelling=True,
        dim=3, hidden=3, char_dim=3, char_width=3, column_dim=2, dropout=0.0, word_dropout=0.0, margin=0.3,
    )  # fmt: skip
    reader = learn_token_reader(SENTENCES, characters=characters != "none", columns=options.read_columns)
    module = new_module(1, options.build, reader, sets).double().train()
    inputs = reader.collate([reader.read(each) for each in SENTENCES])
    pos = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    ner = torch.tensor([[1, 2, 3, 0], [0, 4, 0, 0], [4, 0, 0, 0]])

    def loss():
        torch.manual_seed(2)  # the same words replace others each time
        return module.losses(inputs, (pos, ner)).mean()

    check_parameters(module, loss)
