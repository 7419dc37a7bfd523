"""`firth report`."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Quiet, Seed, Threads, WordFile, flag, names, number, output
from firth.cli.concordance import READ_COLUMN, WORDS_OF_TEXT
from firth.cli.contrast import Dimension, TrainedModel, names_of
from firth.cli.flag_messages import RUNNING, in_flags
from firth.cli.flags import with_flags
from firth.cli.output import show, showing_choices
from firth.cli.targets import check_file_target
from firth.cli.texts import CORPUS, READ_TABLES, READING, is_built_corpus, source_of, text_options
from firth.cli.vectors import chosen_words
from firth.comparison.models import trainer
from firth.corpus.encoded import Corpus
from firth.corpus.periods import year_of
from firth.corpus.sources import Files, resolve
from firth.corpus.table_options import TableOptions
from firth.errors import OptionError
from firth.runs.samples import DOCUMENTS
from firth.signals import exit_status
from firth.storage.files import replacing_file


def _report(
    corpus: Annotated[list[str], names("Text: files, folders or globs; or a corpus folder.", "CORPUS")],
    output: Annotated[Path | None, output("HTML page to write.", "FILE")] = None,
    against: Annotated[str | None, flag("Text to compare with: a file, folder or glob.", "REFERENCE")] = None,
    years: Annotated[
        bool,
        typer.Option(
            "--years", help="Compare the earlier half of the files with the later, by the years in their names."
        ),
    ] = False,
    word: Annotated[
        list[str] | None,
        flag("Word whose neighbours to show, several by several flags. Default: frequent ones.", "WORD"),
    ] = None,
    word_file: WordFile = None,
    number: Annotated[int, number("Frequent words to show with neighbours.")] = 8,
    model: TrainedModel = "skipgram",
    dim: Dimension = 100,
    runs: Annotated[int, typer.Option(help="Trainings on documents drawn with replacement, for intervals.")] = 5,
    permutations: Annotated[
        int, typer.Option(help="Random divisions of two groups that show what chance does; 0 compares no meanings.")
    ] = 20,
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Write a page about a text: size, files, words, a map, neighbours with intervals, and how two groups differ.

    The groups are two folders that are given, the text and --against, or with --years the earlier and the later files.
    The page needs nothing from elsewhere, and can be printed. What cannot be made of a text it says.
    """
    if output is None or output.suffix.lower() != ".html":
        raise OptionError(f"{output or 'no page to write'}: expected -o with a name that ends in .html")
    check_file_target(output, lambda path: None, [*corpus, *filter(None, [against])], overwrite=True)
    from firth.plots.corpus_report import CorpusReport  # slow to import

    counting = {**WORDS_OF_TEXT.select(options), **READ_TABLES.select(options), **READ_COLUMN.select(options)}
    groups, title = _groups(corpus, against, years, counting), _title(corpus, against)
    with showing_choices(quiet):
        made = CorpusReport(
            title=title,
            source=_source(corpus),
            groups=groups,
            counting=counting,
            text=text_options(options),
            words=chosen_words(word, word_file),
            number=number,
            model=trainer(model, {"dim": dim}),
            runs=runs,
            permutations=permutations,
            seed=seed,
            threads=threads,
            progress=not quiet,
            commands=lambda chosen, resample: _commands(
                corpus,
                against,
                chosen,
                model,
                ["--dim", dim, "--seed", seed],
                ["--runs", runs, *(["--resample", resample] if resample != DOCUMENTS else [])],
                permutations if groups else 0,
                _border(groups) if years else None,
                options,
            ),
            wording=lambda message: in_flags(message, RUNNING),
        )
        page = made.page()
    with replacing_file(output) as file:
        file.write(page.encode("utf-8", "backslashreplace"))
    show(json, {"page": str(output), "groups": list(groups)}, f"{output}: {title}")
    if made.interrupted:
        raise typer.Exit(exit_status())


report = with_flags(_report, [CORPUS, READING])


def _title(corpus: Sequence[str], against: str | None) -> str:
    title = f"Report on {' and '.join(Path(source).name or source for source in corpus)}"
    return title if against is None else f"{title}, against {Path(against).name or against}"


def _source(corpus: Sequence[str]) -> Any:
    if "-" in corpus:
        raise OptionError("- (standard input): expected a file or folder, which can be read by documents")
    return Corpus.open(corpus[0]) if is_built_corpus(corpus) else source_of(corpus)


def _groups(corpus: Sequence[str], against: str | None, years: bool, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return two groups of texts by their names; none where nothing divides the text."""
    if years and against is not None:
        raise OptionError("--years and --against: expected one of both")
    if years:
        return _by_years(_files(corpus, options))
    pair = [*corpus, against] if against is not None else _folders(corpus)
    if len(pair) != 2:
        if against is not None:
            raise OptionError(f"--against with {len(corpus)} texts; expected one text, or one folder of all of them")
        return {}
    first, second = map(str, pair)
    return dict(zip(names_of([first, second]), (_source([first]), _source([second])), strict=True))


def _folders(corpus: Sequence[str]) -> Sequence[str]:
    """Return two folders that hold all files of a text: those given, or those in the folder that is given."""
    if len(corpus) == 1 and Path(corpus[0]).is_dir() and not is_built_corpus(corpus):
        inside = sorted(path for path in Path(corpus[0]).iterdir() if not path.name.startswith("."))
        return [str(path) for path in inside if path.is_dir()] if all(path.is_dir() for path in inside) else []
    return corpus if all(Path(source).is_dir() for source in corpus) else []


def _files(corpus: Sequence[str], options: Mapping[str, Any]) -> Sequence[Path]:
    tables, _ = TableOptions.among(options)
    source = resolve(source_of(corpus), options.get("column"), tables)
    return source.paths if isinstance(source, Files) else ()


def _by_years(paths: Sequence[Path]) -> dict[str, Any]:
    """Return the earlier half of some files and the later, by the years in their names."""
    dated = sorted((year_of(path), path) for path in paths)
    years = sorted({year for year, _ in dated})
    if len(years) < 2:
        raise OptionError(
            f"--years: {' and '.join(map(str, years)) or 'no year'} in the names of files; expected two or more"
        )
    border = max(dated[len(dated) // 2][0], years[1])
    parts = [pair for pair in dated if pair[0] < border], [pair for pair in dated if pair[0] >= border]
    return {_period(part): [path for path in paths if (year_of(path), path) in part] for part in parts}


def _border(groups: Mapping[str, Any]) -> int:
    """Return the first year of the later of two groups by years."""
    return min(map(year_of, groups[list(groups)[1]]))


def _period(dated: Sequence[tuple[int, Path]]) -> str:
    first, last = dated[0][0], dated[-1][0]
    return str(first) if first == last else f"{first} to {last}"


def _commands(
    corpus: Sequence[str],
    against: str | None,
    words: Sequence[str],
    model: str,
    training: Sequence[Any],
    runs: Sequence[Any],
    permutations: int,
    border: int | None,
    options: Mapping[str, Any],
) -> list[str]:
    """Return the commands that repeat the figures of a page.

    Args:
        permutations: of the comparison of two groups; 0 for none.
        border: the first year of the later group, of groups by years.
    """
    counting = _flags({**WORDS_OF_TEXT.select(options), **READ_COLUMN.select(options)})
    reading = _flags({**CORPUS.select(options), **READING.select(options)})
    kind, *own = model.split(":")
    named = [part for option in own for part in ("--" + option.replace("_", "-")).split("=", 1)]
    name = f"{Path(corpus[0]).stem or 'text'}.firth"
    lines = [
        ["firth", *sys.argv[1:]],
        ["firth", "train", kind, *corpus, "-o", name, *training, *named, *runs, *reading],
        ["firth", "neighbours", name, *words],
    ]
    pair = [*corpus, against] if against is not None else _folders(corpus) if border is None else []
    if len(pair) == 2:
        lines.append(["firth", "keywords", pair[0], "--against", pair[1], *training[2:], *counting])
        lines.append(["firth", "keywords", pair[1], "--against", pair[0], *training[2:], *counting])
    if border is not None and len(corpus) == 1:
        pair = [corpus[0], "--years", str(border)]
    if permutations and pair:
        lines.append(
            [
                "firth",
                "contrast",
                *pair,
                "--model",
                model,
                *training,
                "--runs",
                0,
                "--permutations",
                permutations,
                *reading,
            ]
        )
    if len(corpus) == 1 and words:
        lines.append(["firth", "concordance", *corpus, words[0], *counting])
    return [shlex.join(map(str, line)) for line in lines]


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Return the flags that options were given by."""
    return [
        part
        for name, value in options.items()
        for part in ([RUNNING[name]] if value is True else [RUNNING[name], str(value)])
    ]
