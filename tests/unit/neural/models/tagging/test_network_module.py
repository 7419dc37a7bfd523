"""Losses of a tagger: the sum over targets, whatever the batch; gradients of windows with a margin."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.tagging.network import TaggerModule
from firth.neural.models.tagging.tag_set import learn_tag_set
from firth.neural.models.tokens.reader import learn_token_reader
from firth.neural.training.devices import new_module

SENTENCES = [["a", "b", "c"], ["b", "a"]]
SETS = [learn_tag_set([["X", "Y"]], "bio"), learn_tag_set([["B-A", "I-A"]], "bio")]
TAGS = (torch.tensor([[0, 1, 0], [1, 1, 0]]), torch.tensor([[0, 1, 2], [1, 0, 0]]))


def made(**options):
    options = firth.Tagger(targets="pos,ner", dim=4, hidden=3, char_dim=3, char_width=3, dropout=0.0, **options)
    reader = learn_token_reader(SENTENCES)
    return reader, new_module(3, options.build, reader, SETS).eval()


@pytest.mark.parametrize("head", ["crf", "softmax"])
def test_losses_are_those_of_each_sentence_alone(head):
    reader, module = made(head=head)
    assert isinstance(module, TaggerModule)
    module.requires_grad_(False)
    both = module.losses(reader.collate([reader.read(each) for each in SENTENCES]), TAGS)
    for row, sentence in enumerate(SENTENCES):
        tags = tuple(each[row : row + 1, : len(sentence)] for each in TAGS)
        alone = module.losses(reader.collate([reader.read(sentence)]), tags)
        assert float(both[row]) == pytest.approx(float(alone[0]), abs=1e-5)
    scores = module(reader.collate([reader.read(each) for each in SENTENCES]))
    parts = [one.loss(s, y, torch.tensor([3, 2])) for one, s, y in zip(module.heads, scores, TAGS, strict=True)]
    torch.testing.assert_close(both, parts[0] + parts[1])


def test_corrupted_windows_are_ranked():
    reader, module = made(encoder="window", head="margin", characters="none")
    inputs = reader.collate([reader.read(each) for each in SENTENCES])
    right, count = module.ranked(inputs, TAGS)
    assert 0 <= right <= count <= 2 * 5
    assert count > 0
    assert module.losses(inputs, TAGS).shape == (2,)
