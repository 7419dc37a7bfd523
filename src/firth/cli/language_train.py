"""`firth lm train`.

The names of n-gram models are looked up first: they need no PyTorch, whose import takes seconds.
"""

import contextlib
import importlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import Checkpoint, ClusterAddress, Every, Sources, Workers, flag, output
from firth.cli.flags import Flags, add_command
from firth.cli.output import note, working
from firth.cli.targets import check_cluster, check_file_target, check_folder_target
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING, corpus_of, is_built_corpus
from firth.cli.training import STOPS, Report, Run, TrainCommand, model_flags, single_app
from firth.cluster.cluster import Cluster, how_on_cluster
from firth.comparison.models import Model, models_in
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.errors import MissingExtraError, OptionError, install_command
from firth.language.arpa import check_target
from firth.language.files import save_language_model
from firth.language.model import LanguageModel
from firth.language.text import UNK, TextRules, training_text
from firth.spelling import one_spelling
from firth.storage.files import is_arpa
from firth.timing import running_clock

COUNTING = ("firth.language.",)
NEURAL = ("firth.neural.models.language.", "firth.neural.models.bidirectional.")
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
        "Each line is a text, which ends where the line ends. --sentences text reads a file as one text, whose line "
        "breaks are symbols like any other, as verse, plays and programs want it.",
    ),
}


def train(context: typer.Context) -> None:
    """Train a language model on text: `firth lm train MODEL CORPUS... -o OUT`.

    `firth lm train --help` shows the models, `firth lm train MODEL --help` the options of one.
    """
    arguments = context.args
    position = next((i for i, word in enumerate(arguments) if not word.startswith("-")), None)
    if position is not None and (name := arguments[position].lower()) in models_in((*COUNTING, *NEURAL)):
        arguments = [*arguments[:position], name, *arguments[position + 1 :]]  # LSTM is lstm
    with running_clock():  # importing PyTorch counts against --minutes
        trainers(arguments)(arguments, prog_name="firth lm train")


def trainers(arguments: Sequence[str]) -> typer.Typer:
    """Return a command per model, each with the flags of its own options."""
    model_name = next((one_spelling(word) for word in arguments if not word.startswith("-")), None)
    app = single_app(
        help="Train a language model on text. firth lm train MODEL --help shows the options of a model.",
        subcommand_metavar="MODEL CORPUS... -o OUT",
        no_args_is_help=True,
    )
    for name, model in _models(model_name).items():
        text = [model.description, *_READS[_reads(model)], STOPS]
        shown = {"help": "\n\n".join(text), "short_help": model.description}
        shown["rich_help_panel"] = "N-gram models" if _counts(model) else "Neural models"
        add_command(app, name, TRAIN.of(model), **shown)
    return app


def _models(model_name: str | None) -> dict[str, Model]:
    counting = models_in(COUNTING)
    if model_name in counting:
        return {model_name: counting[model_name]}
    try:
        importlib.import_module("firth.neural")  # which says what is missing
        return {**counting, **models_in(NEURAL)}
    except MissingExtraError:
        if model_name is None:
            note(f"Neural models need PyTorch: {install_command('neural')}")
            return counting
        purpose = f"train {model_name!r}, which is not an n-gram model ({', '.join(counting)})"
        raise MissingExtraError("torch", "neural", purpose) from None


def _counts(model: Model) -> bool:
    return str(model.kind.__module__).startswith(COUNTING)


def _reads(model: Model) -> str:
    """Return what a model reads unless told otherwise."""
    options = model.kind(**model.preset)
    return "spelling" if getattr(options, "spells", False) else getattr(options, "default_tokens", "words")


def _train(
    run: Run,
    corpus: Sources,
    output: Annotated[Path, output("Folder to save the model in; n-gram models also write ARPA files (.arpa).")],
    held_out: Annotated[
        Path | None, flag("Held-out text: measures perplexity and, for neural models, chooses the best model.", "TEXT")
    ] = None,
    seed: Annotated[int | None, flag("Random seed: the same seed gives the same result. Default: 0.")] = None,
    threads: Annotated[
        int | None,
        flag(
            "Threads. Default: one per processor for n-gram models; 1 for neural models, whose result is then "
            "the same every time."
        ),
    ] = None,
    start: Annotated[
        Path | None, flag("Trained model to start from: continue on more text, or fine-tune on other text.", "MODEL")
    ] = None,
    old_held_out: Annotated[
        Path | None,
        flag("With --start, held-out text like that of the start: its perplexity before and after training.", "TEXT"),
    ] = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    cluster: ClusterAddress = None,
    workers: Workers = None,
) -> Any:
    """Train a language model on text."""
    on_cluster = None if cluster is None else Cluster(workers=workers, address=cluster)
    with on_cluster.lend() if on_cluster else contextlib.nullcontext():
        text, source = _texts(run.options, run.start, corpus, run.values, progress=not run.quiet)
        test, old = (
            None if path is None else _held_out(path, text, run.values, progress=not run.quiet)
            for path in (held_out, old_held_out)
        )
        run.read = {"text": text, "test": test}
        with running_clock() as clock:
            clock.evaluations = (test is not None) + (old is not None)  # perplexities that are reported at the end
            trainer = None if on_cluster is None else partial(on_cluster.train, run.options)
            return run.train(source, trainer=trainer, held_out=test, start=run.start, old_held_out=old)


def _check(run: Run) -> None:
    """Check the output, and that the flags go together."""
    values = run.values
    check_model_target(run.output, values["corpus"], counts=_counts(run.model), overwrite=run.replaces)
    counts = how_on_cluster(run.model.kind) == "counts"
    local_flags = {"--threads": values["threads"], "--processes": values.get("processes")}
    check_cluster(values["cluster"], values["workers"], {} if counts else local_flags)
    if values.get("old_held_out") is not None and values["start"] is None:
        raise OptionError(f"--old-held-out {values['old_held_out']} without --start: it is text like that of the start")


def _options(run: Run) -> Any:
    """The options of the model: those of the start, if there is one, with those that the flags change."""
    start = run.values.get("start")
    if start is None:
        return run.given()
    run.start = _open_start(start, run.model, run.quiet)
    return _started_options(run.start, model_flags(TRAIN, run.model)[0], run.values)


def _open_start(path: Path, model: Model, quiet: bool) -> Any:
    """Return the neural language model to start from."""
    from firth.neural.models.language.train import opened_start  # imports PyTorch

    with working(f"reading {path}", quiet):
        start = opened_start(path)
    if not _is(start.options, model):
        own = next((name for name, other in models_in(NEURAL).items() if _is(start.options, other)), "another model")
        raise OptionError(f"--start {path}: {path} was made by firth lm train {own}, not {model.name}; train {own}")
    return start


def _is(options: Any, model: Model) -> bool:
    return type(options) is model.kind and all(getattr(options, name) == value for name, value in model.preset.items())


def _started_options(start: Any, flags: Flags, values: Mapping[str, Any]) -> Any:
    """Return the options of a start with those that the command line changes.

    Args:
        flags: of the model's options.
    """
    from firth.neural.models.language.train import differences

    options = replace(start.options, **flags.select(values))
    different = differences(options, start.options)
    if different:
        shown = {name: f"--{flags.renamed.get(name, name).replace('_', '-')}" for name in different}
        given = ", ".join(f"{shown[name]} {_shown(own)}" for name, (own, _) in different.items())
        start_values = ", ".join(f"{shown[name]} {_shown(theirs)}" for name, (_, theirs) in different.items())
        raise OptionError(f"{given} with --start: the start has {start_values}, which cannot change; leave it out")
    stop_words = {} if values.get("stop_words") is None else {"stop_words": values["stop_words"]}
    text = [
        f"--{name.replace('_', '-')} {_shown(value)}" for name, value in {**CORPUS.select(values), **stop_words}.items()
    ]
    if text:
        raise OptionError(f"{', '.join(text)} with --start: the text is read like that of the start; leave it out")
    return options


def _shown(value: Any) -> str:
    return shlex.quote(str(value))


def _texts(
    trainer: Any, start: LanguageModel | None, corpus: Sequence[str], options: Mapping[str, Any], *, progress: bool
) -> tuple[Corpus, Any]:
    """Return the corpus of the command line, and the text to train on."""
    corpus_options = {**CORPUS.select(options), **READING.select(options)}
    if start is not None:
        rules = {**start.rules.corpus_options(), "min_count": 1}
        text = corpus_of(corpus, corpus_options, defaults=rules, progress=progress)
        return text, text
    defaults: dict[str, Any] = {**getattr(type(trainer), "corpus_options", {}), "unknown": UNK}
    tokens = getattr(trainer, "default_tokens", CorpusOptions().tokens)
    if tokens != CorpusOptions().tokens:  # otherwise columns of words keep their words
        defaults["tokens"] = tokens
    if str(corpus_options.get("tokens", "")).endswith(".json"):
        defaults["min_count"] = 1  # rare subwords are kept
    if not getattr(trainer, "spells", False):
        text = corpus_of(corpus, corpus_options, defaults=defaults, progress=progress)
        return text, text
    # The model reads every word; the limits are for the words that it predicts.
    limits: dict[str, Any] = {
        name: corpus_options.pop(name) for name in ("min_count", "max_size") if name in corpus_options
    }
    if not is_built_corpus(corpus):
        limits.setdefault("min_count", defaults.get("min_count", CorpusOptions().min_count))
    text = corpus_of(corpus, corpus_options, defaults={**defaults, "min_count": 1, "unknown": None}, progress=progress)
    return text, training_text(text, limits, spelled=True)


def check_model_target(path: Path, sources: Sequence[str], *, counts: bool, overwrite: bool) -> None:
    """Check that a language model can be written to a path, as an ARPA file if its name ends so."""
    if not is_arpa(path):
        check_folder_target(path, overwrite=overwrite)
    elif not counts:
        raise OptionError(f"{path}: an ARPA file holds n-grams, and this model has none; give the name of a folder")
    else:
        check_file_target(path, check_target, sources, overwrite=overwrite)


def _held_out(path: Path, text: Corpus, options: Mapping[str, Any], *, progress: bool) -> Corpus:
    """Held-out text, tokenised as the training text."""
    defaults = {**TextRules.of(text.options).corpus_options(), "min_count": 1}
    reading = {name: value for name, value in READING.select(options).items() if name != "stop_words"}
    return corpus_of([str(path)], reading, defaults=defaults, progress=progress)


def _report(run: Run, model: Any) -> Report:
    text, test, course = run.read["text"], run.read["test"], model.metadata.get("training", {})
    interrupted = bool(course.get("interrupted"))
    figure = None if test is None or interrupted else model.perplexity(test, progress=not run.quiet)
    vocabulary, unit, old, seconds = model.vocabulary, model.rules.unit, model.metadata.get("old_held_out"), run.seconds
    counts = zip(text.vocabulary.words, text.vocabulary.counts.tolist(), strict=True)
    unknown = sum(count for word, count in counts if word == UNK or word not in vocabulary)
    table = {
        "model": str(run.output),
        "kind": run.model.name,
        "words": len(vocabulary),
        "unit": unit,
        "tokens": text.num_tokens,
        "characters": text.characters,
        "unknown": unknown,
        "seconds": round(seconds, 3),
        "interrupted": interrupted,
        **({} if figure is None else {"held_out": figure.described()}),
        **({} if old is None else {"old_held_out": old}),
    }
    lines = [f"{run.output}: {run.model.name}, {len(vocabulary):,} {unit}, {seconds:.1f} s in total"]
    learned = f"learned from {text.num_tokens:,} {unit}"
    if text.characters is not None and unit == "subwords":
        learned += f" ({text.characters:,} characters)"
    if unknown:
        share = 100 * unknown / max(text.num_tokens, 1)
        role = "predicted" if model.spells else "read"
        lines.append(f"{learned}, {unknown:,} of them ({share:.1f} %) rare and {role} as {UNK}")
    else:
        lines.append(f"{learned}, all of them kept" if unit == "words" else learned)
    if figure is not None:
        lines.append(str(figure))
    best = course.get("best") or {}
    if "held_out_forward" in best:
        forward, backward = best["held_out_forward"], best["held_out_backward"]
        lines.append(f"perplexity forward {forward:,.2f}, backward {backward:,.2f}")
    if old is not None:
        first, last = (old[when]["perplexity"] for when in ("before", "after"))
        if first is not None and last is not None:
            change = 100 * (last / first - 1)
            lines.append(f"old text: perplexity {first:,.2f} before, {last:,.2f} after ({change:+.1f} %)")
    quoted = shlex.quote(str(run.output))
    generates = isinstance(model, LanguageModel)
    next_command = f"lm generate {quoted}" if generates else f"tag train FILE -o TAGGER --embed {quoted}"
    return table, [*lines, f"next: firth {next_command}"]


def _text_flags(model: Model) -> tuple[Flags, Flags]:
    return SUBWORDS if _reads(model) == "subwords" else CORPUS, READING


TRAIN = TrainCommand(
    group="lm", what="model", homes=(*COUNTING, *NEURAL), train=_train, report=_report, flags=_text_flags,
    renamed={"output": "output_layer"},  # -o/--output is the file to write in every command
    check=_check, options=_options, save=save_language_model,
)  # fmt: skip
