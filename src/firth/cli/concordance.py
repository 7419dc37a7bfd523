"""`firth concordance`."""

import csv as csv_format
import shutil
import sys
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.cells import cell_len

from firth.cli.arguments import AsJson, Quiet, names
from firth.cli.flags import with_flags
from firth.cli.output import note, print_json, printable
from firth.cli.texts import CORPUS, READ_TABLES, READING, is_built_corpus, source_of
from firth.corpus.concordance import concordance as find
from firth.corpus.encoded import Corpus
from firth.corpus.kwic import Occurrence, kwic_lines
from firth.corpus.occurrences import SORTS, Concordance
from firth.corpus.options import CorpusOptions
from firth.errors import CorpusError, OptionError

_MARGIN, _LINES = 22, 6  # cells for file and line at most, and for the line
_NOT_READ = frozenset({"min_count", "max_size", "stop_words", "unknown", "keep_empty", "line_breaks"})
_FORMS = 8


def _concordance(
    corpus: Annotated[str, names("Text: a file, folder or glob; a corpus folder; or - for standard input.", "CORPUS")],
    word: Annotated[
        str, names("Word; phrase, such as 'sense of honour'; or pattern: * any letters, ? one, | or.", "WORD")
    ],
    window: Annotated[int, typer.Option(help="Words on either side.")] = 8,
    sort: Annotated[
        str,
        typer.Option(help="Order: of the text, or by the words on a side, the nearest first.", metavar="|".join(SORTS)),
    ] = "file",
    limit: Annotated[
        int | None,
        names("How many occurrences to show, the first in this order. Default: all.", "<int>", "--limit", "-n"),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, with the whole sentences.")] = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show every occurrence of a word, a phrase or a pattern in its context, as it is written.

    Spelling and punctuation are those of the text. Sentences go on over wrapped lines, and words that a hyphen divides
    at the end of a line are whole. Capital letters make no difference, unless --tokens says so, or the words are given,
    as in CoNLL-U.
    """
    if csv and json:
        raise OptionError("--csv and --json: expected one of both")
    check_order(corpus, word)
    contexts = _find(corpus, options, word, window=window, sort=sort, limit=limit)
    occurrences = contexts.read()
    if csv:
        _print_csv(occurrences)
    elif json:
        for occurrence in occurrences:
            print_json(asdict(occurrence))
    else:
        width, files = shutil.get_terminal_size().columns, contexts.text.files
        single = len(files) < 2
        margin = _LINES + (0 if single else max(cell_len(Path(file).name) for file in files))
        for occurrence in occurrences:
            print(printable(kwic_lines([occurrence], width, min(margin, _MARGIN), files=not single)[0]))
    if not contexts.total:
        raise CorpusError(
            f"{corpus}: no {word!r}; expected a word of the text, of which * and ? stand for any letters and for one"
        )
    if not quiet:
        note(_summary(contexts))


def check_order(text: str, word: str) -> None:
    """Refuse a word before its text."""
    if not Path(text).exists() and Path(word).exists():
        raise CorpusError(f"{text}: no such file or folder, and {word} is one; expected the text first: {word} {text}")


def _find(corpus: str, options: dict[str, Any], word: str, **settings: Any) -> Concordance:
    given = {**_TEXT.select(options), **READ_TABLES.select(options)}
    column = READ_COLUMN.select(options).get("column")
    if is_built_corpus([corpus]):
        return find(Corpus.open(corpus), word, column=column, **settings, **given)
    source = source_of([corpus])
    return find(source if source == "-" else Path(corpus), word, column=column, **settings, **given)


def _print_csv(occurrences: Iterable[Occurrence]) -> None:
    writer = csv_format.writer(sys.stdout, lineterminator="\n")
    writer.writerow([field.name for field in fields(Occurrence)])
    for occurrence in occurrences:
        writer.writerow(asdict(occurrence).values())


def _summary(contexts: Concordance) -> str:
    """Return how often the word was found, where, and in which forms."""
    shown = "" if contexts.limit is None or contexts.limit >= contexts.total else f"{contexts.limit:,} of "
    counted = f"{shown}{contexts.total:,} occurrence{'s' * (contexts.total != 1)} in {contexts.files:,} {contexts.unit}"
    if len(contexts.forms) == 1:
        return counted
    forms = ", ".join(f"{form} {count:,}" for form, count in contexts.forms.most_common(_FORMS))
    more = len(contexts.forms) - _FORMS
    return f"{counted}: {forms}{f' and {more:,} other forms' if more > 0 else ''}"


WORDS_OF_TEXT = replace(CORPUS, without=_NOT_READ)
_TEXT = replace(WORDS_OF_TEXT, defaults=CorpusOptions(sentences="punctuation"))
READ_COLUMN = replace(READING, without=frozenset({"stop_words", "cache"}))
concordance = with_flags(_concordance, [_TEXT, READ_COLUMN])
