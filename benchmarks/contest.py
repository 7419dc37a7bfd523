"""Programs that train the same model, judged by the same figures: at equal options, and each at its own best rate."""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.records import Series

Run = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Contest:
    """One model, as several programs train it.

    Attributes:
        key: the name in the results, behind "quality-".
        title: as the table shows it.
        options: what the results keep.
        names: of the programs.
        judge: trains and judges one run, by a program's name, a learning rate and a seed.
        lr: the rate of all.
        rates: those among which each program's best is looked for; none where only equal options are compared.
    """

    key: str
    title: str
    options: Mapping[str, Any]
    names: tuple[str, ...]
    judge: Callable[[str, float, int], Run]
    lr: float
    rates: tuple[float, ...] = ()

    @property
    def header(self) -> dict[str, Any]:
        """What identifies a series of runs."""
        return {
            "comparison": f"quality-{self.key}",
            "title": self.title,
            "options": dict(self.options),
            "contenders": list(self.names),
        }


def run(contest: Contest, series: Series, *, seeds: int, say: Callable[[str], object] = print) -> None:
    """Train and judge whatever the series lacks.

    Args:
        contest: the model.
        series: where runs are kept, and where those that were made before stand.
        seeds: how many runs answer each question.
        say: shows a line.

    Raises:
        JobError: a program failed; what was judged before is kept.
    """

    def need(name: str, lr: float, seed: int) -> None:
        if any(row["contender"] == name and row["lr"] == lr and row["seed"] == seed for row in series.runs):
            return
        row = contest.judge(name, lr, seed)
        series.add(row)
        say(f"{contest.key} {name} lr {lr} seed {seed}: {_summary(row)}")

    for seed in range(1, seeds + 1):
        for name in contest.names:
            need(name, contest.lr, seed)
    if not contest.rates:
        return
    for name in contest.names:
        while untried := _neighbours(contest.rates, best_rate(series.runs, name)) - _tried(series.runs, name):
            need(name, max(untried), 1)
    for seed in range(1, seeds + 1):
        for name in contest.names:
            need(name, best_rate(series.runs, name), seed)


def _neighbours(rates: tuple[float, ...], rate: float) -> set[float]:
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


def _summary(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{figure['set']} {figure['value']:.3f}" for figure in row["figures"])
