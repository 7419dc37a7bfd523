"""How well labels are predicted: fastText's classifier, and documents by their vectors.

The classifiers are trained at equal options on the training texts of four sets. The vectors of documents are inferred,
those of the training texts too, by a model that was trained on the training texts; a logistic regression on them
predicts the labels, the same one for all programs. Reviews are split anew by each seed.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contest import Contest, Run
from benchmarks.inputs import Labelled, articles, reviews, short_texts
from benchmarks.running import run_child
from benchmarks.setting import FASTTEXT, FIRTH, GENSIM, Setting
from firth.evaluation.significance import wilson_interval

LOSSES = {"softmax": "softmax", "hierarchical": "hs", "negative": "ns", "ova": "ova"}  # firth's names and fastText's
CLASSIFIER = {"dim": 100, "epochs": 5, "word_ngrams": 2, "buckets": 200_000, "lr": 0.5}
FASTTEXT_CLASSIFIER = {"dim": 100, "epoch": 5, "wordNgrams": 2, "bucket": 200_000, "lr": 0.5}
FASTTEXT_THREADS = 12  # with fewer, the package leaves most of its rows as it finds the memory

MODES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # firth's options and gensim's
    "dbow": ({"architecture": "dbow"}, {"dm": 0}),
    "dm": ({"architecture": "dm"}, {"dm": 1}),
    "dbow-words": ({"architecture": "dbow", "words": True}, {"dm": 0, "dbow_words": 1}),
}
DOCUMENTS = {"dim": 100, "window": 5, "negative": 5, "sample": 1e-3, "epochs": 10, "lr": 0.025}
GENSIM_DOCUMENTS = {"vector_size": 100, "window": 5, "negative": 5, "sample": 1e-3, "epochs": 10, "alpha": 0.025}
MIN_COUNT = 5

Report = dict[str, Any]

KEYS = (*(f"classifier-{loss}" for loss in LOSSES), *(f"documents-{mode}" for mode in MODES))


def contests(setting: Setting, threads: int) -> list[Contest]:
    """Every model.

    Args:
        setting: the call's setting.
        threads: of every program but fastText.
    """
    classifiers = [_classifiers(setting, loss, threads) for loss in LOSSES]
    return [*classifiers, *(_documents(setting, mode, threads) for mode in MODES)]


def _classifiers(setting: Setting, loss: str, threads: int) -> Contest:
    def predict(name: str, lr: float, seed: int, options: dict[str, Any]) -> Report:
        if name == FIRTH:
            model = {**CLASSIFIER, "loss": loss, "lr": lr}
            job = setting.firth_job("firth_accuracy.py", {**options, "threads": threads, "model": model})
        else:
            model = {**FASTTEXT_CLASSIFIER, "loss": LOSSES[loss], "lr": lr}
            job = setting.peer_job("fasttext_accuracy.py", {**options, "threads": FASTTEXT_THREADS, "model": model})
        return _report(setting, job)

    return Contest(
        key=f"classifier-{loss}",
        title=f"fastText classifier, {loss}: accuracy",
        options={**CLASSIFIER, "loss": loss, "threads": threads},
        names=(FIRTH, FASTTEXT),
        judge=_judge(setting, predict, lambda seed: short_texts()),
        lr=CLASSIFIER["lr"],
    )


def _documents(setting: Setting, mode: str, threads: int) -> Contest:
    ours, theirs = MODES[mode]

    def predict(name: str, lr: float, seed: int, options: dict[str, Any]) -> Report:
        options = {
            **options,
            "threads": threads,
            "min_count": MIN_COUNT,
            "vectors": str(Path(options["train"]).with_suffix(".npz")),
        }
        if name == FIRTH:
            job = setting.firth_job("firth_documents.py", {**options, "model": {**DOCUMENTS, **ours, "lr": lr}})
        else:
            model = {**GENSIM_DOCUMENTS, **theirs, "alpha": lr}
            job = setting.peer_job("gensim_documents.py", {**options, "model": model})
        return {**_report(setting, job), **_report(setting, setting.peer_job("judge_documents.py", options))}

    return Contest(
        key=f"documents-{mode}",
        title=f"documents by paragraph vectors, {mode}: accuracy",
        options={**DOCUMENTS, **ours, "min_count": MIN_COUNT, "threads": threads},
        names=(FIRTH, GENSIM),
        judge=_judge(setting, predict, lambda seed: [articles(), reviews(seed)]),
        lr=DOCUMENTS["lr"],
    )


def _report(setting: Setting, job: tuple[str, ...]) -> Report:
    return run_child(job, {**os.environ, **setting.firth_cache, "PYTHONHASHSEED": "0"}).report


def _judge(setting: Setting, predict: Callable[..., Report], sets: Callable[[int], list[Labelled]]) -> Any:
    def judge(name: str, lr: float, seed: int) -> Run:
        figures, seconds = [], 0.0
        for one in sets(seed):
            with tempfile.TemporaryDirectory(dir=setting.cache) as folder:
                report = predict(name, lr, seed, {**one.written(Path(folder)), "seed": seed})
            right, total = report["right"], report["total"]
            low, high = wilson_interval(right, total)
            figures.append(
                {
                    "set": one.name, "metric": "accuracy", "value": right / total, "low": low, "high": high,
                    "covered": total, "total": total,
                }
            )  # fmt: skip
            seconds += report["seconds"]
        return {"contender": name, "lr": lr, "seed": seed, "seconds": round(seconds, 3), "figures": figures}

    return judge
