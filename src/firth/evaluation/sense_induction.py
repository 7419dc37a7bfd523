"""Word sense induction: clusters of a word's occurrences against gold senses.

What: a model with several vectors per word assigns a sense to each occurrence. These senses have no names, so that they
are clusters of occurrences, which are compared with the gold senses word by word. The score of a set is the mean over
its words, weighted by their occurrences; the number of clusters is an unweighted mean.

Objective: n_sc of a word's n occurrences have the gold sense s and the cluster c; n_s and n_c are the sums:

    V-measure        harmonic mean of homogeneity 1 - H(S|C) / H(S) and completeness 1 - H(C|S) / H(C)
    paired F-score   harmonic mean of P = sum C(n_sc, 2) / sum C(n_c, 2) and R = sum C(n_sc, 2) / sum C(n_s, 2)
    ARI              (sum C(n_sc, 2) - E) / ((sum C(n_s, 2) + sum C(n_c, 2)) / 2 - E),
                     E = sum C(n_s, 2) sum C(n_c, 2) / C(n, 2)
    recall-80/20     accuracy on a fifth of the occurrences when each cluster is mapped to its most frequent sense in
                     the other four fifths; mean over random splits

Source: Manandhar et al. 2010, SemEval-2010 task 14: word sense induction and disambiguation, sections 3.1 and 3.2;
Rosenberg and Hirschberg 2007 for the V-measure; Artiles et al. 2009 for the paired F-score; Hubert and Arabie 1985,
Comparing partitions, equation 5, for the ARI, which the task did not have; Agirre and Soroa 2007 for the mapping.

Departures: the task published its five splits; here they are random, so that recall differs by some tenths of a point.
A paired F-score without any pair is 0; the task's scorer prints up to 0.1 %. Occurrences without a prediction form one
cluster, and are wrong in the mapping.

The V-measure favours many small clusters, the paired F-score few large ones; the ARI is corrected for chance. The
task's own baselines are therefore reported beside every model: one cluster per word (the most frequent sense), one
cluster per occurrence, and four random clusters.

Cost: words times splits; some milliseconds per word.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.evaluation.categorisation import v_measure
from firth.evaluation.report import EvaluationReport
from firth.evaluation.suite import EvaluationOptions, Score
from firth.evaluation.tabulate import SetScore, report_of
from firth.randomness import generator
from firth.readers.words_in_context import read_sense_key
from firth.resampling import RESAMPLES, Floats, Ints, Sample

PathLike = str | os.PathLike[str]
Senses = Mapping[str, Mapping[str, str]]  # word -> occurrence -> sense or cluster

TRAIN_SHARE = 0.8  # share of the occurrences that map clusters to senses
SPLITS = 5
CLUSTERS = "clusters"  # mean number of clusters, needed to interpret a V-measure
BASELINES = ("one cluster", "a cluster each", "random")
_RANDOM_CLUSTERS = 4
_RANDOM_RUNS = 5
_PARTS = {"n": "/nouns", "v": "/verbs", "j": "/adjectives", "a": "/adjectives", "r": "/adverbs"}


def paired_f(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Return the paired F-score: precision and recall of pairs in one cluster against pairs with one sense.

    Args:
        gold: (n,) senses, of any type.
        clusters: (n,) clusters.

    Returns:
        From 0 to 1; 0 if no two items share a sense and a cluster.

    Source:
        Manandhar et al. 2010, section 3.1.
    """
    both, senses, clustered, _ = _pairs(gold, clusters)
    return 2 * both / (senses + clustered) if both else 0.0


def adjusted_rand(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Return the adjusted Rand index (ARI): agreement on pairs, 0 by chance and 1 for the same partition.

    Args:
        gold: (n,) senses, of any type.
        clusters: (n,) clusters.

    Source:
        Hubert and Arabie 1985, equation 5.
    """
    both, senses, clustered, total = _pairs(gold, clusters)
    expected = senses * clustered / total if total else 0.0
    maximum = (senses + clustered) / 2
    return (both - expected) / (maximum - expected) if maximum != expected else 1.0


def supervised_recall(
    gold: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    train_share: float = TRAIN_SHARE,
    splits: int = SPLITS,
    seed: int = 0,
) -> float:
    """Return the accuracy after mapping clusters to senses on other occurrences.

    Args:
        gold: (n,) senses, of any type.
        clusters: (n,) clusters; occurrences of a cluster without a training occurrence are wrong.
        train_share: share of occurrences, drawn at random, from which the mapping is learned.
        splits: number of random splits; the result is the mean.

    Returns:
        From 0 to 1; NaN if no occurrence is left for testing.

    Source:
        Agirre and Soroa 2007, section 3; for hard clusters their mapping matrix selects the most frequent sense.
    """
    senses, groups = _numbered(gold), _numbered(clusters)
    n = len(senses)
    cut = round(train_share * n)
    if not 0 < n - cut < n:
        return float("nan")
    random = generator(seed, "splits of occurrences")
    orders = [random.permutation(n) for _ in range(splits)]
    return float(np.mean([_mapping_accuracy(senses, groups, order[:cut], order[cut:]) for order in orders]))


def _mapping_accuracy(senses: Ints, groups: Ints, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> float:
    table = np.zeros((int(groups.max()) + 1, int(senses.max()) + 1))
    np.add.at(table, (groups[train], senses[train]), 1)
    mapped = table.sum(axis=1) > 0
    # of equally frequent senses of a cluster: the most frequent sense of the word, then the first by name
    answers = (table + table.sum(axis=0) / (2 * len(senses))).argmax(axis=1)
    return float(np.mean(mapped[groups[test]] & (answers[groups[test]] == senses[test])))


def _numbered(labels: npt.ArrayLike) -> Ints:
    return np.asarray(np.unique(np.asarray(labels), return_inverse=True)[1], dtype=np.int64)


def _pairs(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> tuple[float, float, float, float]:
    """Numbers of pairs: same sense and cluster, same sense, same cluster, and all."""
    senses, groups = _numbered(gold), _numbered(clusters)
    n = len(senses)
    sizes = (np.bincount(numbers) for numbers in (senses * (n + 1) + groups, senses, groups))
    both, same_sense, same_cluster = (float((size * (size - 1) // 2).sum()) for size in sizes)
    return both, same_sense, same_cluster, n * (n - 1) / 2


@dataclass(frozen=True)
class WordMean:
    """The mean of a metric over words, weighted by their occurrences.

    Attributes:
        values: (w,) value of each word; words with NaN do not count.
        sizes: (w,) occurrences of each word.
    """

    values: Floats
    sizes: Ints

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the mean over the words of each resample."""
        counts = weights * np.where(np.isnan(self.values), 0, self.sizes)
        with np.errstate(invalid="ignore"):
            return np.asarray(counts @ np.nan_to_num(self.values) / counts.sum(axis=1))


def score_sense_induction(
    gold: Senses | PathLike,
    predicted: Senses | PathLike | Sequence[PathLike] | Mapping[str, Senses],
    *,
    baselines: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> EvaluationReport:
    """Score the senses that models assign to occurrences of words.

    Args:
        gold: the gold senses, or a key file.
        predicted: the clusters of a model, a key file, several files, or several models by name; {} for the baselines
            alone.
        baselines: whether to include the task's baselines.
        resamples: resamples of the bootstrap over words.
        seed: random seed of the bootstrap, the splits and the random baseline.

    Returns:
        A report that prints as a table, models and baselines side by side; the parts of speech are its sections.
        "clusters" is the mean number of clusters per word and not a quality metric.

    Raises:
        FormatError: a key file is not in its format.
        OptionError: gold has no words.
    """
    senses = _read(gold)
    if not senses:
        raise OptionError("gold has no words: expected the senses of at least one")
    models = {name: [_align(senses, answers)] for name, answers in _by_name(predicted).items()}
    models |= _baselines(senses, seed) if baselines else {}
    options = EvaluationOptions(resamples=resamples, seed=seed)
    scores = {
        name: [SetScore("sense-induction", "senses", score) for score in _scores(senses, runs, seed)]
        for name, runs in models.items()
    }
    report = report_of(scores, options)
    return EvaluationReport(report.rows, [contrast for contrast in report.contrasts if contrast.metric != CLUSTERS])


def _read(senses: Senses | PathLike) -> Senses:
    return senses if isinstance(senses, Mapping) else read_sense_key(senses)


def _by_name(predicted: Senses | PathLike | Sequence[PathLike] | Mapping[str, Senses]) -> dict[str, Senses]:
    if isinstance(predicted, str | os.PathLike):
        return {Path(predicted).stem: read_sense_key(predicted)}
    if not isinstance(predicted, Mapping):
        return {str(path): read_sense_key(path) for path in predicted}
    if not predicted:
        return {}
    inner = [answer for word in predicted.values() for answer in word.values()]
    if any(isinstance(answer, Mapping) for answer in inner):  # models by name have another level
        return dict(cast(Mapping[str, Senses], predicted))
    return {"clusters": cast(Senses, predicted)}


Clusters = dict[str, list[str | None]]  # per word, in the order of the gold occurrences; None without a prediction


def _align(gold: Senses, predicted: Senses) -> Clusters:
    return {word: [predicted.get(word, {}).get(occurrence) for occurrence in senses] for word, senses in gold.items()}


def _baselines(gold: Senses, seed: int) -> dict[str, list[Clusters]]:
    random = generator(seed, "random senses")
    makers: Sequence[tuple[Callable[[int], npt.NDArray[np.int64]], int]] = (
        (lambda n: np.zeros(n, dtype=np.int64), 1),
        (np.arange, 1),
        (lambda n: random.integers(0, _RANDOM_CLUSTERS, size=n), _RANDOM_RUNS),
    )
    return {
        name: [{word: [str(c) for c in make(len(all_))] for word, all_ in gold.items()} for _ in range(times)]
        for name, (make, times) in zip(BASELINES, makers, strict=True)
    }


def _scores(gold: Senses, runs: Sequence[Clusters], seed: int) -> list[Score]:
    """The scores of a model, or the means of several runs; over all words, then by part of speech."""
    metrics = [_metrics(gold, clusters, seed) for clusters in runs]
    sizes = np.array([len(senses) for senses in gold.values()])
    answered = np.array([sum(answer is not None for answer in word) for word in runs[0].values()])
    speech = np.array([_PARTS.get(word.rpartition(".")[2], "") for word in gold])
    weights = {metric: np.ones_like(sizes) if metric == CLUSTERS else sizes for metric in metrics[0]}
    parts = {"": np.ones(len(sizes), dtype=bool)} | {
        f"{part}": speech == part for part in dict.fromkeys(speech.tolist()) if part
    }
    return [
        Score(
            metric=metric,
            sample=Sample(
                members, WordMean(np.mean([run[metric] for run in metrics], axis=0)[members], weights[metric][members])
            ),
            covered=int(answered[members].sum()),
            total=int(sizes[members].sum()),
            part=part,
        )
        for part, members in parts.items()
        for metric in metrics[0]
    ]


def _metrics(gold: Senses, clusters: Clusters, seed: int) -> dict[str, Floats]:
    """The metrics of each word."""
    pairs = [(list(senses.values()), clusters[word]) for word, senses in gold.items()]
    labels = [(senses, ["" if label is None else f"={label}" for label in own]) for senses, own in pairs]
    return {
        "v-measure": np.array([v_measure(*pair) for pair in labels]),
        "paired-f": np.array([paired_f(*pair) for pair in labels]),
        "ari": np.array([adjusted_rand(*pair) for pair in labels]),
        "recall-80/20": np.array([supervised_recall(*_separate(*pair), seed=seed) for pair in pairs]),
        CLUSTERS: np.array([float(len(set(own))) for _, own in labels]),
    }


def _separate(senses: list[str], own: list[str | None]) -> tuple[list[str], list[str]]:
    """Put each occurrence without a prediction into its own cluster, so that no mapping applies to it."""
    return senses, [f"?{i}" if label is None else f"={label}" for i, label in enumerate(own)]
