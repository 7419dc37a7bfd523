"""`firth lm train`: text in, a language model out.

Models are named by the options that train them. Those that count are looked at first, so that n-grams never wait for
PyTorch, which takes seconds to import, and need not have it.
"""

import inspect
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.flags import SETTINGS, Commands, Flags, add_command, with_flags
from firth.cli.output import AsJson, Quiet, note, paragraphs, print_json
from firth.cli.targets import check_file_target, check_folder_target, check_writable
from firth.cli.texts import Cache, Column, Sources, StopWords, corpus_of, is_built_corpus
from firth.comparison.named import Model, named
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.errors import MissingExtraError, OptionError
from firth.language.arpa import check_target
from firth.language.files import is_arpa, save_language_model
from firth.language.model import LanguageModel
from firth.language.perplexity import Perplexity
from firth.language.text import UNK, training_text
from firth.option_names import one_spelling
from firth.signals import exit_status
from firth.timing import counted

COUNTING, NEURAL = ("firth.language.",), ("firth.neural.models.language.",)
TEXT = Flags(CorpusOptions, "Text", frozenset({"unknown", "keep_empty"}))  # a place for rare words there always is


def train(context: typer.Context) -> None:
    """Train a language model on text: `firth lm train MODEL CORPUS... -o OUT`.

    `firth lm train --help` shows the models, `firth lm train MODEL --help` the options of one.
    """
    arguments = context.args or ["--help"]
    with counted():  # importing PyTorch counts against --minutes
        trainers(arguments)(arguments, prog_name="firth lm train")


def trainers(arguments: Sequence[str]) -> typer.Typer:
    """Return a command a model, each with the flags of its own options; neural ones where they are asked for."""
    chosen = next((one_spelling(word) for word in arguments if not word.startswith("-")), None)
    app = typer.Typer(
        cls=Commands,
        help="Train a language model on text. firth lm train MODEL --help shows the options of a model.",
        subcommand_metavar="MODEL CORPUS... -o OUT",
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings=SETTINGS,
    )
    app.callback()(_shared)
    for name, model in _models(chosen).items():
        text = paragraphs(_train).partition("\n\n")[2]
        shown = {"help": f"{model.description}\n\n{text}", "short_help": model.description}
        add_command(app, name, _command(name, model), **shown)
    return app


def _shared() -> None:
    """Keep the name of a model an argument, even where there is but one."""


def _models(chosen: str | None) -> dict[str, Model]:
    counting = named(COUNTING)
    if chosen in counting:
        return {chosen: counting[chosen]}
    try:
        return {**counting, **named(NEURAL)}
    except MissingExtraError:
        if chosen is None:
            note("Neural models need PyTorch: pip install 'firth[neural]'")
            return counting
        purpose = f"train {chosen!r}, which is none of the models that count ({', '.join(counting)})"
        raise MissingExtraError("torch", "neural", purpose) from None


def _command(name: str, model: Model) -> Any:
    taken = inspect.signature(model.kind.train).parameters
    known = {flag: None for flag in ("seed", "checkpoint") if flag not in taken}
    flags = [Flags(model.kind, "Model", frozenset(model.preset))]
    if "training" in taken:
        usual = model.kind.training
        flags.append(Flags(type(usual), "Training", defaults=usual))
    flags.append(TEXT)
    return with_flags(_train, flags, model=name, how=model, **known)


def _train(
    model: str,
    how: Model,
    corpus: Sources,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Folder to save the model in, or, of n-grams, an ARPA file (.arpa).",
            show_default=False,
            metavar="OUT",
        ),
    ],
    held_out: Annotated[
        Path | None,
        typer.Option(
            help="Text to tell the perplexity of, and, for neural models, to choose the best by.", metavar="TEXT"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of every random draw. Default: 0.")] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Threads; by default one a processor for models that count, and 1 for neural ones, which then give "
            "the same bits every time.",
            show_default=False,
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Folder to keep the state in; the same line goes on after a kill.", metavar="DIR"),
    ] = None,
    column: Column = None,
    stop_words: StopWords = None,
    cache: Cache = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a language model on text.

    Words that are rarer than --min-count, or beyond --max-size, are read as <unk>, which is predicted like any word.
    Models over characters read them by their spelling, and predict <unk> in their place.
    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything was.
    """
    began = time.monotonic()
    check_model_target(out, corpus, counts=how.kind.__module__.startswith(COUNTING))
    if checkpoint is not None:
        check_writable(checkpoint / "state")
    trainer = how.kind(**Flags(how.kind, "Model").select(options), **how.preset)
    training = _training(how.kind, options)
    read: dict[str, Any] = {"column": column, "cache": cache, "progress": not quiet}
    usual = {**getattr(how.kind, "corpus_options", {}), "unknown": UNK}
    chosen = TEXT.select(options)
    if str(chosen.get("tokens", "")).endswith(".json"):
        usual["min_count"] = 1  # a piece that is rare is still a piece
    spells = bool(getattr(trainer, "spells", False))
    limits: dict[str, Any] = {}
    if spells:  # it reads every word, and the limits are of what it predicts
        limits = {name: chosen.pop(name) for name in ("min_count", "max_size") if name in chosen}
        if not is_built_corpus(corpus):
            limits.setdefault("min_count", usual.get("min_count", CorpusOptions().min_count))
        usual = {**usual, "min_count": 1, "unknown": None}
    text = corpus_of(corpus, chosen, stop_words=stop_words, defaults=usual, **read)
    judged = None if held_out is None else _held_out(held_out, text, read)
    given = {"training": training, "held_out": judged, "seed": seed, "checkpoint": checkpoint}
    taken = inspect.signature(trainer.train).parameters
    further = {name: value for name, value in given.items() if value is not None and name in taken}
    source = training_text(text, limits, spelled=True) if spells else text
    with counted() as clock:
        clock.evaluations = 0 if judged is None else 1  # the perplexity that is reported at the end
        learned = trainer.train(source, threads=threads, progress=not quiet, **further)
    learned.metadata.setdefault("name", out.stem)
    save_language_model(learned, out)
    course = learned.metadata.get("training", {})
    interrupted = bool(course.get("interrupted"))
    figure = None if judged is None or interrupted else learned.perplexity(judged, progress=not quiet)
    _tell(model, learned, text, out, time.monotonic() - began, figure, json)
    if interrupted:
        raise typer.Exit(exit_status())
    if course.get("ended") == "diverged":  # the warning said so, and which model was kept
        raise typer.Exit(1)


def check_model_target(path: Path, sources: Sequence[str], *, counts: bool) -> None:
    """Make sure that a language model can be written to a path, as an ARPA file where its name says so.

    Args:
        path: where to.
        sources: the texts that it is trained on.
        counts: whether the model is one of n-grams.

    Raises:
        OptionError: something else is there, or the name is an ARPA file's and the model has no n-grams.
        OSError: nothing can be written there.
    """
    if not is_arpa(path):
        check_folder_target(path)
    elif not counts:
        raise OptionError(f"{path}: an ARPA file holds n-grams, and this model has none; give the name of a folder")
    else:
        check_file_target(path, check_target, sources)


def _training(kind: Any, options: Mapping[str, Any]) -> Any:
    """The options of training: the model's own, changed where flags were given; None for a model that has none."""
    if "training" not in inspect.signature(kind.train).parameters:
        return None
    return replace(kind.training, **Flags(type(kind.training), "Training").select(options))


def _held_out(path: Path, text: Corpus, read: Mapping[str, Any]) -> Corpus:
    """Held-out text, read as the text that is trained on before any time goes into training."""
    rules = text.options.described()
    how = {"min_count": 1, "tokens": rules["tokens"], "sentences": rules["sentences"]}
    return corpus_of([str(path)], {}, stop_words=None, defaults=how, **read)


def _tell(
    model: str, learned: LanguageModel, text: Corpus, out: Path, seconds: float, figure: Perplexity | None, json: bool
) -> None:
    vocabulary = learned.vocabulary
    unknown = int(vocabulary.counts[vocabulary.ids[UNK]]) if UNK in vocabulary else 0
    if json:
        print_json(
            {
                "model": str(out),
                "kind": model,
                "words": len(learned.vocabulary),
                "tokens": text.num_tokens,
                "unknown": unknown,
                "seconds": round(seconds, 3),
                "interrupted": bool(learned.metadata.get("training", {}).get("interrupted")),
                **({} if figure is None else {"held_out": figure.described()}),
            }
        )
        return
    print(f"{out}: {model}, {len(learned.vocabulary):,} words, {seconds:.1f} s in all")
    how = f"predicted as {UNK}" if learned.spells else f"read as {UNK}"
    rare = f"{unknown:,} of them ({100 * unknown / max(text.num_tokens, 1):.1f} %) rare and {how}"
    print(f"learned from {text.num_tokens:,} words, {rare if unknown else 'all of them kept'}")
    if figure is not None:
        print(figure)
    print(f"next: firth lm generate {shlex.quote(str(out))}")
