"""`firth lm train`.

The names of n-gram models are looked up first: they need no PyTorch, whose import takes seconds.
"""

import contextlib
import importlib
import inspect
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Checkpoint, Every, Quiet, Sources, output
from firth.cli.cluster_flags import ClusterAddress, Workers, check_cluster
from firth.cli.flags import SETTINGS, Commands, Flags, add_command, with_flags
from firth.cli.language_start import NEURAL, open_start, started_options
from firth.cli.output import end, note, paragraphs, print_json
from firth.cli.targets import check_file_target, check_folder_target, checkpoint_in
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING, corpus_of, is_built_corpus
from firth.cluster.cluster import Cluster, how_on_cluster
from firth.comparison.named import Model, named
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.errors import MissingExtraError, OptionError
from firth.language.arpa import check_target
from firth.language.files import is_arpa, save_language_model
from firth.language.model import LanguageModel
from firth.language.perplexity import Perplexity
from firth.language.text import UNK, training_text
from firth.spelling import one_spelling
from firth.timing import running_clock

COUNTING = ("firth.language.",)
CORPUS = replace(ANY_CORPUS, without=frozenset({"unknown", "keep_empty"}))  # every language model has <unk>
SUBWORDS = replace(CORPUS, defaults=CorpusOptions(tokens="subwords"))  # neural models read them unless told otherwise


_RARE = "Words below --min-count or beyond --max-size"
_READS = {  # paragraphs of the help
    "words": (f"{_RARE} are read as <unk>, which is predicted like any other word.",),
    "spelling": (f"{_RARE} are read by their spelling like all others; the model predicts <unk> for them.",),
    "subwords": (
        "The text is read in subwords, with its case and punctuation. They are learned from the text first, as many as "
        "suit its length or --max-size, and saved with the model.",
        f"--tokens characters reads characters, --tokens words words in lower case. {_RARE} are then read as <unk>.",
    ),
}


def train(context: typer.Context) -> None:
    """Train a language model on text: `firth lm train MODEL CORPUS... -o OUT`.

    `firth lm train --help` shows the models, `firth lm train MODEL --help` the options of one.
    """
    arguments = context.args or ["--help"]
    place = next((i for i, word in enumerate(arguments) if not word.startswith("-")), None)
    if place is not None and (name := arguments[place].lower()) in named((*COUNTING, *NEURAL)):
        arguments = [*arguments[:place], name, *arguments[place + 1 :]]  # LSTM is lstm
    with running_clock():  # importing PyTorch counts against --minutes
        trainers(arguments)(arguments, prog_name="firth lm train")


def trainers(arguments: Sequence[str]) -> typer.Typer:
    """Return a command per model, each with the flags of its own options."""
    model_name = next((one_spelling(word) for word in arguments if not word.startswith("-")), None)
    app = typer.Typer(
        cls=Commands,
        help="Train a language model on text. firth lm train MODEL --help shows the options of a model.",
        subcommand_metavar="MODEL CORPUS... -o OUT",
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings=SETTINGS,
    )
    app.callback()(_shared)
    for name, model in _models(model_name).items():
        text = [model.description, *_READS[_reads(model)], paragraphs(_train).partition("\n\n")[2]]
        shown = {"help": "\n\n".join(text), "short_help": model.description}
        shown["rich_help_panel"] = "N-gram models" if _counts(model) else "Neural models"
        add_command(app, name, _command(name, model), **shown)
    return app


def _shared() -> None:
    """Make typer expect the name of a model even if the app has only one command."""


def _models(model_name: str | None) -> dict[str, Model]:
    counting = named(COUNTING)
    if model_name in counting:
        return {model_name: counting[model_name]}
    try:
        importlib.import_module("firth.neural")  # which says what is missing
        return {**counting, **named(NEURAL)}
    except MissingExtraError:
        if model_name is None:
            note("Neural models need PyTorch: pip install 'firth[neural]'")
            return counting
        purpose = f"train {model_name!r}, which is not an n-gram model ({', '.join(counting)})"
        raise MissingExtraError("torch", "neural", purpose) from None


def _counts(model: Model) -> bool:
    return str(model.kind.__module__).startswith(COUNTING)


def _model_flags(model: Model) -> Flags:
    # -o/--output is the file to write in every command.
    return Flags(model.kind, "Model", frozenset(model.preset) | model.unused, renamed={"output": "output_layer"})


def _command(name: str, model: Model) -> Any:
    parameters = inspect.signature(model.kind.train).parameters
    fixed = {flag: None for flag in ("seed", "checkpoint", "start", "old_held_out") if flag not in parameters}
    fixed |= {"every": None} if "checkpoint" in fixed else {}
    flags = [_model_flags(model)]
    if "training" in parameters:
        usual = model.kind.training
        flags.append(Flags(type(usual), "Training", defaults=usual))
    text = SUBWORDS if _reads(model) == "subwords" else CORPUS
    return with_flags(_train, [*flags, text, READING], model=name, how=model, **fixed)


def _reads(model: Model) -> str:
    """Return what a model reads unless told otherwise."""
    options = model.kind(**model.preset)
    return "spelling" if getattr(options, "spells", False) else getattr(options, "default_tokens", "words")


def _train(
    model: str,
    how: Model,
    corpus: Sources,
    output: Annotated[Path, output("Folder to save the model in; n-gram models also write ARPA files (.arpa).")],
    held_out: Annotated[
        Path | None,
        typer.Option(
            help="Held-out text: measures perplexity and, for neural models, chooses the best model.", metavar="TEXT"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed: the same seed gives the same result. Default: 0.")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Threads. Default: one per processor for n-gram models; 1 for neural models, whose result is then "
            "the same every time.",
            show_default=False,
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            help="Trained model to start from: continue on more text, or fine-tune on other text.", metavar="MODEL"
        ),
    ] = None,
    old_held_out: Annotated[
        Path | None,
        typer.Option(
            help="With --start, held-out text like that of the start: its perplexity before and after training.",
            metavar="TEXT",
        ),
    ] = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    cluster: ClusterAddress = None,
    workers: Workers = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a language model on text.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything.
    """
    began = time.monotonic()
    check_model_target(output, corpus, counts=_counts(how))
    counts = how_on_cluster(how.kind) == "counts"
    others = {"--threads": threads, "--processes": options.get("processes")}
    check_cluster(cluster, workers, {} if counts else others)
    on_cluster = None if cluster is None else Cluster(workers=workers, address=cluster)
    states = checkpoint_in(checkpoint, every)
    if old_held_out is not None and start is None:
        raise OptionError(f"--old-held-out {old_held_out} without --start: it is text like that of the start")
    flags, before = _model_flags(how), None
    if start is None:
        trainer = how.kind(**flags.select(options), **how.preset)
    else:
        before = open_start(start, model, how, quiet)
        trainer = started_options(before, flags, options)
    training = _training(how.kind, options)
    with on_cluster.lend() if on_cluster else contextlib.nullcontext():
        text, source = _texts(trainer, before, corpus, options, progress=not quiet)
        test, old = (
            None if each is None else _held_out(each, text, options, progress=not quiet)
            for each in (held_out, old_held_out)
        )
        arguments = {
            "training": training,
            "held_out": test,
            "seed": seed,
            "checkpoint": states,
            "start": before,
            "old_held_out": old,
        }
        parameters = inspect.signature(trainer.train).parameters
        rest = {name: value for name, value in arguments.items() if value is not None and name in parameters}
        with running_clock() as clock:
            clock.evaluations = (test is not None) + (old is not None)  # perplexities that are reported at the end
            if on_cluster is None:
                trained_model = trainer.train(source, threads=threads, progress=not quiet, **rest)
            else:
                trained_model = on_cluster.train(trainer, source, threads=threads, progress=not quiet, **rest)
    trained_model.metadata.setdefault("name", output.stem)
    save_language_model(trained_model, output)
    course = trained_model.metadata.get("training", {})
    interrupted = bool(course.get("interrupted"))
    figure = None if test is None or interrupted else trained_model.perplexity(test, progress=not quiet)
    _report(model, trained_model, text, output, time.monotonic() - began, figure, json)
    end(course)


def _texts(
    trainer: Any, start: LanguageModel | None, corpus: Sequence[str], options: Mapping[str, Any], *, progress: bool
) -> tuple[Corpus, Any]:
    """Return the corpus of the command line, and the text to train on."""
    corpus_options = {**CORPUS.select(options), **READING.select(options)}
    if start is not None:
        rules = {"tokens": start.rules.tokens, "sentences": start.rules.sentences, "min_count": 1}
        text = corpus_of(corpus, corpus_options, defaults=rules, progress=progress)
        return text, text
    usual: dict[str, Any] = {**getattr(type(trainer), "corpus_options", {}), "unknown": UNK}
    tokens = getattr(trainer, "default_tokens", CorpusOptions().tokens)
    if tokens != CorpusOptions().tokens:  # otherwise columns of words keep their words
        usual["tokens"] = tokens
    if str(corpus_options.get("tokens", "")).endswith(".json"):
        usual["min_count"] = 1  # rare subwords are kept
    if not getattr(trainer, "spells", False):
        text = corpus_of(corpus, corpus_options, defaults=usual, progress=progress)
        return text, text
    # The model reads every word; the limits are for the words that it predicts.
    limits: dict[str, Any] = {
        name: corpus_options.pop(name) for name in ("min_count", "max_size") if name in corpus_options
    }
    if not is_built_corpus(corpus):
        limits.setdefault("min_count", usual.get("min_count", CorpusOptions().min_count))
    text = corpus_of(corpus, corpus_options, defaults={**usual, "min_count": 1, "unknown": None}, progress=progress)
    return text, training_text(text, limits, spelled=True)


def check_model_target(path: Path, sources: Sequence[str], *, counts: bool) -> None:
    """Check that a language model can be written to a path, as an ARPA file if its name ends so.

    Args:
        path: folder or file to write.
        sources: the texts that the model is trained on.
        counts: whether it is an n-gram model.

    Raises:
        OptionError: something else is there, or the name is that of an ARPA file and the model has no n-grams.
        OSError: nothing can be written there.
    """
    if not is_arpa(path):
        check_folder_target(path)
    elif not counts:
        raise OptionError(f"{path}: an ARPA file holds n-grams, and this model has none; give the name of a folder")
    else:
        check_file_target(path, check_target, sources)


def _training(kind: Any, options: Mapping[str, Any]) -> Any:
    """The training options: the model's own with the flags applied; None for a model without any."""
    if "training" not in inspect.signature(kind.train).parameters:
        return None
    return replace(kind.training, **Flags(type(kind.training), "Training").select(options))


def _held_out(path: Path, text: Corpus, options: Mapping[str, Any], *, progress: bool) -> Corpus:
    """Held-out text, tokenised as the training text."""
    rules = text.options.described()
    defaults = {"min_count": 1, "tokens": rules["tokens"], "sentences": rules["sentences"]}
    reading = {name: value for name, value in READING.select(options).items() if name != "stop_words"}
    return corpus_of([str(path)], reading, defaults=defaults, progress=progress)


def _report(
    model: str, trained_model: Any, text: Corpus, output: Path, seconds: float, figure: Perplexity | None, json: bool
) -> None:
    vocabulary, unit = trained_model.vocabulary, trained_model.rules.unit
    unknown = sum(
        count
        for word, count in zip(text.vocabulary.words, text.vocabulary.counts.tolist(), strict=True)
        if word == UNK or word not in vocabulary
    )
    old = trained_model.metadata.get("old_held_out")
    if json:
        print_json(
            {
                "model": str(output),
                "kind": model,
                "words": len(vocabulary),
                "unit": unit,
                "tokens": text.num_tokens,
                "characters": text.characters,
                "unknown": unknown,
                "seconds": round(seconds, 3),
                "interrupted": bool(trained_model.metadata.get("training", {}).get("interrupted")),
                **({} if figure is None else {"held_out": figure.described()}),
                **({} if old is None else {"old_held_out": old}),
            }
        )
        return
    print(f"{output}: {model}, {len(vocabulary):,} {unit}, {seconds:.1f} s in total")
    role = "predicted" if trained_model.spells else "read"
    learned = f"learned from {text.num_tokens:,} {unit}"
    if text.characters is not None and unit == "subwords":
        learned += f" ({text.characters:,} characters)"
    if unknown:
        share = 100 * unknown / max(text.num_tokens, 1)
        print(f"{learned}, {unknown:,} of them ({share:.1f} %) rare and {role} as {UNK}")
    else:
        print(f"{learned}, all of them kept" if unit == "words" else learned)
    if figure is not None:
        print(figure)
    best = trained_model.metadata.get("training", {}).get("best") or {}
    if "held_out_forward" in best:
        print(f"perplexity forward {best['held_out_forward']:,.2f}, backward {best['held_out_backward']:,.2f}")
    if old is not None:
        first, last = (old[when]["perplexity"] for when in ("before", "after"))
        if first is not None and last is not None:
            print(f"old text: perplexity {first:,.2f} before, {last:,.2f} after ({100 * (last / first - 1):+.1f} %)")
    if isinstance(trained_model, LanguageModel):
        print(f"next: firth lm generate {shlex.quote(str(output))}")
    else:
        print(f"next: firth tag train FILE -o TAGGER --embed {shlex.quote(str(output))}")
