"""`firth sentences train`: the flags are those of the model that `--model` names."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import Sources, flag, names, output
from firth.cli.flags import Flags
from firth.cli.groups import commands
from firth.cli.output import working
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING, corpus_of
from firth.cli.training import Report, Run, TrainCommand
from firth.comparison.models import Model
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.language.text import UNK, TextRules
from firth.readers.sentence_pairs import read_file
from firth.readers.text_groups import read_text_groups

HOMES, DEFAULT = ("firth.neural.models.sentences.",), "skip-thought"


def _corpus_flags(model: Model) -> Flags:
    defaults = CorpusOptions(**model.kind.text)
    without = {"unknown", "keep_empty"} | ({"sentences"} if model.kind.reads_groups else set())
    return replace(ANY_CORPUS, without=frozenset(without), defaults=defaults)


Output = Annotated[Path, output("Folder to save the encoder in.")]
ModelName = Annotated[str, typer.Option(help="Model to train.", metavar="NAME", show_default=True)]
Start = Annotated[Path | None, flag("Trained encoder to start from: its network, words and parameters.", "MODEL")]


def _train(
    run: Run,
    corpus: Sources,
    output: Output,
    model: ModelName = DEFAULT,
    held_out: Annotated[
        Path | None,
        flag(
            "Held-out data that choose the best model: text, or for contrastive models scored pairs of texts.", "FILE"
        ),
    ] = None,
    start: Start = None,
    vectors: Annotated[Path | None, flag("Word vectors at which the input vectors start.", "VECTORS")] = None,
) -> Any:
    """Train a sentence encoder on text.

    The text is split into sentences, whose order matters to most models; a file ends a document. With --sentences line
    each line is a sentence, and an empty line ends a document.
    """
    kind, reading = run.model.kind, READING.select(run.values)
    before = None if start is None else _opened(start)
    defaults = {**kind.text, "unknown": UNK} if before is None else _rules(before, kind)
    text_options = {**_corpus_flags(run.model).select(run.values), **reading}
    text = corpus_of(corpus, text_options, defaults=defaults, progress=not run.quiet)
    held: Any = None
    if held_out is not None:
        pairs = kind.selected_by_pairs
        held = read_file(held_out, None) if pairs else _held_out(held_out, text, reading, progress=not run.quiet)
    encoder = run.train(text, held_out=held, start=before)
    run.read = {"sentences": len(text), "tokens": text.num_tokens}
    return encoder


def _train_on_groups(
    run: Run,
    groups: Annotated[
        Path, names("Groups of texts that mean the same, as JSON lines, or pairs labelled entailment.", "GROUPS")
    ],
    output: Output,
    model: ModelName = DEFAULT,
    held_out: Annotated[Path | None, flag("Scored pairs of texts that choose the best model.", "FILE")] = None,
    start: Start = None,
) -> Any:
    """Train a sentence encoder on groups of texts that mean the same.

    A line of the file is {"texts": ["A dog runs.", "The dog runs."], "negatives": ["A dog sleeps."]}, where negatives
    may be left out. Or it is a pair of sentences with a label: entailment makes a group, contradiction a negative.
    """
    with working(f"reading {groups}", run.quiet):
        given, scored = read_text_groups(groups), None if held_out is None else read_file(held_out, None)
    encoder = run.train(given, held_out=scored, start=start, **_corpus_flags(run.model).select(run.values))
    run.read = {"groups": len(given), "texts": sum(len(group.texts) for group in given)}
    return encoder


def _opened(start: Path) -> Any:
    from firth.neural.models.sentences.encoder_training import opened_start  # imports PyTorch

    return opened_start(start)


def _rules(start: Any, kind: Any) -> dict[str, Any]:
    """How a trained encoder reads text, as options of a corpus with every word; a model of documents has its own."""
    sentences = kind.text["sentences"] if kind.reads_documents else start.rules.sentences
    return {**replace(start.rules, sentences=sentences).corpus_options(), "min_count": 1}


def _held_out(path: Path, text: Corpus, reading: Mapping[str, Any], *, progress: bool) -> Corpus:
    """Held-out text with every word, split as the training text is."""
    rules = {**TextRules.of(text.options).corpus_options(), "keep_empty": text.options.keep_empty}
    return corpus_of([str(path)], reading, defaults={**rules, "min_count": 1}, progress=progress)


def _report(run: Run, encoder: Any) -> Report:
    course, read, seconds = encoder.metadata.get("training", {}), run.read, run.seconds
    best = course.get("best") or (course.get("rows") or [{}])[-1]
    table = {
        "model": str(run.output),
        "kind": run.model.name,
        "words": len(encoder.vocabulary),
        "dim": encoder.dim,
        **read,
        "loss": best.get("loss"),
        "held_out_loss": best.get("held_out_loss"),
        "alignment": best.get("held_out_alignment"),
        "uniformity": best.get("held_out_uniformity"),
        "seconds": round(seconds, 3),
        "interrupted": bool(course.get("interrupted")),
    }
    unit = encoder.rules.unit
    network = f"{len(encoder.vocabulary):,} {unit}, {encoder.dim:,} numbers per text"
    learned = ", ".join(f"{count:,} {unit if key == 'tokens' else key}" for key, count in read.items())
    lines = [f"{run.output}: {run.model.name}, {network}, {seconds:.1f} s", f"learned from {learned}"]
    if course.get("truncated"):
        longest = f"{encoder.options.max_length:,} {unit}"
        lines.append(f"{course['truncated']:,} texts have more than {longest}: the rest was not read")
    figures = [
        f"{key.removeprefix('held_out_')} {value:.4f}"
        for key, value in best.items()
        if key.startswith("held_out_") and value is not None
    ]
    if figures:
        lines.append(f"held-out data: {', '.join(figures)}")
    return table, [*lines, f"next: firth encode {shlex.quote(str(run.output))} TEXTS -o vectors.npy"]


_ON_TEXT = TrainCommand(
    group="sentences", what="sentence encoder", homes=HOMES, default=DEFAULT,
    line="Train a sentence encoder on text: `firth sentences train TEXT... -o OUT`.", purpose="train sentence encoders",
    lists=True,
    # -o/--output is the folder to write in every command, and --momentum that of the optimiser.
    renamed={"output": "output_layer", "momentum": "key_momentum"},
    train=_train, report=_report, flags=lambda model: (_corpus_flags(model), READING),
)  # fmt: skip
_ON_GROUPS = replace(_ON_TEXT, train=_train_on_groups, flags=lambda model: (_corpus_flags(model),))
TRAIN = replace(_ON_TEXT, variant=lambda model: _ON_GROUPS if model.kind.reads_groups else None)

sentences = commands("Sentence encoders: train on raw text.", train=TRAIN.command())
