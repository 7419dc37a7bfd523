"""`firth train`: text in, vectors out."""

import inspect
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.flags import Flags, add_command, with_flags
from firth.cli.output import AsJson, Quiet, complain, paragraphs, print_json
from firth.cli.targets import check_vectors_target, check_writable
from firth.cli.texts import CORPUS, Cache, Column, Sources, StopWords, Threads, corpus_of
from firth.comparison.models import MODELS
from firth.corpus.encoded import Corpus
from firth.counts.phrases import PhraseTable
from firth.errors import FirthError
from firth.signals import exit_status
from firth.vectors.document_vectors import DocumentVectors
from firth.vectors.io import load
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

_LONG, _RANK = 6, 300  # letters, and place by frequency, of a word to try


def _train(
    model: str,
    corpus: Sources,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Folder to save the vectors in, or a file in the format that its name ends in, as with firth convert.",
            show_default=False,
            metavar="OUT",
        ),
    ],
    seed: Annotated[int, typer.Option(help="Of every random draw; with one thread it decides every bit.")] = 0,
    threads: Threads = None,
    start: Annotated[
        Path | None, typer.Option(help="Vectors to go on training from, old and new words alike.", metavar="VECTORS")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Folder to keep the state in; the same line goes on after a kill.", metavar="DIR"),
    ] = None,
    phrases: Annotated[
        Path | None, typer.Option(help="File of phrases, from firth phrases, that count as words.", metavar="FILE")
    ] = None,
    column: Column = None,
    stop_words: StopWords = None,
    cache: Cache = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train on text.

    Text is read once into a corpus on disk, which the next training on the same text uses again. Ctrl-C or SIGTERM
    stops at a safe point and saves what was learned.
    """
    began = time.monotonic()
    kind, preset = MODELS[model].kind, MODELS[model].preset
    check_vectors_target(
        output, inspect.signature(kind.train).return_annotation in (WordVectors, SubwordVectors), corpus
    )
    trainer = kind(**Flags(kind, "Model").select(options), **preset)
    before = None if start is None else load(start)
    if checkpoint is not None:
        check_writable(checkpoint / "state")
    told = {"stop_words": stop_words, "column": column, "cache": cache, "progress": not quiet}
    text = _text(corpus, phrases, CORPUS.select(options), defaults=getattr(kind, "corpus_options", None), **told)
    further = {name: value for name, value in (("start", before), ("checkpoint", checkpoint)) if value is not None}
    vectors = trainer.train(text, seed=seed, threads=threads, progress=not quiet, **further)
    vectors.metadata.setdefault("name", output.stem)
    output = _saved(vectors, output)
    _tell(vectors, output, time.monotonic() - began, json)
    if vectors.metadata["training"]["interrupted"]:
        raise typer.Exit(exit_status())


def _saved(vectors: Any, output: Path) -> Path:
    """Save vectors; what the format of a file has no place for is no reason to lose what was learned."""
    try:
        vectors.save(output)
    except FirthError as error:
        folder = output.with_name(f"{output.name}.firth")
        vectors.save(folder)
        complain(f"warning: {error}; the vectors are saved in the folder {folder} instead")
        return folder
    return output


def _app() -> typer.Typer:
    """A command a model, each with the flags of its own options."""
    app = typer.Typer(
        help="Train word vectors on text. firth train MODEL --help shows the options of a model.",
        subcommand_metavar="MODEL CORPUS... -o OUT",
    )
    for name, model in MODELS.items():
        taken = inspect.signature(model.kind.train).parameters
        without = {name: None for name in ("start", "checkpoint") if name not in taken}
        flags = [Flags(model.kind, "Model", frozenset(model.preset)), CORPUS]
        command = with_flags(_train, flags, model=name, **without)
        text = paragraphs(_train).partition("\n\n")[2]
        shown = {"help": f"{model.description}\n\n{text}", "short_help": model.description}
        add_command(app, name, command, **shown)
    return app


train = _app()


def _text(sources: Sequence[str], phrases: Path | None, how: dict[str, Any], **told: Any) -> Corpus:
    """The corpus, with phrases joined where a file of them is given; pruned after that."""
    if phrases is None:
        return corpus_of(sources, how, **told)
    table = PhraseTable.open(phrases)
    pruned = {name: how.pop(name) for name in ("min_count", "max_size") if name in how}
    whole = corpus_of(sources, how, every_word=True, **told)
    return table.apply(whole, cache=told["cache"], progress=told["progress"], **pruned)


def _tell(vectors: Any, output: Path, seconds: float, json: bool) -> None:
    facts = vectors.metadata["training"]
    unit = facts.get("unit", "words")
    rate = facts[unit] / max(facts["seconds"], 1e-9)
    if json:
        print_json(
            {
                "vectors": str(output),
                "words": len(vectors),
                "dim": vectors.dim,
                "loss": facts["loss"],
                **({"sample_loss": facts["sample_loss"]} if "sample_loss" in facts else {}),
                f"trained_{unit}": facts[unit],
                "training_seconds": facts["seconds"],
                f"{unit}_per_second": round(rate),
                "seconds": round(seconds, 3),
                "interrupted": facts["interrupted"],
            }
        )
        return
    quoted = shlex.quote(str(output))
    rows = "documents" if isinstance(vectors, DocumentVectors) else "words"
    print(f"{output}: {len(vectors):,} {rows} x {vectors.dim}, {seconds:.1f} s in all")
    print(f"trained on {facts[unit]:,} {unit} in {facts['seconds']:.1f} s ({rate:,.0f} {unit}/s)")
    if isinstance(vectors, SenseVectors):
        several = int((vectors.num_senses > 1).sum())
        print(f"{several:,} words have several senses: {len(vectors.vectors):,} senses in all")
    ask = "senses" if isinstance(vectors, SenseVectors) else "neighbours"
    print(f"next: firth {ask} {quoted} {shlex.quote(_example(vectors))}")


def _example(vectors: Any) -> str:
    """A word to try: a frequent one beyond the function words, of several senses where there are such."""
    if isinstance(vectors, SenseVectors) and vectors.num_senses.max() > 1:
        return vectors.words[int(vectors.num_senses.argmax())]
    words: list[str] = vectors.lexicon.words
    candidates = [*words[_RANK:], *words]
    return next((word for word in candidates if len(word) >= _LONG and word.isalpha()), words[0])
