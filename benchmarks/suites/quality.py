"""How good the vectors are: the same text and options for all, every file judged by the same code.

For each model the programs train at equal options. For skip-gram and CBOW each program trains at its own best
learning rate too. That is looked for with the first seed alone, by the mean of the five figures: a climb from the
equal rate to whichever neighbour on a list of rates is better, until none is. Every figure is then the mean of all
seeds. Equal are the options that all programs share: width, window, noise words, subsampling, epochs, smallest
count, and the learning rate at the start; what a program does with them, such as its schedule, is its own. The C
programs take no seed: their repetitions differ by the race of their threads only.
"""

import os
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.comparison import Contender
from benchmarks.inputs import public_data
from benchmarks.models import MIN_COUNT, Model, trainer, trainers
from benchmarks.records import Series
from benchmarks.running import JobError, child_environment, run_child
from benchmarks.setting import FASTTEXT, Setting
from benchmarks.suites import families

EQUAL_RATES = {"skipgram": 0.025, "cbow": 0.05}
RATES = {"skipgram": (0.0125, 0.025, 0.05, 0.075), "cbow": (0.025, 0.05, 0.075, 0.1)}
DIM = 100
EPOCHS, FAMILY_EPOCHS = 5, 3

Run = dict[str, Any]
Judge = Callable[[str, float, int], Run]


@dataclass(frozen=True, kw_only=True)
class Contest:
    """One model, as several programs train it.

    Attributes:
        key: the name in the results, behind "quality-".
        title: as the table shows it.
        options: what the results keep.
        names: of the programs.
        train: makes the contender of a program's name, a learning rate, a seed, and where to leave the vectors.
        lr: the rate of all.
        rates: those among which each program's best is looked for; none where only equal options are compared.
    """

    key: str
    title: str
    options: Mapping[str, Any]
    names: tuple[str, ...]
    train: Callable[[str, float, int, str], Contender]
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


KEYS = (*RATES, *(job.key for job in families.JUDGED))


def contests(setting: Setting, threads: int) -> list[Contest]:
    """Every model.

    Args:
        setting: the call's setting.
        threads: of every program.
    """
    return [
        *(_plain(setting, name, threads) for name in RATES),
        *(_family(setting, j, threads) for j in families.JUDGED),
    ]


def _plain(setting: Setting, architecture: str, threads: int) -> Contest:
    epochs = setting.epochs or EPOCHS

    def train(name: str, lr: float, seed: int, output: str) -> Contender:
        model = Model(architecture=architecture, dim=DIM, epochs=epochs, lr=lr)
        return trainer(setting, name, model, threads=threads, seed=seed, output=output)

    lr = EQUAL_RATES[architecture]
    model = Model(architecture=architecture, dim=DIM, epochs=epochs, lr=lr)
    told = {"min_count": MIN_COUNT, "threads": threads, **setting.tokenised.described()}
    return Contest(
        key=architecture,
        title=f"{architecture}, d = {DIM}: figures of the vectors",
        options={**asdict(model), **told},
        names=trainers(setting),
        train=train,
        lr=lr,
        rates=RATES[architecture],
    )


def _family(setting: Setting, job: families.Job, threads: int) -> Contest:
    epochs = setting.epochs or FAMILY_EPOCHS

    def train(name: str, lr: float, seed: int, output: str) -> Contender:
        call = families.Call(text=setting.tokenised, threads=threads, epochs=epochs, seed=seed, output=output)
        return families.trainer(setting, job, name, call)

    options = {**job.firth, "epochs": epochs, "min_count": MIN_COUNT, "threads": threads}
    return Contest(
        key=job.key,
        title=f"{job.title}: figures of the vectors",
        options={**options, **setting.tokenised.described()},
        names=families.programs(setting, job),
        train=train,
        lr=job.firth["lr"],
    )


def judge_with(setting: Setting, contest: Contest, threads: int) -> Judge:
    """Return what trains and judges one run.

    Args:
        setting: the call's setting.
        contest: the model.
        threads: of every program.
    """

    def judge(name: str, lr: float, seed: int) -> Run:
        with tempfile.TemporaryDirectory(dir=setting.cache) as folder:
            vectors = str(Path(folder) / "vectors")
            contender = contest.train(name, lr, seed, vectors)
            with child_environment(contender, threads) as environment:
                # With few threads the fasttext package leaves most rows of its input as it finds the memory. Pages
                # that come fresh from the system are zeros.
                fresh = {"MALLOC_MMAP_THRESHOLD_": "4096"} if name == FASTTEXT else {}
                try:
                    trained = run_child(contender.command, {**environment, **fresh})
                except JobError as error:
                    raise JobError(f"{name} at lr {lr}, seed {seed}: {error}") from None
            told = setting.firth_job("firth_evaluate.py", {"vectors": vectors, "data": _data()})
            judged = run_child(told, {**os.environ, **setting.firth_cache})
        figures = [_figure(row) for row in judged.report["rows"] if _is_total(row)]
        if unmeasured := [figure["set"] for figure in figures if figure["value"] is None]:
            raise JobError(f"{name}: no word of {', '.join(unmeasured)} has a vector; take a larger text")
        seconds = round(trained.report["seconds"], 3)
        return {"contender": name, "lr": lr, "seed": seed, "seconds": seconds, "figures": figures}

    return judge


def run(contest: Contest, judge: Judge, series: Series, *, seeds: int, say: Callable[[str], object] = print) -> None:
    """Train and judge whatever the series lacks.

    Args:
        contest: the model.
        judge: trains and judges one run, from `judge_with`.
        series: where runs are kept, and where those that were made before stand.
        seeds: how many runs answer each question.
        say: shows a line.

    Raises:
        JobError: a program failed; what was judged before is kept.
    """

    def need(name: str, lr: float, seed: int) -> None:
        if any(row["contender"] == name and row["lr"] == lr and row["seed"] == seed for row in series.runs):
            return
        row = judge(name, lr, seed)
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
