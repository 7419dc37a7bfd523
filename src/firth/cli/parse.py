"""`firth parse`: train, predict and test dependency parsers."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.annotators import Training, open_model
from firth.cli.arguments import AsJson, OneThread, Quiet, names
from firth.cli.flags import Group, add_command
from firth.cli.model_flag import PASSED_ON
from firth.cli.output import following, paragraphs, print_json, working
from firth.cli.texts import line_batches
from firth.errors import OptionError
from firth.readers.conllu import DependencySentence, read_conllu

SENTENCES = 1 << 10  # per batch

Parser = Annotated[Path, names("A parser: a folder that firth wrote.", "MODEL")]
Trees = Annotated[list[Path], names("Sentences with tags and trees: CoNLL-U, plain or .gz.", "FILE")]
Texts = Annotated[
    str, names("Sentences: CoNLL-U (.conllu); with --tagger also text, a sentence per line, or -.", "FILE")
]
Tagger = Annotated[
    Path | None, typer.Option(help="A tagger for the tags that the parser reads.", metavar="MODEL", show_default=False)
]
Beam = Annotated[
    int | None,
    typer.Option(help="Beam width of parsing, of a transition parser. Default: its own.", show_default=False),
]
Precision = Annotated[
    str | None,
    typer.Option(help="Precision of matrix products, of a biaffine parser: fp32 or bf16.", show_default=False),
]


def _report(name: str, parser: Any, output: Path, seconds: float, json: bool) -> None:
    facts = parser.metadata["training"]
    best = facts["best"] or {}
    if json:
        figures = {each: value for each, value in best.items() if each.startswith("held_out_") and value is not None}
        counted = {each: facts[each] for each in ("sentences", "held_out_sentences", "tokens", "interrupted")}
        print_json(
            {
                "parser": str(output), "kind": name, "relations": len(parser.relations),
                "epochs": best.get("epoch"), **counted, **figures,
                "training_seconds": facts["seconds"], "seconds": round(seconds, 3),
            }
        )  # fmt: skip
        return
    print(f"{output}: {name}, {len(parser.relations):,} relations, {seconds:.1f} s")
    print(f"trained on {facts['sentences']:,} sentences, {facts['tokens']:,} words, in {facts['seconds']:.1f} s")
    if best:
        right = 100 * (1 - best["held_out_error"])
        where = f"{facts['held_out_sentences']:,} held-out sentences"
        print(f"best epoch {best['epoch']:g}: LAS {right:.2f}, with subtypes of relations, on {where}")
    print(f"next: firth parse test {shlex.quote(str(output))} FILE")


train = Training(
    group="parse",
    what="parser",
    homes=("firth.neural.models.parsers.",),
    default="transition",
    source=Trees,
    held_out="Sentences that choose the best epoch. Default: the last tenth of the training sentences.",
    about="Train a dependency parser on a treebank in CoNLL-U.",
    report=_report,
).command()


def _opened(model: Path, tagger: Path | None, quiet: bool) -> tuple[Any, Any]:
    with working(f"reading {model}", quiet):
        return open_model(model, "a parser"), None if tagger is None else open_model(tagger, "a tagger")


def _predict(
    model: Parser,
    texts: Texts,
    tagger: Tagger = None,
    beam: Beam = None,
    precision: Precision = None,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Parse sentences: CoNLL-U, with heads and relations in place of those of the file.

    The parser reads the tags of the file, or those of --tagger.
    """
    parser, tags = _opened(model, tagger, quiet)
    for batch in following(_sentences(texts, tags is not None), "parsing", quiet):
        for sentence in parser.predict(batch, tagger=tags, beam=beam, precision=precision, threads=threads):
            if json:
                print_json({name: getattr(sentence, name) for name in ("words", "tags", "heads", "relations")})
            else:
                print(sentence, end="\n\n")


def _sentences(texts: str, tagged: bool) -> Iterator[Sequence[Any]]:
    """Yield the sentences of a file in batches.

    Raises:
        OptionError: it is raw text, and there is no tagger.
    """
    if ".conllu" not in Path(texts).name:
        if not tagged:
            raise OptionError(f"{texts} is not named .conllu, and raw text has no tags; use --tagger MODEL")
        yield from ([line for line in lines if line.strip()] for lines in line_batches(texts, SENTENCES))
        return
    batch: list[DependencySentence] = []
    for sentence in read_conllu(texts, trees=False):
        batch.append(sentence)
        if len(batch) == SENTENCES:
            yield batch
            batch = []
    if batch:
        yield batch


def _test(
    model: Parser,
    source: Trees,
    tagger: Tagger = None,
    beam: Beam = None,
    precision: Precision = None,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Test a parser on a treebank: attachment scores with the treebank's tags, and with those of --tagger."""
    parser, tags = _opened(model, tagger, quiet)
    scores = parser.test(source, tagger=tags, beam=beam, precision=precision, threads=threads, progress=not quiet)
    if json:
        for name, each in scores.rows.items():
            print_json({"tags": name, **asdict(each), "intervals": scores.intervals[name]})
    else:
        print(scores)


def _app() -> typer.Typer:
    app = typer.Typer(cls=Group, help="Dependency parsers: train on treebanks, predict, test.")
    app.command("train", help=paragraphs(train), context_settings=PASSED_ON)(train)
    add_command(app, "predict", _predict)
    add_command(app, "test", _test)
    return app


parse = _app()
