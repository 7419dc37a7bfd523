"""`firth parse`: train, predict and test dependency parsers."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from firth.cli.arguments import AsJson, Embed, OnError, OneThread, Quiet, flag, names
from firth.cli.flags import Flags, with_flags
from firth.cli.groups import commands
from firth.cli.output import print_json, with_progress, working
from firth.cli.texts import batches, line_batches, tell_running_text
from firth.cli.training import Report, Run, StartVectors, Summary, TrainCommand
from firth.cli.vectors import open_model
from firth.errors import OptionError
from firth.readers.conllu import read_conllu
from firth.storage.skipping import SKIP

SENTENCES = 1 << 10  # per batch

Parser = Annotated[Path, names("A parser: a folder that firth wrote.", "MODEL")]
Trees = Annotated[list[Path], names("Sentences with tags and trees: CoNLL-U, plain or .gz.", "FILE")]
Texts = Annotated[
    str, names("Sentences: CoNLL-U (.conllu); with --tagger also text, a sentence per line, or -.", "FILE")
]


@dataclass(frozen=True)
class ParsingOptions:
    """How sentences are parsed."""

    tagger: Annotated[Path | None, flag("A tagger for the tags that the parser reads.", "MODEL")] = None
    beam: Annotated[int | None, flag("Beam width of parsing, of a transition parser. Default: its own.")] = None
    precision: Annotated[str | None, flag("Precision of matrix products, of a biaffine parser: fp32 or bf16.")] = None
    on_error: OnError = SKIP
    threads: OneThread = None


PARSING = Flags(ParsingOptions)


def _report(run: Run, parser: Any) -> Report:
    relations, read = len(parser.relations), f"{parser.metadata['training']['tokens']:,} words"
    facts, measure = {"relations": relations}, "LAS {}, with subtypes of relations,"
    return Summary(f"{relations:,} relations", facts, "sentences", read, ("tokens",), measure).report(run, parser)


def _train(
    run: Run,
    source: Trees,
    held_out: Annotated[
        Path | None,
        flag("Sentences that choose the best epoch. Default: the last tenth of the training sentences.", "FILE"),
    ] = None,
    vectors: StartVectors = None,
    embed: Embed = None,
    *,
    on_error: OnError = SKIP,
) -> Any:
    """Train a dependency parser on a treebank in CoNLL-U."""
    return run.train(source, held_out=held_out, on_error=on_error)


train = TrainCommand(
    group="parse", what="parser", homes=("firth.neural.models.parsers.",), default="transition",
    kinds=("firth-parser",), train=_train, report=_report,
).command()  # fmt: skip


def _opened(model: Path, tagger: Path | None, quiet: bool) -> tuple[Any, Any]:
    with working(f"reading {model}", quiet):
        return open_model(model, "a parser"), None if tagger is None else open_model(tagger, "a tagger")


def _predict(model: Parser, texts: Texts, quiet: Quiet = False, json: AsJson = False, **options: Any) -> None:
    """Parse sentences: CoNLL-U, with heads and relations in place of those of the file.

    The parser reads the tags of the file, or those of --tagger.
    """
    parser, options["tagger"] = _opened(model, options["tagger"], quiet)
    sentences = _sentences(texts, options["tagger"] is not None, options.pop("on_error"))
    for batch in with_progress(sentences, "parsing", quiet):
        for sentence in parser.predict(batch, **options):
            if json:
                print_json({name: getattr(sentence, name) for name in ("words", "tags", "heads", "relations")})
            else:
                print(sentence, end="\n\n")


def _sentences(texts: str, tagged: bool, on_error: str) -> Iterator[Sequence[Any]]:
    """Yield the sentences of a file in batches."""
    if ".conllu" not in Path(texts).name:
        if not tagged:
            raise OptionError(f"{texts} is not named .conllu, and raw text has no tags; use --tagger MODEL")
        for number, lines in enumerate(line_batches(texts, SENTENCES)):
            if number == 0:
                tell_running_text(texts, map(str.split, lines), "--tagger TAGGER --parser")
            yield [line for line in lines if line.strip()]
        return
    yield from batches(read_conllu(texts, trees=False, on_error=on_error), SENTENCES)


def _test(model: Parser, source: Trees, quiet: Quiet = False, json: AsJson = False, **options: Any) -> None:
    """Test a parser on a treebank: attachment scores with the treebank's tags, and with those of --tagger."""
    parser, options["tagger"] = _opened(model, options["tagger"], quiet)
    scores = parser.test(source, progress=not quiet, **options)
    if json:
        for name, score in scores.rows.items():
            print_json({"tags": name, **asdict(score), "intervals": scores.intervals[name]})
    else:
        print(scores)


parse = commands(
    "Dependency parsers: train on treebanks, predict, test.",
    train=train,
    predict=with_flags(_predict, [PARSING]),
    test=with_flags(_test, [PARSING]),
)
