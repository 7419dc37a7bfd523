"""Scores of coreference: MUC, B-cubed, CEAF, LEA, BLANC, and the mean of CoNLL-2012.

What
    Clusters of mentions against gold clusters. Every score follows from the numbers of mentions that a gold cluster k
    and a found cluster r share, n(k, r), and from the clusters' sizes.
Objective
    Recall is, with |k| the size of a gold cluster; precision is the same with the clusters' roles exchanged:

        MUC         sum_k (|k| - parts of k) / sum_k (|k| - 1)    parts: found clusters in k, and mentions in none
        B-cubed     sum_kr n(k, r)^2 / |k| / sum_k |k|
        CEAF-e      sum_k 2 n(k, a(k)) / (|k| + |a(k)|) / number of k    a: the best one-to-one alignment
        CEAF-m      sum_k n(k, a(k)) / sum_k |k|
        LEA         sum_kr |k| links(k, r) / links(k) / sum_k |k|    pairs of mentions; a singleton's is with itself
        BLANC       the mean of the recalls of pairs in one cluster and of pairs in two
        mentions    mentions found / mentions

    F1 = 2 P R / (P + R); that of BLANC is the mean of the F1 of the two kinds of pairs. The mean of CoNLL-2012 is that
    of the F1 of MUC, B-cubed and CEAF-e. Of several documents, numerators and denominators are added up.
Source
    Vilain et al. 1995 (MUC); Bagga and Baldwin 1998 (B-cubed); Luo 2005 (CEAF); Moosavi and Strube 2016 (LEA, section
    3); Recasens and Hovy 2011, Luo et al. 2014 (BLANC); Pradhan et al. 2014, "Scoring coreference partitions of
    predicted mentions", whose program's conventions hold where a denominator is 0: a score of 0; BLANC without gold
    pairs of one kind is the other kind's score.
Departures
    None.
Cost
    The mentions, and |clusters|^3 for the alignments of a document.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from firth.errors import ShapeError, counted
from firth.evaluation.spans import Score
from firth.resampling import RESAMPLES, bootstrap_interval

Clusters = Iterable[Iterable[Hashable]]
Counts = npt.NDArray[np.float64]
MEASURES = ("muc", "b_cubed", "ceaf_e", "ceaf_m", "lea", "mentions")
CONLL = 3  # the mean of CoNLL-2012 is over the first three


@dataclass(frozen=True)
class CoreferenceScores:
    """Scores of found clusters.

    Attributes:
        muc: links (Vilain et al. 1995).
        b_cubed: mentions (Bagga and Baldwin 1998).
        ceaf_e: aligned clusters, all of one weight (Luo 2005).
        ceaf_m: aligned clusters, weighted by their mentions.
        lea: links, weighted by the size of the cluster (Moosavi and Strube 2016).
        blanc: pairs in one cluster and pairs in two (Recasens and Hovy 2011).
        conll: mean F1 of MUC, B-cubed and CEAF-e, as in CoNLL-2012.
    """

    muc: Score
    b_cubed: Score
    ceaf_e: Score
    ceaf_m: Score
    lea: Score
    blanc: Score
    mentions: Score
    conll: float
    documents: int

    def __str__(self) -> str:
        names = ("muc", "b_cubed", "ceaf_e", "ceaf_m", "lea", "blanc", "mentions")
        lines = [f"{name:9} {getattr(self, name)}" for name in names]
        return "\n".join([*lines, f"{'conll':9} F1 {100 * self.conll:.2f}   (mean of muc, b_cubed and ceaf_e)"])


def score_coreference(gold: Sequence[Clusters], predicted: Sequence[Clusters]) -> CoreferenceScores:
    """Return the scores of found clusters.

    Args:
        gold: of each document, the gold clusters; a mention is anything that can be a key, such as (start, end).
        predicted: the predicted clusters of each document.

    Raises:
        ShapeError: the numbers of documents differ, or a mention occurs twice in the clusters of a document.
    """
    counts = _counts(gold, predicted)
    totals, pairs = counts.measures.sum(0), counts.pairs.sum(0)
    scores = {name: Score.of(*row) for name, row in zip(MEASURES, totals.tolist(), strict=True)}
    conll = (scores["muc"].f1 + scores["b_cubed"].f1 + scores["ceaf_e"].f1) / 3
    return CoreferenceScores(**scores, blanc=_blanc(*pairs.tolist()), conll=conll, documents=len(gold))


def coreference_intervals(
    gold: Sequence[Clusters], predicted: Sequence[Clusters], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """Return 95 % bootstrap intervals over documents of the F1 of each measure but BLANC, and of their mean "conll".

    Args:
        predicted: the predicted clusters of each document.

    Raises:
        ShapeError: the numbers of documents differ.
    """
    counts = _counts(gold, predicted).measures  # (documents, measures, 4)
    names = {name: [number] for number, name in enumerate(MEASURES)} | {"conll": list(range(CONLL))}
    return {
        name: bootstrap_interval(_MeanF1(counts[:, measures]), len(counts), resamples=resamples, seed=seed)
        for name, measures in names.items()
    }


@dataclass(frozen=True)
class _MeanF1:
    """The mean F1 of measures, given (documents, measures, 4) counts, for resamples of the documents."""

    counts: Counts

    def __call__(self, weights: npt.NDArray[np.int64], /) -> Counts:
        right, gold, predicted, right_predicted = np.tensordot(weights, self.counts, axes=1).transpose(2, 0, 1)
        recall, precision = (
            np.divide(a, b, np.zeros_like(a), where=b > 0) for a, b in ((right, gold), (right_predicted, predicted))
        )
        total = recall + precision
        f1 = np.divide(2 * recall * precision, total, np.zeros_like(total), where=total > 0)
        return np.asarray(f1.mean(axis=1))


@dataclass(frozen=True)
class _Counts:
    """Of each document (measures, 4) right, gold, predicted, right of predicted, and the 6 numbers of `_pairs`."""

    measures: Counts
    pairs: Counts


def _counts(gold: Sequence[Clusters], predicted: Sequence[Clusters]) -> _Counts:
    if len(gold) != len(predicted):
        raise ShapeError(
            f"{counted(len(gold), 'document')} of gold clusters and {len(predicted):,} of predicted "
            "ones: expected equal numbers"
        )
    totals, pairs = np.zeros((len(gold), len(MEASURES), 4)), np.zeros((len(gold), 6))
    for number, (of_gold, of_predicted) in enumerate(zip(gold, predicted, strict=True)):
        shared, gold_sizes, predicted_sizes = _overlap(of_gold, of_predicted, number)
        totals[number][:, [0, 1]] = _parts(shared, gold_sizes, predicted_sizes)
        totals[number][:, [3, 2]] = _parts(_transposed(shared), predicted_sizes, gold_sizes)
        pairs[number] = _pairs(shared, gold_sizes, predicted_sizes)
    return _Counts(totals, pairs)


@dataclass(frozen=True)
class _Shared:
    """The numbers of mentions that two clusters share, where they share any: (first, second) cluster and count."""

    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    counts: Counts


def _overlap(gold: Clusters, predicted: Clusters, document: int) -> tuple[_Shared, Counts, Counts]:
    of_gold, of_predicted = (_cluster_of(clusters, document) for clusters in (gold, predicted))
    gold_sizes, predicted_sizes = (
        np.bincount(list(cluster_of.values())).astype(float) for cluster_of in (of_gold, of_predicted)
    )
    columns = max(len(predicted_sizes), 1)
    both = [number * columns + of_predicted[mention] for mention, number in of_gold.items() if mention in of_predicted]
    cells, counts = np.unique(np.array(both, np.int64), return_counts=True)
    return _Shared(cells // columns, cells % columns, counts.astype(float)), gold_sizes, predicted_sizes


def _cluster_of(clusters: Clusters, document: int) -> dict[Hashable, int]:
    result: dict[Hashable, int] = {}
    number = 0
    for cluster in clusters:
        before = len(result)
        for mention in cluster:
            if result.setdefault(mention, number) != number:
                raise ShapeError(
                    f"document {document}: the mention {mention!r} is in two clusters; expected each mention in one"
                )
        number += len(result) > before
    return result


def _transposed(shared: _Shared) -> _Shared:
    return _Shared(shared.second, shared.first, shared.counts)


def _parts(shared: _Shared, sizes: Counts, other_sizes: Counts) -> npt.NDArray[np.float64]:
    """(measures, 2) numerators and denominators of recall; `sizes` are those of the first clusters."""
    n, of_first, of_second = shared.counts, sizes[shared.first], other_sizes[shared.second]
    mentions, common = sizes.sum(), n.sum()
    alone = (of_first == 1) & (of_second == 1)
    links = np.where(of_first > 1, n * (n - 1) / np.maximum(of_first - 1, 1), alone)  # |k| links(k, r) / links(k)
    aligned_e, aligned_m = _aligned(shared, len(sizes), len(other_sizes), 2 * n / (of_first + of_second), n)
    return np.array(
        [
            (common - len(n), mentions - len(sizes)),  # a cluster's parts are its cells and its mentions in none
            ((n * n / of_first).sum(), mentions),
            (aligned_e, len(sizes)),
            (aligned_m, mentions),
            (links.sum(), mentions),
            (common, mentions),
        ]
    )


def _aligned(shared: _Shared, rows: int, columns: int, *weights: Counts) -> list[float]:
    """The largest sums of weights of cells of which no two share a row or a column."""
    # A row and a column that share a cell only with each other are aligned; a search is for the others.
    single = (np.bincount(shared.first, minlength=rows)[shared.first] == 1) & (
        np.bincount(shared.second, minlength=columns)[shared.second] == 1
    )
    rest = ~single
    row, column = (np.unique(index[rest], return_inverse=True)[1] for index in (shared.first, shared.second))
    sums = []
    for weight in weights:
        total = weight[single].sum()
        if rest.any():
            table = np.zeros((row.max() + 1, column.max() + 1))
            table[row, column] = weight[rest]
            total += table[linear_sum_assignment(table, maximize=True)].sum()
        sums.append(float(total))
    return sums


def _pairs(shared: _Shared, gold: Counts, predicted: Counts) -> npt.NDArray[np.float64]:
    """Pairs of mentions in one cluster (gold, predicted, both), and in two clusters (gold, predicted, both)."""
    n = shared.counts
    one_gold, one_predicted, one_both = (_choose_2(sizes).sum() for sizes in (gold, predicted, n))
    common = n.sum()
    by_gold, by_predicted = (np.bincount(index, n).astype(float) for index in (shared.first, shared.second))
    two_both = _choose_2(common) - _choose_2(by_gold).sum() - _choose_2(by_predicted).sum() + one_both
    two_gold, two_predicted = _choose_2(gold.sum()) - one_gold, _choose_2(predicted.sum()) - one_predicted
    return np.array([one_gold, one_predicted, one_both, two_gold, two_predicted, two_both])


def _choose_2(n: Counts) -> Counts:
    return n * (n - 1) / 2


def _blanc(
    one_gold: float, one_predicted: float, one_both: float, two_gold: float, two_predicted: float, two_both: float
) -> Score:
    of_one, of_two = Score.of(one_both, one_gold, one_predicted), Score.of(two_both, two_gold, two_predicted)
    if not one_gold:
        return of_two
    if not two_gold:
        return of_one
    means = ((getattr(of_one, name) + getattr(of_two, name)) / 2 for name in ("recall", "precision", "f1"))
    return Score(*means)
