"""Katz's back-off."""

import math

import numpy as np
import pytest

from firth.errors import OptionError
from firth.language.katz import discount_factors
from firth.language.ngram_lm import NgramLM
from tests.unit.language.naive_ngrams import SENTENCES, check_formula
from tests.unit.language.ngram_checks import check_sums, text_of
from tests.unit.language.test_good_turing import by_hand


def drawn(sentences=400, seed=0):
    """Sentences of words as frequent as in a language, so that counts of counts fall."""
    draw = np.random.default_rng(seed)
    return [" ".join(f"w{min(i, 300)}" for i in draw.zipf(1.5, draw.integers(2, 7))) for _ in range(sentences)]


def naive_factor(n, r, cutoff):
    for k in range(cutoff, 1, -1):
        if all(n[i] for i in range(1, k + 1)):
            common = (k + 1) * n[k + 1] / n[1]
            own = [0.0]
            if common < 1:
                own = [((i + 1) * n[i + 1] / n[i] / i - common) / (1 - common) for i in range(1, k + 1)]
            if all(0 < d < 1 for d in own):
                return own[r - 1] if r <= k else 1.0
    return None


class Naive:
    """The formulas over dictionaries, each order's distribution kept."""

    def __init__(self, cutoff):
        self.cutoff, self.known = cutoff, {}

    def __call__(self, counted, context, word):
        key = id(counted), context
        if key not in self.known:
            self.known[key] = self.distribution(counted, context)
        return self.known[key][word]

    def distribution(self, counted, context):
        words = range(counted.size)
        lower = [self(counted, context[1:], w) for w in words] if context else [1 / counted.size] * counted.size
        after, k = counted.after(context), len(context) + 1
        if not after:
            return lower
        total, n = sum(after.values()), counted.of_counts(k)
        d = {c: naive_factor(n, c, self.cutoff) for c in after.values()}
        if None in d.values():
            line = by_hand(n) if k == 1 else None
            d = {c: line[c] / c if line else (c - 0.5) / c for c in d}
        kept = {w: d[c] * c / total for w, c in after.items()}
        if all(value == 1 for value in d.values()):
            kept = {w: c / (total + 1) for w, c in after.items()}
        if len(after) == counted.size:
            return [kept[w] / sum(kept.values()) for w in words]
        alpha = (1 - sum(kept.values())) / sum(lower[w] for w in words if w not in after)
        return [kept[w] if w in after else alpha * lower[w] for w in words]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("sentences", [SENTENCES, drawn()], ids=["small", "drawn"])
def test_the_formulas(tmp_path, order, sentences):
    options = NgramLM(smoothing="katz", order=order, discount_fallback=True)
    check_formula(tmp_path, options, Naive(5), sentences=sentences)


def test_sums(tmp_path):
    text = text_of(drawn(), tmp_path)
    check_sums(NgramLM(smoothing="katz", order=3, discount_fallback=True).train(text), text)


def test_factors_by_hand():
    """N = 60, 20, 10 of 1, 2, 3, and k = 2: common is 3 * 10 / 60 = 1/2. 1* = 2 * 20 / 60 = 2/3, so that
    d_1 = (2/3 - 1/2) / (1/2) = 1/3. 2* = 3 * 10 / 20 = 3/2: d_2 = (3/4 - 1/2) / (1/2) = 1/2. What counts 3 is kept.
    """
    counts = np.repeat([1, 2, 3], [60, 20, 10])
    assert discount_factors(counts, 2).tolist() == pytest.approx([1, 1 / 3, 1 / 2, 1])


def test_the_cutoff_gives_way():
    """With none that counts 4 or 5, k = 5 and 4 give nothing, and 3 has d_3 = 0: k = 2 is taken, as by hand above."""
    counts = np.repeat([1, 2, 3, 6], [60, 20, 10, 9])
    assert discount_factors(counts, 5).tolist() == discount_factors(counts, 2).tolist()
    assert discount_factors(np.array([1, 1, 2]), 5) is None


def test_a_context_that_counts_much_leaves_something(tmp_path):
    """After x stands y nine times, more than k: p(y | x) = 9 / 10, and the rest goes to the others."""
    text = text_of([*drawn(), *["x y"] * 9], tmp_path)
    model = NgramLM(smoothing="katz", order=2).train(text)
    (row,), _ = model.start([[text.vocabulary.ids["x"]]])
    assert math.exp(row[text.vocabulary.ids["y"]]) == pytest.approx(0.9)
    assert np.exp(row).sum() == pytest.approx(1, abs=1e-6)


def test_a_text_too_small(tmp_path):
    with pytest.raises(OptionError, match=r"cannot estimate the discounts of 2-grams: 6, 0, 1, 0 of them occur"):
        NgramLM(smoothing="katz", order=2).train(text_of(["a a a a b c d e e"], tmp_path, eos=False))


def test_a_cutoff_below_two():
    with pytest.raises(OptionError, match="cutoff=1: expected a whole number of at least 2"):
        NgramLM(smoothing="katz", cutoff=1)
