"""`firth tag`: train, predict and test taggers."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import firth
from firth import plots
from firth.cli.arguments import (
    AsJson,
    Embed,
    Language,
    OnError,
    OneThread,
    Quiet,
    Seed,
    TextFile,
    flag,
    names,
    output,
    whole_numbers,
)
from firth.cli.groups import commands
from firth.cli.output import note, print_json, with_progress, working
from firth.cli.targets import check_file_target
from firth.cli.texts import batches, line_batches, tell_running_text
from firth.cli.training import RawText, Report, Run, StartVectors, Summary, TrainCommand, given_vectors
from firth.cli.vectors import open_model
from firth.comparison.learning_curve import DRAWS
from firth.comparison.tagger_curve import tagging_curve
from firth.documents.annotate import check_target
from firth.documents.correction import MEASURE, MOST, least_certain, write_corrections
from firth.documents.files import CONLLU, RAW, check_written, format_of, read_documents
from firth.errors import OptionError, counted
from firth.plots.saving import check_target as check_picture
from firth.readers.columns import read_columns
from firth.readers.conllu import TAG_COLUMNS, read_conllu
from firth.storage.skipping import SKIP

LINES = 1 << 12  # sentences per batch
_SPAN_TAG = re.compile(r"O|[BIES]-\w+")

Tagger = Annotated[Path, names("A tagger: a folder that firth wrote.", "MODEL")]
WordColumn = Annotated[
    str | None,
    flag(
        "Column of words in a file of columns: its number, from 1, or its name. Default: the first, or the second "
        "where the first one counts words.",
        "COLUMN",
    ),
]
Tagged = Annotated[
    list[Path],
    names(
        "Sentences with tags: CoNLL-U (.conllu), documents (.jsonl), entities of other programs (.jsonl, .json, .csv, "
        ".parquet), or columns, a word per line and an empty line between.",
        "FILE",
    ),
]


def _report(run: Run, tagger: Any) -> Report:
    tags = {target: len(names) for target, names in tagger.tags.items()}
    schemes = tagger.metadata["training"].get("notations", {})
    shown = {target: f" ({schemes[target]})" if target in schemes else "" for target in tags}
    kinds = ", ".join(f"{count:,} tags of {target}{shown[target]}" for target, count in tags.items())
    words, read = len(tagger.words), f"{tagger.metadata['training']['words']:,} words"
    scores = dict.fromkeys("accuracy" if tag_set.scheme is None else "F1 of spans" for tag_set in tagger.sets)
    measure = f"{'mean ' if len(tags) > 1 else ''}{' and '.join(scores)} {{}}"
    facts = {"tags": tags, "words": words}
    summary = Summary(f"{kinds}, {words:,} words", facts, "sentences", read, ("broken_spans",), measure)
    return summary.report(run, tagger)


def _train(
    run: Run,
    source: Tagged,
    held_out: Annotated[
        Path | None,
        flag("Sentences with tags that choose the best epoch. Default: a tenth of the training sentences.", "FILE"),
    ] = None,
    vectors: StartVectors = None,
    embed: Embed = None,
    start: Annotated[
        Path | None, flag("Trained tagger to continue from, with its options; new words and tags are added.", "MODEL")
    ] = None,
    *,
    on_error: OnError = SKIP,
    word_column: WordColumn = None,
) -> Any:
    """Train a tagger on sentences with tags.

    Targets of CoNLL-U and of documents are upos, xpos, feats, lemma and ner, several with commas between. Without
    --targets, upos and feats are learned, as far as the words have them, and ner of documents with entities. Of a file
    of columns the last one is learned, or those that --targets names, by their numbers from 1 or their names in a
    first line.
    """
    return run.train(source, held_out=held_out, start=_opened_start(start), on_error=on_error, word_column=word_column)


def _opened_start(path: Path | None) -> Any:
    return None if path is None else open_model(path, "a tagger")


train = TrainCommand(
    group="tag", what="tagger", homes=("firth.neural.models.tagging.",), default="bilstm-crf",
    kinds=("firth-tagger",), train=_train, report=_report,
).command()  # fmt: skip


def _predict(
    model: Tagger,
    texts: TextFile,
    columns: Annotated[bool, typer.Option("--columns", help="FILE has a word per line, with other columns.")] = False,
    probabilities: Annotated[bool, typer.Option("--probabilities", help="Show the probability of each tag.")] = False,
    on_error: OnError = SKIP,
    word_column: WordColumn = None,
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
    filled = conllu and not json and not probabilities and set(tagger.targets) <= TAG_COLUMNS.keys()
    for batch in with_progress(_sentences(texts, conllu, columns, on_error, word_column), "tagging", quiet):
        results = tagger.predict(batch, probabilities=probabilities, threads=threads)
        for sentence, tagged in zip(batch, results, strict=True):
            if json:
                print_json({key: value for key, value in asdict(tagged).items() if value or key != "probabilities"})
            elif filled:
                print(
                    sentence.annotated(**{TAG_COLUMNS[target]: tags for target, tags in tagged.tags.items()}),
                    end="\n\n",
                )
            else:
                print("".join(f"{line}\n" for line in _lines(tagged)))


def _lines(tagged: Any) -> Iterator[str]:
    """Yield a line per word: the word, and of each target the tag and its probability, if asked for."""
    for i, word in enumerate(tagged.words):
        fields = [word]
        for target, tags in tagged.tags.items():
            fields.append(tags[i])
            if tagged.probabilities:
                fields.append(f"{tagged.probabilities[target][i]:.4f}")
        yield "\t".join(fields)


def _sentences(texts: str, conllu: bool, columns: bool, on_error: str, word_column: str | None) -> Iterator[list[Any]]:
    """Yield the sentences of a file in batches."""
    if format_of(texts) not in (RAW, CONLLU):
        raise OptionError(f"{texts} holds documents; use firth annotate {shlex.quote(texts)} --tagger MODEL -o OUT")
    if not conllu and not columns:
        for number, lines in enumerate(line_batches(texts, LINES)):
            if number == 0 and _are_columns(lines):
                raise OptionError(f"{texts} has a word per line, with tags behind it; use --columns")
            split = [line.split() for line in lines if line.strip()]
            if number == 0:
                tell_running_text(texts, split, "--tagger")
            yield split
        return
    if conllu:
        sentences: Iterator[Any] = read_conllu(texts, trees=False, on_error=on_error)
    else:
        sentences = (sentence.words for sentence in read_columns(texts, word_column=word_column, on_error=on_error))
    yield from batches(sentences, LINES)


def _are_columns(lines: Sequence[str]) -> bool:
    """Return whether lines are words with tags: fields between tabs without spaces, or tags of spans behind words."""
    rows = [line.split("\t") if "\t" in line else line.split() for line in lines if line.strip()]
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    between_tabs = all("\t" in line for line in lines if line.strip())
    if between_tabs:
        return not any(" " in field for row in rows for field in row)
    return len(rows) > 1 and all(_SPAN_TAG.fullmatch(row[-1]) for row in rows)


def _test(
    model: Tagger,
    source: Tagged,
    on_error: OnError = SKIP,
    word_column: WordColumn = None,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Test a tagger on sentences with tags: accuracy, also on unknown words, and F1 where tags mark spans."""
    scores = open_model(model, "a tagger").test(
        source, on_error=on_error, word_column=word_column, threads=threads, progress=not quiet
    )
    if not json:
        print(scores)
        return
    for target, score in scores.items():
        print_json({"target": target, "score": score.score, **asdict(score)})


def _correct(
    model: Tagger,
    texts: Annotated[
        list[Path],
        names("Files: raw text, CoNLL-U (.conllu), JSONL (.jsonl), or others that firth annotate reads.", "TEXT..."),
    ],
    output: Annotated[
        Path | None,
        output("File to write: .jsonl, .conllu, .spacy, .json for Label Studio, .csv, or .ann for brat.", "FILE"),
    ] = None,
    shape: Annotated[
        str | None,
        flag("Shape of a .jsonl or .json file: spacy, prodigy, doccano, label-studio or hugging-face.", "NAME"),
    ] = None,
    most: Annotated[int, typer.Option(help="Sentences to write, at most.", metavar="N", min=1)] = MOST,
    done: Annotated[
        list[Path] | None,
        flag("What is annotated already, in any form that firth tag train reads; also several times.", "FILE"),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            help="Uncertainty: mnlp, -log p of the best tags by the number of words; or total, which prefers long "
            "sentences."
        ),
    ] = MEASURE,
    language: Language = None,
    lines: Annotated[
        str | None, flag("What a line of raw text is: sentence, or word. Default: running text.", "NAME")
    ] = None,
    on_error: OnError = SKIP,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Write the sentences of which a tagger is least certain, with its tags, to be corrected: active learning.

    The least certain comes first; what is annotated already is left out. Correct the tags, by hand or in another
    program, and train on them: firth tag train DONE CORRECTED -o MODEL.
    """
    if output is None:
        raise OptionError("no file to write to: give -o FILE, such as -o next.jsonl")
    check_written(output, shape)
    if lines is not None and not any(format_of(path) == RAW for path in texts):
        raise OptionError(f"lines={lines!r}: of raw text, and {texts[0]} is none; expected a file of raw text")
    check_file_target(output, lambda target: check_target(target, texts), overwrite=True)
    with working(f"reading {model}", quiet):
        tagger = open_model(model, "a tagger")
    reading: dict[str, Any] = {"language": language, "lines": lines, "on_error": on_error}
    chosen = least_certain(
        (document for path in texts for document in read_documents(path, **reading)), tagger, most=most,
        done=done or (), measure=measure, progress=not quiet,
    )  # fmt: skip
    write_corrections(output, chosen, shape=shape)
    entities = sum(len(document.entities) for document in chosen)
    if json:
        print_json({"file": str(output), "sentences": len(chosen), "entities": entities})
    else:
        marked = f", {entities:,} {'entity' if entities == 1 else 'entities'}" * bool(entities)
        note(f"{output}: {counted(len(chosen), 'sentence')}{marked}")


def _curve(
    source: Tagged,
    test: Annotated[
        list[Path] | None, flag("Sentences with tags to judge by. Default: a fifth of those of FILE.", "FILE")
    ] = None,
    output: Annotated[Path | None, output("Picture to draw: .png, .svg, .pdf or .html.", "PICTURE")] = None,
    sizes: Annotated[
        str | None,
        flag("Numbers of training sentences, with commas between. Default: 50, 100, 300, 1000 ... and all.", "N,N"),
    ] = None,
    draws: Annotated[int, typer.Option(help="Draws of each size up to 300 sentences.")] = DRAWS,
    targets: Annotated[str | None, flag("What is tagged, as for firth tag train.", "NAME")] = None,
    vectors: StartVectors = None,
    raw: RawText = None,
    on_error: OnError = SKIP,
    word_column: WordColumn = None,
    seed: Seed = 0,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show the learning curve of a tagger: its scores with 50, 100, 300 ... sentences, with intervals.

    Each size is trained at the defaults of firth tag train and judged on the same test sentences.
    """
    if output is not None:
        check_picture(output)
    tagger = firth.Tagger(targets=targets)
    given = given_vectors(vectors, raw, seed=seed, threads=threads, quiet=quiet)
    curve = tagging_curve(
        tagger, source, test or None, sizes=whole_numbers("--sizes", sizes), draws=draws, seed=seed, threads=threads,
        progress=not quiet, on_error=on_error, word_column=word_column, vectors=given,
    )  # fmt: skip
    if output is not None:
        plots.scores_by_size([curve]).save(output)
    if json:
        print_json(curve.described())
    else:
        print(curve)
        if output is not None:
            print(output)


tag = commands(
    "Taggers of words, such as parts of speech and entities: train, predict, test, correct, curve.",
    train=train,
    predict=_predict,
    test=_test,
    correct=_correct,
    curve=_curve,
)
