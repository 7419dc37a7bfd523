"""CBOW of firth and of gensim after the same search, chosen on one half of the evaluation sets, reported on the other.

    python -m benchmarks.held_out run --peers PYTHON      # PYTHON has gensim; the grid first, then the other seeds
    python -m benchmarks.held_out table

Every learning rate of RATES is tried with every final share of FINAL, the part of the rate that is left at the end, in
both programs: gensim's `min_alpha` is the rate times the share. Each item (a pair of words with its score, an analogy
question) belongs to one half by a hash of its line. A program's best options are those of the highest mean of the five
figures on the first half, for the first seed; the table gives the second half, the mean of all seeds. All else is
equal: text, width, window, noise words, subsampling, epochs, smallest count, one thread, input vectors that start
uniform in +-1/D. One thread, because each of gensim's several workers counts its own part of a file against the whole,
so that its learning rate would not end where `min_alpha` says.

Rows go to results/cbow_search.jsonl, and nothing there is ever rewritten.
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
    """The half that an item belongs to, by a hash of its words."""
    return HALVES[hashlib.blake2b(item.casefold().encode(), digest_size=1).digest()[0] % 2]


def split_lines(lines: Sequence[str], half: str) -> list[str]:
    """Lines of one half; lines that begin with a colon, which name sections, belong to both."""
    return [line for line in lines if line.startswith(":") or half_of(line) == half]


def write_halves(folder: Path) -> None:
    """Write each set as two files, HALF/NAME.txt."""
    for name in (*SIMILARITY, *ANALOGIES):
        lines = path_of(name).read_text(encoding="utf-8").splitlines(keepends=True)
        for half in HALVES:
            (folder / half).mkdir(exist_ok=True)
            (folder / half / f"{name}.txt").write_text("".join(split_lines(lines, half)), encoding="utf-8")


def judge(vectors: str, halves: Path) -> Row:
    """Figures of vectors on both halves: {half: {set: value, low, high and covered items}}."""
    loaded, found = firth.load(vectors), {}
    for half in HALVES:
        similarity, analogies = (
            [str(halves / half / f"{name}.txt") for name in names] for names in (SIMILARITY, ANALOGIES)
        )
        report = firth.evaluate(loaded, similarity=similarity, analogies=analogies, progress=False)
        rows = [row for row in report.rows if row.metric in {"spearman", "3cosadd"} and "/" not in row.set]
        found[half] = {
            Path(row.set).stem: {"value": row.value, "low": row.low, "high": row.high, "covered": row.covered}
            for row in rows
        }
    return found


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
    """Try the grid with the first seed, then the best of each program with the others; stop at the deadline."""
    told = {"dim": DIM, "epochs": setting.epochs or EPOCHS, **setting.tokenised.described()}
    with tempfile.TemporaryDirectory(dir=setting.cache) as folder:
        halves = Path(folder)
        write_halves(halves)

        def need(program: str, lr: float, final: float, seed: int) -> None:
            asked = {"program": program, "lr": lr, "final": final, "seed": seed}
            if _kept(told, **asked) or time.monotonic() > deadline:
                return
            output = str(halves / program)  # a folder of firth's, a file of gensim's
            seconds = train(setting, program, lr, final, seed, output)
            row = {**told, **asked, "seconds": seconds, "source": machine.source_state(), **judge(output, halves)}
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
            if len(grid := _kept(told, program=program, seed=1)) == len(RATES) * len(FINAL):
                chosen = best(grid)
                for seed in range(2, seeds + 1):
                    need(program, chosen["lr"], chosen["final"], seed)


def _kept(told: Mapping[str, Any], **asked: Any) -> list[Row]:
    wanted = {**told, **asked}
    return [row for row in records.read(FILE) if all(row[name] == value for name, value in wanted.items())]


def mean(row: Row, half: str) -> float:
    """The mean of a run's figures on one half."""
    return statistics.fmean(figure["value"] for figure in row[half].values())


def best(rows: Sequence[Row]) -> Row:
    """The run with the highest mean on the half that options are chosen by."""
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
            chosen = best(list(first.values()))
            same = [row for row in own if (row["lr"], row["final"]) == (chosen["lr"], chosen["final"])]
            cells = [_cell([row["report"][name] for row in same]) for name in sets]
            lines.append(
                f"| {program} | {chosen['lr']:g} | {chosen['final']:g} | " + " | ".join(cells) + f" | {len(same)} |"
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
    told = parser.parse_args(arguments)
    if told.what == "table":
        print(table(records.read(FILE)))
        return
    told.cache.mkdir(parents=True, exist_ok=True)
    text = inputs.tokenised(told.cache, told.corpus and told.corpus.resolve())
    peers = told.peers or peers_python(told.cache)
    setting = Setting(
        cache=told.cache, peers=peers, word2vec=None, wang2vec=None, glove=None,
        tokenised=text, written=text, threads=(1,), epochs=told.epochs,
    )  # fmt: skip
    run(setting, told.seeds, told.programs, time.monotonic() + 60 * told.minutes)


if __name__ == "__main__":
    main()
