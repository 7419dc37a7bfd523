"""`firth answer`: train, predict from a text, from many and from a file of questions, test."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app
from firth.errors import CorpusError, MissingFileError, OptionError
from firth.neural.models.reading.predict import ReadAnswer, ReadingModel
from firth.readers.questions import write_questions
from tests.unit.neural.models.reading.test_predict_reading_model import QUICK, made_questions

TEXTS = "Bob lives in Oslo.\nZoe lives in Cairo.\nMax lives in Rome.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("answer")
    questions = made_questions(60)
    options = firth.Reader(dim=16, hidden=12, layers=1, dropout=0.0, max_answer_length=3)
    options.train(questions, held_out=questions[:20], training=QUICK, seed=1, progress=False).save(where / "r")
    write_questions(where / "q.json", questions[:4])
    (where / "texts.txt").write_text(TEXTS, encoding="utf-8")
    (where / "blank.txt").write_text("...\n", encoding="utf-8")
    return where


@pytest.fixture
def run(monkeypatch, capsys, folder):
    monkeypatch.chdir(folder)

    def call(*arguments):
        line = ["answer", *arguments, "-q"]
        with pytest.raises(SystemExit) as ended:
            build_app(line)(line, prog_name="firth")
        assert not ended.value.code
        return capsys.readouterr().out

    return call


def test_train(run, folder):
    small = ("--dim", "4", "--hidden", "3", "--epochs", "1", "--json")
    facts = json.loads(run("train", "q.json", "-o", "new", "--held-out", "q.json", "--model", "bidaf", *small))
    assert (facts["kind"], facts["questions"], facts["held_out_questions"]) == ("bidaf", 4, 4)
    assert firth.load(folder / "new").options == firth.BiDAF(dim=4, hidden=3, extra_words=0)


def test_a_text_and_many_texts(run):
    probability, place, text = run("predict", "r", "Where does Zoe live?", "--text", "texts.txt").strip().split("\t")
    assert (0 < float(probability) <= 1, place, text) == (True, str(TEXTS.index("Cairo")), "Cairo")
    lines = run("predict", "r", "Where does Zoe live?", "--corpus", "texts.txt", "-n", "2").splitlines()
    assert len(lines) == 2
    assert lines[0].split("\t")[1:] == ["2:13", "Cairo"]
    found = json.loads(run("predict", "r", "Where does Max live?", "--corpus", "texts.txt", "--json"))
    assert (found["text"], found["line"], found["start"]) == ("Rome", 3, 13)


def test_an_answer_is_printed_on_a_line(run, monkeypatch):
    found = ReadAnswer("Os\nlo", 13, 18, 0.0, 0.5)
    monkeypatch.setattr(ReadingModel, "answer", lambda *_, **__: [found])
    assert run("predict", "r", "Where?", "--text", "texts.txt") == "0.5000\t13\tOs lo\n"
    assert json.loads(run("predict", "r", "Where?", "--text", "texts.txt", "--json"))["text"] == "Os\nlo"


def test_nothing_found_has_no_line(run):
    found = json.loads(run("predict", "r", "xyz", "--corpus", "texts.txt", "--json"))
    assert (found["text"], found["line"]) == ("", None)


def test_a_file_of_questions(run, folder):
    model = firth.load(folder / "r")
    right = model.predict(folder / "q.json", progress=False)
    assert json.loads(run("predict", "r", "q.json", "--json")) == right
    assert run("predict", "r", "q.json").splitlines() == [f"{name}\t{text}" for name, text in right.items()]
    questions = [each.question for each in made_questions(60)[:4]]
    asked = run("predict", "r", "q.json", "--corpus", "texts.txt").splitlines()
    assert [line for line in asked if "\t" not in line] == questions


def test_scores_are_strict_json(run):
    scores = json.loads(run("test", "r", "q.json", "--json"), parse_constant=pytest.fail)
    assert scores["questions"] == 4
    assert "no_answer_f1" not in scores
    assert run("test", "r", "q.json").startswith("exact match ")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("Where?",), OptionError, "which text answers"),
        (("Where?", "--text", "texts.txt", "--corpus", "texts.txt"), OptionError, "expected one of them"),
        (("missing.json",), MissingFileError, "expected a file of questions"),
        (("Where?", "--text", "missing.txt"), CorpusError, "missing.txt"),
        (("Where?", "--corpus", "blank.txt"), CorpusError, "blank.txt: no text with a word"),
    ],
)
def test_mistakes(run, arguments, error, message):
    line = ["answer", "predict", "r", *arguments, "-q"]
    app = build_app(line)
    with pytest.raises(error, match=message):
        app(line, prog_name="firth", standalone_mode=False)
