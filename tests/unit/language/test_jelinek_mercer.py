"""Jelinek-Mercer smoothing, its buckets and their weights."""

import math

import numpy as np
import pytest

from firth.language.jelinek_mercer import learn_weights
from firth.language.ngram_counts import count
from firth.language.ngram_lm import NgramLM
from firth.language.smoothing import levels
from tests.unit.language.naive_ngrams import SENTENCES, Counted, check_formula
from tests.unit.language.ngram_checks import check_sums, text_of


def bucket(total):
    return 1 + round(2 * math.log2(total)) if total else 0


class Naive:
    """Weights by EM token by token, and mixtures, over dictionaries."""

    def __init__(self):
        self.tables = {}

    def frequencies(self, counted, context, word, less):
        after = counted.after(context)
        total = max(sum(after.values()) - less, 0)
        return max(after.get(word, 0) - less, 0) / max(total, 1), bucket(total)

    def mixture(self, counted, context, word, less=0):
        lower = self.mixture(counted, context[1:], word, less) if context else 1 / counted.size
        own, b = self.frequencies(counted, context, word, less)
        weight = self.weights(counted, len(context) + 1).get(b, 0.0) if b else 0.0
        return weight * own + (1 - weight) * lower

    def weights(self, counted, k):
        if k in self.tables:
            return self.tables[k]
        tokens = []
        for ngram, times in counted.counts[k].items():
            low = self.mixture(counted, ngram[1:-1], ngram[-1], 1) if k > 1 else 1 / counted.size
            high, b = self.frequencies(counted, ngram[:-1], ngram[-1], 1)
            tokens.append((b, times, high, low))
        contexts = {ngram[:-1] for ngram in counted.counts[k]}
        last = max([b for b, *_ in tokens] + [bucket(sum(counted.after(h).values())) for h in contexts])
        table = dict.fromkeys(range(last + 1), 0.5)
        for _ in range(100):
            sums = {b: [1.0, 2.0] for b in table}
            for b, times, high, low in tokens:
                sums[b][0] += times * table[b] * high / (table[b] * high + (1 - table[b]) * low)
                sums[b][1] += times
            new = {b: top / bottom for b, (top, bottom) in sums.items()}
            close = max(abs(new[b] - table[b]) for b in table) < 1e-5
            table = new
            if close:
                break
        self.tables[k] = table
        return table


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("eos", [True, False])
def test_the_formulas(tmp_path, order, eos):
    check_formula(tmp_path, NgramLM(smoothing="jelinek-mercer", order=order, eos=eos), Naive().mixture, eos)


def test_sums(tmp_path):
    text = text_of(SENTENCES, tmp_path)
    check_sums(NgramLM(smoothing="jelinek-mercer", order=4).train(text), text)


def test_a_weight_by_hand(tmp_path):
    """a a, without ends: two words, a and <unk>, and one context, nothing, seen twice. Left out, either a leaves one a
    of one: H = 1 / 1, L = 1 / 2, in the bucket of 1, with two tokens.

    EM: l = (2 l / (l + (1 - l) / 2) + 1) / 4, or 4 l (l + 1) = 4 l + (l + 1), or 4 l^2 - l - 1 = 0, so that
    l = (1 + sqrt(17)) / 8 = 0.640388.
    """
    (level,) = levels(count(text_of(["a a"], tmp_path, eos=False), 1))
    found = learn_weights(level, np.array([0.5]))
    assert found[0] == 0
    assert found[1] == pytest.approx((1 + math.sqrt(17)) / 8, abs=1e-4)


def test_the_weights_are_the_best(tmp_path):
    """No other weight of a bucket makes the tokens, each left out, likelier: a search over a thousand weights."""
    draw = np.random.default_rng(3)
    sentences = [" ".join(f"w{min(i, 40)}" for i in draw.zipf(1.4, 6)) for _ in range(60)]
    text = text_of(sentences, tmp_path)
    counted, naive = Counted(text, 2), Naive()
    _, pairs = levels(count(text, 2))
    first = NgramLM(smoothing="jelinek-mercer", order=1).train(text)
    assert first.order == 1
    below = np.array([naive.mixture(counted, (), word, 1) for word in range(counted.size)] + [0.0])
    found = learn_weights(pairs, below)
    tried = np.linspace(0.0005, 0.9995, 1000)
    for b in range(1, len(found)):
        likelihood = np.log(tried) + np.log(1 - tried)  # the token for and the one against
        for (h, w), times in counted.counts[2].items():
            high, own = naive.frequencies(counted, (h,), w, 1)
            if own == b:
                likelihood = likelihood + times * np.log(tried * high + (1 - tried) * below[w])
        assert found[b] == pytest.approx(tried[np.argmax(likelihood)], abs=0.003)
