"""`firth substitutes`: train, predict and test."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

TINY = ["--dim", "8", "--hidden", "8", "--min-count", "1", "--epochs", "40", "--batch-size", "6", "--lr", "0.01", "-q"]


@pytest.fixture
def texts(run, tmp_path):
    lines = [f"the {a} {v} the {b} ." for a in ("dog", "cat") for v in ("eats", "likes") for b in ("bone", "fish")]
    (tmp_path / "text.txt").write_text("\n\n".join(lines * 3), encoding="utf-8")
    (tmp_path / "places.txt").write_text("the [] eats the bone\n\n \nthe dog [] the fish\n", encoding="utf-8")
    (tmp_path / "tiny.gold").write_text("dog.n 1 :: cat 2;\ndog.n 2 :: bone 1;\n", encoding="utf-8")
    rows = "dog.n\t1\t1\tthe dog eats the bone\ndog.n\t2\t4\tthe cat eats the dog\n"
    (tmp_path / "tiny.preprocessed").write_text(rows, encoding="utf-8")


def test_a_round(run, texts):
    status, out, err = run("substitutes", "train", "text.txt", "-o", "m", "--held-out", "text.txt", *TINY)
    assert status == 0, err
    assert "held-out text" in out
    status, out, _ = run("substitutes", "predict", "m", "places.txt", "-n", "2", "-q")
    assert status == 0
    assert out.splitlines()[0] == "the [] eats the bone"
    assert {line.split()[0] for line in out.splitlines()[1:3]} == {"dog", "cat"}
    status, out, _ = run("substitutes", "predict", "m", "places.txt", "--candidates", "bone, cat", "-q", "--json")
    first = json.loads(out.splitlines()[0])
    assert [each["word"] for each in first["words"]] == ["cat", "bone"]
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["the [] eats the bone", "the dog [] the fish"]
    status, out, _ = run("substitutes", "test", "m", "tiny.gold")
    assert status == 0
    assert "gap-context" in out
    status, out, _ = run("substitutes", "train", "text.txt", "-o", "n", "--json", *TINY)
    assert json.loads(out)["words"] == 9


def test_a_masked_language_model_fills_places(run, texts):
    """Word pieces and their probabilities; no other words are ranked."""
    tiny = [
        "--dim",
        "8",
        "--layers",
        "1",
        "--heads",
        "2",
        "--max-length",
        "16",
        "--max-size",
        "80",
        "--epochs",
        "1",
        "--warmup",
        "0",
    ]
    assert run("pretrain", "masked", "text.txt", "-o", "bert", *tiny, "-q")[0] == 0
    status, out, err = run("substitutes", "predict", "bert", "places.txt", "-n", "3", "-q", "--json")
    assert status == 0, err
    scores = [each["score"] for each in json.loads(out.splitlines()[0])["words"]]
    assert len(scores) == 3
    assert 1 > scores[0] >= scores[1] >= scores[2] > 0
    status, _, err = run("substitutes", "predict", "bert", "places.txt", "--candidates", "cat", "-q")
    assert status != 0
    assert "ranks no others" in err


def test_mistakes_are_told_without_a_traceback(run, texts, tmp_path):
    assert run("substitutes", "train", "text.txt", "-o", "m", *TINY)[0] == 0
    (tmp_path / "plain.txt").write_text("no place here\n", encoding="utf-8")
    for arguments, message in (
        (("predict", "m", "plain.txt"), "which word"),
        (("predict", "m", "places.txt", "-n", "0"), "at least 1"),
        (("predict", "missing", "places.txt"), "missing"),
        (("test", "m", "nothing.gold"), "no such file and no named set"),
        (("train", "text.txt", "-o", "m", "--unknown-flag"), "unknown-flag"),
    ):
        status, _, err = run("substitutes", *arguments)
        assert status != 0
        assert message in err
        assert "Traceback" not in err
