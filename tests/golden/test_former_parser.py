"""A biaffine parser of the layout before the arcs had a prior of heads: it parses as it did.

`parsers/biaffine` is a folder of that time, trained on `tiny.treebank(40)`, with v drawn from a normal distribution
after training; `parsers/biaffine_answers.json` holds the trees of `tiny.treebank(4, 3)` and log p(head | word).
"""

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from tests.unit.neural.models.parsers import tiny

FOLDER = Path(__file__).parent / "parsers"
ANSWERS = json.loads((FOLDER / "biaffine_answers.json").read_text("utf-8"))


def log_p(model, sentence):
    reader = model.module.vocabulary.reader
    with torch.no_grad():
        arcs = model.module(reader.collate([reader.read(sentence)])).arcs[0]
    return arcs.double().log_softmax(0)[:, 1:]


@pytest.mark.parametrize("saved_again", [False, True])
def test_probabilities_and_trees_are_those_of_then(tmp_path, saved_again):
    model = firth.load(FOLDER / "biaffine")
    if saved_again:
        model.save(tmp_path / "parser")
        model = firth.load(tmp_path / "parser")
    some = tiny.treebank(4, 3)
    for sentence, expected in zip(some, ANSWERS["log_p"], strict=True):
        expected = torch.tensor(expected).double()  # of float32 scores up to 20
        torch.testing.assert_close(log_p(model, sentence), expected, atol=1e-5, rtol=0)
    trees = [{"heads": [*each.heads], "relations": [*each.relations]} for each in model.predict(some)]
    assert trees == ANSWERS["trees"]
    assert not model.module.arcs.weight[0, :, -1].any()  # u = 0
