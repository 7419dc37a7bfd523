"""`firth evaluate`."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from firth.cli.arguments import AsJson, Data, Quiet, Seed, flag, names
from firth.cli.output import working
from firth.cli.vectors import open_encoder, open_model
from firth.data import SETS
from firth.errors import OptionError
from firth.evaluation.evaluate import GoldSets
from firth.evaluation.evaluate import evaluate as evaluate_vectors
from firth.evaluation.generated import DEFAULT, evaluate_generated
from firth.evaluation.generated_metrics import METRICS, Tags
from firth.evaluation.report import EvaluationReport
from firth.evaluation.selection import PROTOCOLS, ProtocolName
from firth.evaluation.suite import Unknown
from firth.evaluation.suites import SUITES
from firth.spelling import one_spelling


def _names(kind: str) -> str:
    return ", ".join(name for name, data_set in SETS.items() if data_set.kind == kind)


SimilaritySets = Annotated[
    list[str] | None, flag(f"File of scored word pairs, or one of {_names('similarity')}.", "FILE")
]
AnalogySets = Annotated[list[str] | None, flag(f"File of analogy questions, or {_names('analogies')}.", "FILE")]


def evaluate(
    vectors: Annotated[
        list[str],
        names("Word vectors, or models that encode texts, side by side; with --references, files of texts.", "MODEL"),
    ],
    suite: Annotated[
        list[str] | None,
        flag(
            f"Kind of test: {', '.join(SUITES)}, or all. A colon adds a file or a named set: "
            "similarity:pairs.tsv. May be repeated.",
            "NAME",
        ),
    ] = None,
    similarity: SimilaritySets = None,
    analogies: AnalogySets = None,
    unknown: Annotated[
        str,
        typer.Option(
            help="Items with unknown words: skip them, count them as answered at random, or infer a vector from the "
            "word's n-grams.",
            metavar="skip|count|infer",
        ),
    ] = "skip",
    protocol: Annotated[
        str,
        typer.Option(
            help="How classifiers of sentences choose their penalty: firth, on development sentences or a part of the "
            "training sentences; senteval, by ten inner folds on unscaled vectors, as SentEval does.",
            metavar="|".join(PROTOCOLS),
        ),
    ] = "firth",
    data: Data = None,
    sections: Annotated[bool, typer.Option("--sections", help="Also show the sections of analogy sets.")] = False,
    restrict_vocab: Annotated[
        int, typer.Option(help="Answer analogies with this many of the most frequent words.")
    ] = 300_000,
    references: Annotated[
        list[Path] | None,
        names(
            "Score generated texts, one per line, against these references. May be repeated, for several per text.",
            "FILE",
            "--references",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        names(
            f"Score of generated texts: {', '.join(METRICS)}; rouge, diversity or all. Those from copied on need no "
            f"--references. May be repeated. Default: {', '.join(DEFAULT)}.",
            "NAME",
            "--metric",
        ),
    ] = None,
    sources: Annotated[Path | None, flag("What the texts were generated from, for copied.", "FILE")] = None,
    tagger: Annotated[Path | None, flag("A trained tagger, for tag-entropy.", "MODEL")] = None,
    baseline: Annotated[Path | None, flag("Texts of a simple system, shown beside the others.", "FILE")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case in generated texts.")] = False,
    tokenizer: Annotated[str, typer.Option(help="Tokeniser of BLEU, by sacrebleu's name.", metavar="NAME")] = "13a",
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Evaluate vectors on test sets: similarity, analogies, sentences and others; or generated texts.

    The default sets of word vectors are WordSim-353, SimLex-999, MEN, Rare Words and Google's analogies; those of
    models that encode texts are the suites sentences, sentence-pairs and sts. They come from --data, from the folder in
    FIRTH_DATA, or are downloaded once. Intervals are 95 %: Wilson's for accuracy, else the bootstrap's. With several
    vectors, each line marks the best result and those that do not differ from it significantly.

    With --references ref.txt, files of texts such as translations and summaries are scored in place of vectors. With
    --metric diversity they need no references.
    """
    if references or metric:
        report = evaluate_generated(
            {path: Path(path) for path in vectors},
            references or None,
            sources=sources,
            tags=_tags(tagger, quiet) if tagger else None,
            metrics=metric or None,
            baseline=baseline,
            lowercase=lowercase,
            tokenizer=tokenizer,
            seed=seed,
        )
        _show(report, sections, json)
        return
    if sources or baseline or tagger:
        raise OptionError(
            "--sources, --baseline and --tagger are for generated texts: add --references FILE or --metric NAME"
        )
    report = evaluate_vectors(
        {path: open_encoder(path, quiet) for path in vectors},
        similarity=similarity or None,
        analogies=analogies or None,
        suites=_suites(suite) if suite else None,
        unknown=cast(Unknown, unknown),  # which checks it
        protocol=cast(ProtocolName, protocol),
        data=data,
        restrict_vocab=restrict_vocab,
        seed=seed,
        progress=False if quiet else None,
    )
    _show(report, sections, json)


def _tags(path: Path, quiet: bool) -> Tags:
    with working(f"reading {path}", quiet):
        tagger = open_model(path, "a tagger")
    target = tagger.targets[0]

    def tag(texts: Sequence[str]) -> list[Sequence[str]]:
        return [tagged.tags[target] for tagged in tagger.predict(list(texts))]

    return tag


def _show(report: EvaluationReport, sections: bool, json: bool) -> None:
    if json:
        print(report.to_json())
    else:
        terminal = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        print(report.table(sections=sections, bold=terminal is not None, width=terminal))


def _suites(items: list[str]) -> dict[str, GoldSets]:
    """Suites with the files given for each; None stands for the default files."""
    files: dict[str, list[str]] = {}
    for item in items:
        name, _, file = item.partition(":")
        for suite in SUITES if name == "all" else [one_spelling(name)]:
            files.setdefault(suite, []).extend([file] if file else [])
    return {name: paths or None for name, paths in files.items()}
