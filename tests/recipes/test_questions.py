"""Questions about marked answers: how sentences are marked, and a small run."""

import gzip
import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def article(number):
    context = f"It rained. In year {number}, Mr. Smith built (a) house nr{number}. He slept."
    answers = {f"What did Smith build in {number}?": f"house nr{number}", "Who slept?": "He"}
    qas = [
        {"question": asked, "answers": [{"text": answer, "answer_start": context.index(answer)}]}
        for asked, answer in answers.items()
    ]
    return {"title": "t", "paragraphs": [{"context": context, "qas": qas}]}


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / name for name in ("train.json.gz", "dev.json")]
    text = json.dumps({"data": [article(number) for number in range(30)]})
    paths[0].write_bytes(gzip.compress(text.encode()))
    paths[1].write_text(json.dumps({"data": [article(99)]}), encoding="utf-8")
    return [str(path) for path in paths]


def test_the_sentence_around_an_answer_is_marked(recipe):
    (source, asked), (other, _) = recipe["questions"]([article(7)])
    assert source == "In year 7, Mr. Smith built (a) ⟦ house nr7 ⟧."
    assert asked == "What did Smith build in 7?"
    assert other == "⟦ He ⟧ slept."
    assert recipe["unmarked"](source) == "In year 7, Mr. Smith built (a) house nr7."
    text = "One. Two three. Four"
    spans = [(0, 4), (5, 15), (16, 20)]
    assert recipe["marked"](text, spans, 9, 20) == "Two ⟦ three. Four ⟧"
    assert recipe["marked"](text, spans, 15, 20) is None


def test_a_small_run(recipe, files, tmp_path, capsys):
    saved = str(tmp_path / "q.firth")
    recipe["main"]([*files, "--epochs", "1", "--set", "hidden=8", "dim=6", "min_count=1", "-o", saved])
    printed = capsys.readouterr().out
    assert "train: 20 questions, held_out: 40, test: 2" in printed
    assert "rouge-l" in printed
    recipe["main"]([*files, "--model", saved, "--show", "1"])
    assert "asked:   What did Smith build in 99?" in capsys.readouterr().out
