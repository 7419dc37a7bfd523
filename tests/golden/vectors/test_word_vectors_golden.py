"""WordVectors answer as gensim 4.4.0 does, to 1e-6: from memory and mapped from a file."""

import json

import pytest

from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests.golden.vectors.questions import ANSWERS, BINARY, GLOVE, QUESTIONS, VECTORS, difference, plain

FROZEN = json.loads(ANSWERS.read_text(encoding="utf8"))["answers"]


@pytest.fixture(params=["text", "binary", "glove", "mapped"])
def vectors(request, tmp_path) -> WordVectors:
    if request.param == "mapped":
        load(VECTORS).save(tmp_path / "small.firth")
        mapped = load(tmp_path / "small.firth")
        assert not mapped.vectors.flags.writeable
        return mapped
    return load({"text": VECTORS, "binary": BINARY, "glove": GLOVE}[request.param])


@pytest.mark.parametrize("name", QUESTIONS)
def test_answer_is_gensims(name, vectors):
    assert difference(plain(QUESTIONS[name](vectors)), FROZEN[name]) is None


def test_every_question_is_frozen():
    assert set(QUESTIONS) == set(FROZEN)


def test_comparison_can_fail():
    assert difference([1.0, ["a", 0.5]], [1.0, ["a", 0.500002]]) is not None
    assert difference(["a"], ["a", "b"]) is not None
    assert difference({"a": 1}, {"b": 1}) is not None
    assert difference([1.0, ["a", 0.5]], [1.0, ["a", 0.5000001]]) is None
