"""`firth substitutes`: train context2vec, find words that fit a place, test it on lexical substitution."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Quiet, Sources, TextFile, flag, names
from firth.cli.flags import Flags
from firth.cli.groups import commands
from firth.cli.output import print_json, print_scores, with_progress, working
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING, corpus_of, line_batches
from firth.cli.training import Report, Run, TrainCommand
from firth.cli.vectors import open_model
from firth.comparison.models import Model
from firth.corpus.options import CorpusOptions
from firth.errors import OptionError
from firth.language.text import UNK
from firth.registry import plain_name

LINES = 64  # sentences that are read before answers are printed
Trained = Annotated[Path, names("A model that `firth substitutes train` wrote.", "MODEL")]


def _corpus(model: Model) -> Flags:
    defaults = CorpusOptions(**model.kind.text)
    return replace(ANY_CORPUS, without=frozenset({"unknown", "keep_empty"}), defaults=defaults)


def _train(
    run: Run,
    corpus: Sources,
    held_out: Annotated[Path | None, flag("Held-out text that chooses the best epoch.", "TEXT")] = None,
) -> Any:
    """Train context2vec on text.

    Train it on text, which is split into sentences.
    """
    reading = {**_corpus(run.model).select(run.values), **READING.select(run.values)}
    text = corpus_of(corpus, reading, defaults={**run.model.kind.text, "unknown": UNK}, progress=not run.quiet)
    return run.train(text, held_out=held_out)


def _report(run: Run, model: Any) -> Report:
    facts, seconds = model.metadata["training"], run.seconds
    best = facts["best"] or (facts["rows"] or [{}])[-1]
    figures = {"loss": best.get("loss"), "held_out_loss": best.get("held_out_loss")}
    sizes = {"words": len(model.vocabulary), "dim": model.dim, "sentences": facts["sentences"]}
    end = {"seconds": round(seconds, 3), "interrupted": facts["interrupted"]}
    network = f"{len(model.vocabulary):,} words, {model.dim:,} numbers per context"
    lines = [f"{run.output}: context2vec, {network}, {seconds:.1f} s", f"learned from {facts['sentences']:,} sentences"]
    if figures["held_out_loss"] is not None:
        lines.append(f"held-out text: {figures['held_out_loss']:.4f} nats per word")
    lines.append(f'next: echo "they [] the meeting" | firth substitutes predict {run.output} -')
    return {"model": str(run.output), **sizes, **figures, **end}, lines


train = TrainCommand(
    group="substitutes", what="model", homes=("firth.neural.models.context2vec.",), kinds=("firth-context2vec",),
    line="Train context2vec on text: `firth substitutes train TEXT... -o OUT`.", purpose="train context2vec",
    train=_train, report=_report, flags=lambda model: (_corpus(model), READING),
).command()  # fmt: skip


def _predict(
    model: Trained,
    texts: TextFile,
    n: Annotated[int, typer.Option("-n", help="Words per sentence.")] = 10,
    candidates: Annotated[str | None, flag("Words to rank, with commas between. Default: all words.", "WORDS")] = None,
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
        opened = open_model(model, "a model of contexts", "a contextual encoder")
    if candidates is not None and plain_name(opened) == "a contextual encoder":
        raise OptionError(f"--candidates: {model} predicts word pieces and ranks no others; leave it out")
    words = None if candidates is None else [word.strip() for word in candidates.split(",")]
    many = 1 if texts == "-" and sys.stdin.isatty() else LINES
    for lines in with_progress(line_batches(texts, many), "finding words", quiet):
        for line in filter(str.strip, lines):
            answers = opened.substitutes(line, n=n, **({} if words is None else {"candidates": words}))
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
        opened = open_model(model, "a model of contexts")
    sets: Sequence[str] = gold or ["lst-07"]
    report = opened.test(sets, unknown=unknown)
    print(report.to_json() if json else report)


substitutes = commands(
    "Words that fit a place in a sentence: train, predict, test.", train=train, predict=_predict, test=_test
)
