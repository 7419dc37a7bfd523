"""Questions with answers, from files and lists, as pairs to train on."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.errors import ArgumentTypeError, CorpusError, brief, warn_caller
from firth.neural.models.reading.data import Pair, Passage, PassageReader
from firth.neural.supervised import split_rows
from firth.progress import Progress
from firth.readers.questions import SUFFIXES, Question, question_of, read_questions
from firth.text.inputs import table_columns

EXPECTED = (
    "expected the path of SQuAD's JSON or of JSON lines, or a list of firth.readers.questions.Question or of rows"
)


@dataclass(frozen=True)
class QuestionSet:
    """Questions and where they are from.

    Attributes:
        name: of the source, for messages.
        questions: at least one.
    """

    name: str
    questions: Sequence[Question]


def questions_from(source: Any, name: str = "source") -> QuestionSet:
    """Return the questions of a path, of several, or of a list of questions or rows."""
    if isinstance(source, str) and _is_text(source):
        raise ArgumentTypeError(
            f"{name}: found the text {brief(source)}; {EXPECTED}; one question: answer(question, paragraph)"
        )
    if isinstance(source, str | os.PathLike):
        questions, name = list(read_questions(source)), str(source)
    elif isinstance(source, Question | Mapping) or not isinstance(source, Iterable):
        raise ArgumentTypeError(f"{name}: found {brief(source)}; {EXPECTED}")
    elif table_columns(source) is not None and hasattr(source, "to_dict"):
        raise ArgumentTypeError(f"{name}: found a table; {EXPECTED}: table.to_dict('records')")
    else:
        questions = []
        for number, item in enumerate(source):
            if isinstance(item, str | os.PathLike):
                questions += read_questions(item)
            elif isinstance(item, Question | Mapping):
                questions.append(item if isinstance(item, Question) else question_of(item, f"{name}[{number}]"))
            else:
                raise ArgumentTypeError(f"{name}[{number}]: found {brief(item)}; {EXPECTED}")
    if not questions:
        raise CorpusError(f"{name}: no question; {EXPECTED}")
    return QuestionSet(name, questions)


def _is_text(source: str) -> bool:
    """Whether a string is the text of a question, and no path."""
    path = source.lower().endswith(SUFFIXES) or Path(source).exists()
    return not path and (" " in source.strip() or "?" in source)


def split(source: QuestionSet, seed: int, *, answered: bool = False) -> tuple[QuestionSet, QuestionSet]:
    """Return questions to train on, and a tenth that selects the model: by article or, without titles, by paragraph."""
    questions = source.questions
    by_title = len({question.title for question in questions}) > 1
    keys = [("", item.paragraph) if not (by_title and item.title) else (item.title, "") for item in questions]
    groups = sorted({key for key, item in zip(keys, questions, strict=True) if item.answers or not answered})
    what = f"{'article' if by_title else 'paragraph'}{' with an answer' if answered else ''}"
    _, held_out = split_rows(len(groups), seed, f"{source.name}: {len(groups)} {what}")
    chosen = {groups[row] for row in held_out}
    parts: tuple[list[Question], list[Question]] = ([], [])
    for key, question in zip(keys, questions, strict=True):
        parts[key in chosen].append(question)
    return QuestionSet(source.name, parts[0]), QuestionSet(source.name, parts[1])


@dataclass(frozen=True, eq=False)
class ReadQuestions:
    """Questions as passages.

    Attributes:
        questions: N, as they were given.
        asked: their texts.
        paragraphs: of each, the one that is shared by those about it.
    """

    questions: Sequence[Question]
    asked: Sequence[Passage]
    paragraphs: Sequence[Passage]


def read_all(questions: QuestionSet, reader: PassageReader, *, progress: Progress = False) -> ReadQuestions:
    """Return questions as passages."""
    texts = list(dict.fromkeys(question.paragraph for question in questions.questions))
    passages = dict(zip(texts, reader.read(texts, tags=True, progress=progress), strict=True))
    asked = reader.read([question.question for question in questions.questions])
    for question, passage in zip(questions.questions, asked, strict=True):
        for what, text in (("question", passage), ("paragraph", passages[question.paragraph])):
            if not len(text):
                raise CorpusError(
                    f"{questions.name}: the {what} of question {brief(question.name or question.question)} has no word;"
                    " expected one at least"
                )
    paragraphs = [passages[question.paragraph] for question in questions.questions]
    return ReadQuestions(questions.questions, asked, paragraphs)


def training_pairs(
    read: ReadQuestions, name: str, *, window: int, no_answer: bool, held_out: bool = False
) -> list[Pair]:
    """Return a pair for each question that can be learned from.

    Of a paragraph that is longer than the window, the part with the answer in its middle is read.

    Warns:
        UserWarning: questions are left out, for they have no answer.
    """
    pairs, left_out = [], 0
    for question, asked, paragraph in zip(read.questions, read.asked, read.paragraphs, strict=True):
        if not question.answers:
            left_out += not no_answer
            if no_answer:
                pairs.append(Pair(asked, paragraph.window(0, window) if len(paragraph) > window else paragraph))
            continue
        answer = question.answers[0]
        first, last = paragraph.tokens_of(answer.start, answer.end)
        if len(paragraph) > window:
            begin = min(max((first + last + 1 - window) // 2, 0), len(paragraph) - window)
            begin = min(begin, first)
            paragraph, first, last = paragraph.window(begin, begin + window), first - begin, last - begin
            last = min(last, window - 1)
        pairs.append(Pair(asked, paragraph, (first, last)))
    if not any(held_out or pair.span is not None for pair in pairs):
        hint = "" if held_out else "; if those with one were held out by chance, give held_out"
        raise CorpusError(f"{name}: no question has an answer; expected some, as spans of their paragraphs{hint}")
    if left_out:
        warn_caller(f"{name}: {left_out:,} questions without an answer are left out; no_answer=True learns them")
    return pairs
