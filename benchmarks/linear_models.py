"""firth's linear models beside scikit-learn's, where firth uses them: probes, sentence classifiers, TF-IDF, debiasing.

    python -m benchmarks.linear_models run --rounds 5
    python -m benchmarks.linear_models table

Equal work: each case runs as `firth evaluate` or `firth debias` runs it, with the same rows, folds and penalties; only
the functions that fit are exchanged. Equal quality: `excess` is the greatest difference between the objective that a
solver reached and its minimum (found with a tolerance of 1e-9), over the first path of penalties. Contenders take
turns, with one thread of BLAS. The vectors are skip-gram of 18.7 M words of Wikipedia. Rows go to
results/linear_models.jsonl, and nothing there is ever rewritten.
"""

import argparse
import contextlib
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, Ridge

import firth
from benchmarks import inputs, machine, records
from benchmarks.__main__ import _default_cache
from firth.bias import metrics, null_space_projection
from firth.data import path_of
from firth.evaluation import linear, probing, sentences, tfidf
from firth.kernels.threads import one_blas_thread
from firth.readers.labelled_sentences import read_labelled_sentences
from firth.readers.word_properties import read_word_property
from firth.sentences.averages import SentenceAverages

FILE = Path(__file__).parent / "results" / "linear_models.jsonl"
DIMS = (100, 300)
PAIRS = [("she", "he"), ("woman", "man"), ("her", "his"), ("mother", "father"), ("girl", "boy"), ("daughter", "son")]
USERS = (probing, sentences, tfidf, null_space_projection, metrics)  # modules that call `logistic_path`

Row = dict[str, Any]
Path_ = Callable[..., list[Any]]


def sklearn_logistic(solver: str, tolerance: float) -> Path_:
    """A stand-in for `logistic_path`: scikit-learn's classifier, each penalty warm-started from the one before."""

    def path(rows: Any, labels: Any, penalties: Sequence[float] = linear.PENALTIES, **ours: Any) -> list[Any]:
        classes = np.unique(labels)
        if len(classes) == 1:
            return linear.logistic_path(rows, labels, penalties)
        tight = ours.get("tolerance", linear.TOLERANCE) < linear.TOLERANCE  # RNSB asks for more digits
        model = LogisticRegression(
            solver=solver, tol=1e-10 if tight else tolerance, max_iter=1000, warm_start=solver != "newton-cholesky"
        )
        models = []
        with one_blas_thread():
            for penalty in penalties:
                model.set_params(C=1 / (rows.shape[0] * penalty)).fit(rows, labels)
                models.append(linear.LogisticRegression(classes, model.coef_.copy(), model.intercept_.copy()))
        return models

    return path


def sklearn_ridge(rows: Any, numbers: Any, penalties: Sequence[float] = linear.PENALTIES) -> list[Any]:
    """A stand-in for `ridge_path`."""
    models = []
    with one_blas_thread():
        for penalty in penalties:
            model = Ridge(alpha=len(rows) * penalty).fit(rows, numbers)
            models.append(linear.RidgeRegression(model.coef_, float(model.intercept_)))
    return models


def sklearn_tfidf(train: Any, test: Any) -> tuple[Any, Any]:
    """A stand-in for `tfidf_rows`."""
    columns = np.flatnonzero(np.bincount(train.indices, minlength=train.shape[1]) > 1)
    weights = TfidfTransformer().fit(train[:, columns])
    return weights.transform(train[:, columns]), weights.transform(test[:, columns])


CONTENDERS: dict[str, dict[str, Any]] = {
    "firth": {},
    "scikit-learn, lbfgs": {"logistic_path": sklearn_logistic("lbfgs", 1e-5)},
    "scikit-learn, newton-cholesky": {"logistic_path": sklearn_logistic("newton-cholesky", 1e-4)},
    "scikit-learn, newton-cg": {"logistic_path": sklearn_logistic("newton-cg", 1e-4)},
    "scikit-learn, Ridge": {"ridge_path": sklearn_ridge},
    "scikit-learn, TfidfTransformer and lbfgs": {
        "logistic_path": sklearn_logistic("lbfgs", 1e-5),
        "tfidf_rows": sklearn_tfidf,
    },
}
DENSE = [name for name in CONTENDERS if name not in ("scikit-learn, Ridge", "scikit-learn, TfidfTransformer and lbfgs")]
SPARSE = ["firth", "scikit-learn, lbfgs", "scikit-learn, newton-cg", "scikit-learn, TfidfTransformer and lbfgs"]


@contextmanager
def exchanged(functions: dict[str, Any]) -> Iterator[None]:
    """Exchange functions in all modules that call them."""
    before = [(user, name, getattr(user, name)) for user in USERS for name in functions if hasattr(user, name)]
    try:
        for user, name, _ in before:
            setattr(user, name, functions[name])
        yield
    finally:
        for user, name, function in before:
            setattr(user, name, function)


def trained(cache: Path) -> dict[int, Any]:
    """Vectors of Wikipedia by width, trained once."""
    found = {}
    for dim in DIMS:
        path = cache / f"linear-models-{dim}.firth"
        if not path.exists():
            corpus = firth.Corpus.build(inputs.tokenised(cache, None).path)
            firth.Word2Vec(dim=dim, epochs=1).train(corpus, seed=0, threads=2).save(path)
        found[dim] = firth.load(path)
    return found


def cases(vectors: dict[int, Any]) -> dict[str, tuple[list[str], Callable[[], float]]]:
    """Case -> (contenders, function that runs it and returns its score)."""
    found: dict[str, tuple[list[str], Callable[[], float]]] = {}
    for dim, space in vectors.items():
        for name in ("sentiment", "first-names", "animacy"):
            gold = read_word_property(path_of(name))
            known = [i for i, word in enumerate(gold.words) if word.lower() in space]
            rows, labels = space.get_vector([gold.words[i].lower() for i in known], norm=True), gold.labels[known]
            found[f"probe {name}, {len(known):,} x {dim}, {len(np.unique(labels))} classes"] = (
                DENSE,
                lambda rows=rows, labels=labels: probing.probe(rows, labels).accuracy,
            )
        rows = space.get_vector(space.words[:5000], norm=True)
        numbers = np.log(np.arange(1, 5001))
        found[f"probe of a number, 5,000 x {dim}"] = (
            ["firth", "scikit-learn, Ridge"],
            lambda rows=rows, numbers=numbers: probing.probe_numbers(rows, numbers).correlation,
        )
        for name in ("mr", "trec"):
            gold = read_labelled_sentences(path_of(name))
            rows, fold = SentenceAverages(space).encode(gold.texts), sentences.folds(gold)
            found[f"sentences {name}, {len(rows):,} x {dim}, {len(np.unique(gold.labels))} classes"] = (
                DENSE,
                lambda rows=rows, gold=gold, fold=fold: float(
                    (sentences.classify(rows, gold.labels, fold) == gold.labels)[gold.test].mean()
                ),
            )
        found[f"null-space projection, 4,000 x {dim}, 35 directions"] = (
            DENSE,
            lambda space=space: float(
                null_space_projection.inlp(space, PAIRS).metadata["postprocessing"][-1]["accuracies"][-1]
            ),
        )
    for name in ("mr", "subj", "trec"):
        gold = read_labelled_sentences(path_of(name))
        fold = sentences.folds(gold)
        found[f"TF-IDF {name}, {len(gold.texts):,} texts"] = (
            SPARSE,
            lambda gold=gold, fold=fold: float(tfidf.baseline_correct(gold.texts, gold.labels, fold)[gold.test].mean()),
        )
    return found


class _Checked(Exception):  # noqa: N818  no error: the first path has been checked
    """Ends a case."""


def excess(case: Callable[[], float], functions: dict[str, Any]) -> float | None:
    """The greatest difference of an objective from its minimum, over the first path of penalties of a case."""
    path, gaps = functions.get("logistic_path", linear.logistic_path), []

    def checked(rows: Any, labels: Any, penalties: Sequence[float] = linear.PENALTIES, **ours: Any) -> list[Any]:
        models = path(rows, labels, penalties, **ours)
        wide = rows.astype(np.float64)
        best = linear.logistic_path(wide, labels, penalties, tolerance=1e-9)
        for penalty, model, reference in zip(penalties, models, best, strict=True):
            values = [m.loss(wide, labels) + penalty / 2 * float((m.coefficients**2).sum()) for m in (model, reference)]
            gaps.append(values[0] - values[1])
        raise _Checked

    with contextlib.suppress(_Checked), exchanged({**functions, "logistic_path": checked}):
        case()
    return max(gaps, default=None)


def run(cache: Path, rounds: int, only: str) -> None:
    """Run every contender of every case, in turns."""
    with one_blas_thread():
        listed = {name: case for name, case in cases(trained(cache)).items() if only in name}
        header = {
            "kind": "series",
            "machine": machine.describe(),
            "load": machine.load(),
            "source": machine.source_state(),
        }
        records.append(
            FILE, {**header, "versions": {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}}
        )
        for name, (contenders, case) in sorted(listed.items(), key=lambda item: "x 300" in item[0]):
            gaps = {who: excess(case, CONTENDERS[who]) for who in contenders}
            for number in range(rounds):
                for who in contenders:
                    with exchanged(CONTENDERS[who]):
                        began, worked = time.perf_counter(), time.process_time()
                        score = case()
                        seconds, processor = time.perf_counter() - began, time.process_time() - worked
                    row = {"kind": "run", "case": name, "who": who, "round": number, "seconds": round(seconds, 4)}
                    row |= {"processor": round(processor, 4), "score": round(score, 5), "excess": gaps[who]}
                    records.append(FILE, row)
                    print(row, flush=True)


def table() -> str:
    """The medians of each case in its newest series, in processor time: other programs stretch that of the clock."""
    newest: dict[str, tuple[int, list[Row]]] = {}
    number = 0
    for row in records.read(FILE):
        number += row["kind"] == "series"
        if row["kind"] == "run":
            if newest.get(row["case"], (0,))[0] != number:
                newest[row["case"]] = (number, [])
            newest[row["case"]][1].append(row)
    lines = [
        "| case | who | seconds of processor time | ratio | score | excess |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for case, (_, own) in newest.items():
        base = statistics.median(row["processor"] for row in own if row["who"] == "firth")
        for who in dict.fromkeys(row["who"] for row in own):
            times = [row["processor"] for row in own if row["who"] == who]
            one = next(row for row in own if row["who"] == who)
            gap = "" if one["excess"] is None else f"{one['excess']:.1e}"
            middle = statistics.median(times)
            lines.append(
                f"| {case} | {who} | {middle:.3f} ({min(times):.3f}-{max(times):.3f}) | {middle / base:.1f} | "
                f"{one['score']:.4f} | {gap} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Run, or print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linear_models", description=__doc__)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only cases whose name holds this text")
    parser.add_argument("--cache", type=Path, default=_default_cache())
    args = parser.parse_args()
    if args.what == "run":
        run(args.cache, args.rounds, args.only)
    print(table())


if __name__ == "__main__":
    main()
