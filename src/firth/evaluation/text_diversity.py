"""Diversity of generated texts as statistics of texts: generic answers, repetition, length.

What
    A conversation model that maximises likelihood tends to give the same few answers to everything. These scores show
    it without references. Each is a statistic of n texts, so that systems that answered the same prompts are compared
    in pairs. `firth.diversity` measures one set of texts in more detail.
Objective
    over the n-grams x of all texts together, c(x) of them x, N = sum c(x), K different, p(x) = c(x) / N:

    distinct-n      K / N
    entropy-n       - sum_x p(x) log p(x)                   in nats; log K if they are equally frequent
    text-entropy    the same with whole texts as x
    tag-entropy-n   the same with n-grams of parts of speech as x
    repeated-n      share of texts in which an n-gram occurs twice
    top-k           share of texts that are one of the k most frequent texts
    words           mean number of words

    An n-gram never crosses the end of a text.
Source
    Li et al. 2016, "A diversity-promoting objective function for neural conversation models", section 5.1, for
    distinct-n; Zhang et al. 2018, "Generating informative and diverse conversational responses via adversarial
    information maximization", for the entropy of n-grams; Paulus et al. 2018, "A deep reinforced model for
    abstractive summarization", section 2.5, for repeated trigrams; Efron and Stein 1981, "The jackknife estimate of
    variance": on average it is not too low.
Departures
    distinct-n is divided by the number of n-grams, as in `firth.diversity`; the paper divides by the number of words.
    A resample repeats texts, so that its distinct-n and entropy are too low. Intervals and tests of both therefore use
    the difference that leaving a text out makes (jackknife, `firth.resampling.Linear`); in samples of a Zipf
    distribution they are right or too wide. The k most frequent texts are those of the sample.
Cost
    O(N).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from firth.evaluation.diversity import entropy, ngrams, pattern_table
from firth.resampling import Floats, Ints, Linear, Mean

Words = Sequence[Sequence[str]]


def distinct(texts: Words, n: int) -> Linear:
    """Return distinct-n of texts; NaN if no text has n words."""
    table = _Table([ngrams(text, n) for text in texts])
    if not table.total:
        return _undefined(len(texts))
    lost = table.per_text(table.here == table.everywhere)  # patterns that no other text has
    return _jackknife(table.different / table.total, (table.different - lost) / table.rest)


def pattern_entropy(patterns: Sequence[Sequence[Hashable]]) -> Linear:
    """Return the entropy of the patterns of texts, in nats; NaN without any."""
    table = _Table(patterns)
    if not table.total:
        return _undefined(len(patterns))
    # H = log N - sum_x c(x) log c(x) / N, of which a text changes the terms of its own patterns
    lost = table.per_text(xlogy(table.everywhere, table.everywhere) - xlogy(table.left, table.left))
    sums = xlogy(table.counts, table.counts).sum() - lost
    return _jackknife(entropy(table.counts), np.log(table.rest) - sums / table.rest)


def repeated(texts: Words, n: int) -> Mean:
    """Return the share of texts in which an n-gram occurs twice."""
    lists = [ngrams(text, n) for text in texts]
    return Mean(np.array([len(set(ngrams)) < len(ngrams) for ngrams in lists], dtype=np.float64))


def frequent(texts: Words, k: int) -> Mean:
    """Return the share of texts that are among the k most frequent ones."""
    keys = [tuple(text) for text in texts]
    top = {text for text, _ in Counter(keys).most_common(k)}
    return Mean(np.array([text in top for text in keys], dtype=np.float64))


class _Table:
    """Patterns of n texts.

    Attributes:
        counts: (K,) c(x).
        different: K.
        total: N.
        rest: (n,) number of patterns in the other texts, at least 1.
        here: (pairs,) of each pattern of each text its count there.
        everywhere: (pairs,) its count in all texts.
        left: (pairs,) the difference.
    """

    def __init__(self, lists: Sequence[Sequence[Hashable]]) -> None:
        table = pattern_table(lists)
        self.counts: Ints = np.asarray(table.sum(axis=1), dtype=np.int64)
        self.different, self.total = len(self.counts), int(self.counts.sum())
        self.rest: Ints = np.maximum(self.total - np.array([len(ngrams) for ngrams in lists]), 1)
        pairs = table.tocoo()
        self._texts = pairs.col
        self.here, self.everywhere = pairs.data, self.counts[pairs.row]
        self.left = self.everywhere - self.here

    def per_text(self, values: npt.NDArray[Any]) -> Floats:
        """Return the sum of (pairs,) values over each text, (n,)."""
        return np.bincount(self._texts, values.astype(np.float64), minlength=len(self.rest)).astype(np.float64)


def _jackknife(value: float, without: Floats) -> Linear:
    """Return a statistic from its value and (n,) its values without each text."""
    return Linear(value, (len(without) - 1) * (without.mean() - without))


def _undefined(texts: int) -> Linear:
    return Linear(float("nan"), np.zeros(texts))
