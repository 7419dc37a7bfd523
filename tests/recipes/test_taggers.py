"""The recipe of taggers: on made-up sentences, and on real ones its bars."""

import json
import lzma
import os
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth


def test_toy(recipe, tmp_path):
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed: pip install python-crfsuite")
    rows = recipe["main"](["--toy", "--results", str(tmp_path / "a.jsonl"), "--table", str(tmp_path / "a.md")])
    scores = {row["model"]: row["score"] for row in rows}
    assert set(scores) == {"crfsuite", "window", "window-softmax", "bilstm-softmax", "bilstm-crf"}
    assert min(scores.values()) > 0.9
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()] == rows
    assert "| spanish | bilstm-crf |" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_vectors_see_no_test_sentences(recipe, tmp_path):
    raw = tmp_path / "raw.tsv"
    raw.write_text("x\tuno dos uno dos\n" * 30, encoding="utf-8")
    vectors = recipe["own_vectors"]([raw], [(["tres", "dos"], ["O", "O"])] * 5, 0)
    assert set(vectors.index_to_key) == {"uno", "dos", "tres"}


def data(*parts):
    path = Path(os.environ.get("FIRTH_DATA", "-"), *parts)
    if not path.exists():
        pytest.skip(f"needs {path.name} below the folder FIRTH_DATA")
    return str(path)


@pytest.mark.experiment
def test_spanish_entities(recipe, tmp_path):
    """CoNLL-2002 testb: a window 70, BiLSTM-CRF 79.5, 81 with vectors of own raw text, half a point above softmax."""
    raw = data("parallel", "tatoeba-spa-eng.tsv.gz")
    names = ["window", "bilstm-softmax", "bilstm-crf", "bilstm-crf-vectors"]
    source = data("entities", "conll2002", "conll2002.zip")
    results = str(tmp_path / "a.jsonl")
    rows = recipe["main"](["--spanish", source, "--raw", raw, "--models", *names, "--seeds", "0", "--results", results])
    score = {row["model"]: 100 * row["score"] for row in rows}
    assert score["window"] >= 70
    assert score["bilstm-crf"] >= 79.5
    assert score["bilstm-crf-vectors"] >= 81
    assert score["bilstm-crf"] >= score["bilstm-softmax"] + 0.5
    assert rows[0]["ranking"] >= 0.95


@pytest.mark.experiment
def test_wikigold(recipe, tmp_path):
    """With vectors of raw text of Wikipedia: 78.1 where they have 300 dimensions and five epochs; without any, 60."""
    text = tmp_path / "wiki.txt"
    with lzma.open(data("corpus", "wiki.txt.xz")) as packed, text.open("wb") as file:
        shutil.copyfileobj(packed, file)
    vectors = firth.Word2Vec(dim=200, epochs=2).train(text, min_count=5, progress=False)
    vectors.save(tmp_path / "vectors")
    source = data("entities", "wikigold", "wikigold.conll.txt")
    how = ["--models", "bilstm-crf-vectors", "--english", str(tmp_path / "vectors"), "--seeds", "0"]
    (row,) = recipe["main"](["--wikigold", source, *how, "--results", str(tmp_path / "a.jsonl")])
    assert 100 * row["score"] >= 73.5


@pytest.mark.experiment
def test_parts_of_speech(recipe, tmp_path):
    """UD English EWT: 93.5 with characters, ten points above look-ups on unknown words."""
    source = data("dependencies", "UD_English-EWT")
    rows = recipe["main"](["--ud", source, "--seeds", "0", "--results", str(tmp_path / "a.jsonl")])
    look_up, characters = (next(row for row in rows if row["model"] == name) for name in ("look-up", "characters"))
    assert 100 * characters["score"] >= 93.5
    assert 100 * (characters["unknown"] - look_up["unknown"]) >= 10
