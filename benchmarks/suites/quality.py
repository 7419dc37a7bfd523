"""How good the vectors are: the same text and options for all, every file judged by the same code.

Two questions, for skip-gram and for CBOW: at equal options, and each program at its own best learning rate. The
best rate is looked for with the first seed alone, by the mean of the five figures: a climb from the equal rate to
whichever neighbour on a list of rates is better, until none is. Both questions are answered by the mean of all
seeds. Equal are the options that all programs share: width, window, noise words, subsampling, epochs, smallest
count, and the learning rate at the start; what a program does with them, such as its schedule, is its own. The
program of 2013 takes no seed: its repetitions differ by the race of its threads only.
"""

import os
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.inputs import public_data
from benchmarks.models import MIN_COUNT, Model, trainer, trainers
from benchmarks.records import Series
from benchmarks.running import JobError, child_environment, run_child
from benchmarks.setting import Setting

EQUAL_RATES = {"skipgram": 0.025, "cbow": 0.05}
RATES = {"skipgram": (0.0125, 0.025, 0.05, 0.075), "cbow": (0.025, 0.05, 0.075, 0.1)}
DIM = 100

Run = dict[str, Any]


def header(setting: Setting, architecture: str, threads: int) -> dict[str, Any]:
    """What identifies a series of quality runs."""
    return {
        "comparison": f"quality-{architecture}",
        "title": f"{architecture}, d = {DIM}: figures of the vectors",
        "options": {
            **asdict(Model(architecture=architecture, dim=DIM, epochs=setting.epochs, lr=EQUAL_RATES[architecture])),
            "min_count": MIN_COUNT,
            "threads": threads,
            **setting.tokenised.described(),
        },
        "contenders": list(trainers(setting)),
    }


def run(
    setting: Setting,
    architecture: str,
    series: Series,
    *,
    threads: int,
    seeds: int,
    say: Callable[[str], object] = print,
) -> None:
    """Train and judge whatever the series lacks.

    Args:
        setting: the call's setting.
        architecture: "skipgram" or "cbow".
        series: where runs are kept, and where those that were made before stand.
        threads: of every program.
        seeds: how many runs answer each question.
        say: shows a line.

    Raises:
        JobError: a program failed; what was judged before is kept.
    """

    def judge(name: str, lr: float, seed: int) -> None:
        if any(row["contender"] == name and row["lr"] == lr and row["seed"] == seed for row in series.runs):
            return
        row = _train_and_judge(setting, architecture, name, lr, seed, threads)
        series.add(row)
        say(f"{architecture} {name} lr {lr} seed {seed}: {_summary(row)}")

    names = trainers(setting)
    for seed in range(1, seeds + 1):
        for name in names:
            judge(name, EQUAL_RATES[architecture], seed)
    for name in names:
        while untried := _neighbours(architecture, best_rate(series.runs, name)) - _tried(series.runs, name):
            judge(name, max(untried), 1)
    for seed in range(1, seeds + 1):
        for name in names:
            judge(name, best_rate(series.runs, name), seed)


def _neighbours(architecture: str, rate: float) -> set[float]:
    """The rates next to a rate on the architecture's list."""
    rates = RATES[architecture]
    place = rates.index(rate)
    return set(rates[max(place - 1, 0) : place + 2]) - {rate}


def _tried(runs: list[Run], name: str) -> set[float]:
    return {row["lr"] for row in runs if row["contender"] == name}


def best_rate(runs: list[Run], name: str) -> float:
    """The learning rate whose first run has the highest mean of all figures."""
    first = [row for row in runs if row["contender"] == name and row["seed"] == 1]
    return max(first, key=mean_figure)["lr"]


def mean_figure(row: Mapping[str, Any]) -> float:
    """The mean of a run's figures, one a set."""
    return statistics.fmean(figure["value"] for figure in row["figures"])


def _train_and_judge(setting: Setting, architecture: str, name: str, lr: float, seed: int, threads: int) -> Run:
    model = Model(architecture=architecture, dim=DIM, epochs=setting.epochs, lr=lr)
    with tempfile.TemporaryDirectory(dir=setting.cache) as folder:
        vectors = str(Path(folder) / "vectors")
        contender = trainer(setting, name, model, threads=threads, seed=seed, output=vectors)
        with child_environment(contender, threads) as environment:
            try:
                trained = run_child(contender.command, environment)
            except JobError as error:
                raise JobError(f"{name} at lr {lr}, seed {seed}: {error}") from None
        judge = setting.firth_job("firth_evaluate.py", {"vectors": vectors, "data": _data()})
        judged = run_child(judge, {**os.environ, **setting.firth_cache})
    figures = [_figure(row) for row in judged.report["rows"] if _is_total(row)]
    if unmeasured := [figure["set"] for figure in figures if figure["value"] is None]:
        raise JobError(f"{name}: no word of {', '.join(unmeasured)} has a vector; take a larger text")
    return {
        "contender": name,
        "lr": lr,
        "seed": seed,
        "seconds": round(trained.report["seconds"], 3),
        "figures": figures,
    }


def _data() -> str | None:
    folder = public_data()
    return None if folder is None else str(folder)


def _is_total(row: Mapping[str, Any]) -> bool:
    """Analogies come by section and method besides; the whole set by 3CosAdd is what the peers' papers print."""
    return row["metric"] in {"spearman", "3cosadd"} and "/" not in row["set"]


def _figure(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("set", "metric", "value", "low", "high", "covered", "total")}


def _summary(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{figure['set']} {figure['value']:.3f}" for figure in row["figures"])
