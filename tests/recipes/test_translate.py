"""Translators on made-up captions: two files of each set, as Multi30k has them."""

import gzip
import itertools

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

ANIMALS, VERBS, PLACES = ("dog", "cat", "bird"), ("runs", "sleeps", "eats"), ("here", "there", "inside")


@pytest.fixture
def data(tmp_path):
    texts = [f"a {animal} {verb} {place} ." for animal, verb, place in itertools.product(ANIMALS, VERBS, PLACES)] * 8
    for name in ("train", "val", "test_2016_flickr"):
        for language, lines in (("en", texts), ("xx", [text.upper() for text in texts])):
            with gzip.open(tmp_path / f"{name}.{language}.gz", "wt", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
    return tmp_path


@pytest.mark.parametrize("model", ["lstm", "attention", "transformer"])
def test_each_model_is_trained_and_scored(recipe, data, capsys, monkeypatch, model):
    small = ["hidden=32", "layers=1"] + ([] if model == "transformer" else ["dim=16"])
    line = [str(data), "en", "xx", "--model", model, "--epochs", "2", "--size", "300", "-o", str(data / "m")]
    line += ["--units", "words", "--set", *small]
    monkeypatch.setattr("sys.argv", ["translate.py", *line])
    recipe["main"]()
    printed = capsys.readouterr().out
    assert printed.count("bleu: nrefs:1|case:lc") == 2
    monkeypatch.setattr("sys.argv", ["translate.py", str(data), "en", "xx", "--ensemble", *[str(data / "m")] * 2])
    recipe["main"]()
    scores = [line for line in printed.splitlines() if line.startswith("texts ")]
    assert scores == [line for line in capsys.readouterr().out.splitlines() if line.startswith("texts ")]


def test_kinds_of_attention_side_by_side(recipe, data, capsys, monkeypatch):
    line = [str(data), "en", "xx", "--epochs", "1", "--units", "words", "--set", "hidden=16", "dim=8"]
    monkeypatch.setattr("sys.argv", ["translate.py", *line, "--compare"])
    recipe["main"]()
    printed = capsys.readouterr().out.splitlines()
    assert all(any(row.startswith(f"{kind}: ") for row in printed) for kind in recipe["KINDS"])
    assert any(all(kind in row for kind in recipe["KINDS"]) for row in printed)
