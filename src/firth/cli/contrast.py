"""`firth contrast`: two groups of texts, or several in a series."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.alignment.contrast import contrast as compare_groups
from firth.alignment.contrast_result import ORDERS, Contrast, check_table
from firth.alignment.contrast_series import ContrastSeries, contrast_series
from firth.cli.arguments import AsJson, Quiet, Seed, Threads, flag, names, number, output, whole_numbers
from firth.cli.flags import with_flags
from firth.cli.output import note, print_json, printable, showing_choices
from firth.cli.texts import CORPUS, READING, is_built_corpus, source_of, text_options
from firth.cli.vectors import refuse
from firth.comparison.models import trainer, vector_models
from firth.corpus.encoded import Corpus
from firth.corpus.periods import periods
from firth.errors import OptionError, brief
from firth.plots import contrast_course, contrast_summary
from firth.plots.saving import check_target
from firth.signals import exit_status

NEIGHBOURS = 5  # per word and group
TrainedModel = Annotated[
    str,
    typer.Option(
        help=f"Model: one of {', '.join(sorted(vector_models()))}. Colons add options: skipgram:window=10.",
        metavar="NAME",
    ),
]
Dimension = Annotated[int, typer.Option(help="Dimension of the vectors.")]


def _contrast(
    first: Annotated[str, names("Texts of one group: a folder with a file for each, a table or a corpus folder.", "A")],
    second: Annotated[str | None, names("Texts of the other group; none with --years.", "B")] = None,
    words: Annotated[
        list[str] | None,
        names(
            "Further groups, for a series such as periods; then words to show. Default: those that differ most.",
            "[C ...] [WORD ...]",
        ),
    ] = None,
    names: Annotated[
        tuple[str, str] | None, flag("Names of two groups, such as men women. Default: those of their files.", "A B")
    ] = None,
    years: Annotated[
        str | None,
        flag(
            "Divide the files of A by the years in their names; periods begin in these, and earlier files are one.",
            "YEAR,...",
        ),
    ] = None,
    model: TrainedModel = "skipgram",
    dim: Dimension = 100,
    permutations: Annotated[
        int,
        typer.Option(
            help="Random divisions of the texts that show what chance does; with fewer than 19 no `adjusted` is 0.05."
        ),
    ] = 20,
    runs: Annotated[int, typer.Option(help="Samples of texts for the intervals; 0 for none, in half the time.")] = 20,
    number: Annotated[int, number("How many words to show.")] = 10,
    order: Annotated[
        str,
        typer.Option(
            "--by",
            help="Order: by how far a distance is above what chance does, or by the distance itself.",
            metavar="|".join(ORDERS),
        ),
    ] = "chance",
    output: Annotated[Path | None, output("File for the figures of all words: .csv, .tsv or .jsonl.", "FILE")] = None,
    plot: Annotated[Path | None, flag("File for a picture of the words: .png, .svg, .pdf or .html.", "FILE")] = None,
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show which words two groups of texts use differently, or several in a series, with intervals and p-values.

    A model is trained on each group, and again on random divisions of the same texts, which show what chance does.
    `chance` is the distance that a word stays below in 95 % of them, and `p` the share of words that move so far by
    chance. As there are many words, `q` is the share of false ones among all with this p or less, and `adjusted` the
    share of random divisions in which any word moves so far: at most 0.05 for a word that differs beyond doubt.
    --min-count is the count that a word must have in each group; by default 5.

    With three groups or more, each is compared with the next one, and the first with the last. Groups are folders, or
    periods of one folder: --years 1850,1900 makes three.
    """
    rest = [*([] if second is None else [second]), *(words or [])]
    if (begins := whole_numbers("--years", years)) is not None:
        by_name, words = dict[str, Any](periods(source_of([first]), begins, markup=bool(options.get("markup")))), rest
    else:
        groups, words = _divided(first, rest)
        by_name = dict(zip(names_of(groups), map(_source, groups), strict=True))
    if names is not None and len(by_name) > 2:
        raise OptionError(
            f"--names {' '.join(names)} with {len(by_name)} groups: expected no --names; a series has the names of its "
            "files and folders"
        )
    if order not in ORDERS:
        raise OptionError(f"by={order!r}: expected {' or '.join(ORDERS)}")
    if output is not None:
        check_table(output)
    if plot is not None:
        check_target(plot)
    by_name = dict(zip(names or by_name, by_name.values(), strict=True))
    design: dict[str, Any] = {
        "words": words or (), "permutations": permutations, "runs": runs, "seed": seed, "threads": threads,
        "progress": not quiet,
    }  # fmt: skip
    result: Contrast | ContrastSeries
    with showing_choices(quiet):
        compared = trainer(model, {"dim": dim})
        if len(by_name) > 2:
            result = contrast_series(compared, by_name, **design, **text_options(options))
        else:
            a, b = by_name
            result = compare_groups(compared, by_name[a], by_name[b], names=(a, b), **design, **text_options(options))
    if output is not None:
        result.save(output)
    shown = [word for word in words if word in result] if words else result.most_changed(number, order)
    if plot is not None and shown:
        picture = contrast_summary(result, shown) if isinstance(result, Contrast) else contrast_course(result, shown)
        picture.save(plot)
        for text in picture.notes:
            note(text)
    for word in shown:
        _print_word(result.facts(word, NEIGHBOURS), json)
    if not quiet:
        note(result.summary() + ("" if output is None else f"; all words: {shlex.quote(str(output))}"))
    refuse((word for word in words or () if word not in result), result.unknown)
    if result.metadata["training"]["interrupted"]:
        raise typer.Exit(exit_status())


contrast = with_flags(_contrast, [CORPUS, READING])


def _source(path: str) -> Any:
    return Corpus.open(path) if is_built_corpus([path]) else source_of([path])


def _divided(first: str, rest: list[str]) -> tuple[list[str], list[str]]:
    """Return the groups and the words of a command line: what follows two groups and is a file or a glob is a group."""
    if not rest:
        raise OptionError(
            f"{brief(first)} is one group: expected another, or --years with those in which periods of its files begin"
        )
    groups, rest = [first, rest[0]], rest[1:]
    are_texts = [any(c in other for c in "*?[") or Path(other).exists() for other in rest]
    more = are_texts.index(False) if False in are_texts else len(rest)
    if any(are_texts[more:]):
        later = rest[more:][are_texts[more:].index(True)]
        raise OptionError(
            f"{brief(rest[more])} is no file or folder, and {brief(later)} behind it is: expected all groups before "
            "the first word"
        )
    return [*groups, *rest[:more]], rest[more:]


def names_of(paths: Sequence[str]) -> list[str]:
    """Return the names of groups: those of their files and folders, as far as they differ."""
    short = [Path(path).stem for path in paths]
    names = short if all(short) and len({*short}) == len(short) else list(paths)
    if len({*names}) < len(names):
        raise OptionError(f"{brief(names)}: a group is named twice; expected different texts")
    return names


def _print_word(facts: dict[str, Any], json: bool) -> None:
    """Print the figures of a word: a line for two groups, one for each pair of a series; and its neighbours."""
    if json:
        print_json(facts)
        return
    if "changes" not in facts:
        print(f"{printable(facts['word'])}  {_figures(facts)}")
    else:
        print(printable(facts["word"]))
        steps = [f"{change['from']} → {change['to']}" for change in facts["changes"]]
        for step, change in zip(steps, facts["changes"], strict=True):
            figures = "too rare" if change["distance"] is None else _figures(change)
            print(f"  {printable(step):<{max(map(len, steps))}}  {figures}")
    width = max(map(len, facts["counts"]))
    counts = {name: f"{count:,}" for name, count in facts["counts"].items()}
    digits = max(map(len, counts.values()))
    for name, count in counts.items():
        near = " ".join(facts["neighbours"].get(name, ()))
        print(f"  {printable(name):<{width}}  {count:>{digits}} times  {printable(near)}".rstrip())


def _figures(facts: dict[str, Any]) -> str:
    interval = "" if facts["low"] is None else f" [{facts['low']:.3f}, {facts['high']:.3f}]"
    chance = ("chance", ".3f"), ("p", ".2g"), ("q", ".2g"), ("adjusted", ".2g")
    figures = [f"{name} {facts[name]:{form}}" if facts[name] is not None else f"{name} ?" for name, form in chance]
    return f"distance {facts['distance']:.3f}{interval}  {'  '.join(figures)}"
