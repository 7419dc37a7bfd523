"""`firth train`: text in, vectors out."""

import inspect
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.flags import Flags, with_flags
from firth.cli.models import MODELS
from firth.cli.output import AsJson, paragraphs, print_json
from firth.cli.targets import check_folder_target, check_writable
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.errors import OptionError
from firth.vectors.document_vectors import DocumentVectors
from firth.vectors.io import load

INTERRUPTED = 130
_LONG, _RANK = 6, 300  # letters, and place by frequency, of a word to try


def _train(
    model: str,
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or globs of text, a corpus folder, or - for standard input.",
            show_default=False,
            metavar="CORPUS",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to save the vectors in.", show_default=False, metavar="OUT")
    ],
    seed: Annotated[int, typer.Option(help="Of every random draw; with one thread it decides every bit.")] = 0,
    threads: Annotated[
        int | None, typer.Option(help="Threads; by default one a processor.", show_default=False)
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Vectors to go on training from, old and new words alike.", metavar="VECTORS")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Folder to keep the state in; the same line goes on after a kill.", metavar="DIR"),
    ] = None,
    column: Annotated[str | None, typer.Option(help="Column of text in JSONL, CSV, Parquet or Arrow files.")] = None,
    stop_words: Annotated[Path | None, typer.Option(help="File of words to leave out, one a line.")] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for encoded corpora; by default the user's cache folder.", metavar="DIR")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train on text.

    Text is read once into a corpus on disk, which the next training on the same text uses again. Ctrl-C stops at a safe
    point and saves what was learned.
    """
    began = time.monotonic()
    check_folder_target(output)
    kind, preset = MODELS[model].kind, MODELS[model].preset
    trainer = kind(**Flags(kind, "Model").chosen(options), **preset)
    before = None if start is None else load(start)
    if checkpoint is not None:
        check_writable(checkpoint / "state")
    how = {**_CORPUS.chosen(options), **({} if stop_words is None else {"stop_words": _words_of(stop_words)})}
    text = _corpus(corpus, how, column=column, cache=cache, progress=not quiet)
    vectors = trainer.train(text, seed=seed, threads=threads, start=before, progress=not quiet, checkpoint=checkpoint)
    vectors.metadata.setdefault("name", output.stem)
    vectors.save(output)
    _tell(vectors, output, time.monotonic() - began, json)
    if vectors.metadata["training"]["interrupted"]:
        raise typer.Exit(INTERRUPTED)


_CORPUS = Flags(CorpusOptions, "Text")


def _app() -> typer.Typer:
    """A command a model, each with the flags of its own options."""
    app = typer.Typer(help="Train on text.", subcommand_metavar="MODEL CORPUS... -o OUT")
    for name, model in MODELS.items():
        command = with_flags(_train, [Flags(model.kind, "Model", frozenset(model.preset)), _CORPUS], model=name)
        what = (inspect.getdoc(model.kind) or "").partition(":")[0] + "."
        text = paragraphs(_train).partition("\n\n")[2]
        app.command(name, help=f"{what}\n\n{text}", short_help=what, no_args_is_help=True)(command)
    return app


train = _app()


def _words_of(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").split())


def _corpus(
    sources: Sequence[str], how: Mapping[str, Any], *, column: str | None, cache: Path | None, progress: bool
) -> Corpus:
    if len(sources) == 1 and (Path(sources[0]) / "corpus.json").is_file():
        if how or column is not None:
            given = ", ".join([*how, *(["column"] if column is not None else [])])
            raise OptionError(
                f"{sources[0]} is a corpus that is built already; {given} can only be given with its text"
            )
        return Corpus.open(sources[0])
    if "-" in sources and len(sources) > 1:
        raise OptionError("- (standard input) among other sources; expected it alone: cat the files into it")
    source: Any = "-" if list(sources) == ["-"] else [Path(each) for each in sources]
    return Corpus.build(source, cache=cache, column=column, progress=progress, **how)


def _tell(vectors: Any, output: Path, seconds: float, json: bool) -> None:
    facts = vectors.metadata["training"]
    rate = facts["words"] / max(facts["seconds"], 1e-9)
    if json:
        print_json(
            {
                "vectors": str(output),
                "words": len(vectors),
                "dim": vectors.dim,
                "loss": facts["loss"],
                "trained_words": facts["words"],
                "training_seconds": facts["seconds"],
                "words_per_second": round(rate),
                "seconds": round(seconds, 3),
                "interrupted": facts["interrupted"],
            }
        )
        return
    quoted = shlex.quote(str(output))
    rows = "documents" if isinstance(vectors, DocumentVectors) else "words"
    print(f"{output}: {len(vectors):,} {rows} x {vectors.dim}, {seconds:.1f} s in all")
    print(f"trained on {facts['words']:,} words in {facts['seconds']:.1f} s ({rate:,.0f} words/s)")
    print(f"next: firth neighbors {quoted} {shlex.quote(_example(vectors))}")


def _example(vectors: Any) -> str:
    """A word to try: a frequent one beyond the function words."""
    words: list[str] = vectors.lexicon.words
    candidates = [*words[_RANK:], *words]
    return next((word for word in candidates if len(word) >= _LONG and word.isalpha()), words[0])
