"""Sentence autoencoders on made-up sentences: each kind gives the figures that its page shows."""

import gzip

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


@pytest.mark.filterwarnings("ignore:the code")
@pytest.mark.parametrize("model", ["collapse", "free-bits", "lagging", "gumbel", "vq", "questions"])
def test_toy(recipe, model):
    course, scores, *others = recipe["main"]([model, "--toy"])
    assert len(course["course"]) == 10
    assert scores["elbo"] < scores["importance_weighted"] + 0.5
    assert scores["sentences"] == 40
    if model == "collapse":
        assert scores["kl"] < 0.5
    if model == "questions":
        assert others[0]["recovered"]["classifier"] > 0.9
        assert others[0]["recovered"]["question"] >= 0.85
        assert others[0]["recovered"]["statement"] >= 0.85
    elif model in ("gumbel", "vq"):
        assert len(others) == 4 * 16
        assert sum(each["count"] for each in others) == 4 * 40
    else:
        assert [len(each["interpolation"]) for each in others[:-1]] == [7] * 3


def test_questions_lose_their_mark(recipe, tmp_path):
    lines = ["Is it here now?\tx", "It is here now.\ty", "Is it here now?\tz", "Go!\tx", "Well.\ty", "Is it\tx"]
    with gzip.open(tmp_path / "pairs.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    assert sorted(recipe["questions"](tmp_path / "pairs.gz")) == [
        ("Is it here now", "question"),
        ("It is here now", "statement"),
    ]
