"""`firth classify`: train, predict, test, quantise; `classify_choice.py` has the choice of a model and its curve."""

import inspect
import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.classify.classifier import FASTTEXT, Classifier
from firth.classify.files import load
from firth.classify.scores import LabelScore, LabelScores
from firth.classify.text_classifier import TextClassifier
from firth.cli.arguments import (
    TEXT,
    AsJson,
    Checkpoint,
    Embed,
    Every,
    OnError,
    Overwrite,
    Quiet,
    Seed,
    TextFile,
    Threads,
    flag,
    names,
    number,
    output,
)
from firth.cli.classify_choice import curve, train_auto
from firth.cli.files import size_on_disk
from firth.cli.flags import Flags, add_command, with_flags
from firth.cli.groups import commands
from firth.cli.labelled_texts import AUTO, DEFAULT, HOMES, KINDS, LINEAR_HOMES, TABLE, TREES, Texts, model_help
from firth.cli.output import complain, note, print_json, sentence, show, with_progress, working
from firth.cli.targets import check_file_target, check_folder_target, checkpoint_in, is_resumed
from firth.cli.texts import line_batches, source_of
from firth.cli.training import RawText, Report, Run, StartVectors, TrainCommand, chosen_model, given_vectors, single_app
from firth.comparison.classifiers import LinearAdvantage, compared_with_linear, linear_accuracy, usable_examples
from firth.comparison.models import Model as NamedModel
from firth.comparison.models import models_in
from firth.corpus.columns import TABLES
from firth.corpus.reader import inner_suffix
from firth.corpus.table_options import TableOptions
from firth.errors import CorpusError, FirthError, OptionError
from firth.registry import load_folder, plain_name
from firth.sentences.text_blocks import read_texts
from firth.signals import exit_status
from firth.storage.skipping import STOP
from firth.storage.snapshots import snapshot
from firth.timing import running_clock
from firth.vectors.io.detect import check_file

Model = Annotated[Path, names("A classifier: a folder that firth wrote, or a .bin or .ftz file of fastText.", "MODEL")]


@dataclass(frozen=True)
class PredictionOptions:
    """Arguments of `Classifier.predict` and `Classifier.test`."""

    k: Annotated[int, number("Labels to predict per text, at most.")] = 1
    threshold: Annotated[float, typer.Option(help="Smallest probability of a predicted label.")] = 0.0
    threads: Threads = None


PREDICTION = Flags(PredictionOptions)


def _train_neural(
    run: Run,
    source: Texts,
    model: Annotated[str, model_help()] = DEFAULT,
    held_out: Annotated[
        str | None, flag("Labelled texts that choose the best epoch. Default: a tenth of the training texts.", "FILE")
    ] = None,
    vectors: StartVectors = None,
    raw: RawText = None,
    embed: Embed = None,
) -> Any:
    """Train a neural classifier on labelled texts.

    With --pairs an example is a pair of texts, from a table: --column FIRST,SECOND --labels LABEL.
    """
    table, texts = TABLE.select(run.values), source_of(source)
    classifier = run.train(texts, held_out=None if held_out is None else Path(held_out), **table)
    single = classifier.inputs == "texts" and not classifier.options.pairs
    if single and not classifier.metadata["training"]["interrupted"]:
        run.read["compared"] = partial(_compared, run, classifier, texts, held_out, table)
    return classifier


def _once_saved(compared: Callable[[], LinearAdvantage | None]) -> LinearAdvantage | None:
    """Return the comparison of a saved model with a linear one; None where the texts cannot be read twice."""
    try:
        return compared()
    except (FirthError, OSError) as error:
        note(f"not compared with a linear model: {sentence(error)}")
        return None
    except KeyboardInterrupt:
        note("the classifier is saved; its comparison with a linear model was interrupted")
        raise


def _compared(run: Run, classifier: Any, texts: Any, held_out: str | None, table: Mapping[str, Any]) -> Any:
    """Return the accuracies of a neural model and of a linear one on the held-out texts; None where they are many."""
    from firth.neural.models.classification.data import development_split, read_examples

    error = (classifier.metadata["training"]["best"] or {}).get("held_out_error")
    if error is None or texts == "-":
        return None
    options = dict(table)
    labels, column = options.pop("labels", None), options.pop("column", None)
    read: Any = partial(read_examples, labels=labels, column=column, pairs=None, report=lambda status: None)
    examples = usable_examples(read(texts, table_options=TableOptions(**options)))
    if held_out is None:
        examples, validation = development_split(examples, run.values["seed"])
    else:
        validation = read(Path(held_out), table_options=TableOptions(**options))
    linear = linear_accuracy(examples, validation)
    return None if linear is None else LinearAdvantage(1 - error, linear, len(validation))


def _report_neural(run: Run, classifier: Any) -> Report:
    facts, unit, seconds = classifier.metadata["training"], classifier.unit, run.seconds
    best = facts["best"] or {}
    if facts["texts_left_out"]:
        complain(f"warning: {facts['texts_left_out']:,} texts without a label or a word were left out")
    table = {
        "classifier": str(run.output),
        "kind": run.model.name,
        "labels": len(classifier),
        unit: len(classifier.words),
        "dim": classifier.dim,
        **{key: facts[key] for key in ("texts", "held_out_texts", "texts_truncated")},
        "epochs": best.get("epoch"),
        **{key: best[key] for key in ("held_out_loss", "held_out_error") if best.get(key) is not None},
        "training_seconds": facts["seconds"],
        "seconds": round(seconds, 3),
        "interrupted": facts["interrupted"],
    }
    words = f"{len(classifier.words):,} {unit}"
    lines = [
        f"{run.output}: {run.model.name}, {len(classifier):,} labels, {words}, {seconds:.1f} s",
        f"trained on {facts['texts']:,} texts in {facts['seconds']:.1f} s",
    ]
    if best:
        error = best.get("held_out_error")
        right = f"{100 * (1 - error):.1f} % right, " if error is not None else ""
        loss, texts = f"{best['held_out_loss']:.3f} nats", f"{facts['held_out_texts']:,} held-out texts"
        lines.append(f"best epoch {best['epoch']:g}: {right}{loss}, on {texts}")
    advantage = _once_saved(run.read["compared"]) if "compared" in run.read else None
    if advantage is not None:
        table["linear"] = asdict(advantage)
        lines += [advantage.advice] if advantage.advice else []
    return table, [*lines, f"next: firth classify test {shlex.quote(str(run.output))} TEXTS"]


def _neural_flags(model: NamedModel) -> Any:
    return [TABLE if "column" in inspect.signature(model.kind.train).parameters else TREES]


def _not_taken(model: NamedModel) -> set[str]:
    """What does nothing for a model: vectors for one over characters, encoders for one that is fine-tuned."""
    without = set() if "embedding" in model.kind.__dataclass_fields__ else {"vectors", "raw"}
    return without if getattr(model.kind, "embed_places", ()) else without | {"embed"}


NEURAL = TrainCommand(
    group="classify", what="classifier", homes=HOMES, default=DEFAULT, kinds=KINDS,
    purpose="train the classifier {name}", train=_train_neural, report=_report_neural, flags=_neural_flags,
    without=_not_taken,
)  # fmt: skip


def _train_linear(
    run: Run,
    source: Texts,
    model: Annotated[str, model_help()] = DEFAULT,
    vectors: StartVectors = None,
    raw: RawText = None,
) -> Any:
    """Train a linear classifier on labelled texts: logistic regression over TF-IDF of words and character n-grams."""
    return run.train(source_of(source), **TABLE.select(run.values))


def _report_linear(run: Run, classifier: Any) -> Report:
    facts = classifier.metadata["training"]
    if facts["texts_left_out"]:
        complain(f"warning: {facts['texts_left_out']:,} texts without a label or a word were left out")
    table = {
        "classifier": str(run.output), "kind": run.model.name, "labels": len(classifier), "texts": facts["texts"],
        "training_seconds": facts["seconds"], "seconds": round(run.seconds, 3),
    }  # fmt: skip
    what = f"{len(classifier):,} labels, {classifier.described()}"
    return table, [
        f"{run.output}: {run.model.name}, {what}, {run.seconds:.1f} s",
        f"trained on {facts['texts']:,} texts in {facts['seconds']:.1f} s",
        f"next: firth classify test {shlex.quote(str(run.output))} TEXTS",
    ]


LINEAR = TrainCommand(
    group="classify", what="classifier", homes=LINEAR_HOMES, default=DEFAULT, kinds=KINDS, train=_train_linear,
    report=_report_linear, flags=lambda model: [TABLE],
)  # fmt: skip

LINES = 1 << 15  # per batch

Output = Annotated[Path, output("Folder to save the classifier in, or a .bin or .ftz file for fastText.")]
NEURAL_CLASSIFIER = "a neural classifier"
CLASSIFIERS = ("a text classifier", "a linear classifier", NEURAL_CLASSIFIER)  # what `plain_name` calls them


_OPTIONS = Flags(TextClassifier, "Classifier")


def train(context: typer.Context) -> None:
    """Train a text classifier: `firth classify train FILE... -o OUT`.

    `firth classify train --model NAME --help` shows the options of a model.
    """
    arguments = context.args
    with running_clock():  # importing PyTorch counts against --minutes
        trainer(arguments)(["train", *arguments], prog_name="firth classify")


def trainer(arguments: Sequence[str]) -> typer.Typer:
    """Return the command with the flags of the model that the arguments name."""
    linear = models_in(LINEAR_HOMES)
    name = chosen_model(arguments, [DEFAULT, AUTO, *linear, *models_in(HOMES)], DEFAULT)
    if name in (DEFAULT, AUTO):
        app = single_app()
        own = with_flags(_train, [_OPTIONS, TABLE]) if name == DEFAULT else with_flags(train_auto, [TABLE])
        add_command(app, "train", own)
        return app
    return (LINEAR if name in linear else NEURAL).app(arguments)


def _train(
    source: Texts,
    output: Output,
    model: Annotated[str, model_help()] = DEFAULT,
    seed: Seed = 0,
    threads: Threads = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    overwrite: Overwrite = False,
    autotune: Annotated[
        str | None, flag("File of labelled texts; search for the options that score best on it.", "FILE")
    ] = None,
    seconds: Annotated[float, typer.Option(help="With --autotune: duration of the search.")] = 300.0,
    metric: Annotated[str, typer.Option(help="With --autotune: figure to optimise, f1 or f1:LABEL.")] = "f1",
    vectors: StartVectors = None,
    raw: RawText = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a text classifier on labelled texts.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned.
    """
    began = time.monotonic()
    _check_target(output, ".bin", source, overwrite=overwrite or is_resumed(checkpoint))
    states = checkpoint_in(checkpoint, every)
    if autotune is not None and checkpoint is not None:
        raise OptionError("--checkpoint with --autotune: a search cannot be resumed; leave one out")
    if autotune is not None and (vectors or raw):
        raise OptionError("--autotune with --vectors or --raw: a search starts from random vectors; leave one out")
    trainer, table, texts = TextClassifier(**_OPTIONS.select(options)), TABLE.select(options), source_of(source)
    if autotune is not None:
        tuned = trainer.autotune(
            texts, **table, validation=autotune, seconds=seconds, metric=metric, seed=seed, threads=threads,
            progress=not quiet,
        )  # fmt: skip
        classifier = tuned.classifier
    else:
        start = given_vectors(vectors, raw, seed=seed, threads=threads, quiet=quiet)
        classifier = trainer.train(
            texts, **table, seed=seed, threads=threads, vectors=start, progress=not quiet, checkpoint=states
        )
    classifier.metadata.setdefault("name", output.stem)
    classifier.save(output)
    interrupted = classifier.metadata["training"]["interrupted"]
    compared = None
    if autotune is None and not interrupted and texts != "-":
        train = partial(trainer.train, vectors=start)
        compared = _once_saved(partial(compared_with_linear, train, texts, **table, seed=seed, threads=threads))
    _report(classifier, output, time.monotonic() - began, json, compared)
    if classifier.metadata["training"]["interrupted"]:
        raise typer.Exit(exit_status())


def _open(path: Path) -> Any:
    """Return a classifier, or a neural model of texts with labels."""
    if not snapshot(path, Path.is_dir):
        return load(path)
    content = load_folder(path)
    if plain_name(content) not in CLASSIFIERS:
        raise OptionError(f"{path} holds {plain_name(content)}, expected a classifier")
    return content


def _predict(
    model: Model,
    texts: TextFile,
    column: Annotated[
        str | None, flag("Column with the texts, if FILE is a table: name, or number from 1.", panel=TEXT)
    ] = None,
    on_error: OnError = STOP,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Predict the labels of texts: one line per text, with labels and probabilities, the most likely first.

    For a model of pairs, a line holds two texts with a tab between them. Where it gives scores, a line is a score. A
    model of trees reads one in brackets per line, or a .conllu file.
    """
    with working(f"reading {model}", quiet):
        classifier = _open(model)
    kind = classifier.options.pairs if plain_name(classifier) == NEURAL_CLASSIFIER else None
    number = 0
    for lines in with_progress(_batches(classifier, texts, column, on_error), "predicting", quiet):
        items = lines if kind is None else [_pair(line, i) for i, line in enumerate(lines, number + 1)]
        number += len(lines)
        if kind == "relatedness":
            for score in classifier.relatedness(items, threads=options["threads"]).tolist():
                print_json({"score": score}) if json else print(f"{score:.4f}")
            continue
        for labels in classifier.predict(items, **options):
            show(
                json,
                {"labels": [{"label": label, "probability": p} for label, p in labels]},
                "\t".join(f"{label}\t{p:.4f}" for label, p in labels),
            )


def _batches(classifier: Any, texts: str, column: str | None, on_error: str) -> Iterable[Sequence[Any]]:
    """Return the texts of a file in batches: its lines, a column of a table, or the trees of a file of CoNLL-U."""
    pairs = plain_name(classifier) == NEURAL_CLASSIFIER and classifier.options.pairs is not None  # lines with a tab
    if column is not None or (inner_suffix(Path(texts)) in TABLES and not pairs):
        cells = read_texts(source_of([texts]), column=column, progress=False)
        return [cells[start : start + LINES] for start in range(0, len(cells), LINES)]
    if plain_name(classifier) == NEURAL_CLASSIFIER and classifier.inputs == "trees":
        from firth.neural.models.trees.data import is_dependencies, read_trees

        if is_dependencies(texts):
            return [read_trees(texts, on_error)]
    return line_batches(texts, LINES)


def _pair(line: str, number: int) -> tuple[str, str]:
    """Return the two texts of a line."""
    texts = line.split("\t")
    if len(texts) != 2:
        raise CorpusError(f"line {number}: {len(texts)} texts, expected two with a tab between them")
    return texts[0], texts[1]


def _test(
    model: Model,
    source: Texts,
    confusion: Annotated[
        bool, typer.Option("--confusion", help="Show how often each label is taken for each other one.")
    ] = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Test a classifier on labelled texts: precision, recall and F1, overall and per label.

    The calibration error is the mean distance between the probability of the most likely label and the share of texts
    where it is right.

    A model that gives pairs scores is tested by their correlation with the true ones.
    """
    given = {name: value for name, value in options.items() if value is not None}  # trees have no column
    scores = _open(model).test(source_of(source), **given, progress=not quiet)
    if not isinstance(scores, LabelScores):
        print_json(asdict(scores)) if json else print(scores)
    elif json:
        figures = {
            **_figures(scores.overall),
            "macro_f1": scores.macro_f1,
            "calibration_error": scores.calibration_error,
        }
        matrix = {"confusion": None if scores.confusion is None else scores.confusion.tolist()} if confusion else {}
        print_json({"texts": scores.texts, "k": scores.k, **figures, "labels": _by_label(scores), **matrix})
    else:
        print(f"{scores.texts:,} texts" + (f", the {scores.k} most likely labels of each" if scores.k > 1 else ""))
        print(scores)
        if confusion:
            print("\nlabels in rows, most likely labels in columns:", scores.confusion_table(), sep="\n")


def quantise(
    model: Model,
    output: Output,
    width: Annotated[int, typer.Option(help="Numbers that one byte stands for.")] = 2,
    lengths: Annotated[
        bool, typer.Option("--lengths", help="Store the rows' lengths apart, in one byte each.")
    ] = False,
    keep: Annotated[int | None, flag("Rows of words and n-grams to keep. Default: all.")] = None,
    label_vectors: Annotated[bool, typer.Option("--label-vectors", help="Quantise the label vectors too.")] = False,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Make a classifier ten to a hundred times smaller by product quantisation."""
    _check_target(output, ".ftz", overwrite=overwrite)
    with working("quantising", quiet):
        small = load(model).quantise(width=width, lengths=lengths, keep=keep, labels=label_vectors, seed=seed)
        small.save(output)
    sizes = {"before": size_on_disk(model), "bytes": size_on_disk(output)}
    show(json, {"classifier": str(output), **sizes}, f"{output}: {sizes['bytes']:,} bytes, before {sizes['before']:,}")


classify = commands(
    "Text classifiers: train, predict, test, shrink; learning curves.",
    train=train,
    predict=with_flags(_predict, [PREDICTION]),
    test=with_flags(_test, [TABLE, PREDICTION]),
    curve=with_flags(curve, [TABLE]),
    quantise=quantise,
)


def _check_target(output: Path, suffix: str, sources: Sequence[str] = (), *, overwrite: bool) -> None:
    """Check that a classifier can be written."""
    if output.suffix not in FASTTEXT:
        check_folder_target(output, kinds=KINDS, overwrite=overwrite)
        return
    if output.suffix != suffix:
        raise OptionError(f"{output}: expected a name that ends in {suffix}, or a folder; .ftz files are quantised")
    check_file_target(output, check_file, sources, overwrite=overwrite)


def _report(classifier: Classifier, output: Path, seconds: float, json: bool, compared: LinearAdvantage | None) -> None:
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
                "options": facts["options"],
                **({"score": tuned["score"]} if tuned else {}),
                **({} if compared is None else {"linear": asdict(compared)}),
            }
        )
        return
    print(f"{output}: {len(classifier):,} labels, {len(classifier.words):,} words x {classifier.dim}, {seconds:.1f} s")
    options = facts["options"]
    chosen = f"{options['epochs']} epochs, rate {options['lr']:g}, word n-grams up to {options['word_ngrams']}"
    print(f"trained on {facts['texts']:,} texts, {facts['words']:,} words, in {facts['seconds']:.1f} s: {chosen}")
    if compared is not None and compared.advice:
        print(compared.advice)
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
