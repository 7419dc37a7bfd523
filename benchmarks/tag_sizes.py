"""Taggers by the number of training sentences: firth's defaults, options by hand, and peers at their defaults.

    python -m benchmarks.tag_sizes run --who firth [--sets wikigold] [--sizes 100 300] [--options epochs=50 lr=0.005]
    python -m benchmarks.tag_sizes run --who crfsuite --python PYTHON
    python -m benchmarks.tag_sizes run --who spacy --sizes 300 --python PYTHON
    python -m benchmarks.tag_sizes table

A row holds one training: a draw of the sentences of a set, the score on test sentences (F1 of spans, or accuracy), and
seconds of the processor. Rows go to results/small/tag.jsonl; what is there is not trained again. Up to 300 sentences
there are three draws, above one. A rule is chosen on the sets of `CHOOSE` and judged on the others.
"""

import argparse
import dataclasses
import functools
import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import firth
from benchmarks import inputs, records
from firth.comparison.learning_curve import DRAWS, FEW, Measured, point_of
from firth.evaluation.tags import score_tags
from firth.options import parsed
from firth.readers.columns import read_columns
from firth.readers.conllu import read_conllu
from firth.readers.span_tags import span_tags, spans_of

FILE = Path(__file__).parent / "results" / "small" / "tag.jsonl"
JOBS = Path(__file__).parent / "jobs"
SIZES = (50, 100, 300, 1_000, 3_000)
TEST = 1_000  # test sentences, at most
CHOOSE = ("wikigold", "upos-tr")
JUDGE = ("conll2002-es", "upos-en", "wnut17", "wikiann-de", "btc", "chunks-en", "upos-fr", "upos-vi")
LEGEND = """# Taggers of few sentences

`python -m benchmarks.tag_sizes`: taggers at their defaults on some sentences of a set, drawn at random; test
sentences are the set's own, at most 1,000 of them, of WikiGold 500 others. A figure is F1 of entities or chunks, or
the accuracy of parts of speech, in per cent, with the 95 % interval over the test sentences (over the draws, where
there are several), and the processor's seconds of the training on one thread of a busy machine. firth holds out a
tenth of the sentences itself. python-crfsuite has the features of its tutorial without parts of speech, and the
defaults of its trainer.

The rule, in `firth.neural.models.tagging.size_defaults`: 40 (100 / N)^(1/3) epochs for N sentences, from 15 to 40;
up to 2,000 sentences batches of 8, a rate of .004, LSTMs of 100 and no early stopping, above batches of 16, .002,
200 and patience 5. Capitals and the last two and three letters of words are read at every size. Less than 20
held-out sentences select no epoch.

The rule was chosen on WikiGold and Turkish at 100 sentences. The other sets had no part in it. An empty cell was not
measured, for want of processor time: so are spaCy, the options above 2,000 sentences, and a second and third draw of
many rows; `python -m benchmarks.tag_sizes run` adds what is missing. The draws of BTC differ by 40 points of F1.
"""
TRIED = """## Tried by hand

| data | sentences | options | score |
|---|---:|---|---:|"""
Example = tuple[list[str], list[str]]
Row = dict[str, Any]


def _columns(*paths: str, first: int = 0, last: int = -1, prefix: str = "") -> list[Example]:
    """Sentences of files of columns, with their tags as BIO."""
    result = []
    for path in paths:
        for sentence in read_columns(_found("entities", path), on_error="skip"):
            words = [word.removeprefix(prefix) for word in sentence.columns[first]]
            tags = sentence.columns[last]
            if words[0] != "-DOCSTART-":
                result.append((words, list(span_tags(spans_of(tags), len(tags)))))
    return result


def _upos(*paths: str) -> list[Example]:
    sentences = (s for path in paths for s in read_conllu(_found("dependencies", path), trees=False))
    return [(list(s.words), list(s.tags)) for s in sentences if "_" not in s.tags]


def _found(folder: str, path: str) -> Path:
    """The file, unpacked from a zip archive where the path names one as ARCHIVE!MEMBER."""
    archive, member, name = path.partition("!")
    file = inputs._public(Path(folder) / archive)
    if not member:
        return file
    target = Path(tempfile.gettempdir()) / "firth-tag-sizes" / name.replace("/", "-")
    if not target.exists():
        import zipfile

        target.parent.mkdir(exist_ok=True)
        target.write_bytes(zipfile.ZipFile(file).read(name))
    return target


def _split(examples: list[Example]) -> tuple[list[Example], list[Example]]:
    """Training and test sentences of a set without a division of its own."""
    random.Random(0).shuffle(examples)
    return examples[500:], examples[:500]


_ES, _CHUNKS = "conll2002/conll2002.zip!conll2002/esp", "conll2000/conll2000.zip!conll2000"
_BTC, _EN, _TR = "btc-ner/CONLL-format/data", "UD_English-EWT/en_ewt-ud", "UD_Turkish-IMST/tr_imst-ud"
_FR, _VI = "UD_French-Sequoia/fr_sequoia-ud", "UD_Vietnamese-VTB/vi_vtb-ud"
SETS: dict[str, Callable[[], tuple[list[Example], list[Example]]]] = {
    "wikigold": lambda: _split(_columns("wikigold/wikigold.conll.txt")),
    "conll2002-es": lambda: (_columns(f"{_ES}.train"), _columns(f"{_ES}.testb")),
    "upos-en": lambda: (_upos(f"{_EN}-train.conllu.gz"), _upos(f"{_EN}-dev.conllu.gz")),
    "upos-tr": lambda: (_upos(f"{_TR}-train.conllu.gz"), _upos(f"{_TR}-dev.conllu.gz")),
    "wnut17": lambda: (_columns("wnut17/wnut17train.conll"), _columns("wnut17/emerging.dev.conll")),
    "wikiann-de": lambda: (_columns("wikiann-de/train.gz", prefix="de:"), _columns("wikiann-de/test.gz", prefix="de:")),
    "btc": lambda: (_columns(*(f"{_BTC}/{part}.conll" for part in "abeg")), _columns(f"{_BTC}/h.conll")),
    "chunks-en": lambda: (_columns(f"{_CHUNKS}/train.txt"), _columns(f"{_CHUNKS}/test.txt")),
    "upos-fr": lambda: (_upos(f"{_FR}-train.conllu.gz"), _upos(f"{_FR}-dev.conllu.gz")),
    "upos-vi": lambda: (_upos(f"{_VI}-train.conllu.gz"), _upos(f"{_VI}-dev.conllu.gz")),
}


@functools.cache
def _read(name: str) -> tuple[list[Example], list[Example]]:
    return SETS[name]()


def drawn(name: str, size: int, draw: int) -> tuple[list[Example], list[Example]]:
    """Some training sentences of a set, 0 for all, and its test sentences."""
    pool, test = map(list, _read(name))
    random.Random(1).shuffle(test)
    random.Random(f"{name} {draw}").shuffle(pool)
    return pool[: size or None], test[:TEST]


def by_firth(train: list[Example], test: list[Example], options: Mapping[str, str], seed: int) -> tuple[Any, Row]:
    """Tags of the test sentences by firth's tagger."""
    kinds: tuple[Any, Any] = firth.Tagger, firth.TrainingOptions
    names = {field.name for field in dataclasses.fields(firth.TrainingOptions)}
    training = {name: parsed(kinds[1], name, value) for name, value in options.items() if name in names}
    own = {name: parsed(kinds[0], name, value) for name, value in options.items() if name not in names}
    tagger = firth.Tagger(**own)
    began = time.process_time()
    model = tagger.train(
        train, training=dataclasses.replace(tagger.training, **training), seed=seed, threads=1, progress=False
    )
    used, facts = time.process_time() - began, model.metadata["training"]
    row = {"epochs": len(facts["rows"]), "best": facts["best"]["epoch"], "training_seconds": round(used, 2)}
    return [list(found.tags["tag"]) for found in model.predict([words for words, _ in test])], row


def by_peer(job: str, python: str, train: list[Example], test: list[Example], name: str) -> tuple[Any, Row]:
    """Tags of the test sentences by another program."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.json"
        data.write_text(json.dumps({"train": train, "test": [words for words, _ in test], "spans": _spans(name)}))
        script = JOBS / f"{job}_tag.py"
        done = subprocess.run([python, "-P", str(script), str(data)], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["tags"], {"training_seconds": answer["seconds"]}


def _spans(name: str) -> bool:
    return not name.startswith("upos")


def measured(who: str, name: str, size: int, draw: int, options: Mapping[str, str], python: str) -> Row:
    """Train and test once."""
    train, test = drawn(name, size, draw)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tags, facts = (
            by_firth(train, test, options, draw) if who == "firth" else by_peer(who, python, train, test, name)
        )
    seconds = round(time.perf_counter() - began, 2)
    scores = score_tags([gold for _, gold in test], tags, spans=_spans(name))
    told = sorted({str(warning.message).replace(f"{inputs.public_data()}/", "")[:200] for warning in caught})
    return {
        "score": round(scores.score, 4), "interval": [round(end, 4) for end in scores.interval], "seconds": seconds,
        "words": sum(len(words) for words, _ in train), "sentences": len(train), **facts,
        "warnings": told,
    }  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Train and test what the results do not hold yet."""
    options = dict(option.split("=", 1) for option in args.options)
    rows = records.read(args.file)
    for size, name in itertools.product(args.sizes, args.sets):
        for draw in range(args.draws or (DRAWS if 0 < size <= FEW else 1)):
            key = {"who": args.who, "label": args.label, "set": name, "size": size, "draw": draw, "options": options}
            if not any(key.items() <= row.items() for row in rows):
                row = {**key, **measured(args.who, name, size, draw, options, args.python)}
                records.append(args.file, row)
                print(name, size, draw, options, row["score"], row["seconds"], flush=True)


def table(args: argparse.Namespace) -> None:
    """Write the table of the rows on disk: the mean of the draws with their t interval, or that of the test data."""
    rows = records.read(args.file)
    columns = list(dict.fromkeys((row["who"], row["label"]) for row in rows if not row["options"]))
    lines = [
        f"| data | half | sentences | {' | '.join(who for who, _ in columns)} |",
        f"|---|---|---:|{'---:|' * len(columns)}",
    ]
    for name, size in itertools.product(SETS, (*SIZES, 0)):
        found = [row for row in rows if (row["set"], row["size"]) == (name, size) and not row["options"]]
        if found:
            half = "chosen on" if name in CHOOSE else "judged on"
            cells = [_cell([row for row in found if (row["who"], row["label"]) == column]) for column in columns]
            lines.append(f"| {name} | {half} | {size or 'all'} | {' | '.join(cells)} |")
    tried = [f"| {row['set']} | {row['size']} | {_named(row)} | {_cell([row])} |" for row in records.read(args.tried)]
    text = [LEGEND, *lines, "", TRIED, *tried, ""]
    args.file.with_suffix(".md").write_text("\n".join(text), encoding="utf-8")


def _named(row: Row) -> str:
    """The options of a row, and the letters that it reads."""
    options = " ".join(f"{name}={value}" for name, value in row["options"].items())
    return f"{f'`{options}`' if options else 'the rule'}{row['label']}"


def _cell(rows: list[Row]) -> str:
    """The score in per cent with its interval, and the processor's seconds of the training."""
    if not rows:
        return ""
    point = point_of(rows[0]["size"], [Measured(row["score"], *row["interval"]) for row in rows])
    times = [float(row["training_seconds"]) for row in rows if row["training_seconds"] is not None]
    seconds = f", {statistics.fmean(times):.0f} s" if times else ""
    return f"{100 * point.value:.1f} ({100 * point.low:.1f} - {100 * point.high:.1f}){seconds}"


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tag_sizes", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("--who", choices=["firth", "crfsuite", "spacy"], default="firth")
    command.add_argument("--label", default="", help="name of the state of the source")
    command.add_argument("--sets", nargs="+", choices=SETS, default=[*CHOOSE, *JUDGE])
    command.add_argument("--sizes", nargs="+", type=int, default=[*SIZES], help="0 is all")
    command.add_argument("--draws", type=int, default=0)
    command.add_argument("--options", nargs="*", default=[], metavar="NAME=VALUE")
    command.add_argument("--python", default=sys.executable, help="of a peer")
    command.add_argument("--file", type=Path, default=FILE)
    command.set_defaults(run=run)
    command = commands.add_parser("table")
    command.add_argument("--file", type=Path, default=FILE)
    command.add_argument("--tried", type=Path, default=FILE.with_name("tag_tried.jsonl"), help="rows by hand")
    command.set_defaults(run=table)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
