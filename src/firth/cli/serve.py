"""`firth serve`."""

import math
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import Quiet, flag, names
from firth.cli.output import note, working
from firth.errors import FirthError, OptionError
from firth.explorer.endpoint import RUNS, class_names
from firth.explorer.hosts import hosts_of, is_loopback
from firth.loading import load
from firth.storage.mapping import in_memory
from firth.storage.model_folder import is_model_folder

TOKEN = "FIRTH_TOKEN"  # environment variable


def serve(
    models: Annotated[
        list[str],
        names("Vectors, language models, classifiers, taggers ...: folders or files; NAME=MODEL to name one.", "MODEL"),
    ],
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 for all of this machine.", metavar="ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for a free one.", min=0, max=65535)] = 8000,
    allow_host: Annotated[
        list[str] | None, flag("Name by which the server may be called, besides its own; several by several flags.")
    ] = None,
    token: Annotated[
        str | None,
        flag(
            f"Token that requests must bear; better in the environment variable {TOKEN}, which no list of "
            "processes shows."
        ),
    ] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Serve other machines without a token.")] = False,
    seconds: Annotated[float, typer.Option(help="Time limit of an answer in seconds.")] = 60.0,
    rate: Annotated[float, typer.Option(help="Requests per second of one address; 0 for no limit.")] = 1000.0,
    body: Annotated[int, typer.Option(help="Largest request in bytes.")] = 1_000_000,
    quiet: Quiet = False,
) -> None:
    """Serve models over HTTP: neighbours, analogies, vectors, labels, scores, texts, annotations, translations.

    Addresses: /neighbors /analogy /similarity /encode /classify /score /next /generate /annotate /translate /summarize
    /answer /substitutes, whichever the models can answer; /info, /health, /metrics; /openapi.json describes all.
    """
    if not (0 < seconds < math.inf and 0 <= rate < math.inf and body >= 1):
        raise OptionError("--seconds, --rate, --body: expected positive numbers")
    token = token or os.environ.get(TOKEN) or None
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        raise OptionError("--token: expected ASCII characters without spaces")
    if not (token or insecure or is_loopback(host)):
        raise OptionError(
            f"--host {host} without a token: everybody who reaches this machine could ask; expected --token TOKEN, or "
            f"{TOKEN} in the environment, or --insecure to serve everybody"
        )
    opened = open_models(models, quiet)
    from firth.explorer.guard import Limits  # after what is wrong with the files
    from firth.explorer.server import build_app, serve_app

    hosts = hosts_of(host, allow_host or ())
    app = build_app(opened, hosts=hosts, limits=Limits(seconds=seconds, rate=rate, body=body), token=token)

    warnings.simplefilter("ignore")  # of words that a model does not know: the log is lines of JSON

    def ready(address: str) -> None:
        note(f"serving at {address}; Ctrl-C ends")

    serve_app(app, host=host, port=port, log=not quiet, ready=ready)


def open_models(given: Sequence[str], quiet: bool) -> dict[str, Any]:
    """Return models by name: the name that was given, or that of the file or folder, numbered if there are two.

    They are read into memory: what is done to their files afterwards changes no answer and ends no server.

    Args:
        given: paths, or NAME=PATH.
    """
    models: dict[str, Any] = {}
    for item in given:
        name, equals, path = item.partition("=")
        if not equals or Path(item).exists():
            path = item
            stem = Path(path.rstrip("/")).stem.encode("utf-8", "replace").decode() or "model"
            numbered = (stem, *(f"{stem}-{n}" for n in range(2, len(given) + 2)))
            name = next(candidate for candidate in numbered if candidate not in models)
        elif not name or name in models:
            raise OptionError(f"{item}: expected NAME=MODEL with a name of its own")
        with working(f"reading {path}", quiet), in_memory():
            models[name] = _opened(path)
        if RUNS in class_names(models[name]):
            with working(f"{path}: averaging {len(models[name])} runs", quiet):
                models[name].consensus  # noqa: B018  kept, for all that is asked of vectors
    return models


def _opened(path: str) -> Any:
    """Open a model."""
    try:
        return load(path)
    except FirthError:
        folder = Path(path)
        inside = sorted(entry.name for entry in folder.iterdir() if is_model_folder(entry)) if folder.is_dir() else []
        if not inside:
            raise
        examples = ", ".join(f"{folder / name}" for name in inside[:3]) + (", ..." if len(inside) > 3 else "")
        raise OptionError(f"{path} is a folder of models; expected the models themselves, such as {examples}") from None
