"""Diversity of texts by loops over their n-grams, and the influence of each text by leaving it out."""

import math
from collections import Counter

import numpy as np
import pytest

import firth
from firth.evaluation.text_diversity import distinct, frequent, pattern_entropy, repeated
from firth.resampling import bootstrap_interval, value_of

WORDS = ["no", "yes", "i", "do", "not", "know", "sir"]


def random_texts(seed, n=30):
    """Short texts of few words; some are empty, some equal."""
    random = np.random.default_rng(seed)
    lists = [[WORDS[i] for i in random.integers(0, 7, random.integers(0, 6))] for _ in range(n)]
    return [lists[i] for i in random.integers(0, n, n)]


def grams(text, n):
    return [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]


def bigram_entropy(texts):
    return pattern_entropy([grams(text, 2) for text in texts])


def entropy_by_hand(patterns):
    counts = Counter(patterns)
    total = sum(counts.values())
    return -sum(count / total * math.log(count / total) for count in counts.values())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_values_by_loops(seed, n):
    texts = random_texts(seed)
    every = [gram for text in texts for gram in grams(text, n)]
    assert value_of(distinct(texts, n), len(texts)) == pytest.approx(len(set(every)) / len(every))
    entropy = pattern_entropy([grams(text, n) for text in texts])
    assert value_of(entropy, len(texts)) == pytest.approx(entropy_by_hand(every))
    twice = [max(Counter(grams(text, n)).values(), default=0) > 1 for text in texts]
    assert repeated(texts, n).scores.tolist() == twice
    counts = sorted(Counter(map(tuple, texts)).values(), reverse=True)
    assert value_of(frequent(texts, n), len(texts)) == pytest.approx(sum(counts[:n]) / len(texts))


@pytest.mark.parametrize("n", [1, 2])
def test_values_are_those_of_diversity(n):
    texts = random_texts(7)
    joined = [" ".join(text) for text in texts]
    whole = firth.diversity(joined, patterns=n, tokens="whitespace", resamples=1)
    assert value_of(distinct(texts, n), len(texts)) == pytest.approx(whole.distinct)
    entropy = pattern_entropy([grams(text, n) for text in texts])
    assert value_of(entropy, len(texts)) == pytest.approx(whole.entropy)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("statistic", [lambda texts: distinct(texts, 2), bigram_entropy])
def test_influences_are_those_of_leaving_a_text_out(statistic, seed):
    texts = random_texts(seed)
    rest = [[text for j, text in enumerate(texts) if j != i] for i in range(len(texts))]
    every = np.array([value_of(statistic(one), len(one)) for one in rest])
    assert statistic(texts).influences == pytest.approx((len(texts) - 1) * (every.mean() - every))


@pytest.mark.parametrize("n", [1, 5, 100])
def test_equally_frequent_patterns_have_entropy_log_n(n):
    assert value_of(pattern_entropy([[i] for i in range(n)] * 3), 3 * n) == pytest.approx(math.log(n))


@pytest.mark.parametrize("statistic", [lambda texts: distinct(texts, 1), bigram_entropy])
def test_intervals_are_as_wide_as_the_values_of_new_texts_vary(statistic):
    """Of 40 samples; the jackknife may be too wide, not too narrow."""
    random = np.random.default_rng(3)
    shares = 1 / np.arange(1, 500)
    shares /= shares.sum()
    samples = [random.choice(499, (300, 5), p=shares).astype(str).tolist() for _ in range(40)]
    values = [value_of(statistic(texts), 300) for texts in samples]
    low, high = bootstrap_interval(statistic(samples[0]), 300, resamples=300)
    assert 0.75 < (high - low) / (3.92 * np.std(values)) < 1.7
    assert low < values[0] < high


def test_no_ngrams():
    texts = [["no"], []]
    for statistic in (distinct(texts, 2), pattern_entropy([[], []])):
        assert np.isnan(value_of(statistic, 2))
        assert all(map(np.isnan, bootstrap_interval(statistic, 2)))
    assert distinct([["no", "sir"], []], 2).influences == pytest.approx([0.5, -0.5])  # 0 without the first
