"""The recipe of taggers with language models: on made-up sentences."""

import json

import pytest

from firth.text.fingerprints import fingerprint

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    rows = recipe["main"](["toy", "--results", str(tmp_path / "a.jsonl")])
    lm, *others = rows
    assert lm["left_out"] > 0
    assert {"forward", "backward", "perplexity"} <= lm.keys()
    models = {(row["model"], row["labels"]) for row in others if row["task"] == "chunking"}
    assert models == {(name, share) for name in recipe["MODELS"] for share in (1.0, 0.5)}
    assert {(row["task"], row["model"]) for row in others if row["task"] != "chunking"} == {
        (task, model) for task in ("trec", "sst") for model in ("vectors", "vectors-cove")
    }
    assert min(row["score"] for row in others if row["task"] == "chunking") > 0.5
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()] == rows
    assert "half the labels with one" in recipe["bars"](rows)


def test_sentences_of_annotated_data_are_left_out_whatever_their_spaces_and_case(recipe, tmp_path):
    keys = {fingerprint(["Ann", "ca", "n't", "sing", "."])}
    raw = tmp_path / "raw.txt"
    raw.write_text("Bo sings well. ANN can't sing! Ann sings well.\n", encoding="utf-8")
    train, held_out = tmp_path / "train.txt", tmp_path / "held-out.txt"
    counts = recipe["written_text"]([raw], -1, keys, 100, train, held_out)
    assert (counts["sentences"], counts["left_out"]) == (2, 1)
    assert train.read_text(encoding="utf-8") == "Bo sings well .\nAnn sings well .\n"
    assert recipe["shared"](train, keys) == 0
