"""`firth postprocess` and `firth quantise`, as a user runs them."""

import json

import numpy as np
import pytest

from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command
from tests.unit.vectors.io.subwords import some

WORDS = ["hot", "cold", "warm", "cool", "mild", "red"]


@pytest.fixture
def firth(tmp_path):
    rows = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    made = WordVectors(
        WORDS, rows, counts=range(60, 0, -10), output_vectors=np.zeros((6, 4)), metadata={"name": "small"}
    )
    made.save(tmp_path / "small.firth")
    WordVectors([*WORDS, "blue"], np.random.default_rng(1).normal(size=(7, 3))).save(tmp_path / "other.firth")
    (tmp_path / "alike.txt").write_text("warm hot\ncool cold chilly\n", encoding="utf-8")
    (tmp_path / "opposite.txt").write_text("en_hot en_cold\n", encoding="utf-8")
    return Command(tmp_path)


def done(ended):
    assert ended.status == 0, ended.err
    return json.loads(ended.out)


def test_steps_in_their_order(firth, tmp_path):
    told = done(firth("postprocess", "small.firth", "centre:frequency=yes", "reduce:3", "whiten:zca:ridge=0.01",
                      "normalise", "-o", "out", "--json"))  # fmt: skip
    assert [each["step"] for each in told["steps"]] == ["centre", "reduce", "whiten", "normalise"]
    assert told["steps"][0]["frequency"] is True
    assert told["steps"][2]["ridge"] == 0.01
    assert (told["words"], told["dim"]) == (6, 3)
    made = load(tmp_path / "out")
    assert made.norms == pytest.approx(1)
    assert made.metadata["postprocessing"] == told["steps"]
    assert load(tmp_path / "small.firth").output_vectors is not None


def test_what_was_found_is_shown(firth):
    ended = firth(
        "postprocess", "small.firth", "remove-components:2", "retrofit", "--synonyms", "alike.txt", "-o", "out"
    )
    assert ended.status == 0, ended.err
    shown = " ".join(ended.out.split())
    assert "remove-components count 2 variance_removed 0." in shown
    assert "pairs (given 3, used 2, with_unknown_words 1, unknown_words 1) words_moved 4" in shown
    assert shown.endswith("out: 6 words x 4")
    assert "remove-components, count 2" in firth("info", "out").out


def test_models_are_joined(firth, tmp_path):
    told = done(firth("postprocess", "small.firth", "average:union", "--with", "other.firth", "-o", "out", "--json"))
    assert told["words"] == 7
    assert told["steps"][0]["dims"] == [4, 3]
    told = done(
        firth("postprocess", "small.firth", "concatenate:5:weights=1,8", "--with", "other.firth", "-o", "5", "--json")
    )
    assert (told["words"], told["dim"], told["steps"][0]["weights"]) == (6, 5, [1, 8])


def test_counter_fitting(firth, tmp_path):
    told = done(firth("postprocess", "small.firth", "counter-fit:epochs=50", "--synonyms", "alike.txt", "--antonyms",
                      "opposite.txt", "-o", "out", "--json"))  # fmt: skip
    entry = told["steps"][0]
    assert (entry["epochs"], entry["synonyms"]["used"], entry["antonyms"]["used"]) == (50, 2, 1)
    made = load(tmp_path / "out")
    assert made.similarity("hot", "warm") > 0.95
    assert made.similarity("hot", "cold") < 0.05


def test_n_grams_are_left_behind_and_it_is_said(firth, tmp_path):
    some().save(tmp_path / "sub.firth")
    ended = firth("postprocess", "sub.firth", "centre", "-o", "out")
    assert "its n-grams are dropped; the 5 words of the vocabulary stay" in ended.err
    assert isinstance(load(tmp_path / "out"), WordVectors)


@pytest.mark.parametrize("kind", ["int8", "product"])
def test_quantize(kind, firth, tmp_path):
    told = done(firth("quantise", "small.firth", "-o", "out", "--kind", kind, "--keep", "4", "--json"))
    assert (told["kind"], told["words"], told["asked"], told["neighbours"]) == (kind, 4, 4, 3)
    assert told["recall"] == 1
    assert told["cosine"] > 0.999
    assert told["bytes_of_output_vectors"] == 6 * 4 * 4
    assert load(tmp_path / "out").words == WORDS[:4]
    assert f"quantised       {kind}" in firth("info", "out").out


def test_quantize_subwords(firth, tmp_path):
    some().save(tmp_path / "sub.firth")
    ended = firth("quantise", "sub.firth", "-o", "out", "--keep", "3")
    assert ended.status == 0, ended.err
    assert "3 words x 6 as int8 codes" in ended.out
    assert "recall at 2" in ended.out
    assert "never-seen" in load(tmp_path / "out")
