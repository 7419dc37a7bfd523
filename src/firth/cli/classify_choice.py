"""`firth classify train --model auto` and `firth classify curve`: kinds of classifiers beside one another."""

import shlex
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Overwrite, Quiet, Seed, Threads, flag, names, output, whole_numbers
from firth.cli.labelled_texts import AUTO, KINDS, TABLE, Texts, model_help
from firth.cli.output import end, show
from firth.cli.targets import check_folder_target
from firth.cli.texts import source_of
from firth.cli.training import RawText, StartVectors, given_vectors
from firth.comparison.classifiers import SECONDS, choose_classifier, classifier_curves
from firth.comparison.learning_curve import DRAWS
from firth.plots.by_size import scores_by_size
from firth.plots.saving import check_target


def train_auto(
    source: Texts,
    output: Annotated[Path, output("Folder to save the classifier in.")],
    model: Annotated[str, model_help()] = AUTO,
    vectors: StartVectors = None,
    raw: RawText = None,
    seconds: Annotated[float, typer.Option(help="Time limit of the comparison.")] = SECONDS,
    seed: Seed = 0,
    threads: Threads = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train the kind of classifier that is best on texts which it did not learn from.

    Compared by cross-validation, or on a held-out tenth where texts are many: a linear classifier over TF-IDF and
    fastText's; with --vectors or --raw also a linear one over averages of vectors, fastText's that starts from them,
    and a convolutional network. The best one is trained again on all texts.
    """
    began = time.monotonic()
    check_folder_target(output, kinds=KINDS, overwrite=overwrite)
    choice = choose_classifier(
        source_of(source), **TABLE.select(options), seconds=seconds, seed=seed, threads=threads, progress=not quiet,
        vectors=given_vectors(vectors, raw, seed=seed, threads=threads, quiet=quiet),
    )  # fmt: skip
    choice.classifier.metadata.setdefault("name", output.stem)
    choice.classifier.save(output)
    took = round(time.monotonic() - began, 3)
    lines = [
        str(choice), f"{output}: {choice.name}, {len(choice.classifier):,} labels, {took:.1f} s",
        f"next: firth classify test {shlex.quote(str(output))} TEXTS",
    ]  # fmt: skip
    show(json, {"classifier": str(output), **choice.described(), "seconds": took}, "\n".join(lines))
    end(choice.classifier.metadata["training"])


def curve(
    source: Texts,
    test: Annotated[str | None, flag("Labelled texts to judge on. Default: a fifth of the texts.", "FILE")] = None,
    model: Annotated[
        str,
        typer.Option(
            help="Models, separated by commas: linear, fasttext; with vectors averages, both, fasttext-vectors, cnn.",
            metavar="NAMES",
        ),
    ] = "linear,fasttext",
    sizes: Annotated[
        str | None, flag("Numbers of texts, separated by commas. Default: 50,100,300,1000 ... and all.", "NUMBERS")
    ] = None,
    draws: Annotated[int, typer.Option(help="Draws of each size up to 300 texts.", min=1)] = DRAWS,
    vectors: StartVectors = None,
    raw: RawText = None,
    picture: Annotated[
        Path | None, names("File for the curve: .png, .svg, .pdf or .html.", "FILE", "-o", "--output")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show how good a classifier is with 50, 100, 300 ... of the texts: what more labelled texts would bring.

    Each size is trained anew, small ones on several random choices, and judged on the same texts.
    """
    if picture is not None:
        check_target(picture)
    curves = classifier_curves(
        source_of(source), **TABLE.select(options), test=test, models=[name.strip() for name in model.split(",")],
        sizes=whole_numbers("--sizes", sizes), draws=draws, seed=seed, threads=threads, progress=not quiet,
        vectors=given_vectors(vectors, raw, seed=seed, threads=threads, quiet=quiet),
    )  # fmt: skip
    if picture is not None:
        scores_by_size(curves).save(picture)
    for one_model in curves:
        show(json, one_model.described(), f"{one_model.name}\n{one_model}\n")
