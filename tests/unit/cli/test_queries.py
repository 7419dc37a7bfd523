"""Queries of vectors of subwords: words are shown and named as people read them, not in byte characters."""

import json

import numpy as np
import pytest

import firth


@pytest.fixture
def vectors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = ["Ġnot", "not", "lÃ¤uft", "ĠnÃ¤her", "Ġ"]
    space = firth.WordVectors(
        keys,
        np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32),
        metadata={"training": {"rules": {"tokens": "subwords"}}},
    )
    space.save("v")
    return space


def test_neighbours_are_shown_as_text(run, vectors):
    status, out, _ = run("neighbours", "v", "not", "·not", "-n", "4")
    assert status == 0
    first, second = out.split("·not\n", 1)[0], out.splitlines()[5:]
    assert {line.split()[0] for line in first.splitlines()[1:]} == {"·not", "·läuft", "näher", "␣"}
    assert second[0] == "·not"
    assert {line.split()[0] for line in second[1:]} == {"not", "·läuft", "näher", "␣"}
    facts = json.loads(run("neighbours", "v", "näher", "-n", "1", "--json")[1])
    assert facts["query"] == "ĠnÃ¤her"  # JSON has the keys
    cosine = float(run("similarity", "v", "not", "·läuft")[1])
    assert cosine == pytest.approx(float(vectors.similarity("Ġnot", "lÃ¤uft")), abs=1e-4)
    out = run("analogy", "v", "not", "·not", "·läuft", "-n", "2")[1]
    assert {line.split()[0] for line in out.splitlines()} == {"näher", "␣"}


def test_training_on_subwords_keeps_their_unit(run, tmp_path, monkeypatch):
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    monkeypatch.chdir(tmp_path)
    corpus = firth.Corpus.build(["a cat sat on a mat"] * 30, tokens="subwords", max_size=300, cache=tmp_path)
    model = firth.Word2Vec(dim=4, epochs=1).train(corpus, progress=False)
    assert model.metadata["training"]["rules"]["tokens"] == "subwords"
    assert "cat" in model
    assert np.array_equal(model.get_vector("cat"), model.get_vector("Ġcat"))
