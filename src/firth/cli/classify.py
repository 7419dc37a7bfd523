"""`firth classify train|predict|test|quantise`: texts with labels in, labels of texts out."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.classify.classifier import FASTTEXT, Classifier
from firth.classify.files import load
from firth.classify.scores import LabelScore, LabelScores
from firth.classify.text_classifier import TextClassifier
from firth.cli.files import size_on_disk
from firth.cli.flags import Flags, add_command, with_flags
from firth.cli.output import AsJson, complain, print_json
from firth.cli.targets import check_file_target, check_folder_target, check_writable
from firth.cli.texts import line_batches, source_of
from firth.errors import OptionError
from firth.signals import exit_status
from firth.vectors.io.detect import check_file

LINES = 1 << 15  # answered at once

Model = Annotated[
    Path,
    typer.Argument(help="A classifier: a folder of firth's, or fastText's .bin or .ftz.", metavar="MODEL"),
]
Texts = Annotated[
    list[str],
    typer.Argument(
        help="Files of texts with labels: lines with __label__NAME in them, or tables; or - for standard input.",
        metavar="FILE",
    ),
]
Column = Annotated[str | None, typer.Option(help="Column of texts in a table; by default text.")]
Labels = Annotated[str | None, typer.Option(help="Column of labels in a table.", metavar="COLUMN")]
Number = Annotated[int, typer.Option("--number", "-k", help="How many labels a text, at most.")]
Threshold = Annotated[float, typer.Option(help="Least probability of a label that is shown.")]
Threads = Annotated[int | None, typer.Option(help="Threads; by default one a processor.", show_default=False)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Output = Annotated[
    Path,
    typer.Option("--output", "-o", help="Folder to save in, or a file of fastText's: .bin or .ftz.", metavar="OUT"),
]


def _train(
    source: Texts,
    output: Output,
    column: Column = None,
    labels: Labels = None,
    seed: Annotated[int, typer.Option(help="Of every random draw; with one thread it decides every bit.")] = 0,
    threads: Threads = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Folder to keep the state in; the same line goes on after a kill.", metavar="DIR"),
    ] = None,
    autotune: Annotated[
        str | None, typer.Option(help="File of texts with labels to find the best options by.", metavar="FILE")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to search for options, with --autotune.")] = 300.0,
    metric: Annotated[str, typer.Option(help="What is best: f1, or f1:LABEL.")] = "f1",
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a classifier on texts with labels. Ctrl-C or SIGTERM stops at a safe point and saves what was learned."""
    began = time.monotonic()
    _check_target(output, ".bin", source)
    if checkpoint is not None:
        check_writable(checkpoint / "state")
    if autotune is not None and checkpoint is not None:
        raise OptionError("--checkpoint with --autotune: a search cannot be resumed; leave one out")
    model = TextClassifier(**_OPTIONS.select(options))
    given = source_of(source)
    if autotune is not None:
        tuned = model.autotune(
            given, labels, validation=autotune, column=column, seconds=seconds, metric=metric, seed=seed,
            threads=threads, progress=not quiet,
        )  # fmt: skip
        classifier = tuned.classifier
    else:
        classifier = model.train(
            given, labels, column=column, seed=seed, threads=threads, progress=not quiet, checkpoint=checkpoint
        )
    classifier.metadata.setdefault("name", output.stem)
    classifier.save(output)
    _tell(classifier, output, time.monotonic() - began, json)
    if classifier.metadata["training"]["interrupted"]:
        raise typer.Exit(exit_status())


_OPTIONS = Flags(TextClassifier, "Classifier")


def predict(
    model: Model,
    texts: Annotated[str, typer.Argument(help="File with a text a line, or - for standard input.", metavar="FILE")],
    number: Number = 1,
    threshold: Threshold = 0.0,
    threads: Threads = None,
    json: AsJson = False,
) -> None:
    """Tell the labels of texts, a line each: labels and their probabilities, the likeliest first."""
    classifier = load(model)
    for lines in line_batches(texts, LINES, damaged="surrogateescape"):
        for answer in classifier.predict(lines, number, threshold, threads=threads):
            if json:
                print_json({"labels": [{"label": label, "probability": p} for label, p in answer]})
            else:
                print("\t".join(f"{label}\t{p:.4f}" for label, p in answer))


def judge(
    model: Model,
    source: Texts,
    column: Column = None,
    labels: Labels = None,
    number: Number = 1,
    threshold: Threshold = 0.0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Judge a classifier on texts with labels: precision, recall and F1, over all and by label."""
    scores = load(model).test(
        source_of(source), labels, column=column, k=number, threshold=threshold, threads=threads, progress=not quiet
    )
    if json:
        print_json({"texts": scores.texts, "k": scores.k, **_figures(scores.overall), "labels": _by_label(scores)})
    else:
        print(
            f"{scores.texts:,} texts, the {scores.k} likeliest labels of each"
            if scores.k > 1
            else f"{scores.texts:,} texts"
        )
        print(scores)


def quantise(
    model: Model,
    output: Output,
    width: Annotated[int, typer.Option(help="Numbers that one byte stands for.")] = 2,
    lengths: Annotated[bool, typer.Option("--lengths", help="Keep the rows' lengths, in a byte more each.")] = False,
    keep: Annotated[int | None, typer.Option(help="How many rows of words and n-grams stay; by default all.")] = None,
    label_vectors: Annotated[bool, typer.Option("--label-vectors", help="Quantise those of labels too.")] = False,
    seed: Annotated[int, typer.Option(help="Of the learning of the codes.")] = 0,
    json: AsJson = False,
) -> None:
    """Make a classifier ten to a hundred times smaller."""
    _check_target(output, ".ftz")
    small = load(model).quantise(width=width, lengths=lengths, keep=keep, labels=label_vectors, seed=seed)
    small.save(output)
    sizes = {"before": size_on_disk(model), "bytes": size_on_disk(output)}
    if json:
        print_json({"classifier": str(output), **sizes})
    else:
        print(f"{output}: {sizes['bytes']:,} bytes, before {sizes['before']:,}")


def _app() -> typer.Typer:
    app = typer.Typer(help="Train, ask, judge and shrink classifiers of texts.")
    trained = with_flags(_train, [_OPTIONS])
    for name, run in (("train", trained), ("predict", predict), ("test", judge), ("quantise", quantise)):
        add_command(app, name, run)
    return app


classify = _app()


def _check_target(output: Path, suffix: str, sources: Sequence[str] = ()) -> None:
    """Make sure that a classifier can be written.

    Raises:
        OptionError: something else is there, or the name is that of the other kind of fastText's files.
    """
    if output.suffix not in FASTTEXT:
        check_folder_target(output)
        return
    if output.suffix != suffix:
        raise OptionError(f"{output}: expected a name that ends in {suffix}, or a folder; .ftz files are quantised")
    check_file_target(output, check_file, sources)


def _tell(classifier: Classifier, output: Path, seconds: float, json: bool) -> None:
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
        chosen = " ".join(
            f"{name}={options[name]}" for name in ("dim", "lr", "epochs", "word_ngrams", "min_n", "max_n")
        )
        print(f"best of {len(tuned['trials'])} trials: {tuned['metric']} {tuned['score']:.4f} with {chosen}")


def _figures(score: LabelScore) -> dict[str, float]:
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}


def _by_label(scores: LabelScores) -> dict[str, Any]:
    return {label: {**_figures(score), "texts": score.support} for label, score in scores.by_label.items()}
