"""Dependency parsers by the number of sentences: firth's by default, and UDPipe 1 by default.

    python -m benchmarks.parse_sizes firth FOLDER... [--sizes 100 300 1000] [--draws 3]
    python -m benchmarks.parse_sizes udpipe FOLDER... [--sizes 100 300 1000] [--draws 3]    # needs ufal.udpipe
    python -m benchmarks.parse_sizes table

Each folder holds CoNLL-U files of a treebank whose names end in -train, -dev and -test, plain or .gz, or two of these:
the first of them trains, the last is the test. A draw is a random choice of the training sentences; firth holds a tenth
of them out to select the epoch, UDPipe learns from all. With `--tags predicted` the sentences to parse have the tags of
a tagger of the same program, trained on the same sentences. Rows go to results/small/parse.jsonl; what is there is not
trained again.
"""

import argparse
import ast
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import firth
from benchmarks import records
from firth.comparison.learning_curve import DRAWS, FEW, Measured, point_of
from firth.evaluation.dependencies import score_trees
from firth.readers.conllu import DependencySentence, read_conllu

RESULTS = Path(__file__).parent / "results" / "small"
PARTS = ("train", "dev", "test")
SIZES = (50, 100, 300, 1000, 3000, 0)  # sentences; 0 is all of them
TESTED = 500  # sentences of the test, the first ones
CHOSEN_ON = ("UD_French-Sequoia",)
FIRTH, UDPIPE = "firth", "UDPipe 1.4"
MODELS = {"transition": firth.TransitionParser, "biaffine": firth.BiaffineParser}

LEGEND = """# Dependency parsers by the number of sentences

LAS without subtypes of relations, on the first 500 sentences of the test file (the development file where there is no
other). A draw is a random choice of training sentences; the interval is that of the test's sentences (bootstrap, 95 %)
of one draw, or the t interval of three draws. One thread, seconds of processor time on a busy machine. Firth holds a
tenth of the sentences out to select the epoch and has its defaults, `firth parse train FILE`; UDPipe 1.4 has its own
defaults (ten iterations, beam 5) and learns from all sentences. Predicted tags are those of a tagger of the same
program, by its defaults, from the same sentences. The rule (`firth.neural.models.parsers.size_defaults`) was chosen on
the first 300 sentences of French Sequoia; the other treebanks judge it. An empty cell was not measured: training
UDPipe takes some 2.5 seconds for a hundred words. Written by `python -m benchmarks.parse_sizes`, which adds what is
missing.
"""

TRIED = """
## What was tried

Transition parsers on the first 300 sentences of French Sequoia, LAS on the development file, greedy and with a beam of
8. The defaults before, ten epochs of batches of 50 that read UPOS, had 48.4.

| tags | spelling | epochs | batch | other | greedy | beam 8 | s |
| --- | --- | --- | --- | --- | --- | --- | --- |
| UPOS | no | 30 | 5 | | 79.26 | 80.00 | 26 |
| features | no | 30 | 5 | | 81.03 | 81.80 | 29 |
| features | capitals, ends of 1 to 4, beginnings of 1 to 3 | 30 | 5 | | 78.99 | 79.62 | 32 |
| UPOS | the same | 30 | 5 | | 77.44 | 78.07 | 34 |
| features | capitals, ends of 2 and 3 | 25 | 5 | | 79.81 | 80.62 | 32 |
| features | no | 15 | 5 | | 80.81 | 82.00 | 15 |
| features | no | 20 | 3 | lr = .001 | 80.94 | 81.88 | 25 |
| features | no | 25 | 5 | dropout = .6, word_dropout = .5 | 81.05 | 81.87 | 22 |

Spelling costs a point or more where there are gold tags: it is the default only where there are none.
"""

Trees = Sequence[DependencySentence]
Parse = Callable[[Trees], Trees]


def parts(folder: Path) -> tuple[Path, Path]:
    """The training file and the test file of a treebank."""
    files = [path for name in PARTS for path in sorted(folder.glob(f"*-{name}.conllu*"))[:1]]
    if len(files) < 2:
        raise SystemExit(f"{folder}: {len(files)} of *-train, *-dev and *-test.conllu; expected two or three")
    return files[0], files[-1]


def drawn(sentences: Trees, size: int, draw: int) -> list[DependencySentence]:
    """A random choice of sentences, in their order; all of them for 0, and of fewer."""
    if not 0 < size < len(sentences):
        return list(sentences)
    rows = sorted(random.Random(draw).sample(range(len(sentences)), size))
    return [sentences[row] for row in rows]


def options_of(pairs: Sequence[str]) -> dict[str, Any]:
    """Options that the command line gives: numbers, True and False, or words."""
    values: dict[str, Any] = {}
    for name, _, text in (pair.partition("=") for pair in pairs):
        try:
            values[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            values[name] = text
    return values


def firth_parser(model: str, given: dict[str, Any]) -> Callable[[Trees, bool, int], Parse]:
    """Firth's parser of a name, by default but for the options given."""

    def train(sentences: Trees, tagged: bool, seed: int) -> Parse:
        kind: Any = MODELS[model]
        own = {field.name for field in fields(kind)}
        training = replace(kind.training, **{name: value for name, value in given.items() if name not in own})
        options = kind(**{name: value for name, value in given.items() if name in own})
        parser = options.train(list(sentences), training=training, seed=seed, progress=False)
        if not tagged:
            return lambda test: parser.predict(test)
        targets = ",".join(parser.columns)
        tagger = firth.Tagger(targets=targets).train(list(sentences), seed=seed, progress=False)
        return lambda test: parser.predict(test, tagger=tagger)

    return train


def trained_udpipe(sentences: Trees, tokeniser: str, tagger: str) -> tuple[Any, Any]:
    """UDPipe's module, and a model of sentences with its parser by default.

    Args:
        tokeniser: options of the tokeniser, "" for the defaults, or "none".
        tagger: likewise.
    """
    import ufal.udpipe as udpipe  # type: ignore[import-untyped, import-not-found, unused-ignore]  # it has no types

    examples, error = udpipe.Sentences(), udpipe.ProcessingError()  # a list of Sentences yields copies
    for each in _read(udpipe, sentences):
        examples.append(each)
    given = ("morphodita_parsito", examples, udpipe.Sentences(), tokeniser, tagger, "", error)
    found = udpipe.Trainer.train(*given)
    if error.occurred():
        raise RuntimeError(error.message)
    with tempfile.NamedTemporaryFile() as file:
        file.write(found.encode("latin1", "surrogateescape") if isinstance(found, str) else bytes(found))
        file.flush()
        return udpipe, udpipe.Model.load(file.name)


def udpipe_parser(sentences: Trees, tagged: bool, seed: int) -> Parse:
    """UDPipe's parser by default; its tagger, too, for predicted tags."""
    udpipe, model = trained_udpipe(sentences, "none", "" if tagged else "none")

    def parse(test: Trees) -> Trees:
        trees = []
        for gold, sentence in zip(test, _read(udpipe, test), strict=True):
            if tagged:
                model.tag(sentence, model.DEFAULT)
            model.parse(sentence, model.DEFAULT)
            words = list(sentence.words)[1:]
            trees.append(gold.annotated(heads=[w.head for w in words], relations=[w.deprel for w in words]))
        return trees

    return parse


def _read(udpipe: Any, sentences: Trees) -> list[Any]:
    """Sentences in UDPipe's form."""
    reader, result, error = udpipe.InputFormat.newConlluInputFormat(), list[Any](), udpipe.ProcessingError()
    reader.setText("".join(f"{each}\n\n" for each in sentences))
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        result.append(sentence)
    return result


def measure(name: str, train: Callable[[Trees, bool, int], Parse], arguments: argparse.Namespace) -> None:
    """Train on every draw of every size of every treebank, and keep a row of each."""
    file, facts = arguments.out / "parse.jsonl", arguments.tags
    done = {(r["parser"], r["treebank"], r["tags"], r["size"], r["draw"]) for r in records.read(file)}
    for folder in arguments.folders:
        first, last = parts(folder)
        everything = list(read_conllu(first))
        test = [sentence for sentence in read_conllu(last) if len(sentence)][:TESTED]
        for size in arguments.sizes:
            for draw in range(arguments.draws if 0 < size <= FEW else 1):
                if (name, folder.name, facts, size, draw) in done or size > len(everything):
                    continue
                sentences = drawn(everything, size, draw)
                began = time.process_time()
                parse = train(sentences, facts == "predicted", draw)
                seconds = time.process_time() - began
                scores = score_trees(test, {facts: list(parse(test))})
                row = {
                    "parser": name, "treebank": folder.name, "tags": facts, "size": size, "draw": draw,
                    "sentences": len(sentences), "words": sum(map(len, sentences)), "seconds": round(seconds, 1),
                    "uas": round(100 * scores.rows[facts].uas, 2), "las": round(100 * scores.rows[facts].las, 2),
                    "interval": [round(100 * end, 2) for end in scores.intervals[facts]["las"]],
                }  # fmt: skip
                records.append(file, row)
                print(*row.values(), flush=True)


def interval(rows: Sequence[records.Row]) -> str:
    """The LAS of several draws with the t interval of their mean; of one, with that of the test's sentences."""
    shares = ([row["las"] / 100, *(end / 100 for end in row["interval"])] for row in rows)
    point = point_of(len(rows), [Measured(*values) for values in shares])
    las, low, high = (100 * value for value in (point.value, point.low, point.high))
    return f"{las:.1f} ({low:.1f} to {high:.1f})" if len(rows) == 1 else f"{las:.1f} ± {high - las:.1f}"


def table(rows: Sequence[records.Row]) -> str:
    """The results as Markdown: a line per treebank, tags and size, a column per parser."""
    parsers = sorted({row["parser"] for row in rows}, key=lambda name: (name not in (FIRTH, UDPIPE), name))
    cells: dict[tuple[Any, ...], list[records.Row]] = {}
    for row in rows:
        half = "chosen on" if row["treebank"] in CHOSEN_ON else "judged on"
        key = (half, row["treebank"], row["tags"], row["size"] or row["sentences"])
        cells.setdefault((*key, row["parser"]), []).append(row)
    head = ["treebank", "half", "tags", "sentences", "words", *(f"{name}: LAS" for name in parsers)]
    head += [f"{name}: s" for name in (FIRTH, UDPIPE)]
    lines = [head, ["---"] * len(head)]
    for half, treebank, tags, size in sorted({key[:4] for key in cells}):
        found = {name: cells[half, treebank, tags, size, name] for name in parsers
                 if (half, treebank, tags, size, name) in cells}  # fmt: skip
        words = statistics.mean(row["words"] for rows in found.values() for row in rows)
        line = [treebank, half, tags, f"{size:,}", f"{words:,.0f}"]
        line += [interval(found[name]) if name in found else "" for name in parsers]
        seconds = {name: statistics.mean(row["seconds"] for row in found.get(name, [])) for name in (FIRTH, UDPIPE)
                   if name in found}  # fmt: skip
        line += [f"{seconds[name]:.0f}" if name in seconds else "" for name in (FIRTH, UDPIPE)]
        lines.append(line)
    return LEGEND + "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + TRIED


def main(arguments: list[str] | None = None) -> None:
    """Measure, or write the table."""
    parser = argparse.ArgumentParser(description="dependency parsers by the number of sentences")
    parser.add_argument("what", choices=("firth", "udpipe", "table"))
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--tags", choices=("gold", "predicted"), default="gold")
    parser.add_argument("--model", choices=tuple(MODELS), default="transition")
    parser.add_argument("--options", nargs="*", default=[], metavar="NAME=VALUE", help="that are not the default")
    parser.add_argument("--name", help="of firth's parser in the rows")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_intermixed_args(arguments)
    if chosen.what == "firth":
        default = FIRTH if chosen.model == "transition" else f"{FIRTH}, {chosen.model}"
        name = chosen.name or " ".join([default, *chosen.options])
        measure(name, firth_parser(chosen.model, options_of(chosen.options)), chosen)
    elif chosen.what == "udpipe":
        measure(UDPIPE, udpipe_parser, chosen)
    else:
        (chosen.out / "parse.md").write_text(table(records.read(chosen.out / "parse.jsonl")), encoding="utf-8")


if __name__ == "__main__":
    main()
