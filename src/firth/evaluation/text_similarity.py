"""Semantic textual similarity (STS): the cosine of two sentences against human scores, without training.

What: the correlation of the cosines of the vectors of scored pairs with the scores. Of a set with several parts, such
as the headlines and captions of STS 2014, "spearman" and "pearson" are over the pairs of all parts together (the "all"
setting), and "spearman of parts" is the mean over the parts (the "mean" setting), often several points higher. A paper
that quotes one figure means one of them: say which. The parts are sections of the report. The baseline is the cosine
of TF-IDF vectors of words, with the document frequencies of the set itself.

Source: Agirre et al. 2012, SemEval-2012 task 6, for the task; Gao, Yao and Chen 2021, SimCSE, appendix B, for the
settings.

Departures: the direction that SIF removes from averages of word vectors comes from the sentences of the set, as in
Arora, Liang and Ma 2017, unless one is saved with the vectors. STS 2012 has no MSRvid and STS 2013 no SMT, which may
not be passed on.

Cost: that of the vectors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from firth.evaluation.linear import Floats, Mask
from firth.evaluation.overlap import tfidf_cosines
from firth.evaluation.suite import EvaluationOptions, Score, Space, TextSpace, as_suite
from firth.evaluation.text_rows import TextRows, text_rows
from firth.readers.sentence_pairs import TextSimilarity, read_text_similarity
from firth.resampling import Ints, LinearCorrelation, RankCorrelation, Sample, Statistic
from firth.vectors.cosine import unit

SETS = ("sts-2012", "sts-2013", "sts-2014", "sts-b")
StatisticOf = Callable[[Floats, Floats], Statistic]
METRICS: dict[str, StatisticOf] = {"spearman": RankCorrelation, "pearson": LinearCorrelation}


@dataclass(frozen=True)
class MeanOfParts:
    """The mean of a statistic of each part.

    Attributes:
        parts: the rows of each part among the items, and its statistic.
    """

    parts: Sequence[tuple[Ints, Statistic]]

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the mean for each row of weights."""
        return np.asarray(np.mean([statistic(weights[:, rows]) for rows, statistic in self.parts], axis=0))


def _read(files: Sequence[Path]) -> TextSimilarity:
    return read_text_similarity(files)


@as_suite("sts", SETS, _read, of_texts=True, of_files=True)
def suite(space: Space | TextSpace, gold: TextSimilarity, options: EvaluationOptions) -> list[Score]:
    """Semantic textual similarity: correlation of cosines of sentences with human scores, beside TF-IDF."""
    pairs, n = gold.pairs, len(gold.pairs)
    scores = []
    for texts in text_rows(space, [*pairs.first, *pairs.second]):
        rows = unit(texts.without_shared(np.ones(2 * n, dtype=bool)).astype(np.float64))
        covered = texts.encoded[:n] & texts.encoded[n:]
        # rounded, so that the last digit does not rank pairs of equal sentences
        cosines = np.where(covered, np.einsum("nd,nd->n", rows[:n], rows[n:]).round(12), 0.0)
        scored = _ScoredSet(gold, covered, options.counted(covered), cosines)
        scores += [scored.score(texts.metric(name), statistic) for name, statistic in METRICS.items()]
        if gold.parts:
            scores.append(scored.mean_of_parts(texts))
        scores += [
            scored.score(texts.metric("spearman"), RankCorrelation, f"/{part}", rows)
            for part, rows in gold.parts.items()
        ]
    return scores


@dataclass(frozen=True)
class _ScoredSet:
    """The cosines of a model on a set, of which `mask` are scored."""

    gold: TextSimilarity
    encoded: Mask
    mask: Mask
    cosines: Floats

    def score(self, metric: str, statistic: StatisticOf, part: str = "", rows: slice = slice(None)) -> Score:
        mask, human = self.mask[rows], np.asarray(self.gold.pairs.scores)[rows]
        ours, baseline = (values[rows][mask] for values in (self.cosines, _baseline(self.gold)))
        return self._score(metric, statistic(ours, human[mask]), statistic(baseline, human[mask]), part, rows)

    def mean_of_parts(self, texts: TextRows) -> Score:
        ours, baseline = (self._mean(values) for values in (self.cosines, _baseline(self.gold)))
        return self._score(texts.metric("spearman of parts"), ours, baseline, "", slice(None))

    def _mean(self, values: Floats) -> MeanOfParts:
        position = np.cumsum(self.mask) - 1  # index of each scored item among the scored ones
        parts = []
        for rows in self.gold.parts.values():
            items = np.arange(len(self.mask))[rows][self.mask[rows]]
            parts.append((position[items], RankCorrelation(values[items], np.asarray(self.gold.pairs.scores)[items])))
        return MeanOfParts(parts)

    def _score(self, metric: str, ours: Statistic, baseline: Statistic, part: str, rows: slice) -> Score:
        return Score(
            metric=metric,
            sample=Sample(self.mask[rows], ours),
            covered=int(self.encoded[rows].sum()),
            total=len(self.encoded[rows]),
            part=part,
            baseline_sample=Sample(self.mask[rows], baseline),
            baseline_name="TF-IDF",
        )


@lru_cache(maxsize=8)
def _baseline(gold: TextSimilarity) -> Floats:
    """Cosines of TF-IDF vectors, for all models of a call."""
    return tfidf_cosines(gold.pairs.first, gold.pairs.second)
