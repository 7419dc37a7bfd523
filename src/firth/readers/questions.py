"""Questions about paragraphs with answers that stand in them: SQuAD 1.1 and 2.0, XQuAD, and rows of tables.

Rajpurkar et al. 2016 and 2018. Answers are spans of characters; a question of SQuAD 2.0 may have none. Three forms are
read: SQuAD's JSON of articles, paragraphs and questions, and JSON lines with `question`, `context` and `answers`, as
the `datasets` of Hugging Face have them.
"""

import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.errors import ArgumentTypeError, CorpusError, FormatError, brief, brief_repr
from firth.options import check_path
from firth.readers.lines import PathLike
from firth.storage.files import check_exists, json_bytes, replacing_file, text_of
from firth.storage.untrusted import parse_json
from firth.text.inputs import check_items, check_text

EXPECTED = 'expected SQuAD\'s JSON, {"data": [{"paragraphs": [{"context": ..., "qas": [...]}]}]}, or JSON rows'
SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".json.xz", ".jsonl.xz", ".json.zst", ".jsonl.zst")
ANSWERS = '"answers": [{"text": ..., "answer_start": ...}]'


@dataclass(frozen=True)
class Answer:
    """An answer that stands in a paragraph.

    Attributes:
        text: as it is written there.
        start: characters of the paragraph before it.
    """

    text: str
    start: int

    def __post_init__(self) -> None:
        """Check what the answer holds.

        Raises:
            ArgumentTypeError: the text is none, or the start is no whole number.
        """
        check_text(self.text, "text of an answer")
        if not _is_whole(self.start):
            raise ArgumentTypeError(
                f"start of the answer {brief(self.text)}: found {brief(self.start)}; expected a whole number"
            )
        object.__setattr__(self, "start", int(self.start))

    @property
    def end(self) -> int:
        """Characters of the paragraph up to its end."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Question:
    """A question about a paragraph.

    Attributes:
        question: its text.
        paragraph: the text in which the answer is sought.
        answers: right ones; none if the paragraph does not answer the question.
        name: identifier, such as that of SQuAD.
        title: of the article; "" if it is not known.
    """

    question: str
    paragraph: str
    answers: tuple[Answer, ...] = ()
    name: str = ""
    title: str = ""

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        """Check what the question holds.

        Raises:
            ArgumentTypeError: a text is none, or the answers are no tuple or list of `Answer`.
            FormatError: an answer is blank, or does not stand where its offset says.
        """
        for what in ("question", "paragraph", "name", "title"):
            if not isinstance(getattr(self, what), str):
                raise ArgumentTypeError(f"{what}: found {brief(getattr(self, what))}; expected a text")
        answers = self.answers
        if not isinstance(answers, tuple | list) or not all(isinstance(answer, Answer) for answer in answers):
            raise ArgumentTypeError(f'answers: found {brief(answers)}; expected a list such as [Answer("Rome", 12)]')
        object.__setattr__(self, "answers", tuple(answers))
        where = f"question {brief(self.name or self.question)}"
        for answer in answers:
            if not answer.text.strip():
                raise FormatError(
                    f"{where}: the answer {brief(answer.text)} is blank; expected a part of the "
                    "paragraph, or no answers"
                )
            text = self.paragraph[max(answer.start, 0) : max(answer.start, 0) + len(answer.text)]
            if answer.start < 0 or text != answer.text:
                raise FormatError(
                    f"{where}: the answer {brief(answer.text)} at {answer.start:,}, where the paragraph has "
                    f"{brief(text)}; expected the offset of the answer in characters"
                )


@names_files
def read_questions(path: PathLike) -> Iterator[Question]:
    """Yield the questions of a file.

    Args:
        path: UTF-8, plain or compressed: SQuAD's JSON, or a JSON row per line.

    Raises:
        FormatError: the file has another form, an answer does not stand where its offset says, or there is no question;
            the message names the question.
        MissingFileError: there is no such file.
        CorpusError: it is a folder.
        OSError: the file cannot be read.
    """
    check_exists(Path(path), "a file of questions: SQuAD's JSON or a JSON row per line")
    if Path(path).is_dir():
        raise CorpusError(f"{path} is a folder; expected a file of questions")
    text = text_of(path)
    try:
        content = parse_json(text)
    except ValueError:
        yield from _rows(text, path)
        return
    if isinstance(content, list) and content and all(isinstance(row, Mapping) for row in content):
        yield from (question_of(row, f"{path} row {number}") for number, row in enumerate(content, 1))
        return
    if isinstance(content, Mapping) and "question" in content and "data" not in content:
        yield question_of(content, f"{path}")  # a single row
        return
    empty = True
    for number, article in enumerate(_list(_entry(content, "data", f"{path}"), f"{path}: data"), 1):
        where = f"{path}: article {number}"
        title = article.get("title", "") if isinstance(article, Mapping) else ""
        for paragraph in _list(_entry(article, "paragraphs", where), f"{where}: paragraphs"):
            context = _text(_entry(paragraph, "context", where), f"{where}: context")
            for row in _list(_entry(paragraph, "qas", where), f"{where}: qas"):
                empty = False
                yield question_of({**_mapping(row, where), "context": context, "title": title}, where)
    if empty:
        raise FormatError(f"{path}: no question; {EXPECTED}")


def question_of(row: Any, where: str) -> Question:
    """Return the question of a row.

    Args:
        row: with `question`, `context` (or `paragraph`), and perhaps `id` (or `name`), `title`, `is_impossible` and
            `answers`: a list of {"text": ..., "answer_start": ...}, or these two as lists; None for none.
    """
    entries = _mapping(row, where)
    named = entries.get("id")
    name = _name(entries.get("name") if named is None else named, f"{where}: id")
    prefix, where = where, f"{where}: question {name!r}" if name else where
    paragraph = entries.get("context", entries.get("paragraph"))
    text = _text(paragraph, f"{where}: context")
    asked = _text(_entry(entries, "question", where), f"{where}: question")
    given: Any = None if entries.get("is_impossible") is True else entries.get("answers")
    if isinstance(given, Mapping):
        texts, starts = (_list(_entry(given, key, where), f"{where}: {key}") for key in ("text", "answer_start"))
        if len(texts) != len(starts):
            raise FormatError(f"{where}: {len(texts)} answers with {len(starts)} offsets; expected as many")
        given = [{"text": text, "answer_start": start} for text, start in zip(texts, starts, strict=True)]
    if "answer" in entries and "answers" not in entries:
        raise FormatError(f"{where}: 'answer' in place of 'answers'; expected {ANSWERS}")
    answers = () if given is None else tuple(_answer(answer, where) for answer in _list(given, f"{where}: answers"))
    title = _name(entries.get("title"), f"{where}: title")
    try:
        return Question(asked, text, answers, name, title)
    except FormatError as error:
        raise FormatError(f"{prefix}: {error}") from None


def question_names(questions: Sequence[Question], source: str = "questions") -> list[str]:
    """Return the name of each question, or its number from 0 if it has none.

    Args:
        questions: N.
        source: where they are from, for messages.
    """
    rows: dict[str, int] = {}
    for row, question in enumerate(questions):
        first = rows.setdefault(question.name or str(row), row)
        if first != row:
            raise FormatError(
                f"{source}: the questions {first:,} and {row:,}, from 0, have the same name "
                f"{brief(question.name or str(row))}; expected different ones, or none, which stands for the number"
            )
    return list(rows)


def write_questions(path: PathLike, questions: Iterable[Question]) -> None:
    """Write questions as SQuAD's JSON, version 2.0: consecutive ones about one paragraph share it.

    Args:
        questions: in their order; those without a name get their number.

    Raises:
        ArgumentTypeError: they are no questions.
        FormatError: two have the same name.
        OSError: the file cannot be written.
    """
    check_path(path)
    given = list(check_items(questions, "questions", "question"))
    for row, question in enumerate(given):
        if not isinstance(question, Question):
            raise ArgumentTypeError(
                f"questions[{row}]: found {brief(question)}; expected a firth.readers.questions.Question"
            )
    numbered = list(zip(question_names(given), given, strict=True))
    articles = []
    for title, of_title in groupby(numbered, key=lambda pair: pair[1].title):
        paragraphs = []
        for context, of_paragraph in groupby(of_title, key=lambda pair: pair[1].paragraph):
            paragraphs.append(
                {"context": context, "qas": [_as_json(name, question) for name, question in of_paragraph]}
            )
        articles.append({"title": title, "paragraphs": paragraphs})
    with replacing_file(path) as file:
        file.write(json_bytes({"version": "v2.0", "data": articles}))


def _as_json(name: str, question: Question) -> dict[str, Any]:
    answers = [{"text": answer.text, "answer_start": answer.start} for answer in question.answers]
    return {"id": name, "question": question.question, "answers": answers, "is_impossible": not answers}


def _rows(text: str, path: PathLike) -> Iterator[Question]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path} line {number}"
        try:
            row = parse_json(line)
        except ValueError as error:
            raise FormatError(f"{where}: no JSON ({error}); {EXPECTED}") from None
        yield question_of(row, where)
    if not text.strip():
        raise FormatError(f"{path}: an empty file; {EXPECTED}")


def _answer(value: Any, where: str) -> Answer:
    entries = _mapping(value, f"{where}: an answer")
    text = _text(_entry(entries, "text", where), f"{where}: text of an answer")
    start = _entry(entries, "answer_start", where)
    if not _is_whole(start):
        raise FormatError(f"{where}: answer_start {brief(start)}; expected a whole number of characters")
    return Answer(text, start)


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _name(value: Any, where: str) -> str:
    """Return an identifier or title, "" for none; whole numbers are read as text."""
    if value is None:
        return ""
    return str(value) if _is_whole(value) else _text(value, where)


def _entry(value: Any, key: str, where: str) -> Any:
    entries = _mapping(value, where)
    if key not in entries:
        raise FormatError(f"{where}: no {key!r} among {brief(list(entries))}; {EXPECTED}")
    return entries[key]


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FormatError(f"{where}: found {brief(value)}; {EXPECTED}")
    return value


def _list(value: Any, where: str) -> Sequence[Any]:
    items = value.tolist() if hasattr(value, "tolist") else value  # columns of tables hold arrays
    if isinstance(items, str | bytes) or not isinstance(items, Sequence):
        raise FormatError(f"{where}: found {brief(value)}; {EXPECTED}")
    return items


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise FormatError(f"{where}: found {brief(value)}; expected a text")
    return value
