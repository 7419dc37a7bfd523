"""`firth answer`: train readers, answer questions, test answers."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Embed, OneThread, Quiet, flag, names, number
from firth.cli.groups import commands
from firth.cli.output import note, on_a_line, print_json, show, working
from firth.cli.texts import line_batches, source_of
from firth.cli.training import Report, Run, StartVectors, Summary, TrainCommand
from firth.cli.vectors import open_model
from firth.errors import CorpusError, OptionError
from firth.readers.questions import SUFFIXES, read_questions
from firth.sentences.text_blocks import read_texts
from firth.sentences.tfidf_index import TfidfIndex

Reader = Annotated[Path, names("A reader: a folder that firth wrote.", "MODEL")]
Questions = Annotated[
    list[Path], names("Questions with answers: SQuAD's JSON, or JSON lines with question, context and answers.", "FILE")
]
LINES = 1 << 12  # per block


def _report(run: Run, reader: Any) -> Report:
    words, read = len(reader.words), f"{reader.metadata['training']['words']:,} words"
    return Summary(f"{words:,} words", {"words": words}, "questions", read, (), "F1 {}").report(run, reader)


def _train(
    run: Run,
    source: Questions,
    held_out: Annotated[
        Path | None,
        flag(
            "Questions that choose the best epoch. Default: those about a tenth of the articles or paragraphs.", "FILE"
        ),
    ] = None,
    vectors: StartVectors = None,
    embed: Embed = None,
) -> Any:
    """Train a reader on questions whose answers stand in a paragraph."""
    return run.train(source, held_out=held_out)


train = TrainCommand(
    group="answer", what="reader", homes=("firth.neural.models.reading.",), default="attentive",
    kinds=("firth-reader",), train=_train, report=_report,
).command()  # fmt: skip


def _predict(
    model: Reader,
    questions: Annotated[
        list[str], names("Questions; or a file of them with their paragraphs, as for train.", "QUESTION|FILE")
    ],
    text: Annotated[Path | None, flag("File of the text that answers; - for standard input.", "FILE")] = None,
    corpus: Annotated[
        str | None, flag("Texts that are searched: a file with a text per line, a table or a folder.", "CORPUS")
    ] = None,
    number: Annotated[int, number("Answers per question.")] = 1,
    paragraphs: Annotated[int, typer.Option(help="Texts of --corpus that are read for each question.")] = 5,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Answer questions: the probability, the place and the answer, between tabs.

    The place is the first character of the answer, counted from 0 in characters, without a byte order mark and with
    each line end as one character; with --corpus it follows the line of the text. Line breaks and tabs in an answer are
    printed as spaces; --json keeps them. A file of questions is answered from its own paragraphs, unless --text or
    --corpus is given: their names and answers are printed, with --json as one object, which SQuAD's official script
    reads.
    """
    with working(f"reading {model}", quiet):
        reader = open_model(model, "a reader")
    if text is None and corpus is None:
        _answer_file(reader, questions, threads, quiet, json)
        return
    if text is not None and corpus is not None:
        raise OptionError("--text and --corpus: expected one of them")
    if _is_file(questions):  # whose paragraphs are not read
        questions = [item.question for item in read_questions(questions[0])]
    if text is not None:
        source = "\n".join(line for lines in line_batches(str(text), LINES) for line in lines)
        results = reader.answer(questions, source, n=number, threads=threads, progress=not quiet)
    else:
        with working("reading the texts", quiet):
            texts = read_texts(source_of([str(corpus)]), progress=False)
            try:
                index = TfidfIndex(texts, progress=False)
            except CorpusError as error:  # which knows no file
                raise CorpusError(f"{corpus}: {error}") from None
        options = {"paragraphs": paragraphs, "n": number}
        results = reader.answer_from(questions, index, **options, threads=threads, progress=not quiet)
    for question, best in zip(questions, results, strict=True):
        if len(questions) > 1 and not json:
            print(on_a_line(question))
        if best.paragraph < 0:
            note(f"{question!r}: nothing found, since no text has one of its words")
        for answer in (best, *best.others):
            shown = {key: asdict(answer)[key] for key in ("text", "start", "end", "probability")}
            line = {} if corpus is None else {"line": answer.paragraph + 1 or None}
            if json:
                print_json({"question": question, **line, **shown})
            elif answer.paragraph >= 0:
                position = f"{answer.paragraph + 1}:{answer.start}" if corpus is not None else str(answer.start)
                print(f"{answer.probability:.4f}\t{position}\t{on_a_line(str(answer))}")


def _is_file(questions: list[str]) -> bool:
    """Whether a file of questions stands in their place."""
    return len(questions) == 1 and questions[0].lower().endswith(SUFFIXES)


def _answer_file(reader: Any, questions: list[str], threads: int | None, quiet: bool, json: bool) -> None:
    """Print the answers to the questions of a file."""
    if not _is_file(questions):
        raise OptionError(
            "which text answers? Give --text FILE or --corpus CORPUS, or a file of questions, such as a.json"
        )
    answers = reader.predict(list(read_questions(questions[0])), threads=threads, progress=not quiet)
    if json:
        print_json(answers)
        return
    for name, answer in answers.items():
        print(f"{on_a_line(name)}\t{on_a_line(answer)}")


def _test(
    model: Reader, source: Questions, threads: OneThread = None, quiet: Quiet = False, json: AsJson = False
) -> None:
    """Test a reader on questions with answers: exact match and F1, with intervals."""
    scores = open_model(model, "a reader").test(source, threads=threads, progress=not quiet)
    show(json, {name: value for name, value in asdict(scores).items() if value == value}, scores)


answer = commands(
    "Answers that stand in a text: train readers, predict, test.", train=train, predict=_predict, test=_test
)
