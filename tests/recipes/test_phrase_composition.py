"""Composition of phrases on Wikipedia: tensors find a phrase's own vector where sums do not."""

import lzma

import pytest


@pytest.fixture(scope="module")
def treebank(shared_data):
    return shared_data / "dependencies" / "UD_English-EWT" / "en_ewt-ud-train.conllu.gz"


def test_a_part(shared_data, recipe, treebank, tmp_path, capsys):
    """8 MB, so that it is quick: what is held out is told, and a function that is learned is no product."""
    text = tmp_path / "text.txt"
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz") as file:
        text.write_bytes(file.read(8_000_000))
    told = ["--dim=20", "--epochs=4", "--learned=5", "--asked=10", "--rank=1", "--l2=0.05", "--threads=1"]
    figures = recipe["main"]([str(text), "--words", str(treebank), *told])
    out = capsys.readouterr().out
    assert "held out by second words" in out, out
    for what in ("phrases", "second words"):
        assert figures[what, "tensors, one for all types"] > figures[what, "added"] > figures[what, "multiplied"]


@pytest.mark.slow
def test_wikipedia(shared_data, recipe, treebank, tmp_path):
    """All of it, 5 to 10 minutes: measured on held-out phrases 40.8 beside 33.4 for sums, 25.0 with words swapped."""
    text = tmp_path / "text.txt"
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz") as file:
        text.write_bytes(file.read())
    figures = recipe["main"]([str(text), "--words", str(treebank)])
    ours = figures["phrases", "tensors, one for all types"]
    assert ours >= 1.2 * figures["phrases", "added"]
    assert figures["phrases", "the same, words swapped"] < 0.8 * ours
    assert figures["second words", "tensors, one for all types"] > figures["second words", "added"]
