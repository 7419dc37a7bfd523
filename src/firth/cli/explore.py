"""`firth explore`."""

import math
import threading
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import Quiet, names
from firth.cli.flags import with_flags
from firth.cli.output import note
from firth.cli.serve import open_models
from firth.cli.texts import READ_TABLES, check_is_file, corpus_of, line_batches
from firth.corpus.columns import COLUMNS, TABLES, cells, labelled_cells
from firth.corpus.reader import inner_suffix
from firth.corpus.table_options import USUAL, TableOptions
from firth.errors import CorpusError, FormatError, OptionError, counted
from firth.explorer.text_space import documents_of, text_space
from firth.readers.labelled import LABEL_PREFIX
from firth.storage.files import text_of
from firth.storage.untrusted import parse_json

CORPUS = "the text"  # name of the corpus among the models
LINES = 10_000  # of a batch


def _explore(
    models: Annotated[
        list[str],
        names("Vectors, language models, classifiers, taggers ...: folders or files; NAME=MODEL to name one.", "MODEL"),
    ],
    corpus: Annotated[
        str | None,
        names("Text in which words are shown: files, a folder of files, or a corpus folder.", "CORPUS", "--corpus"),
    ] = None,
    texts: Annotated[
        str | None,
        names(
            "Texts for a map and a search by meaning: a line each, or a table (.csv, .tsv, .jsonl, .parquet).",
            "FILE",
            "--texts",
        ),
    ] = None,
    column: Annotated[str | None, names("Column of the texts in a table.", "NAME", "--column")] = None,
    labels: Annotated[str | None, names("Column of a table that colours the texts.", "NAME", "--labels")] = None,
    evaluation: Annotated[
        Path | None, names("What firth evaluate --json has printed, to be shown.", "FILE", "--evaluation")
    ] = None,
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Show models in the browser: a map of words, neighbours, analogies, axes, bias; what models make of texts.

    The page is served from this machine, to this machine only; nothing leaves it. With --texts, each model that encodes
    texts gets a map of them, coloured by --labels or by __label__ in the lines, and finds texts of like meaning;
    document vectors have such a map of their own documents.
    """
    table = READ_TABLES.select(options)
    if texts is None and (column is not None or labels is not None or table):
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in table) or "--column and --labels"
        raise OptionError(f"{flags} say how --texts FILE is read; expected that, too")
    opened = open_models(models, quiet)
    spaces = spaces_of(opened, texts, column, labels, quiet, TableOptions(**table))
    opened = {**spaces, **opened} if texts is not None else {**opened, **spaces}  # the map of the first is shown
    if corpus is not None:
        opened[CORPUS] = corpus_of([corpus], {}, progress=not quiet, every_word=True)
    from firth.explorer.server import build_app, serve_app  # after what is wrong with the files

    app = build_app(opened, page=True, scores=scores_of(evaluation, opened))

    def ready(address: str) -> None:
        note(f"{address} shows the models; Ctrl-C ends")
        if browser:  # some browsers are programs of the terminal, which end when the reader leaves them
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve_app(app, port=port, log=False, ready=ready)


explore = with_flags(_explore, [READ_TABLES])


def spaces_of(
    models: Mapping[str, Any],
    path: str | None,
    column: str | None,
    labels: str | None,
    quiet: bool,
    table: TableOptions = USUAL,
) -> dict[str, Any]:
    """Return spaces of texts: of the documents of document vectors, and of the texts of a file in each encoder's space.

    Args:
        path: the file; None for none.
        column: of the texts in a table; None for the only one, or the one called text.
    """
    result = {f"{name}: documents": documents_of(model) for name, model in models.items()}
    if path is not None:
        texts, values = texts_of(path, column, labels, table)
        columns, spaces = {labels or "label": values} if values else {}, {}
        for name, model in models.items():
            try:
                space = text_space(model, texts, columns, progress=not quiet)
            except OptionError as error:
                note(f"{name}: {error}")
                continue
            spaces[f"{name}: texts"] = space
            if space is not None and len(space) < len(texts):
                left_out = counted(len(texts) - len(space), "text")
                note(f"{name}: {left_out} without a known word, of {len(texts):,}, left out")
        if not any(spaces.values()):
            raise OptionError(
                "--texts: none of these models encodes texts; expected word vectors, a sentence encoder ..."
            )
        result |= spaces
    return {name: space for name, space in result.items() if space is not None}


def texts_of(
    path: str, column: str | None, labels: str | None, table: TableOptions = USUAL
) -> tuple[list[str], list[str] | None]:
    """Return the texts of a file, without empty ones, and their labels, if it has any.

    Args:
        path: lines, or a table.
    """
    check_is_file(path)
    suffix = inner_suffix(Path(path))
    if labels is not None and suffix in TABLES:
        pairs = labelled_cells(Path(path), column, labels, table, needs_labels=False)
        rows = [(_joined(text), str(label)) for text, label in pairs]
    elif labels is None and suffix in COLUMNS:
        rows = [(_joined(text), "") for text in cells(Path(path), column, lambda file: None, table)]
    elif column is not None or labels is not None or table.given():
        raise OptionError(f"{path}: lines have no columns; expected a table: {', '.join(TABLES)}")
    else:
        lines = (line for batch in line_batches(path, LINES) for line in batch)
        rows = [_unlabelled(line) for line in lines]
    rows = [row for row in rows if row[0].strip()]
    if not rows:
        raise CorpusError(f"{path}: no texts; expected one on each line, or a table")
    labelled = any(label for _, label in rows)
    return [text for text, _ in rows], [label for _, label in rows] if labelled else None


def _joined(text: Any) -> str:
    return " ".join(map(str, text)) if isinstance(text, list | tuple) else str(text or "")


def _unlabelled(line: str) -> tuple[str, str]:
    """Return a line of fastText's format without its labels, and the first of them."""
    if LABEL_PREFIX not in line:
        return line, ""
    parts = line.split(" ")
    label_list = [part.removeprefix(LABEL_PREFIX) for part in parts if part.startswith(LABEL_PREFIX)]
    return " ".join(part for part in parts if not part.startswith(LABEL_PREFIX)), label_list[0] if label_list else ""


def scores_of(path: Path | None, models: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return results of `firth evaluate --json` by model; those of a single model are taken for it.

    Args:
        path: the file; None for no results.
    """
    if path is None:
        return {}
    if not path.is_file():
        raise OptionError(f"{path}: no such file; expected what firth evaluate --json has printed")
    scores: dict[str, list[dict[str, Any]]] = {}
    try:
        for line in text_of(path).splitlines():
            row = parse_json(line)
            name = Path(str(row["vectors"]).rstrip("/")).stem
            score = {"set": str(row["set"]), "metric": str(row["metric"]), "value": row["value"]}
            score |= {end: row.get(end) for end in ("low", "high")}
            if not all(value is None or (isinstance(value, int | float) and math.isfinite(value))
                       for value in (score["value"], score["low"], score["high"])):  # fmt: skip
                raise ValueError("no number")
            scores.setdefault(name if name in models else next(iter(models)), []).append(score)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(f"{path}: not what firth evaluate --json prints") from None
    return scores
