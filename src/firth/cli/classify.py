"""`firth classify`: train, predict, test, quantise."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.classify.classifier import FASTTEXT, Classifier
from firth.classify.files import load
from firth.classify.scores import LabelScore, LabelScores
from firth.classify.text_classifier import TextClassifier
from firth.cli.arguments import TEXT, AsJson, Checkpoint, Quiet, Seed, TextFile, Threads, names, number, output
from firth.cli.files import size_on_disk
from firth.cli.flags import Flags, Group, add_command, with_flags
from firth.cli.output import complain, following, print_json, working
from firth.cli.targets import check_file_target, check_folder_target, check_writable
from firth.cli.texts import line_batches, source_of
from firth.errors import OptionError
from firth.signals import exit_status
from firth.vectors.io.detect import check_file

LINES = 1 << 15  # per batch

Model = Annotated[Path, names("A classifier: a folder that firth wrote, or a .bin or .ftz file of fastText.", "MODEL")]
Texts = Annotated[
    list[str],
    names("Labelled texts: files with __label__NAME in each line, or tables; or - for standard input.", "FILE"),
]
Output = Annotated[Path, output("Folder to save the classifier in, or a .bin or .ftz file for fastText.")]


@dataclass(frozen=True)
class TableOptions:
    """Where labelled texts stand in a table."""

    column: Annotated[
        str | None, typer.Option(help="Column with the texts, in a table. Default: text.", rich_help_panel=TEXT)
    ] = None
    labels: Annotated[
        str | None, typer.Option(help="Column with the labels, in a table.", metavar="COLUMN", rich_help_panel=TEXT)
    ] = None


@dataclass(frozen=True)
class PredictionOptions:
    """Arguments of `Classifier.predict` and `Classifier.test`."""

    k: Annotated[int, number("Labels to predict per text, at most.")] = 1
    threshold: Annotated[float, typer.Option(help="Smallest probability of a predicted label.")] = 0.0
    threads: Threads = None


_OPTIONS, _TABLE, _PREDICTION = Flags(TextClassifier, "Classifier"), Flags(TableOptions), Flags(PredictionOptions)


def _train(
    source: Texts,
    output: Output,
    seed: Seed = 0,
    threads: Threads = None,
    checkpoint: Checkpoint = None,
    autotune: Annotated[
        str | None,
        typer.Option(help="File of labelled texts; search for the options that score best on it.", metavar="FILE"),
    ] = None,
    seconds: Annotated[float, typer.Option(help="With --autotune: duration of the search.")] = 300.0,
    metric: Annotated[str, typer.Option(help="With --autotune: figure to optimise, f1 or f1:LABEL.")] = "f1",
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a text classifier on labelled texts.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned.
    """
    began = time.monotonic()
    _check_target(output, ".bin", source)
    if checkpoint is not None:
        check_writable(checkpoint / "state")
    if autotune is not None and checkpoint is not None:
        raise OptionError("--checkpoint with --autotune: a search cannot be resumed; leave one out")
    model, table, texts = TextClassifier(**_OPTIONS.select(options)), _TABLE.select(options), source_of(source)
    if autotune is not None:
        tuned = model.autotune(
            texts, **table, validation=autotune, seconds=seconds, metric=metric, seed=seed, threads=threads,
            progress=not quiet,
        )  # fmt: skip
        classifier = tuned.classifier
    else:
        classifier = model.train(texts, **table, seed=seed, threads=threads, progress=not quiet, checkpoint=checkpoint)
    classifier.metadata.setdefault("name", output.stem)
    classifier.save(output)
    _report(classifier, output, time.monotonic() - began, json)
    if classifier.metadata["training"]["interrupted"]:
        raise typer.Exit(exit_status())


def _predict(model: Model, texts: TextFile, quiet: Quiet = False, json: AsJson = False, **options: Any) -> None:
    """Predict the labels of texts: one line per text, with labels and probabilities, the most likely first."""
    with working(f"reading {model}", quiet):
        classifier = load(model)
    for lines in following(line_batches(texts, LINES, damaged="surrogateescape"), "predicting", quiet):
        for labels in classifier.predict(lines, **options):
            if json:
                print_json({"labels": [{"label": label, "probability": p} for label, p in labels]})
            else:
                print("\t".join(f"{label}\t{p:.4f}" for label, p in labels))


def _test(model: Model, source: Texts, quiet: Quiet = False, json: AsJson = False, **options: Any) -> None:
    """Test a classifier on labelled texts: precision, recall and F1, overall and per label."""
    scores = load(model).test(source_of(source), **options, progress=not quiet)
    if json:
        print_json({"texts": scores.texts, "k": scores.k, **_figures(scores.overall), "labels": _by_label(scores)})
    else:
        print(f"{scores.texts:,} texts" + (f", the {scores.k} most likely labels of each" if scores.k > 1 else ""))
        print(scores)


def quantise(
    model: Model,
    output: Output,
    width: Annotated[int, typer.Option(help="Numbers that one byte stands for.")] = 2,
    lengths: Annotated[
        bool, typer.Option("--lengths", help="Store the rows' lengths apart, in one byte each.")
    ] = False,
    keep: Annotated[int | None, typer.Option(help="Rows of words and n-grams to keep. Default: all.")] = None,
    label_vectors: Annotated[bool, typer.Option("--label-vectors", help="Quantise the label vectors too.")] = False,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Make a classifier ten to a hundred times smaller by product quantisation."""
    _check_target(output, ".ftz")
    with working("quantising", quiet):
        small = load(model).quantise(width=width, lengths=lengths, keep=keep, labels=label_vectors, seed=seed)
        small.save(output)
    sizes = {"before": size_on_disk(model), "bytes": size_on_disk(output)}
    if json:
        print_json({"classifier": str(output), **sizes})
    else:
        print(f"{output}: {sizes['bytes']:,} bytes, before {sizes['before']:,}")


def _app() -> typer.Typer:
    app = typer.Typer(cls=Group, help="Text classifiers: train, predict, test and shrink.")
    add_command(app, "train", with_flags(_train, [_OPTIONS, _TABLE]))
    add_command(app, "predict", with_flags(_predict, [_PREDICTION]))
    add_command(app, "test", with_flags(_test, [_TABLE, _PREDICTION]))
    add_command(app, "quantise", quantise)
    return app


classify = _app()


def _check_target(output: Path, suffix: str, sources: Sequence[str] = ()) -> None:
    """Check that a classifier can be written.

    Raises:
        OptionError: something else is there, or the name is that of fastText's other kind of file.
    """
    if output.suffix not in FASTTEXT:
        check_folder_target(output)
        return
    if output.suffix != suffix:
        raise OptionError(f"{output}: expected a name that ends in {suffix}, or a folder; .ftz files are quantised")
    check_file_target(output, check_file, sources)


def _report(classifier: Classifier, output: Path, seconds: float, json: bool) -> None:
    facts = classifier.metadata["training"]
    if facts["texts_left_out"]:
        complain(f"warning: {facts['texts_left_out']:,} texts without a label or a known word were left out")
    if json:
        tuned = classifier.metadata.get("autotune", {})
        print_json(
            {
                "classifier": str(output),
                "labels": len(classifier),
                "words": len(classifier.words),
                "dim": classifier.dim,
                "texts": facts["texts"],
                "loss": facts["loss"],
                "training_seconds": facts["seconds"],
                "seconds": round(seconds, 3),
                "interrupted": facts["interrupted"],
                **({"options": facts["options"], "score": tuned["score"]} if tuned else {}),
            }
        )
        return
    print(f"{output}: {len(classifier):,} labels, {len(classifier.words):,} words x {classifier.dim}, {seconds:.1f} s")
    print(f"trained on {facts['texts']:,} texts, {facts['words']:,} words, in {facts['seconds']:.1f} s")
    if "autotune" in classifier.metadata:
        tuned, options = classifier.metadata["autotune"], facts["options"]
        best_options = " ".join(
            f"{name}={options[name]}" for name in ("dim", "lr", "epochs", "word_ngrams", "min_n", "max_n")
        )
        print(f"best of {len(tuned['trials'])} trials: {tuned['metric']} {tuned['score']:.4f} with {best_options}")


def _figures(score: LabelScore) -> dict[str, float]:
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}


def _by_label(scores: LabelScores) -> dict[str, Any]:
    return {label: {**_figures(score), "texts": score.support} for label, score in scores.by_label.items()}
