"""`firth compare`: several models of one text, side by side."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.flags import with_flags
from firth.cli.output import AsJson, Quiet, complain
from firth.cli.texts import CORPUS, Cache, Column, Sources, StopWords, Threads, corpus_of
from firth.comparison.models import MODELS
from firth.comparison.run import compare as run
from firth.errors import MissingExtraError
from firth.plots import models_by_time
from firth.storage.files import replacing_file

TABLE, PLOT = "table.md", "comparison.png"
DEFAULT = "skipgram,cbow,glove,ppmi"


def _compare(
    corpus: Sources,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for vectors and figures.", show_default=False, metavar="DIR"),
    ],
    models: Annotated[
        str,
        typer.Option(
            help=f"Of {', '.join(sorted(MODELS))}, between commas; options of a model behind colons: "
            "skipgram,skipgram:window=10,glove:epochs=50.",
            metavar="NAMES",
        ),
    ] = DEFAULT,
    dim: Annotated[int, typer.Option(help="Width of all vectors, in numbers.")] = 100,
    window: Annotated[int | None, typer.Option(help="Words on each side; by default each model's own.")] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes; by default each model's own.")] = None,
    seed: Annotated[int, typer.Option(help="Of every random draw.")] = 0,
    threads: Threads = None,
    similarity: Annotated[
        list[str] | None,
        typer.Option(help="File of scored word pairs, or a name as of firth evaluate.", metavar="FILE"),
    ] = None,
    analogies: Annotated[
        list[str] | None, typer.Option(help="File of analogy questions, or a name.", metavar="FILE")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of local copies of the named sets, instead of a download.", metavar="DIR"),
    ] = None,
    column: Column = None,
    stop_words: StopWords = None,
    cache: Cache = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train several models on one text, judge them alike, and show them side by side.

    The text is read once, and counted once for all models that count alike. A line that was stopped goes on where it
    was: what is finished is not trained again.
    """
    text = corpus_of(
        corpus, CORPUS.select(options), stop_words=stop_words, column=column, cache=cache, progress=not quiet
    )
    found = run(
        text,
        [name.strip() for name in models.split(",") if name.strip()],
        out,
        common={"dim": dim, "window": window, "epochs": epochs},
        seed=seed,
        threads=threads,
        sets={"similarity": similarity or None, "analogies": analogies or None, "data": data},
        progress=not quiet,
    )
    with replacing_file(out / TABLE) as file:
        file.write(f"{found.to_markdown()}\n".encode("utf-8", "backslashreplace"))
    try:
        models_by_time(found).save(out / PLOT)
    except MissingExtraError as error:
        complain(f"no picture: {error}")
    print(found.to_json() if json else f"{found.table()}\n\n{out / TABLE}, {out / PLOT}")


compare = with_flags(_compare, [CORPUS])
