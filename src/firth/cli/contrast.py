"""`firth contrast`."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.alignment.contrast import contrast as compare_groups
from firth.alignment.contrast_result import ORDERS, Contrast, check_table
from firth.cli.arguments import AsJson, Quiet, Seed, Threads, flag, names, number, output
from firth.cli.flags import with_flags
from firth.cli.output import note, print_json, printable, showing_choices
from firth.cli.texts import CORPUS, READING, is_built_corpus, source_of, text_options
from firth.cli.vectors import refuse
from firth.comparison.models import trainer, vector_models
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.plots import contrast_summary
from firth.plots.saving import check_target
from firth.signals import exit_status

NEIGHBOURS = 5  # per word and group


def _contrast(
    first: Annotated[str, names("Texts of one group: a folder with a file for each, a table or a corpus folder.", "A")],
    second: Annotated[str, names("Texts of the other group.", "B")],
    words: Annotated[list[str] | None, names("Words to show. Default: those that differ most.", "WORD")] = None,
    names: Annotated[
        tuple[str, str] | None, flag("Names of the two groups, such as men women. Default: those of A and B.", "A B")
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            help=f"Model: one of {', '.join(sorted(vector_models()))}. Colons add options: skipgram:window=10.",
            metavar="NAME",
        ),
    ] = "skipgram",
    dim: Annotated[int, typer.Option(help="Dimension of the vectors.")] = 100,
    permutations: Annotated[
        int, typer.Option(help="Random divisions of the texts that show what chance does; at least 19.")
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
    """Show which words two groups of texts use differently, with intervals and p-values.

    A model is trained on each group, and again on random divisions of the same texts, which show what chance does.
    `chance` is the distance that a word stays below in 95 % of them, and `p` the share of words that move so far by
    chance. As there are many words, `q` is the share of false ones among all with this p or less, and `adjusted` the
    share of random divisions in which any word moves so far: at most 0.05 for a word that differs beyond doubt.
    --min-count is the count that a word must have in each group; by default 5.
    """
    if order not in ORDERS:
        raise OptionError(f"by={order!r}: expected {' or '.join(ORDERS)}")
    if output is not None:
        check_table(output)
    if plot is not None:
        check_target(plot)
    with showing_choices(quiet):
        result = compare_groups(
            trainer(model, {"dim": dim}),
            *(Corpus.open(side) if is_built_corpus([side]) else source_of([side]) for side in (first, second)),
            names=names or names_of(first, second),
            permutations=permutations,
            runs=runs,
            seed=seed,
            threads=threads,
            progress=not quiet,
            **text_options(options),
        )
    if output is not None:
        result.save(output)
    shown = [word for word in words if word in result] if words else result.most_changed(number, order)
    if plot is not None and shown:
        contrast_summary(result, shown).save(plot)
    for word in shown:
        _print_word(result, word, json)
    if not quiet:
        note(result.summary() + ("" if output is None else f"; all words: {shlex.quote(str(output))}"))
    refuse((word for word in words or () if word not in result), result.unknown)
    if result.metadata["training"]["interrupted"]:
        raise typer.Exit(exit_status())


contrast = with_flags(_contrast, [CORPUS, READING])


def names_of(first: str, second: str) -> tuple[str, str]:
    """Return the names of two groups: those of their files and folders, as far as they differ."""
    short = Path(first).stem, Path(second).stem
    return short if all(short) and short[0] != short[1] else (first, second)


def _print_word(result: Contrast, word: str, json: bool) -> None:
    facts = result.facts(word, NEIGHBOURS)
    if json:
        print_json(facts)
        return
    interval = "" if facts["low"] is None else f" [{facts['low']:.3f}, {facts['high']:.3f}]"
    chance = ("chance", ".3f"), ("p", ".2g"), ("q", ".2g"), ("adjusted", ".2g")
    figures = [f"{name} {facts[name]:{form}}" if facts[name] is not None else f"{name} ?" for name, form in chance]
    print(f"{printable(facts['word'])}  distance {facts['distance']:.3f}{interval}  {'  '.join(figures)}")
    width = max(map(len, result.names))
    counts = {name: f"{count:,}" for name, count in facts["counts"].items()}
    digits = max(map(len, counts.values()))
    for name, near in facts["neighbours"].items():
        print(f"  {printable(name):<{width}}  {counts[name]:>{digits}} times  {printable(' '.join(near))}")
