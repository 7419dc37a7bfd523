"""`firth data`: list, get."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Data, Quiet, flag, names
from firth.cli.flags import Group, add_command
from firth.cli.output import print_json, print_table
from firth.data import SAMPLE, SETS, get, path_of
from firth.data.sample_text import DESCRIPTION, LICENCE
from firth.errors import OptionError

_KILOBYTE = 1000


def list_sets(
    kind: Annotated[str | None, flag("Only data sets of this kind, such as similarity or sentences.", "KIND")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """List the named data sets: what they are for, size and licence.

    Data sets of the kind "beside" accompany others and are fetched with them. --json adds address, checksum and the
    publication to cite.
    """
    rows = [row for row in _rows() if kind is None or row["kind"] == kind]
    if not rows:
        kinds = ", ".join(dict.fromkeys(row["kind"] for row in _rows()))
        raise OptionError(f"no data set is of the kind {kind!r}; expected one of {kinds}")
    if json:
        for row in rows:
            print_json(row)
    else:
        cells = [(row["name"], row["kind"], _size(row["bytes"]), row["licence"]) for row in rows]
        print_table([("name", "kind", "size", "licence"), *cells], left=(0, 1, 3))


def get_sets(
    name: Annotated[list[str], names("Data sets from firth data list, or sample for the sample text.", "NAME")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to copy the files to. Default: the cache folder.", metavar="DIR"),
    ] = None,
    words: Annotated[int | None, flag("About how many words of the sample text. Default: all.")] = None,
    data: Data = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Download data sets and verify their checksums, or write the sample text.

    A download that breaks off goes on where it stopped. Data sets that are in the cache or in the folder of --data or
    FIRTH_DATA are not downloaded. The sample text is Python's own documentation and needs no network.
    """
    if output is None and (SAMPLE in name or words is not None):
        raise OptionError("the sample text needs a folder to write to: firth data get sample -o texts")
    for set_name in name:
        if output is None:
            files = [path_of(set_name, data, progress=not quiet)]
        else:
            files = get(set_name, output, words=words, data=data, progress=not quiet)
        if json:
            print_json({"name": set_name, "files": list(map(str, files))})
        else:
            print(*files, sep="\n")


def _rows() -> list[dict[str, Any]]:
    made_here = {"name": SAMPLE, "kind": "text", "bytes": None, "licence": f"{LICENCE}; {DESCRIPTION}"}
    return [made_here, *(dict(vars(data_set)) for data_set in SETS.values())]


def _size(size: int | None) -> str:
    return "" if size is None else f"{max(1, round(size / _KILOBYTE)):,} kB"


def _app() -> typer.Typer:
    app = typer.Typer(cls=Group, help="Named data sets, and a sample text: list and get.")
    add_command(app, "list", list_sets, no_args_is_help=False)
    add_command(app, "get", get_sets)
    return app


data = _app()
