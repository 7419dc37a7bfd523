"""`firth index`."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Quiet, Vectors, number, output
from firth.cli.flags import Flags, with_flags
from firth.cli.output import note, print_json, show, working
from firth.cli.targets import check_file_target
from firth.cli.vectors import open_vectors
from firth.errors import OptionError, install_command
from firth.loading import searched_vectors
from firth.vectors.index.files import check_target
from firth.vectors.index.index import read_options
from firth.vectors.index.options import OPTIONS, ExactOptions, HnswOptions, LshOptions
from firth.vectors.index.trial import USUAL, Trial, try_indexes, usual_choices

FLAGS = (Flags(ExactOptions, "Kind exact"), Flags(LshOptions, "Kind lsh"), Flags(HnswOptions, "Kind hnsw"))
COLUMNS = f"{'index':<40} {'recall':>7} {'scanned':>8} {'us/query':>9} {'in batch':>9} {'build s':>8} {'MB':>7}"


def _index(
    vectors: Vectors,
    output: Annotated[Path | None, output("File to write.", "FILE")] = None,
    kind: Annotated[
        str, typer.Option(help="Kind of index: exact search, hash tables or a graph.", metavar="|".join(OPTIONS))
    ] = "hnsw",
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare several kinds and settings; write nothing.")
    ] = False,
    number: Annotated[int, number("With --compare: neighbours per query.")] = 10,
    queries: Annotated[int, typer.Option(help="With --compare: words to hold out as queries.")] = 1000,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Build an index that speeds up the search for neighbours, for firth neighbours --index FILE.

    --compare holds out random words as queries and measures for each index: recall (the share of the exact neighbours
    that it finds), the share of vectors that it scans, and the time per query, one by one and in a batch.
    """
    index_options = {name: value for name, value in options.items() if value is not None}
    if compare:
        _compare(vectors, index_options, number, queries, quiet, json)
        return
    read_options(kind, index_options)
    if output is None:
        raise OptionError("no file to write the index to: give -o FILE, or --compare")
    check_file_target(output, check_target, overwrite=True)
    space = open_vectors(vectors, quiet, documents=True)
    with working("building the index", quiet):
        index = space.index(kind, **index_options)
        index.save(output)
    settings, size = dataclasses.asdict(index.options), output.stat().st_size
    show(
        json,
        {"index": str(output), "kind": kind, "words": len(index), "options": settings, "bytes": size},
        f"{output}: {len(index):,} words, {kind}, {size / 1e6:.1f} MB",
        to=note,
    )


index = with_flags(_index, FLAGS)


def _compare(vectors: str, index_options: dict[str, Any], number: int, queries: int, quiet: bool, json: bool) -> None:
    if index_options:
        raise OptionError(
            f"--{next(iter(index_options)).replace('_', '-')} with --compare: it tries settings of its own"
        )
    space = searched_vectors(open_vectors(vectors, quiet, documents=True))
    choices = usual_choices()
    if len(choices) < len(USUAL):
        note(f"hnsw is left out: usearch is not installed; {install_command('ann')}")
    trials = try_indexes(space, choices, k=number, queries=queries)
    for i in range(len(choices)):
        with working(f"measuring index {i + 1}/{len(choices)}", quiet):
            trial = next(trials)
        if json:
            print_json(dataclasses.asdict(trial))
            continue
        if not i:
            note(f"{trial.words:,} words x {trial.dim}; {trial.queries:,} held-out words, {trial.k} neighbours each")
            print(COLUMNS)
        print(_line(trial))


def _line(trial: Trial) -> str:
    settings = " ".join(f"{name}={value}" for name, value in trial.options.items() if name in _SETTINGS)
    return (
        f"{trial.kind + ' ' + settings:<40} {trial.recall:7.3f} {trial.scanned:8.1%} {trial.microseconds:9.0f} "
        f"{trial.batch_microseconds:9.0f} {trial.build_seconds:8.2f} {trial.megabytes:7.1f}"
    )


_SETTINGS = ("tables", "bits", "probes", "connectivity", "expansion_search")
