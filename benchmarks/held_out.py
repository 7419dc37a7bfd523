"""CBOW of firth and gensim after the same grid search, tuned on one half of the evaluation sets, tested on the other.

    python -m benchmarks.held_out run --peers PYTHON      # PYTHON has gensim; the grid first, then the other seeds
    python -m benchmarks.held_out table

The grid has every learning rate of RATES with every final share of FINAL (final rate divided by first rate) in both
programs: gensim's `min_alpha` is the rate times the share. Each item (a word pair with its score, an analogy question)
belongs to one half by a hash of its line. A program's best options have the highest mean of the five figures on the
first half, for the first seed; the table shows means over all seeds on the second half. All other options are equal:
text, dimension, window, noise words, subsampling, epochs, minimum count, one thread, input vectors initialised
uniformly in +-1/D. One thread, because with several workers gensim's learning rate does not end at `min_alpha`.

Rows are appended to results/cbow_search.jsonl and never rewritten.
"""

import argparse
import hashlib
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import firth
from benchmarks import inputs, machine, records
from benchmarks.__main__ import _default_cache
from benchmarks.comparison import Contender
from benchmarks.models import MIN_COUNT, Model
from benchmarks.peers import peers_python
from benchmarks.running import child_environment, run_child
from benchmarks.setting import FIRTH, GENSIM, Setting
from firth.data import path_of

FILE = Path(__file__).parent / "results" / "cbow_search.jsonl"
RATES = (0.05, 0.075, 0.1)
FINAL = (1e-4, 0.2)
HALVES = ("choose", "report")
SIMILARITY = ("wordsim-353", "simlex-999", "men", "rare-words")
ANALOGIES = ("google-analogies",)
DIM, EPOCHS = 100, 5

Row = dict[str, Any]


def half_of(item: str) -> str:
    """The half of an item, by a hash of its words."""
    return HALVES[hashlib.blake2b(item.casefold().encode(), digest_size=1).digest()[0] % 2]


def split_lines(lines: Sequence[str], half: str) -> list[str]:
    """Lines of one half; section headings, which start with a colon, are in both."""
    return [line for line in lines if line.startswith(":") or half_of(line) == half]


def write_halves(folder: Path) -> None:
    """Write each set as two files, HALF/NAME.txt."""
    for name in (*SIMILARITY, *ANALOGIES):
        lines = path_of(name).read_text(encoding="utf-8").splitlines(keepends=True)
        for half in HALVES:
            (folder / half).mkdir(exist_ok=True)
            (folder / half / f"{name}.txt").write_text("".join(split_lines(lines, half)), encoding="utf-8")


def judge(vectors: str, halves: Path) -> Row:
    """Evaluate vectors on both halves: {half: {set: value, low, high and covered items}}."""
    model, figures = firth.load(vectors), {}
    for half in HALVES:
        similarity, analogies = (
            [str(halves / half / f"{name}.txt") for name in names] for names in (SIMILARITY, ANALOGIES)
        )
        report = firth.evaluate(model, similarity=similarity, analogies=analogies, progress=False)
        rows = [row for row in report.rows if row.metric in {"spearman", "3cosadd"} and "/" not in row.set]
        figures[half] = {
            Path(row.set).stem: {"value": row.value, "low": row.low, "high": row.high, "covered": row.covered}
            for row in rows
        }
    return figures


def train(setting: Setting, program: str, lr: float, final: float, seed: int, output: str) -> float:
    """Train one model; return the seconds of training."""
    common = {"text": str(setting.tokenised.path), "threads": 1, "seed": seed, "min_count": MIN_COUNT, "output": output}
    model = Model(architecture="cbow", dim=DIM, epochs=setting.epochs or EPOCHS, lr=lr)
    if program == FIRTH:
        command = setting.firth_job(
            "firth_train.py", {**common, "model": {**model.for_firth(), "lr_end_factor": final}}
        )
    else:
        command = setting.peer_job(
            "gensim_train.py", {**common, "model": {**model.for_gensim(), "min_alpha": lr * final}}
        )
    contender = Contender(name=program, command=command, environment=setting.firth_cache if program == FIRTH else {})
    with child_environment(contender, 1) as environment:
        return round(run_child(command, environment).report["seconds"], 1)


def run(setting: Setting, seeds: int, programs: Sequence[str], deadline: float) -> None:
    """Run the grid with the first seed, then each program's best options with the other seeds; stop at the deadline."""
    facts = {"dim": DIM, "epochs": setting.epochs or EPOCHS, **setting.tokenised.described()}
    with tempfile.TemporaryDirectory(dir=setting.cache) as folder:
        halves = Path(folder)
        write_halves(halves)

        def need(program: str, lr: float, final: float, seed: int) -> None:
            key = {"program": program, "lr": lr, "final": final, "seed": seed}
            if _matching_rows(facts, **key) or time.monotonic() > deadline:
                return
            output = str(halves / program)  # a folder of firth's, a file of gensim's
            seconds = train(setting, program, lr, final, seed, output)
            row = {**facts, **key, "seconds": seconds, "source": machine.source_state(), **judge(output, halves)}
            records.append(FILE, row)
            print(
                program,
                lr,
                final,
                seed,
                seconds,
                *(f"{half} {100 * mean(row, half):.2f}" for half in HALVES),
                flush=True,
            )

        for program in programs:
            for final in FINAL:
                for lr in RATES:
                    need(program, lr, final, 1)
            if len(grid := _matching_rows(facts, program=program, seed=1)) == len(RATES) * len(FINAL):
                winner = best(grid)
                for seed in range(2, seeds + 1):
                    need(program, winner["lr"], winner["final"], seed)


def _matching_rows(facts: Mapping[str, Any], **key: Any) -> list[Row]:
    expected = {**facts, **key}
    return [row for row in records.read(FILE) if all(row[name] == value for name, value in expected.items())]


def mean(row: Row, half: str) -> float:
    """The mean of a run's figures on one half."""
    return statistics.fmean(figure["value"] for figure in row[half].values())


def best(rows: Sequence[Row]) -> Row:
    """The run with the highest mean on the first half."""
    return max(rows, key=lambda row: mean(row, "choose"))


def table(rows: Sequence[Row]) -> str:
    """Both tables as Markdown: the chosen options on the second half, and the grid on the first."""
    sets = (*SIMILARITY, *ANALOGIES)
    lines = ["| who | lr | final share | " + " | ".join(sets) + " | seeds |", "|" + " --- |" * (len(sets) + 4)]
    grid = [
        "| who | final share | " + " | ".join(f"lr {lr:g}" for lr in RATES) + " |",
        "|" + " --- |" * (len(RATES) + 2),
    ]
    for program in (FIRTH, GENSIM):
        own = [row for row in rows if row["program"] == program]
        first = {(row["lr"], row["final"]): row for row in own if row["seed"] == 1}
        for final in FINAL:
            cells = [f"{100 * mean(first[lr, final], 'choose'):.1f}" if (lr, final) in first else "" for lr in RATES]
            grid.append(f"| {program} | {final:g} | " + " | ".join(cells) + " |")
        if first:
            winner = best(list(first.values()))
            same = [row for row in own if (row["lr"], row["final"]) == (winner["lr"], winner["final"])]
            cells = [_cell([row["report"][name] for row in same]) for name in sets]
            lines.append(
                f"| {program} | {winner['lr']:g} | {winner['final']:g} | " + " | ".join(cells) + f" | {len(same)} |"
            )
    return "\n".join(lines) + "\n\n" + "\n".join(grid) + "\n"


def _cell(figures: Sequence[Mapping[str, float]]) -> str:
    value, low, high = (100 * statistics.fmean(figure[part] for figure in figures) for part in ("value", "low", "high"))
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the search, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--cache", type=Path, default=_default_cache(), metavar="DIR", help="for what is made once")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="words and spaces (default: Wikipedia as text8)")
    parser.add_argument("--peers", metavar="PYTHON", help="an environment that holds gensim (default: one is made)")
    parser.add_argument("--programs", nargs="+", default=[FIRTH, GENSIM], choices=(FIRTH, GENSIM))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no run after so many")
    args = parser.parse_args(arguments)
    if args.what == "table":
        print(table(records.read(FILE)))
        return
    args.cache.mkdir(parents=True, exist_ok=True)
    text = inputs.tokenised(args.cache, args.corpus and args.corpus.resolve())
    peers = args.peers or peers_python(args.cache)
    setting = Setting(
        cache=args.cache, peers=peers, word2vec=None, wang2vec=None, glove=None,
        tokenised=text, written=text, threads=(1,), epochs=args.epochs,
    )  # fmt: skip
    run(setting, args.seeds, args.programs, time.monotonic() + 60 * args.minutes)


if __name__ == "__main__":
    main()
