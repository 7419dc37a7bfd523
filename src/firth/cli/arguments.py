"""Arguments and flags that several commands share: a name means the same in every command."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.corpus.table_options import TableOptions
from firth.errors import OptionError

TEXT = "Text"  # the panel of flags about reading text


def output(help: str, metavar: str = "OUT") -> Any:
    """Return the flag `-o`, for the file or folder that a command writes."""
    return typer.Option("--output", "-o", help=help, show_default=False, metavar=metavar)


def number(help: str) -> Any:
    """Return the flag `-n`, for how many answers a command gives."""
    return typer.Option("--number", "-n", help=help, callback=_check_number)


def names(help: str, metavar: str, *flags: str) -> Any:
    """Return an argument or, with flags, an option without a default to show."""
    if flags:
        return typer.Option(*flags, help=help, show_default=False, metavar=metavar)
    return typer.Argument(help=help, show_default=False, metavar=metavar)


def flag(help: str, metavar: str | None = None, panel: str | None = None) -> Any:
    """Return a flag whose default is not shown."""
    return typer.Option(help=help, metavar=metavar, show_default=False, rich_help_panel=panel)


def whole_numbers(flag: str, text: str | None) -> list[int] | None:
    """Return the numbers that a flag gives, with commas between them; None where it is left out."""
    if text is None:
        return None
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        problem = f"{flag} {text}: expected whole numbers with commas between them, such as 50,100,300"
        raise OptionError(problem) from None


def _check_number(value: int | None) -> int | None:
    if value is not None and value < 1:
        raise OptionError(f"-n {value}: expected a whole number of at least 1")
    return value


# What a command reads.
Sources = Annotated[
    list[str], names("Text: files, folders or globs; a corpus folder; or - for standard input.", "CORPUS")
]
Vectors = Annotated[
    str, names("Vectors: a folder that firth wrote, or a file of word2vec, GloVe, fastText or floret.", "VECTORS")
]
Words = Annotated[list[str], names("Words to look up.", "WORD")]
SomeWords = Annotated[list[str] | None, names("Words; also see --words.", "WORD")]
WordFile = Annotated[str | None, names("File with one word per line; - for standard input.", "FILE", "--words")]
Poles = Annotated[
    list[str] | None,
    names("Two poles, each one or more words separated by commas: cold:hot, she,her:he,him.", "A:B", "--poles"),
]
TextFile = Annotated[str, names("File with one text per line, or - for standard input.", "FILE")]
Data = Annotated[
    Path | None, flag("Folder with local copies of the named data sets; else they are downloaded once.", "DIR"),
]  # fmt: skip

Column = Annotated[
    str | None,
    flag(
        "Column with the text in a table: its name, or in CSV and TSV files its number, from 1; of CoNLL-U, "
        "form or lemma.",
        panel=TEXT,
    ),
]
Language = Annotated[
    str | None,
    flag("Language of raw text, such as de: its abbreviations and ordinals end no sentence.", "CODE", panel=TEXT),
]
StopWords = Annotated[Path | None, flag("File of words to leave out, one per line.", "FILE", panel=TEXT)]
Cache = Annotated[Path | None, flag("Folder for encoded corpora. Default: the user's cache folder.", "DIR", panel=TEXT)]

OnError = Annotated[
    str, typer.Option(help="What becomes of damaged parts of FILE: skip, count and list them, or stop at the first.")
]


@dataclass(frozen=True)
class ReadingOptions(TableOptions):
    """How text is read, besides `CorpusOptions`."""

    column: Column = None
    stop_words: StopWords = None
    cache: Cache = None


# How a command runs.
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a trained model that stands at OUT.")]
Seed = Annotated[int, typer.Option(help="Random seed: the same seed gives the same result.")]
Threads = Annotated[int | None, flag("Threads. Default: one per processor.")]
OneThread = Annotated[  # of neural models
    int | None, flag("Threads. Default: 1; the result is then the same every time.")
]
Checkpoint = Annotated[
    Path | None, flag("Folder for checkpoints; the same command goes on after an interruption.", "DIR")
]
Every = Annotated[str | None, flag("Time between checkpoints, such as 30s, 5m or 1h. Default: 5m.", "TIME")]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Work on a Ray cluster: its address, 'auto' for the one of this machine, 'local' to start one.",
        metavar="ADDRESS",
    ),
]
Workers = Annotated[int | None, flag("Workers of the cluster; by default one per processor.", "N")]
Embed = Annotated[
    list[Path] | None,
    flag(
        "Pretrained encoder whose vectors of words in context are read, too: a folder of firth lm train elmo, "
        "firth pretrain or firth translate train. Several by several flags.",
        "DIR",
    ),
]

# What a command shows.
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
