"""Readers on a small set of SQuAD's form, and the baselines by hand."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.readers.questions import Answer, Question, write_questions
from tests.unit.neural.models.reading.test_predict_reading_model import made_questions


@pytest.fixture
def squad(tmp_path):
    write_questions(tmp_path / "squad-train-v1.1.json", made_questions(400))
    write_questions(tmp_path / "squad-dev-v1.1.json", made_questions(20, 1))
    return tmp_path


@pytest.mark.slow
def test_readers_baselines_and_the_open_domain(recipe, squad):
    text = squad / "text.txt"
    lines = (each.paragraph for each in made_questions(80))
    text.write_text("\n".join(lines) * 20, encoding="utf-8")
    main = recipe["main"]
    main([str(squad), "vectors", str(text), "--dim", "16", "-o", str(squad / "v")])
    small = ["--dim", "16", "--hidden", "12", "--epochs", "10", "--vectors", str(squad / "v")]
    for name in ("attentive", "no-attention"):
        main([str(squad), name, *small, "-o", str(squad / name)])
    scores = main([str(squad), "test", str(squad / "attentive"), str(squad / "no-attention")])
    with_features, without = (scores[str(squad / name)].f1 for name in ("attentive", "no-attention"))
    assert with_features > without
    found = main([str(squad), "open", str(squad / "attentive"), "--vectors", str(squad / "v")])
    assert set(found) == {("attentive", "TF-IDF"), ("attentive", "mean of word vectors")}
    beside = main([str(squad), "baselines", "--questions", "60"])
    assert beside["logistic"].f1 > 60 > beside["sliding window"].f1


def test_candidates_are_spans_of_a_sentence(recipe):
    places, _, spans = recipe["candidates"]("Ann came. Bob (27) left.")
    texts = {"Ann came. Bob (27) left."[places[i][0] : places[j][1]] for i, j in spans}
    assert texts == {"Ann", "Ann came", "came", "Bob", "Bob (27", "Bob (27) left", "27", "27) left", "left"}


def test_the_sliding_window_takes_what_stands_near_the_words_of_the_question(recipe):
    text = "Nothing happened then at all in that very long and quiet year of ours. The tower was built by Eiffel."
    question = Question("Who built the tower?", text, (Answer("Eiffel", text.index("Eiffel")),))
    assert "tower" not in recipe["sliding_window"](question)
    assert recipe["sliding_window"](Question("Who?", "...")) == ""


def test_some_questions_are_those_of_whole_paragraphs(recipe, squad):
    some = recipe["read"](squad, "train", 10)
    assert len(some) == 10
    assert some == recipe["read"](squad, "train", 10)
    assert json.loads((squad / "squad-train-v1.1.json").read_text(encoding="utf-8"))["version"] == "v2.0"
