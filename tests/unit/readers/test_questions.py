"""Questions with answers: SQuAD's JSON, rows, and what is wrong with them."""

import json

import numpy as np
import pytest

from firth.errors import ArgumentTypeError, CorpusError, FormatError, MissingFileError
from firth.readers.questions import Answer, Question, question_names, question_of, read_questions, write_questions

TEXT = "Ann “lives” in Zürich."


def squad(*rows, context=TEXT, **article):
    return {"data": [{"paragraphs": [{"context": context, "qas": list(rows)}], **article}]}


def row(**changes):
    return {"id": "q1", "question": "Where?", "answers": [{"text": "Zürich", "answer_start": 15}], **changes}


def read(folder, content):
    path = folder / "a.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return list(read_questions(path))


def test_a_question_of_squad(tmp_path):
    (found,) = read(tmp_path, squad(row(), title="Ann"))
    assert found == Question("Where?", TEXT, (Answer("Zürich", 15),), "q1", "Ann")
    assert TEXT[found.answers[0].start : found.answers[0].end] == "Zürich"


def test_a_question_without_an_answer(tmp_path):
    wrong = row(is_impossible=True, plausible_answers=[{"text": "x", "answer_start": 900}])
    assert [each.answers for each in read(tmp_path, squad(wrong, row(answers=[])))] == [(), ()]


def test_rows_as_hugging_face_has_them(tmp_path):
    one = row(context=TEXT, answers={"text": ["Zürich", "Ann"], "answer_start": [15, 0]}, title="T")
    found = read(tmp_path, "\n".join(json.dumps(each) for each in (one, one)) + "\n")
    assert len(found) == 2
    assert found[0] == found[1]
    assert [each.text for each in found[0].answers] == ["Zürich", "Ann"]
    assert read(tmp_path, json.dumps(one)) == found[:1]


def test_what_is_written_is_read_again(tmp_path):
    questions = [
        Question("Where?", TEXT, (Answer("Zürich", 15),), "1", "T"),
        Question("Why?", TEXT, (), "2", "T"),
        Question("Who?", "Bob did.", (Answer("Bob", 0),), "3", "U"),
    ]
    write_questions(tmp_path / "b.json", questions)
    assert list(read_questions(tmp_path / "b.json")) == questions
    articles = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))["data"]
    assert [len(article["paragraphs"]) for article in articles] == [1, 1]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"answers": [{"text": "Zürich", "answer_start": 14}]}, "question 'q1': the answer 'Zürich' at 14"),
        ({"answers": [{"text": "Zürich", "answer_start": -7}]}, "question 'q1': the answer 'Zürich' at -7"),
        ({"answers": [{"text": " ", "answer_start": 4}]}, "question 'q1': the answer ' ' is blank"),
        ({"answers": 0}, "answers: found 0"),
        ({"answers": False}, "answers: found False"),
        ({"answers": ""}, "answers: found ''"),
        ({"id": True}, "id: found True; expected a text"),
        ({"answers": [{"text": "Zürich", "answer_start": True}]}, "answer_start True"),
        ({"answers": [{"text": "Zürich", "answer_start": "15"}]}, "answer_start '15'"),
        ({"answers": [{"text": "Zürich"}]}, "no 'answer_start'"),
        ({"answers": ["Zürich"]}, "an answer: found 'Zürich'"),
        ({"answers": "Zürich"}, "answers: found 'Zürich'"),
        ({"question": None}, "question: found None; expected a text"),
    ],
)
def test_damaged_questions_are_named(tmp_path, changes, problem):
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, squad(row(**changes)))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "empty file"),
        ("not json", "line 1: no JSON"),
        ("[1, 2]", r"a\.json: found \[1, 2\]; expected SQuAD's JSON"),
        ('{"x": 1}', r"a\.json: no 'data' among \['x'\]"),
        ('{"data": []}', "no question"),
        ('{"data": [{}]}', "article 1: no 'paragraphs'"),
        ('{"data": 3}', "data: found 3"),
        ("[" * 100_000, "line 1: no JSON .brackets within brackets"),
    ],
)
def test_other_files_are_refused(tmp_path, content, problem):
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, content)


def test_a_row_without_a_paragraph():
    with pytest.raises(FormatError, match="here: context: found None"):
        question_of({"question": "Where?"}, "here")


def test_a_list_of_rows(tmp_path):
    rows = [row(context=TEXT), row(context=TEXT, id="q2")]
    assert [each.name for each in read(tmp_path, json.dumps(rows, ensure_ascii=False))] == ["q1", "q2"]


def test_the_answer_of_a_question_made_by_hand_is_checked():
    assert Question("Where?", TEXT, [Answer("Ann", 0)]).answers == (Answer("Ann", 0),)
    with pytest.raises(FormatError, match=r"question 'Where\?': the answer 'Ann' at 3, where the paragraph has ' “l'"):
        Question("Where?", TEXT, (Answer("Ann", 3),))
    for wrong in (("Ann",), Answer("Ann", 0), "Ann", [{"text": "Ann"}]):
        with pytest.raises(ArgumentTypeError, match="answers: found"):
            Question("Where?", TEXT, wrong)
    with pytest.raises(ArgumentTypeError, match="paragraph: found None; expected a text"):
        Question("Where?", None)


def test_the_parts_of_a_question_made_by_hand_are_of_their_types():
    assert type(Answer("Ann", np.int64(0)).start) is int
    for start in ("13", 13.0, None, float("nan"), True):
        with pytest.raises(ArgumentTypeError, match=r"start of the answer 'Rome': found .*; expected a whole number"):
            Answer("Rome", start)
    with pytest.raises(ArgumentTypeError, match="text of an answer=5 is an int"):
        Answer(5, 13)
    for field in ("name", "title"):
        with pytest.raises(ArgumentTypeError, match=f"{field}: found 5; expected a text"):
            Question("Where?", TEXT, **{field: 5})


def test_rows_of_tables_with_arrays():
    answer = {"text": "Zürich", "answer_start": np.int64(15)}
    columns = {"text": np.array(["Zürich"]), "answer_start": np.array([15])}
    for answers in (np.array([answer]), [answer], columns):
        found = question_of({"question": "Where?", "context": TEXT, "answers": answers}, "here")
        assert found.answers == (Answer("Zürich", 15),)
    assert question_of({"question": "Where?", "context": TEXT, "answers": None}, "here").answers == ()
    with pytest.raises(FormatError, match="answers: found"):
        question_of({"question": "Where?", "context": TEXT, "answers": np.array("x")}, "here")


def test_names(tmp_path):
    rows = [{"question": "Where?", "context": TEXT, "id": name} for name in (None, 7, "x")]
    assert [each.name for each in read(tmp_path, rows)] == ["", "7", "x"]
    assert question_of({"question": "Where?", "context": TEXT, "id": None, "name": "y"}, "here").name == "y"
    questions = [Question("Where?", TEXT, name=name) for name in ("", "5", "")]
    assert question_names(questions) == ["0", "5", "2"]
    for names in (("x", "", "x"), ("2", "", "")):
        questions = [Question("Where?", TEXT, name=name) for name in names]
        with pytest.raises(FormatError, match=f"the questions 0 and 2, from 0, have the same name '{names[0]}'"):
            write_questions(tmp_path / "c.json", questions)
    assert not (tmp_path / "c.json").exists()


@pytest.mark.parametrize("wrong", [None, ["x"], "x", Question("Where?", TEXT)])
def test_only_questions_are_written(tmp_path, wrong):
    with pytest.raises(ArgumentTypeError, match="questions"):
        write_questions(tmp_path / "c.json", wrong)
    with pytest.raises(ArgumentTypeError, match="path"):
        write_questions(None, [])


def test_rows_with_an_answer_under_another_name():
    with pytest.raises(FormatError, match="'answer' in place of 'answers'"):
        question_of({"question": "Where?", "context": TEXT, "answer": "Ann"}, "here")


def test_what_is_no_file(tmp_path):
    (tmp_path / "train.json").write_text("{}", encoding="utf-8")
    with pytest.raises(MissingFileError, match=r"expected a file of questions.*did you mean train\.json"):
        list(read_questions(tmp_path / "trian.json"))
    with pytest.raises(CorpusError, match="is a folder; expected a file of questions"):
        list(read_questions(tmp_path))


def test_squad_and_xquad(shared_data):
    dev = list(read_questions(shared_data / "questions" / "squad" / "squad-dev-v1.1.json.gz"))
    assert len(dev) == 10_570
    assert len({each.title for each in dev}) == 48
    for language in ("de", "zh"):
        assert len(list(read_questions(shared_data / "questions" / "xquad" / f"xquad.{language}.json.gz"))) == 1190
