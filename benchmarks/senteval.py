"""SentEval's classes and ours on the same vectors: averages of word vectors, one thread, seconds of processor time.

    python -m benchmarks.senteval vectors VECTORS.firth averages.npz
    python -m benchmarks.senteval ours averages.npz --seed 0 --protocol senteval
    python -m benchmarks.senteval theirs averages.npz --seed 0 --checkout SENTEVAL
    python -m benchmarks.senteval theirs averages.npz --seed 0 --checkout SENTEVAL --to-minimum --tasks trec msrp

SENTEVAL is a checkout of facebookresearch/SentEval. Its classifiers run with scikit-learn (`usepytorch=False`), ten
folds and all else as they are; the class for relatedness asks for a GPU and is told that the processor is one.
"""

import argparse
import functools
import json
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import firth
from firth.data import path_of, paths_of
from firth.evaluation.relatedness import pair_features, predict_relatedness
from firth.evaluation.selection import stratified_folds
from firth.evaluation.sentences import classify
from firth.evaluation.similarity import spearman
from firth.evaluation.suite import EvaluationOptions, Space
from firth.evaluation.text_rows import text_rows
from firth.kernels.threads import one_blas_thread
from firth.readers.labelled_sentences import read_labelled_sentences
from firth.readers.sentence_pairs import read_split_pairs, read_text_similarity
from firth.resampling import F1, LinearCorrelation, value_of

FOLDED, SPLIT, JUDGED = ("cr", "mpqa", "mr", "subj"), ("trec", "msrp"), ("sst-2", "sst-5", "sick")
STS = ("sts-2012", "sts-2013", "sts-2014", "sts-b")
TASKS = (*FOLDED, *SPLIT, *JUDGED, "sick-relatedness", "sts")
Figures = dict[str, float]


def dump(vectors: str, output: str) -> None:
    """Write the rows, labels and parts (0 training, 1 development, 2 test) of all sets."""
    space, arrays = Space(firth.load(vectors), EvaluationOptions()), dict[str, Any]()
    for name in (*FOLDED, "trec", "sst-2", "sst-5"):
        gold = read_labelled_sentences(path_of(name))
        part = np.where(gold.test, 2, gold.development)
        arrays |= {f"{name}.x": text_rows(space, gold.texts)[0].rows, f"{name}.y": gold.labels, f"{name}.part": part}
    for name in ("msrp", "sick"):
        pairs, n = read_split_pairs(path_of(name)), len(read_split_pairs(path_of(name)))
        rows = text_rows(space, [*pairs.first, *pairs.second])[0].rows
        labels = np.unique(np.array(pairs.labels), return_inverse=True)[1]
        part = np.where(pairs.test, 2, pairs.development & (name == "sick"))
        arrays |= {f"{name}.x": pair_features(rows[:n], rows[n:]), f"{name}.y": labels, f"{name}.part": part}
        arrays |= {} if pairs.scores is None else {f"{name}.scores": pairs.scores}
    for name in STS:
        pairs = read_text_similarity(paths_of(name)).pairs
        rows = text_rows(space, [*pairs.first, *pairs.second])[0].rows
        arrays |= {f"{name}.x": rows[: len(pairs)], f"{name}.z": rows[len(pairs) :], f"{name}.y": pairs.scores}
    np.savez(output, **arrays)


def ours(data: Any, name: str, protocol: Any, seed: int) -> Figures:
    """Figures of firth on one task, in points."""
    if name == "sts":
        cosines = {one: _cosines(data[f"{one}.x"].astype(float), data[f"{one}.z"].astype(float)) for one in STS}
        return {one: 100 * spearman(cosines[one], data[f"{one}.y"]) for one in STS}
    key = name.removesuffix("-relatedness")
    rows, labels, part = data[f"{key}.x"], data[f"{key}.y"], data[f"{key}.part"]
    test, chooses = part == 2, part == 1
    fold = stratified_folds(labels, 10, seed=seed) if test.all() else np.where(test, 0, -1)
    development = chooses if chooses.any() else None
    if name == "sick-relatedness":
        scores = data["sick.scores"]
        found = predict_relatedness(rows, scores, fold, development=development, seed=seed)
        return _correlations(found[test], scores[test])
    predicted = classify(rows, labels, fold, development=development, protocol=protocol, seed=seed)
    return _accuracy(name, predicted[test], labels[test])


def theirs(data: Any, name: str, seed: int) -> Figures:
    """Figures of SentEval's classes on one task, in points."""
    from senteval.sick import SICKRelatednessEval  # type: ignore[import-not-found]
    from senteval.tools.relatedness import RelatednessPytorch  # type: ignore[import-not-found]
    from senteval.tools.validation import InnerKFoldClassifier, KFoldClassifier, SplitClassifier  # type: ignore[import-not-found]

    if name == "sts":
        cosines = {one: _cosines(data[f"{one}.x"], data[f"{one}.z"]) for one in STS}
        return {one: 100 * spearman(cosines[one], data[f"{one}.y"]) for one in STS}
    key = name.removesuffix("-relatedness")
    rows, labels, part = data[f"{key}.x"], data[f"{key}.y"], data[f"{key}.part"]
    masks = {"train": part == 0, "valid": part == 1, "test": part == 2}
    config = {"nclasses": int(labels.max()) + 1, "seed": seed, "usepytorch": False, "classifier": {}, "kfold": 10}
    if name in FOLDED:
        order = np.random.RandomState(seed).permutation(len(labels))  # its outer folds have one seed
        return {"accuracy": InnerKFoldClassifier(rows[order], labels[order], config).run()[1]}
    parts = {one: {"X": rows[mask], "y": labels[mask]} for one, mask in masks.items()}
    if name in SPLIT:
        return _accuracy(name, KFoldClassifier(parts["train"], parts["test"], config).run()[2], parts["test"]["y"])
    if name in JUDGED:
        by_kind = [{one: parts[one][kind] for one in parts} for kind in "Xy"]
        return {"accuracy": SplitClassifier(*by_kind, config).run()[1]}
    scores = {one: data["sick.scores"][mask] for one, mask in masks.items()}
    soft = {
        one: {"X": rows[mask], "y": SICKRelatednessEval.encode_labels(None, list(scores[one]))}
        for one, mask in masks.items()
    }
    head = RelatednessPytorch(*soft.values(), scores["valid"], {"seed": seed, "nclasses": 5})
    return _correlations(head.run()[1], scores["test"])


def use_processor(checkout: str) -> None:
    """Make SentEval importable, and its tensors stay where they are."""
    import torch

    package = types.ModuleType("senteval")
    package.__path__ = [str(Path(checkout) / "senteval")]
    sys.modules["senteval"] = package
    torch.set_num_threads(1)
    replaced: list[tuple[Any, str, Any]] = [
        (torch.cuda, "is_available", lambda: True),
        (torch.cuda, "manual_seed", lambda seed: None),
        (torch.Tensor, "cuda", lambda self, *_: self),
        (torch.nn.Module, "cuda", lambda self, *_: self),
    ]
    for owner, name, function in replaced:
        setattr(owner, name, function)


def run_to_minimum() -> None:
    """Make SentEval's logistic regressions end at their minimum; scikit-learn stops after 100 steps by default."""
    from sklearn import linear_model

    kind = linear_model.LogisticRegression
    setattr(linear_model, "LogisticRegression", functools.partial(kind, max_iter=20_000, tol=1e-8))  # noqa: B010  mypy


def _cosines(first: Any, second: Any) -> Any:
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.divide((first * second).sum(axis=1), lengths, out=np.zeros_like(lengths), where=lengths > 0).round(12)


def _accuracy(name: str, predicted: Any, labels: Any) -> Figures:
    predicted = np.asarray(predicted).ravel()
    f1 = {"F1": 100 * value_of(F1(predicted == 1, labels == 1), len(labels))} if name == "msrp" else {}
    return {"accuracy": 100 * float((predicted == labels).mean()), **f1}


def _correlations(found: Any, scores: Any) -> Figures:
    return {
        "pearson": 100 * value_of(LinearCorrelation(found, scores), len(scores)),
        "spearman": 100 * spearman(found, scores),
    }


def results(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The figures of each task, and the seconds that it took."""
    data = np.load(arguments.input)
    for name in arguments.tasks or TASKS:
        start = time.process_time()
        with one_blas_thread():
            figures = (
                ours(data, name, arguments.protocol, arguments.seed)
                if arguments.what == "ours"
                else theirs(data, name, arguments.seed)
            )
        seconds = round(time.process_time() - start, 2)
        yield {"task": name, "seed": arguments.seed, **{key: round(one, 2) for key, one in figures.items()}} | {
            "seconds": seconds
        }


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("vectors", "ours", "theirs"))
    parser.add_argument("input")
    parser.add_argument("output", nargs="?", default="averages.npz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--protocol", choices=("firth", "senteval"), default="senteval")
    parser.add_argument("--checkout", default=".")
    parser.add_argument("--to-minimum", action="store_true", help="theirs: the solver does not stop after 100 steps")
    parser.add_argument("--tasks", nargs="*", choices=TASKS)
    arguments = parser.parse_args()
    if arguments.what == "vectors":
        dump(arguments.input, arguments.output)
        return
    if arguments.what == "theirs":
        use_processor(arguments.checkout)
        if arguments.to_minimum:
            run_to_minimum()
    for row in results(arguments):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
