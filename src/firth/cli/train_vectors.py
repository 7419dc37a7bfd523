"""What `firth train MODEL` does. `firth.cli.train` lists the models."""

import contextlib
import inspect
import itertools
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import (
    TEXT,
    AsJson,
    Checkpoint,
    ClusterAddress,
    Every,
    Overwrite,
    Quiet,
    Seed,
    Sources,
    Threads,
    Workers,
    flag,
    output,
)
from firth.cli.flags import Flags, with_flags
from firth.cli.output import complain, print_json, showing_choices, working
from firth.cli.runs import Number, Resample, check_flags, check_runs_target, train_runs
from firth.cli.targets import check_cluster, check_vectors_target, checkpoint_in, is_resumed
from firth.cli.texts import CORPUS, READING, corpus_of
from firth.cli.vectors import shown_words
from firth.cluster.cluster import Cluster, how_on_cluster
from firth.comparison.models import Model
from firth.corpus.encoded import Corpus
from firth.counts.phrases import PhraseTable
from firth.embeddings.trainer import Trainer, result_type
from firth.errors import FirthError, OptionError
from firth.loading import load
from firth.signals import exit_status
from firth.vectors.document_vectors import DocumentVectors
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

_LETTERS, _RANK = 6, 300  # of a word to try: letters at least, rank by frequency


def train(
    model: Model,
    corpus: Sources,
    output: Annotated[
        Path, output("Folder to save the vectors in, or a file; its name gives the format (firth convert).")
    ],
    seed: Seed = 0,
    threads: Threads = None,
    start: Annotated[Path | None, flag("Vectors to continue training from, with old and new words.", "VECTORS")] = None,
    freeze: Annotated[
        bool, typer.Option("--freeze", help="With --start, keep the old vectors as they are and train new words only.")
    ] = False,
    checkpoint: Checkpoint = None,
    every: Every = None,
    overwrite: Overwrite = False,
    deterministic: Annotated[
        bool,
        typer.Option(
            "--deterministic", help="The same bits for any number of threads: slower, five times the memory of vectors."
        ),
    ] = False,
    cluster: ClusterAddress = None,
    workers: Workers = None,
    merge_every: Annotated[
        int | None, flag("Words of each shard between merges of frequent words. Default: 4096.", "N")
    ] = None,
    runs: Number = None,
    resample: Resample = None,
    phrases: Annotated[
        Path | None, flag("File from firth phrases; its phrases count as words.", "FILE", panel=TEXT)
    ] = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train on text.

    The text is encoded once and kept; the next training on it starts at once. Ctrl-C or SIGTERM stops at a safe point
    and saves what was learned. With one thread, or with --deterministic, the same seed gives the same bits.
    """
    began = time.monotonic()
    alone = {
        "--start": start, "--freeze": freeze, "--checkpoint": checkpoint, "--every": every,
        "--deterministic": deterministic, "--merge-every": merge_every,
    }  # fmt: skip
    check_flags(runs, resample, alone)
    mode = how_on_cluster(model.kind)
    replicas = mode == "replicas"
    local = {"--threads": threads, "--deterministic": deterministic or None} if replicas or runs is not None else {}
    if cluster is not None and mode is None and runs is None:
        raise OptionError(
            f"--cluster {cluster} without --runs: a single {model.kind.__name__} is not trained on a cluster; expected "
            "--runs with a number, each of which a worker trains, or no --cluster"
        )
    check_cluster(cluster, workers, local)
    if cluster is None and merge_every is not None:
        raise OptionError(
            f"--merge-every {merge_every} without --cluster: only a cluster merges so; leave it out, or use --cluster "
            "with an address"
        )
    if freeze and start is None:
        raise OptionError("--freeze without --start; expected --start with the vectors that are to stay as they are")
    merging = {} if merge_every is None else {"merge_every": merge_every}
    on_cluster = None if cluster is None else Cluster(workers=workers, address=cluster, **merging)
    kind, preset = model.kind, model.preset
    trainer = kind(**Flags(kind, "Model").select(options), **preset)
    if runs is not None:
        check_runs_target(output, overwrite=overwrite)
        with showing_choices(quiet), on_cluster.lend() if on_cluster else contextlib.nullcontext():
            defaults = getattr(kind, "corpus_options", None)
            text = _text(corpus, phrases, options, progress=not quiet, defaults=defaults, threads=threads)
            drawn = {} if resample is None else {"resample": resample}
            several = train_runs(
                trainer, text, output, json, began, runs=runs, seed=seed, threads=threads, progress=not quiet, **drawn
            )
        _next(several, "neighbours", output, json)
        if several.metadata.get("interrupted"):
            raise typer.Exit(exit_status())
        return
    replaces = overwrite or is_resumed(checkpoint)
    check_vectors_target(output, result_type(kind) in (WordVectors, SubwordVectors), corpus, overwrite=replaces)
    with working(f"reading {start}", quiet):
        before = None if start is None else load(start)
    states = checkpoint_in(checkpoint, every)
    given = {
        "start": before, "freeze": freeze or None, "checkpoint": states, "deterministic": deterministic or None,
    }  # fmt: skip
    rest: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    with showing_choices(quiet), on_cluster.lend() if on_cluster else contextlib.nullcontext():
        defaults = getattr(kind, "corpus_options", None)
        text = _text(corpus, phrases, options, progress=not quiet, defaults=defaults, threads=threads)
        if on_cluster is None:
            vectors = trainer.train(text, seed=seed, threads=threads, progress=not quiet, **rest)
        else:
            rest |= {} if replicas else {"threads": threads}
            vectors = on_cluster.train(trainer, text, seed=seed, progress=not quiet, **rest)
    vectors.metadata.setdefault("name", output.stem)
    output = _save(vectors, output)
    _report(vectors, output, time.monotonic() - began, json)
    if vectors.metadata["training"]["interrupted"]:
        raise typer.Exit(exit_status())


def command(model: Model) -> Callable[..., None]:
    """Return the command of a model, with the flags of its own options."""
    parameters = inspect.signature(model.kind.train).parameters
    without = {name: None for name in ("start", "checkpoint", "deterministic") if name not in parameters}
    without |= {} if issubclass(model.kind, Trainer) and model.kind.freezes else {"freeze": None}
    without |= {"every": None} if "checkpoint" in without else {}
    several = result_type(model.kind) in (WordVectors, SubwordVectors)
    without |= {} if several else {"runs": None, "resample": None}
    on_cluster = how_on_cluster(model.kind)
    without |= {} if on_cluster or several else {"cluster": None, "workers": None}
    without |= {} if on_cluster == "replicas" else {"merge_every": None}
    flags = [Flags(model.kind, "Model", frozenset(model.preset)), CORPUS, READING]
    return with_flags(train, flags, model=model, **without)


def _save(vectors: Any, output: Path) -> Path:
    """Save vectors; if the file format cannot hold them, save them as a folder rather than lose them."""
    try:
        vectors.save(output)
    except FirthError as error:
        endings = itertools.chain([""], (f"-{n}" for n in itertools.count(2)))
        folder = next(path for end in endings if not (path := Path(f"{output}{end}.firth")).exists())
        vectors.save(folder)
        complain(f"warning: {error}; the vectors are saved in the folder {folder} instead")
        return folder
    return output


def _text(
    sources: Sequence[str],
    phrases: Path | None,
    options: Mapping[str, Any],
    *,
    progress: bool,
    defaults: Any,
    threads: int | None,
) -> Corpus:
    """The corpus. Phrases, if there are any, are joined before rare words are dropped."""
    if phrases is None:
        return corpus_of(sources, options, progress=progress, defaults=defaults, threads=threads)
    table = PhraseTable.open(phrases)
    limits = {name: options[name] for name in ("min_count", "max_size") if options[name] is not None}
    reading = {name: value for name, value in options.items() if name not in limits}
    whole = corpus_of(sources, reading, progress=progress, defaults=defaults, every_word=True, threads=threads)
    return table.apply(whole, cache=options["cache"], progress=progress, **limits)


def _report(vectors: Any, output: Path, seconds: float, json: bool) -> None:
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
    rows = "documents" if isinstance(vectors, DocumentVectors) else "words"
    print(f"{output}: {len(vectors):,} {rows} x {vectors.dim}, {seconds:.1f} s in total")
    print(f"trained on {facts[unit]:,} {unit} in {facts['seconds']:.1f} s ({rate:,.0f} {unit}/s)")
    if isinstance(vectors, SenseVectors):
        several = int((vectors.num_senses > 1).sum())
        print(f"{several:,} words have several senses: {len(vectors.vectors):,} senses in total")
    command = "senses" if isinstance(vectors, SenseVectors) else "neighbours"
    _next(vectors, command, output, json)


def _next(vectors: Any, command: str, output: Path, json: bool) -> None:
    if not json:
        print(f"next: firth {command} {shlex.quote(str(output))} {shlex.quote(_example(vectors))}")


def _example(vectors: Any) -> str:
    """A word to try: frequent, but no function word; one with several senses if there are any."""
    if isinstance(vectors, SenseVectors) and vectors.num_senses.max() > 1:
        return vectors.words[int(vectors.num_senses.argmax())]
    words: list[str] = vectors.lexicon.words
    candidates = [*words[_RANK:], *words]
    show = shown_words(vectors)
    return next((word for word in map(show, candidates) if len(word) >= _LETTERS and word.isalpha()), words[0])
