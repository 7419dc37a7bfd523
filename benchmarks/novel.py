"""A novel from raw text to a file of CoNLL-U: tokens a second of firth's pipeline, and of UDPipe's.

    python -m benchmarks.novel train.conllu novel.txt PIPELINE [--rounds 3] [--sentences 300]
    python -m benchmarks.novel --table

PIPELINE is a folder of `firth pipeline train` on the first sentences of the treebank. UDPipe (`ufal.udpipe`) learns
from the same, with fewer epochs than by default, which change what it answers but hardly how long it takes; it is left
out where it is not installed. Contenders take turns. Rows go to results/small/novel.jsonl.
"""

import argparse
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import firth
from benchmarks import records
from benchmarks.annotate import peer
from benchmarks.machine import describe
from benchmarks.parse_sizes import RESULTS
from firth.readers.conllu import read_conllu

LEGEND = """# A novel from raw text to trees

`python -m benchmarks.novel`: {title}, {characters:,} characters, {tokens:,} tokens of firth, to a file of CoNLL-U
with tags, features, lemmas and trees. Firth's pipeline ({pipeline}) and UDPipe learn from the first {sentences:,}
sentences of {treebank}; UDPipe with 2 epochs of its tokeniser, 5 iterations of its tagger and 1 of its
parser, fewer than by default. Tokens a second, the median of {rounds} rounds (least - greatest): of processor time of
all processes, one thread each, and of the clock on a machine with {cores} processors, whose load was {load:.0f}. The
time of two processes includes that of loading their models.

{machine}.

"""
Job = Callable[[Path], Any]


def spread(values: list[float]) -> str:
    """The median, the least and the greatest."""
    return f"{statistics.median(values):,.0f} ({min(values):,.0f} - {max(values):,.0f})"


def jobs(treebank: Path, text: Path, pipeline: Path, sentences: int) -> Iterator[tuple[str, Job]]:
    """What is measured: name, and a function of the folder to write to."""
    model: Any = firth.load(pipeline)

    def alone(out: Path) -> None:
        firth.annotate_files(text, out / "out.conllu", pipeline=model, progress=False)

    def together(out: Path) -> None:
        firth.annotate_files(text, out / "out.conllu", pipeline=pipeline, processes=2, progress=False)

    yield "firth", alone
    yield "firth, 2 processes", together
    if importlib.util.find_spec("ufal") is not None:
        yield from peer(list(islice(read_conllu(treebank), sentences)), text)


def measure(chosen: argparse.Namespace, file: Path) -> None:
    """Run every contender once a round, and keep a row of each run."""
    text = chosen.text.read_text("utf-8")
    contenders = list(jobs(chosen.treebank, chosen.text, chosen.pipeline, chosen.sentences))
    loaded: Any = firth.load(chosen.pipeline)
    kinds = f"tagger, {loaded.parser.metadata.get('model', 'parser')}" if loaded.parser is not None else "tagger"
    tokens = len(loaded.tokeniser.document(text))
    file.unlink(missing_ok=True)
    header = {
        "title": chosen.text.stem, "characters": len(text), "tokens": tokens, "pipeline": kinds,
        "treebank": chosen.treebank.name, "sentences": chosen.sentences, "rounds": chosen.rounds,
        "cores": os.cpu_count(), "load": os.getloadavg()[0],
    }  # fmt: skip
    records.append(file, {"kind": "series", "machine": describe(), **header})
    for number in range(chosen.rounds):
        for name, job in contenders:
            with tempfile.TemporaryDirectory() as folder:
                clock, used = time.monotonic(), sum(os.times()[:4])
                job(Path(folder))
                used, clock = sum(os.times()[:4]) - used, time.monotonic() - clock
            row = {"contender": name, "round": number, "processor": round(used, 2), "clock": round(clock, 2)}
            records.append(file, row)
            print(*row.values(), flush=True)


def table(file: Path) -> str:
    """The runs as Markdown."""
    header, *rows = records.read(file)
    machine = header["machine"]["processor"]
    header["rounds"] = max(row["round"] for row in rows) + 1  # fewer than were asked for, if it was interrupted
    lines = ["| contender | tokens a second of the processor | of the clock |", "|---|---:|---:|"]
    for name in dict.fromkeys(row["contender"] for row in rows):
        own = [row for row in rows if row["contender"] == name]
        cells = [spread([header["tokens"] / row[key] for row in own]) for key in ("processor", "clock")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return LEGEND.format(**{**header, "machine": machine}) + "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path, nargs="?", help="sentences to train on, in CoNLL-U")
    parser.add_argument("text", type=Path, nargs="?", help="raw text to annotate")
    parser.add_argument("pipeline", type=Path, nargs="?", help="folder of firth's pipeline")
    parser.add_argument("--table", action="store_true", help="write the table from the runs on disk alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    file = chosen.out / "novel.jsonl"
    if not chosen.table:
        if chosen.pipeline is None:
            parser.error("a treebank, a text and a pipeline are needed, unless --table is given")
        measure(chosen, file)
    (chosen.out / "novel.md").write_text(table(file), "utf-8")
    print(table(file))


if __name__ == "__main__":
    main()
