"""`firth tag`: train, predict and test taggers."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.annotators import Training, open_model
from firth.cli.arguments import AsJson, OneThread, Quiet, TextFile, names
from firth.cli.flags import Group, add_command
from firth.cli.model_flag import PASSED_ON
from firth.cli.output import following, paragraphs, print_json, working
from firth.cli.texts import line_batches
from firth.readers.columns import read_columns
from firth.readers.conllu import DependencySentence, read_conllu

LINES = 1 << 12  # sentences per batch
COLUMNS = {"upos": "tags", "xpos": "language_tags", "feats": "features"}  # of CoNLL-U, and how its sentences name them

Tagger = Annotated[Path, names("A tagger: a folder that firth wrote.", "MODEL")]
Tagged = Annotated[
    list[Path],
    names("Sentences with tags: CoNLL-U (.conllu), or columns, a word per line and an empty line between.", "FILE"),
]


def _report(name: str, tagger: Any, output: Path, seconds: float, json: bool) -> None:
    facts = tagger.metadata["training"]
    best = facts["best"] or {}
    tags = {target: len(each) for target, each in tagger.tags.items()}
    if json:
        figures = {each: best[each] for each in ("held_out_loss", "held_out_error") if best.get(each) is not None}
        counted = {each: facts[each] for each in ("sentences", "held_out_sentences", "broken_spans", "interrupted")}
        print_json(
            {
                "tagger": str(output), "kind": name, "tags": tags, "words": len(tagger.words),
                "epochs": best.get("epoch"), **counted, **figures,
                "training_seconds": facts["seconds"], "seconds": round(seconds, 3),
            }
        )  # fmt: skip
        return
    kinds = ", ".join(f"{count:,} tags of {target}" for target, count in tags.items())
    print(f"{output}: {name}, {kinds}, {len(tagger.words):,} words, {seconds:.1f} s")
    print(f"trained on {facts['sentences']:,} sentences, {facts['words']:,} words, in {facts['seconds']:.1f} s")
    if best:
        right = 100 * (1 - best["held_out_error"])
        print(f"best epoch {best['epoch']:g}: {right:.2f} on {facts['held_out_sentences']:,} held-out sentences")
    print(f"next: firth tag test {shlex.quote(str(output))} FILE")


train = Training(
    group="tag",
    what="tagger",
    homes=("firth.neural.models.tags.",),
    default="bilstm-crf",
    source=Tagged,
    held_out="Sentences with tags that choose the best epoch. Default: a tenth of the training sentences.",
    about="""Train a tagger on sentences with tags.

    Targets of CoNLL-U are upos, xpos and feats, several with commas between. Of a file of columns the last one is
    learned, or those that --targets names by number, from 1.""",
    report=_report,
).command()


def _predict(
    model: Tagger,
    texts: TextFile,
    columns: Annotated[bool, typer.Option("--columns", help="FILE has a word per line, with other columns.")] = False,
    probabilities: Annotated[bool, typer.Option("--probabilities", help="Show the probability of each tag.")] = False,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Tag sentences: a word and its tags per line, and an empty line behind each sentence.

    A line of FILE is a sentence, with spaces between words. A .conllu file is printed with its columns filled in, if
    the tagger's targets are columns of CoNLL-U.
    """
    with working(f"reading {model}", quiet):
        tagger = open_model(model, "a tagger")
    conllu = ".conllu" in Path(texts).name
    filled = conllu and not json and not probabilities and set(tagger.targets) <= COLUMNS.keys()
    for batch in following(_sentences(texts, conllu, columns), "tagging", quiet):
        found = tagger.predict(batch, probabilities=probabilities, threads=threads)
        for sentence, tagged in zip(batch, found, strict=True):
            if json:
                print_json({key: value for key, value in asdict(tagged).items() if value or key != "probabilities"})
            elif filled:
                print(sentence.annotated(**{COLUMNS[target]: tags for target, tags in tagged.tags.items()}), end="\n\n")
            else:
                print("".join(f"{line}\n" for line in _lines(tagged)))


def _lines(tagged: Any) -> Iterator[str]:
    """Yield a line per word: the word, and of each target the tag and its probability, if asked for."""
    for place, word in enumerate(tagged.words):
        fields = [word]
        for target, tags in tagged.tags.items():
            fields.append(tags[place])
            if tagged.probabilities:
                fields.append(f"{tagged.probabilities[target][place]:.4f}")
        yield "\t".join(fields)


def _sentences(texts: str, conllu: bool, columns: bool) -> Iterator[list[Any]]:
    """Yield the sentences of a file in batches."""
    if not conllu and not columns:
        yield from ([line.split() for line in lines if line.strip()] for lines in line_batches(texts, LINES))
        return
    batch: list[DependencySentence | tuple[str, ...]] = []
    sentences = read_conllu(texts, trees=False) if conllu else (each.words for each in read_columns(texts))
    for sentence in sentences:
        batch.append(sentence)
        if len(batch) == LINES:
            yield batch
            batch = []
    if batch:
        yield batch


def _test(model: Tagger, source: Tagged, threads: OneThread = None, quiet: Quiet = False, json: AsJson = False) -> None:
    """Test a tagger on sentences with tags: accuracy, also on unknown words, and F1 where tags mark spans."""
    scores: Mapping[str, Any] = open_model(model, "a tagger").test(source, threads=threads, progress=not quiet)
    for target, each in scores.items():
        if json:
            print_json({"target": target, "score": each.score, **asdict(each)})
        else:
            print(f"{target}: {each}" if each.spans is None else f"{target}:\n{each}")


def _app() -> typer.Typer:
    app = typer.Typer(cls=Group, help="Taggers of words, such as parts of speech and entities: train, predict, test.")
    app.command("train", help=paragraphs(train), context_settings=PASSED_ON)(train)
    add_command(app, "predict", _predict)
    add_command(app, "test", _test)
    return app


tag = _app()
