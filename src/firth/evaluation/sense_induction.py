"""Are the senses that a model found those of people? Clusters of a word's occurrences against their gold senses.

What: a model of several vectors a word says of each occurrence which of its senses it has. Nobody said what these are
called, so that its senses are clusters of occurrences, to be set against the gold ones word by word. The figure of a
set is the mean over its words, each weighted by its occurrences; the number of clusters is a plain mean.

Objective: of a word's n occurrences n_sc have the gold sense s and the cluster c, n_s and n_c are the sums:

    V-measure        harmonic mean of homogeneity 1 - H(S|C) / H(S) and completeness 1 - H(C|S) / H(C)
    paired F-score   harmonic mean of P = sum C(n_sc, 2) / sum C(n_c, 2) and R = sum C(n_sc, 2) / sum C(n_s, 2)
    ARI              (sum C(n_sc, 2) - E) / ((sum C(n_s, 2) + sum C(n_c, 2)) / 2 - E),
                     E = sum C(n_s, 2) sum C(n_c, 2) / C(n, 2)
    recall-80/20     the share of a fifth of the occurrences that get their sense, when each cluster stands for the
                     sense that it has most often in the other four fifths; mean over random splits

Source: Manandhar et al. 2010, SemEval-2010 task 14: word sense induction and disambiguation, sections 3.1 and 3.2;
Rosenberg and Hirschberg 2007 for the V-measure; Artiles et al. 2009 for the paired F-score; Hubert and Arabie 1985,
Comparing partitions, equation 5, for the ARI, which the task did not have; Agirre and Soroa 2007 for the mapping.

Departures: the task published its five splits of fifths; here they are drawn, so that recall differs by some tenths of
a point. A paired F-score without any pair is 0, where the task's scorer prints up to 0.1 %. Occurrences that a model
leaves out are one cluster of their own, and wrong in the mapping.

Of these, the V-measure is for many small clusters and the paired F-score for few large ones; the ARI is corrected for
chance. So the task's own baselines stand beside every model: one cluster a word (the most frequent sense), a cluster an
occurrence, and four at random.

Cost: words times splits; some milliseconds a word.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.evaluation.categorisation import v_measure
from firth.evaluation.files import lines
from firth.evaluation.report import Report
from firth.evaluation.suite import Figure, Setting
from firth.evaluation.tabulate import Judged, report_of
from firth.randomness import generator
from firth.resampling import RESAMPLES, Floats, Ints, Sample

PathLike = str | os.PathLike[str]
Senses = Mapping[str, Mapping[str, str]]  # word -> occurrence -> sense or cluster

MAPPED = 0.8  # of the occurrences, those that clusters are given their senses by
SPLITS = 5
CLUSTERS = "clusters"  # their mean number: what a V-measure cannot be read without
BASELINES = ("one cluster", "a cluster each", "random")
_RANDOM = 4  # clusters, and how often they are drawn
_DRAWN = 5
_PARTS = {"n": "/nouns", "v": "/verbs", "j": "/adjectives", "a": "/adjectives", "r": "/adverbs"}


def read_key(path: PathLike) -> dict[str, dict[str, str]]:
    """Read a key: `word occurrence sense` a line, as in `access.n access.n.15 access.n.6`.

    Several senses may stand there, each with a weight, as in `access.n.6/0.8 access.n.2/0.2`; the one of the greatest
    weight counts, the first among equals.

    Args:
        path: the file, UTF-8.

    Returns:
        The sense of each occurrence of each word.

    Raises:
        FormatError: a line is not in the format, or an occurrence stands there twice; the message says which.
        OSError: the file cannot be read.
    """
    found: dict[str, dict[str, str]] = {}
    for number, line in lines(path):
        fields = line.split()
        if len(fields) < 3:
            raise FormatError(f"{path} line {number}: {len(fields)} fields, expected 'word occurrence sense'")
        word, occurrence, *tags = fields
        if occurrence in found.setdefault(word, {}):
            raise FormatError(f"{path} line {number}: {occurrence} stands there twice; expected one line each")
        weights = [_weighted(tag, number, path) for tag in tags]
        found[word][occurrence] = max(weights, key=lambda one: one[1])[0]
    return found


def _weighted(tag: str, number: int, path: PathLike) -> tuple[str, float]:
    sense, slash, weight = tag.rpartition("/")
    if not slash:
        return tag, 1.0
    try:
        return sense, float(weight)
    except ValueError:
        raise FormatError(f"{path} line {number}: weight {weight!r} of {tag!r}, expected a number") from None


def paired_f(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Return the harmonic mean of precision and recall of pairs in one cluster, against pairs of one sense.

    Args:
        gold: (n,) senses, of any type.
        clusters: (n,) clusters.

    Returns:
        From 0 to 1; 0 where no two share a sense and a cluster.

    Source:
        Manandhar et al. 2010, section 3.1.
    """
    both, senses, groups, _ = _pairs(gold, clusters)
    return 2 * both / (senses + groups) if both else 0.0


def adjusted_rand(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Return the adjusted Rand index: agreement on pairs, 0 by chance and 1 for the same partition.

    Args:
        gold: (n,) senses, of any type.
        clusters: (n,) clusters.

    Source:
        Hubert and Arabie 1985, equation 5.
    """
    both, senses, groups, all_ = _pairs(gold, clusters)
    expected = senses * groups / all_ if all_ else 0.0
    most = (senses + groups) / 2
    return (both - expected) / (most - expected) if most != expected else 1.0


def supervised_recall(
    gold: npt.ArrayLike, clusters: npt.ArrayLike, *, mapped: float = MAPPED, splits: int = SPLITS, seed: int = 0
) -> float:
    """Return the share of occurrences whose cluster stands for their sense, by a mapping from other occurrences.

    Args:
        gold: (n,) senses, of any type.
        clusters: (n,) clusters; one without an occurrence in the mapping gives no answer, which is wrong.
        mapped: the share of occurrences, drawn at random, that the mapping is made from.
        splits: how often that is done; the result is the mean.
        seed: of the splits.

    Returns:
        From 0 to 1; NaN where no occurrence is left to be judged.

    Source:
        Agirre and Soroa 2007, section 3; for hard clusters their mapping matrix picks the commonest sense.
    """
    senses, groups = _numbered(gold), _numbered(clusters)
    n = len(senses)
    cut = round(mapped * n)
    if not 0 < n - cut < n:
        return float("nan")
    random = generator(seed, "splits of occurrences")
    orders = [random.permutation(n) for _ in range(splits)]
    return float(np.mean([_right(senses, groups, order[:cut], order[cut:]) for order in orders]))


def _right(senses: Ints, groups: Ints, mapping: npt.NDArray[np.intp], judged: npt.NDArray[np.intp]) -> float:
    table = np.zeros((int(groups.max()) + 1, int(senses.max()) + 1))
    np.add.at(table, (groups[mapping], senses[mapping]), 1)
    answered = table.sum(axis=1) > 0
    # Among senses that a cluster has equally often the commonest of the word, and of those the first by name.
    answers = (table + table.sum(axis=0) / (2 * len(senses))).argmax(axis=1)
    return float(np.mean(answered[groups[judged]] & (answers[groups[judged]] == senses[judged])))


def _numbered(labels: npt.ArrayLike) -> Ints:
    return np.asarray(np.unique(np.asarray(labels), return_inverse=True)[1], dtype=np.int64)


def _pairs(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> tuple[float, float, float, float]:
    """Pairs of one sense and one cluster, of one sense, of one cluster, and all."""
    senses, groups = _numbered(gold), _numbered(clusters)
    n = len(senses)
    sizes = (np.bincount(numbers) for numbers in (senses * (n + 1) + groups, senses, groups))
    both, alike, together = (float((size * (size - 1) // 2).sum()) for size in sizes)
    return both, alike, together, n * (n - 1) / 2


@dataclass(frozen=True)
class WordMean:
    """The mean of a figure over words, each weighted by its occurrences.

    Attributes:
        values: (w,) of each word; NaN for one that has none, which does not count.
        sizes: (w,) occurrences.
    """

    values: Floats
    sizes: Ints

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the mean over the words drawn."""
        counts = weights * np.where(np.isnan(self.values), 0, self.sizes)
        with np.errstate(invalid="ignore"):
            return np.asarray(counts @ np.nan_to_num(self.values) / counts.sum(axis=1))


def score(
    gold: Senses | PathLike,
    predicted: Senses | PathLike | Sequence[PathLike] | Mapping[str, Senses],
    *,
    baselines: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Report:
    """Judge the senses that models found for occurrences of words.

    Args:
        gold: the senses of people, or the file of a key.
        predicted: the clusters of a model, the file of a key, several files, or several models by name; {} for the
            baselines alone.
        baselines: whether the task's baselines stand beside them.
        resamples: of the bootstrap over words.
        seed: of the bootstrap, the splits and the random baseline.

    Returns:
        A report that prints as a table, models and baselines side by side; the parts of speech are its sections.
        "clusters" is their mean number a word, and no figure of merit.

    Raises:
        FormatError: a key is not in its format.
        OptionError: gold has no word.
    """
    senses = _read(gold)
    if not senses:
        raise OptionError("gold without a word: expected the senses of at least one")
    models = {name: [_aligned(senses, one)] for name, one in _named(predicted).items()}
    drawn = {**models, **(_baselines(senses, seed) if baselines else {})}
    setting = Setting(resamples=resamples, seed=seed)
    judged = {
        name: [Judged("sense-induction", "senses", one) for one in _figures(senses, some, seed)]
        for name, some in drawn.items()
    }
    report = report_of(judged, setting)
    return Report(report.rows, [one for one in report.contrasts if one.metric != CLUSTERS])


def _read(senses: Senses | PathLike) -> Senses:
    return senses if isinstance(senses, Mapping) else read_key(senses)


def _named(predicted: Senses | PathLike | Sequence[PathLike] | Mapping[str, Senses]) -> dict[str, Senses]:
    if isinstance(predicted, str | os.PathLike):
        return {Path(predicted).stem: read_key(predicted)}
    if not isinstance(predicted, Mapping):
        return {str(path): read_key(path) for path in predicted}
    if not predicted:
        return {}
    inner = [one for word in predicted.values() for one in word.values()]
    if any(isinstance(one, Mapping) for one in inner):  # models by name, which have another level
        return dict(cast(Mapping[str, Senses], predicted))
    return {"clusters": cast(Senses, predicted)}


Clusters = dict[str, list[str | None]]  # of each word's occurrences in the gold's order; None for one left out


def _aligned(gold: Senses, predicted: Senses) -> Clusters:
    return {word: [predicted.get(word, {}).get(one) for one in senses] for word, senses in gold.items()}


def _baselines(gold: Senses, seed: int) -> dict[str, list[Clusters]]:
    random = generator(seed, "random senses")
    makers: Sequence[tuple[Callable[[int], npt.NDArray[np.int64]], int]] = (
        (lambda n: np.zeros(n, dtype=np.int64), 1),
        (np.arange, 1),
        (lambda n: random.integers(0, _RANDOM, size=n), _DRAWN),
    )
    return {
        name: [{word: [str(c) for c in make(len(all_))] for word, all_ in gold.items()} for _ in range(times)]
        for name, (make, times) in zip(BASELINES, makers, strict=True)
    }


def _figures(gold: Senses, drawn: Sequence[Clusters], seed: int) -> list[Figure]:
    """The figures of a model, or the means of several random ones; over all words, then by part of speech."""
    found = [_measured(gold, clusters, seed) for clusters in drawn]
    sizes = np.array([len(senses) for senses in gold.values()])
    answered = np.array([sum(one is not None for one in word) for word in drawn[0].values()])
    speech = np.array([_PARTS.get(word.rpartition(".")[2], "") for word in gold])
    weights = {metric: np.ones_like(sizes) if metric == CLUSTERS else sizes for metric in found[0]}
    parts = {"": np.ones(len(sizes), dtype=bool)} | {
        f"{part}": speech == part for part in dict.fromkeys(speech.tolist()) if part
    }
    return [
        Figure(
            metric=metric,
            sample=Sample(
                members, WordMean(np.mean([one[metric] for one in found], axis=0)[members], weights[metric][members])
            ),
            covered=int(answered[members].sum()),
            total=int(sizes[members].sum()),
            part=part,
        )
        for part, members in parts.items()
        for metric in found[0]
    ]


def _measured(gold: Senses, clusters: Clusters, seed: int) -> dict[str, Floats]:
    """The figures of each word."""
    pairs = [(list(senses.values()), clusters[word]) for word, senses in gold.items()]
    named = [(senses, ["" if one is None else f"={one}" for one in own]) for senses, own in pairs]
    return {
        "v-measure": np.array([v_measure(*pair) for pair in named]),
        "paired-f": np.array([paired_f(*pair) for pair in named]),
        "ari": np.array([adjusted_rand(*pair) for pair in named]),
        "recall-80/20": np.array([supervised_recall(*_answers(*pair), seed=seed) for pair in pairs]),
        CLUSTERS: np.array([float(len(set(own))) for _, own in named]),
    }


def _answers(senses: list[str], own: list[str | None]) -> tuple[list[str], list[str]]:
    """Occurrences without an answer as a cluster each: such a one is in the mapping or judged, never both."""
    return senses, [f"?{i}" if one is None else f"={one}" for i, one in enumerate(own)]
