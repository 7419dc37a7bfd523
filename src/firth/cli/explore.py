"""`firth explore`."""

import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import Quiet, names
from firth.cli.output import note
from firth.cli.serve import open_models
from firth.cli.texts import corpus_of
from firth.errors import FormatError, OptionError
from firth.storage.untrusted import parse_json

CORPUS = "the text"  # name of the corpus among the models


def explore(
    models: Annotated[
        list[str],
        names("Vectors, language models, classifiers, taggers ...: folders or files; NAME=MODEL to name one.", "MODEL"),
    ],
    corpus: Annotated[
        str | None,
        names("Text in which words are shown: files, a folder of files, or a corpus folder.", "CORPUS", "--corpus"),
    ] = None,
    evaluation: Annotated[
        Path | None, names("What firth evaluate --json has printed, to be shown.", "FILE", "--evaluation")
    ] = None,
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    quiet: Quiet = False,
) -> None:
    """Show models in the browser: a map of words, neighbours, analogies, axes, bias; what models make of texts.

    The page is served from this machine, to this machine only; nothing leaves it.
    """
    from firth.explorer.server import build_app, serve_app

    opened = open_models(models, quiet)
    if corpus is not None:
        opened[CORPUS] = corpus_of([corpus], {}, progress=not quiet, every_word=True)
    app = build_app(opened, page=True, scores=scores_of(evaluation, opened))

    def ready(address: str) -> None:
        note(f"{address} shows the models; Ctrl-C ends")
        if browser:
            webbrowser.open(address)

    serve_app(app, port=port, log=False, ready=ready)


def scores_of(path: Path | None, models: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return results of `firth evaluate --json` by model; those of a single model are taken for it.

    Args:
        path: the file; None for no results.
        models: by name.

    Raises:
        FormatError: the file holds something else.
        OptionError: there is no such file.
    """
    if path is None:
        return {}
    if not path.is_file():
        raise OptionError(f"{path}: no such file; expected what firth evaluate --json has printed")
    found: dict[str, list[dict[str, Any]]] = {}
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = parse_json(line)
            name = Path(str(row["vectors"]).rstrip("/")).stem
            score = {"set": str(row["set"]), "metric": str(row["metric"]), "value": row["value"]}
            score |= {end: row.get(end) for end in ("low", "high")}
            found.setdefault(name if name in models else next(iter(models)), []).append(score)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(f"{path}: not what firth evaluate --json prints") from None
    return found
