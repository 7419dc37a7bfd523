"""`firth index`: an index of vectors made once, to be asked often; or several kinds of it side by side."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.flags import Flags, with_flags
from firth.cli.output import AsJson, note, print_json
from firth.cli.queries import Vectors
from firth.cli.targets import check_file_target
from firth.errors import OptionError
from firth.vectors.index.files import check_target
from firth.vectors.index.index import read_options
from firth.vectors.index.options import OPTIONS, ExactOptions, HnswOptions, LshOptions
from firth.vectors.index.space import space_of
from firth.vectors.index.trial import USUAL, Trial, try_indexes, usual_choices
from firth.vectors.io import load_vectors

FLAGS = (
    Flags(ExactOptions, "Of kind exact"),
    Flags(LshOptions, "Of kind lsh"),
    Flags(HnswOptions, "Of kind hnsw"),
)
COLUMNS = f"{'index':<40} {'recall':>7} {'scanned':>8} {'us/query':>9} {'in batch':>9} {'build s':>8} {'MB':>7}"


def _index(
    vectors: Vectors,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write.", show_default=False, metavar="FILE")
    ] = None,
    kind: Annotated[str, typer.Option(help="How it finds neighbours.", metavar="|".join(OPTIONS))] = "hnsw",
    compare: Annotated[
        bool, typer.Option("--compare", help="Try several kinds on words held out, and write nothing.")
    ] = False,
    number: Annotated[int, typer.Option("--number", "-n", help="Neighbours a query, with --compare.")] = 10,
    queries: Annotated[int, typer.Option(help="Words to hold out as queries, with --compare.")] = 1000,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Make an index of vectors, for firth neighbours --index FILE; or compare kinds of index.

    With --compare, words drawn at random are taken out and asked for: how many of their exact neighbours does each
    index find, how many vectors does it look at, and how long does a query take, one by one and in one batch?
    """
    given = {name: value for name, value in options.items() if value is not None}
    if compare:
        _compare(vectors, given, number, queries, json)
        return
    read_options(kind, given)
    if output is None:
        raise OptionError("no file to write the index to: give -o FILE, or --compare")
    check_file_target(output, check_target)
    made = load_vectors(vectors, documents=True).index(kind, **given)
    made.save(output)
    chosen, size = dataclasses.asdict(made.options), output.stat().st_size
    if json:
        print_json({"index": str(output), "kind": kind, "words": len(made), "options": chosen, "bytes": size})
    else:
        note(f"{output}: {len(made):,} words, {kind}, {size / 1e6:.1f} MB")


index = with_flags(_index, FLAGS)


def _compare(vectors: str, given: dict[str, Any], number: int, queries: int, json: bool) -> None:
    if given:
        raise OptionError(f"--{next(iter(given)).replace('_', '-')} with --compare: it tries settings of its own")
    if number < 1:
        raise OptionError(f"-n {number}: expected a whole number of at least 1")
    space = space_of(load_vectors(vectors, documents=True))
    choices = usual_choices()
    if len(choices) < len(USUAL):
        note("hnsw is left out: usearch is not installed; pip install 'firth[ann]'")
    for place, trial in enumerate(try_indexes(space, choices, k=number, queries=queries)):
        if json:
            print_json(dataclasses.asdict(trial))
            continue
        if not place:
            note(f"{trial.words:,} words x {trial.dim}, {trial.queries:,} others asked for {trial.k} neighbours each")
            print(COLUMNS)
        print(_line(trial))


def _line(trial: Trial) -> str:
    shown = " ".join(f"{name}={value}" for name, value in trial.options.items() if name in _SHOWN)
    return (
        f"{trial.kind + ' ' + shown:<40} {trial.recall:7.3f} {trial.scanned:8.1%} {trial.microseconds:9.0f} "
        f"{trial.batch_microseconds:9.0f} {trial.build_seconds:8.2f} {trial.megabytes:7.1f}"
    )


_SHOWN = ("tables", "bits", "probes", "connectivity", "expansion_search")
