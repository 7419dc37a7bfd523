"""`firth substitutes`: train context2vec, find words that fit a place, test it on lexical substitution."""

import importlib
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.annotators import commands, open_model
from firth.cli.arguments import AsJson, Checkpoint, Every, OneThread, Quiet, Seed, Sources, TextFile, names, output
from firth.cli.flags import SETTINGS, Commands, Flags, add_command, with_flags
from firth.cli.output import end, following, paragraphs, print_json, print_scores, working
from firth.cli.targets import check_folder_target, checkpoint_in
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING, corpus_of, line_batches
from firth.comparison.named import Model, named
from firth.corpus.options import CorpusOptions
from firth.errors import MissingExtraError, OptionError
from firth.language.text import UNK
from firth.registry import plain_name
from firth.timing import running_clock

HOMES, NAME, KIND = ("firth.neural.models.contexts.",), "context2vec", "firth-context2vec"
LINES = 64  # sentences that are read before answers are printed
Trained = Annotated[Path, names("A model that `firth substitutes train` wrote.", "MODEL")]


def train(context: typer.Context) -> None:
    """Train context2vec on text: `firth substitutes train TEXT... -o OUT`."""
    arguments = context.args or ["--help"]
    with running_clock():  # importing PyTorch counts against --minutes
        trainer()(["train", *arguments], prog_name="firth substitutes")


def trainer() -> typer.Typer:
    """Return the command `train` with the flags of the model.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    try:
        importlib.import_module("firth.neural")  # which says what is missing
    except MissingExtraError:
        raise MissingExtraError("torch", "neural", "train context2vec") from None
    how = named(HOMES)[NAME]
    flags = [_flags(how), Flags(type(how.kind.training), "Training", defaults=how.kind.training), _corpus(how), READING]
    run = with_flags(_train, flags, how=how)
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, add_completion=False, context_settings=SETTINGS)
    app.callback()(_shared)
    add_command(app, "train", run, help=f"{how.description}\n\n{paragraphs(run)}")
    return app


def _shared() -> None:
    """Make typer expect the name of a command even if the app has only one."""


def _flags(how: Model) -> Flags:
    return Flags(how.kind, "Model", frozenset(how.preset) | how.unused)


def _corpus(how: Model) -> Flags:
    return replace(ANY_CORPUS, without=frozenset({"unknown", "keep_empty"}), defaults=CorpusOptions(**how.kind.text))


def _train(
    how: Model,
    corpus: Sources,
    output: Annotated[Path, output("Folder to save the model in.")],
    held_out: Annotated[
        Path | None, typer.Option(help="Held-out text that chooses the best epoch.", metavar="TEXT")
    ] = None,
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train it on text, which is split into sentences.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything.
    """
    began = time.monotonic()
    check_folder_target(output, kinds=[KIND])
    states = checkpoint_in(checkpoint, every)
    reading = {**_corpus(how).select(options), **READING.select(options)}
    text = corpus_of(corpus, reading, defaults={**how.kind.text, "unknown": UNK}, progress=not quiet)
    usual = how.kind.training
    model = how.kind(**_flags(how).select(options), **how.preset).train(
        text, held_out=held_out, training=replace(usual, **Flags(type(usual), "Training").select(options)),
        seed=seed, threads=threads, checkpoint=states, progress=not quiet,
    )  # fmt: skip
    model.metadata.setdefault("name", output.stem)
    model.save(output)
    _report(model, output, time.monotonic() - began, json)
    end(model.metadata["training"])


def _report(model: Any, output: Path, seconds: float, json: bool) -> None:
    facts = model.metadata["training"]
    best = facts["best"] or (facts["rows"] or [{}])[-1]
    figures = {"loss": best.get("loss"), "held_out_loss": best.get("held_out_loss")}
    if json:
        sizes = {"words": len(model.vocabulary), "dim": model.dim, "sentences": facts["sentences"]}
        print_json(
            {
                "model": str(output),
                **sizes,
                **figures,
                "seconds": round(seconds, 3),
                "interrupted": facts["interrupted"],
            }
        )
        return
    print(f"{output}: context2vec, {len(model.vocabulary):,} words, {model.dim:,} numbers per context, {seconds:.1f} s")
    print(f"learned from {facts['sentences']:,} sentences")
    if figures["held_out_loss"] is not None:
        print(f"held-out text: {figures['held_out_loss']:.4f} nats per word")
    print(f'next: echo "they [] the meeting" | firth substitutes predict {output} -')


def _predict(
    model: Trained,
    texts: TextFile,
    n: Annotated[int, typer.Option("-n", help="Words per sentence.")] = 10,
    candidates: Annotated[
        str | None, typer.Option(help="Words to rank, with commas between. Default: all words.", metavar="WORDS")
    ] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Print the words that fit the place marked [] of each line best, with their cosines.

    MODEL may also be a pretrained encoder that predicts hidden words: its word pieces, with their probabilities. Blank
    lines are left out.
    """
    if n < 1:
        raise OptionError(f"-n {n}: expected at least 1")
    with working(f"reading {model}", quiet):
        found = open_model(model, "a model of contexts", "a contextual encoder")
    if candidates is not None and plain_name(found) == "a contextual encoder":
        raise OptionError(f"--candidates: {model} predicts word pieces and ranks no others; leave it out")
    words = None if candidates is None else [word.strip() for word in candidates.split(",")]
    many = 1 if texts == "-" and sys.stdin.isatty() else LINES
    for lines in following(line_batches(texts, many), "finding words", quiet):
        for line in filter(str.strip, lines):
            answers = found.substitutes(line, n=n, **({} if words is None else {"candidates": words}))
            if json:
                print_json({"text": line, "words": [{"word": word, "score": score} for word, score in answers]})
            else:
                print(line)
                print_scores([(word, score) for word, score in answers], "  ")
        sys.stdout.flush()


def _test(
    model: Trained,
    gold: Annotated[
        list[str] | None, names("Sets of lexical substitution: names or files. Default: lst-07.", "GOLD")
    ] = None,
    unknown: Annotated[str, typer.Option(help="Sentences with unknown words: skip, or count.")] = "skip",
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Rank the candidates of lexical substitution sets: generalised average precision, with intervals."""
    with working(f"reading {model}", quiet):
        found = open_model(model, "a model of contexts")
    sets: Sequence[str] = gold or ["lst-07"]
    report = found.test(sets, unknown=unknown)
    print(report.to_json() if json else report)


substitutes = commands(
    "Words that fit a place in a sentence: train, predict, test.", train=train, predict=_predict, test=_test
)
