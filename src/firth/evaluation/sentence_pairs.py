"""Labels and scores of sentence pairs from the vectors of both sentences, beside an overlap baseline.

What: with u and v the vectors of the sentences, the features of a pair are |u - v| and u * v. A logistic regression
predicts its label, such as paraphrase or not (MSRP), or entailment, contradiction or neither (SICK, SNLI); a linear
model of soft labels predicts its score from 1 to 5 (`firth.evaluation.relatedness`). The baseline is the same model on
their overlap on the surface (`firth.evaluation.overlap`). A second line per metric, "with overlap",
has both kinds of features, and the cosine and the distance of u and v: what the vectors add to the overlap. There, the
variance of each overlap feature is that of all |u - v| and u * v together, so that the penalty hardly bears on it.

Metrics: accuracy; F1 of the greater of two labels, such as 1 of MSRP; Pearson's and Spearman's correlation of scores.
Exchanging the sentences of a pair changes nothing.

Source: Conneau and Kiela 2018, SentEval; Tai, Socher and Manning 2015 for the features and soft labels.

Departures: the penalty is chosen on the published development pairs. The protocol "senteval" counts those of MSRP as
training pairs and uses ten inner folds, as SentEval does; the model of scores is the same in both. In a set without
training pairs, which is cut into ten folds, document frequencies and the direction that SIF removes come from all its
sentences, without labels.

Cost: 5,800 pairs at D = 300 take some seconds per weighting, most of it for the scores.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError
from firth.evaluation.linear import Floats, Ints, Mask
from firth.evaluation.overlap import overlap_features
from firth.evaluation.relatedness import GREATEST, LEAST, pair_features, predict_relatedness
from firth.evaluation.selection import stratified_folds
from firth.evaluation.sentences import FOLDS, classify
from firth.evaluation.suite import EvaluationOptions, Score, Space, TextSpace, as_suite
from firth.evaluation.text_rows import TextRows, text_rows
from firth.readers.sentence_pairs import SentencePairs, read_split_pairs
from firth.resampling import F1, LinearCorrelation, Mean, RankCorrelation, Sample, Statistic
from firth.vectors.cosine import Matrix, unit

BASELINE = "overlap"


@names_files
def read_scored_pairs(path: Path) -> SentencePairs:
    """Read pairs of sentences for this suite; see `read_split_pairs`."""
    pairs = read_split_pairs(path)
    if pairs.labels is not None and len(set(pairs.labels)) < 2:
        raise FormatError(f"{path}: every pair has the label {pairs.labels[0]!r}, expected at least two labels")
    if pairs.scores is not None:
        outside = np.flatnonzero((pairs.scores < LEAST) | (pairs.scores > GREATEST))
        if len(outside):
            raise FormatError(
                f"{path} line {pairs.lines[outside[0]]}: score {pairs.scores[outside[0]]:g}, expected {LEAST} to "
                f"{GREATEST}; rescale the scores, or evaluate without training: the suite sts takes any scale"
            )
    return pairs


@as_suite("sentence-pairs", ("msrp", "sick"), read_scored_pairs, of_texts=True)
def suite(space: Space | TextSpace, gold: SentencePairs, options: EvaluationOptions) -> list[Score]:
    """Sentence pairs: paraphrase, entailment and relatedness, from the vectors of both, beside their overlap."""
    overlap = _overlap(gold)
    baseline = _predictions(_Rows(overlap), gold, None, options)
    scores = []
    for texts in text_rows(space, [*gold.first, *gold.second]):
        features, few, encoded = _features(texts, gold)
        few = np.concatenate([overlap, few], axis=1)
        kinds = {"": _Rows(features), f" with {BASELINE}": _Rows.joined(features, few)}
        covered = encoded[gold.test]
        mask = options.counted(covered)
        for name, rows in kinds.items():
            for metric, statistic in _predictions(rows, gold, encoded, options).items():
                scores.append(
                    Score(
                        metric=texts.metric(metric + name),
                        sample=Sample(mask, statistic(mask)),
                        covered=int(covered.sum()),
                        total=len(covered),
                        baseline_sample=Sample(mask, baseline[metric](mask)),
                        baseline_name=BASELINE,
                        share=metric == "accuracy",
                    )
                )
    return scores


@dataclass(frozen=True)
class _Rows:
    """Features of pairs (n, F), and the factors of their scaled columns."""

    features: Matrix
    weights: Floats | None = None

    @classmethod
    def joined(cls, many: Matrix, few: Matrix) -> "_Rows":
        factor = np.sqrt(many.shape[1])
        weights = np.repeat([1.0, factor], [many.shape[1], few.shape[1]])
        return cls(np.concatenate([many, few], axis=1), weights)


class _Outcome:
    """A metric of the test pairs, for any of them."""

    def __init__(self, kind: type[Mean] | type[F1] | type[LinearCorrelation] | type[RankCorrelation], *values: object):
        self._kind, self._values = kind, [np.asarray(column) for column in values]

    def __call__(self, mask: Mask) -> Statistic:
        statistic: Statistic = self._kind(*(column[mask] for column in self._values))
        return statistic


def _predictions(
    rows: _Rows, gold: SentencePairs, encoded: Mask | None, options: EvaluationOptions
) -> dict[str, _Outcome]:
    """Metrics of models on features of pairs."""
    metrics, test = dict[str, _Outcome](), gold.test
    senteval = options.protocol == "senteval"
    if gold.labels is not None:
        names, labels = np.unique(gold.labels, return_inverse=True)
        # SentEval trains on the development pairs of MSRP, which are of our making, and keeps those of SICK.
        development = None if senteval and gold.scores is None else gold.development
        predicted = classify(
            rows.features,
            labels,
            _folds(gold, labels, options.seed),
            development=development,
            encoded=encoded,
            weights=rows.weights,
            protocol=options.protocol,
            seed=options.seed,
        )
        metrics["accuracy"] = _Outcome(Mean, (predicted == labels)[test].astype(np.float64))
        if len(names) == 2:
            metrics["F1"] = _Outcome(F1, (predicted == 1)[test], (labels == 1)[test])
    if gold.scores is not None:
        fold = _folds(gold, np.zeros(len(gold), dtype=np.int64), options.seed)
        predicted_scores = predict_relatedness(
            rows.features,
            gold.scores,
            fold,
            development=gold.development,
            encoded=encoded,
            weights=rows.weights,
            seed=options.seed,
        )
        metrics["pearson"] = _Outcome(LinearCorrelation, predicted_scores[test], gold.scores[test])
        metrics["spearman"] = _Outcome(RankCorrelation, predicted_scores[test], gold.scores[test])
    return metrics


def _folds(gold: SentencePairs, strata: Ints, seed: int) -> Ints:
    if not gold.test.all():
        return np.where(gold.test, 0, -1)
    keys = [frozenset(pair) for pair in zip(gold.first, gold.second, strict=True)]
    return stratified_folds(strata, FOLDS, seed=seed, keys=keys)


def _features(texts: TextRows, gold: SentencePairs) -> tuple[Matrix, Matrix, Mask]:
    """|u - v| and u * v of each pair, (n, 2 D); its cosine and distance, (n, 2); and which pairs have both vectors."""
    n = len(gold)
    rows = texts.without_shared(np.tile(_train(gold), 2))
    first, second = rows[:n], rows[n:]
    cosines = np.einsum("nd,nd->n", unit(first), unit(second))
    distances = np.linalg.norm(first - second, axis=1)
    return pair_features(first, second), np.stack([cosines, distances], axis=1), texts.encoded[:n] & texts.encoded[n:]


def _train(gold: SentencePairs) -> Mask:
    return ~gold.test if not gold.test.all() else gold.test


@lru_cache(maxsize=4)
def _overlap(gold: SentencePairs) -> npt.NDArray[np.float32]:
    """Overlap features of a set, for all models of a call."""
    features: Floats = overlap_features(gold.first, gold.second, _train(gold))
    return features.astype(np.float32)
