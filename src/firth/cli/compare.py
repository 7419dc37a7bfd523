"""`firth compare`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Data, Quiet, Seed, Sources, Threads, flag, output
from firth.cli.evaluate import AnalogySets, SimilaritySets
from firth.cli.flags import with_flags
from firth.cli.output import complain
from firth.cli.texts import CORPUS, READING, corpus_of
from firth.comparison.models import trainer, vector_models
from firth.comparison.run import compare as run
from firth.errors import MissingExtraError, OptionError
from firth.plots import models_by_time
from firth.storage.files import replacing_file

TABLE, PLOT = "table.md", "comparison.png"
DEFAULT = "skipgram,cbow,glove,ppmi"


def _compare(
    corpus: Sources,
    output: Annotated[Path, output("Folder for vectors and figures.", "DIR")],
    models: Annotated[
        str,
        typer.Option(
            help=f"Models, separated by commas: {', '.join(sorted(vector_models()))}. Colons add options: "
            "skipgram,skipgram:window=10,glove:epochs=50.",
            metavar="NAMES",
        ),
    ] = DEFAULT,
    dim: Annotated[int, typer.Option(help="Dimension of all vectors.")] = 100,
    window: Annotated[int | None, flag("Context words on each side. Default: that of each model.")] = None,
    epochs: Annotated[int | None, flag("Passes over the text. Default: those of each model.")] = None,
    seed: Seed = 0,
    threads: Threads = None,
    similarity: SimilaritySets = None,
    analogies: AnalogySets = None,
    data: Data = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train several models on one text and compare speed, memory and quality.

    The text is read once, and models that need the same counts share them. If the command is stopped, run it again: it
    continues where it was.
    """
    common = {"dim": dim, "window": window, "epochs": epochs}
    specs = [name.strip() for name in models.split(",") if name.strip()]
    for spec in specs:
        trainer(spec, common)  # an unknown name or option is refused before the text is read
    comparison = run(
        corpus_of(corpus, options, progress=not quiet),
        specs,
        output,
        common=common,
        seed=seed,
        threads=threads,
        sets={"similarity": similarity or None, "analogies": analogies or None, "data": data},
        progress=not quiet,
    )
    with replacing_file(output / TABLE) as file:
        file.write(f"{comparison.to_markdown()}\n".encode("utf-8", "backslashreplace"))
    written = [output / TABLE]
    try:
        models_by_time(comparison).save(output / PLOT)
        written.append(output / PLOT)
    except (MissingExtraError, OptionError) as error:  # of a short text, no set may have two known pairs
        complain(f"no picture: {error}")
    print(comparison.to_json() if json else f"{comparison.table()}\n\n{', '.join(map(str, written))}")


compare = with_flags(_compare, [CORPUS, READING])
