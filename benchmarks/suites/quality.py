"""Quality of the vectors: the same text and options for all programs, evaluated by the same code.

For each model the programs train at equal options. For skip-gram and CBOW each program also trains at its own best
learning rate. The search uses the first seed and the mean of the five figures: it moves from the equal rate to the
better neighbour in a list of rates until no neighbour is better. Every figure is then the mean of all seeds. Equal
options are those that all programs share: dimension, window, noise words, subsampling, epochs, minimum count, and the
initial learning rate; the schedule, for example, is each program's own. The C programs take no seed: their repetitions
differ only by races between threads.
"""

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.comparison import Contender
from benchmarks.contest import Contest, Run
from benchmarks.inputs import public_data
from benchmarks.models import MIN_COUNT, Model, trainer, trainers
from benchmarks.running import JobError, child_environment, run_child
from benchmarks.setting import FASTTEXT, Setting
from benchmarks.suites import counts, families, labels

EQUAL_RATES = {"skipgram": 0.025, "cbow": 0.05}
RATES = {"skipgram": (0.0125, 0.025, 0.0375, 0.05, 0.075), "cbow": (0.025, 0.05, 0.06, 0.075, 0.1)}
DIM = 100
EPOCHS, FAMILY_EPOCHS, GLOVE_EPOCHS = 5, 3, 15

KEYS = (*RATES, "glove", *(job.key for job in families.JUDGED), *labels.KEYS)


def contests(setting: Setting, threads: int) -> list[Contest]:
    """Every model.

    Args:
        setting: the call's setting.
        threads: of every program.
    """
    return [
        *(_plain(setting, name, threads) for name in RATES),
        _glove(setting, threads),
        *(_family(setting, job, threads) for job in families.JUDGED),
        *labels.contests(setting, threads),
    ]


def _plain(setting: Setting, architecture: str, threads: int) -> Contest:
    epochs = setting.epochs or EPOCHS

    def train(name: str, lr: float, seed: int, output: str) -> Contender:
        model = Model(architecture=architecture, dim=DIM, epochs=epochs, lr=lr)
        return trainer(setting, name, model, threads=threads, seed=seed, output=output)

    lr = EQUAL_RATES[architecture]
    model = Model(architecture=architecture, dim=DIM, epochs=epochs, lr=lr)
    common = {"min_count": MIN_COUNT, "threads": threads, **setting.tokenised.described()}
    return Contest(
        key=architecture,
        title=f"{architecture}, d = {DIM}: figures of the vectors",
        options={**asdict(model), **common},
        names=trainers(setting),
        judge=_judge(setting, train, threads),
        lr=lr,
        rates=RATES[architecture],
    )


def _glove(setting: Setting, threads: int) -> Contest:
    model = {**counts.GLOVE_MODEL, "epochs": setting.epochs or GLOVE_EPOCHS}

    def train(name: str, lr: float, seed: int, output: str) -> Contender:
        return counts.glove_trainer(setting, name, {**model, "lr": lr}, threads=threads, seed=seed, output=output)

    common = {"window": counts.WINDOW, "min_count": MIN_COUNT, "threads": threads, **setting.tokenised.described()}
    return Contest(
        key="glove",
        title=f"GloVe, d = {model['dim']}: figures of the vectors",
        options={**model, **common},
        names=counts.glove_trainers(setting),
        judge=_judge(setting, train, threads),
        lr=model["lr"],
    )


def _family(setting: Setting, job: families.Job, threads: int) -> Contest:
    epochs = setting.epochs or FAMILY_EPOCHS

    def train(name: str, lr: float, seed: int, output: str) -> Contender:
        many = labels.FASTTEXT_THREADS if name == FASTTEXT else threads
        call = families.Call(text=setting.tokenised, threads=many, epochs=epochs, seed=seed, output=output)
        return families.trainer(setting, job, name, call)

    lr = job.firth["lr"]
    options = {"model": job.firth, "lr": lr, "epochs": epochs, "min_count": MIN_COUNT, "threads": threads}
    return Contest(
        key=job.key,
        title=f"{job.title}: figures of the vectors",
        options={**options, **setting.tokenised.described()},
        names=families.programs(setting, job),
        judge=_judge(setting, train, threads),
        lr=lr,
    )


def _judge(setting: Setting, train: Callable[[str, float, int, str], Contender], threads: int) -> Any:
    def judge(name: str, lr: float, seed: int) -> Run:
        with tempfile.TemporaryDirectory(dir=setting.cache) as folder:
            vectors = str(Path(folder) / "vectors")
            contender = train(name, lr, seed, vectors)
            with child_environment(contender, threads) as environment:
                try:
                    training_run = run_child(contender.command, environment)
                except JobError as error:
                    raise JobError(f"{name} at lr {lr}, seed {seed}: {error}") from None
            command = setting.firth_job("firth_evaluate.py", {"vectors": vectors, "data": _data()})
            evaluation = run_child(command, {**os.environ, **setting.firth_cache})
        figures = [_figure(row) for row in evaluation.report["rows"] if _is_total(row)]
        if unmeasured := [figure["set"] for figure in figures if figure["value"] is None]:
            raise JobError(f"{name}: no word of {', '.join(unmeasured)} has a vector; take a larger text")
        seconds = round(training_run.report["seconds"], 3)
        loss = {"loss": training_run.report["loss"]} if "loss" in training_run.report else {}
        return {"contender": name, "lr": lr, "seed": seed, "seconds": seconds, **loss, "figures": figures}

    return judge


def _data() -> str | None:
    folder = public_data()
    return None if folder is None else str(folder)


def _is_total(row: Mapping[str, Any]) -> bool:
    """Analogies come by section and method besides; the whole set by 3CosAdd is what the peers' papers print."""
    return row["metric"] in {"spearman", "3cosadd"} and "/" not in row["set"]


def _figure(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("set", "metric", "value", "low", "high", "covered", "total")}
