"""Modified and interpolated Kneser-Ney smoothing."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from firth.errors import OptionError
from firth.language.kneser_ney import discounts
from firth.language.ngram_lm import NgramLM
from tests.unit.language.ngram_checks import check_sums, text_of


class Naive:
    """Kneser-Ney by its formulas, over dictionaries of tuples; `number` discounts an order, 1 or 3."""

    def __init__(self, text, order, number):
        self.size, self.number, begin = len(text.vocabulary), number, len(text.vocabulary)
        raw = [Counter() for _ in range(order + 1)]
        for first, last in zip(text.offsets[:-1], text.offsets[1:], strict=True):
            words = (begin, *text.ids[first:last].tolist())
            for k in range(1, order + 1):
                raw[k].update(words[i : i + k] for i in range(len(words) - k + 1))
        self.counts = {1: {}}
        for k in range(1, order + 1):
            before = defaultdict(set)
            if k < order:
                for ngram in raw[k + 1]:
                    before[ngram[1:]].add(ngram[0])
            plain = k == order
            self.counts[k] = {g: c if plain or g[0] == begin else len(before[g]) for g, c in raw[k].items()}
        self.counts[1].pop((begin,))
        self.discounts = {k: self.taken(list(c.values())) for k, c in self.counts.items()}

    def taken(self, counts):
        """D_1, D_2 and D_3+ of an order (Chen and Goodman 1998, equation 26); lmplz's 0.5, 1 and 1.5 where they fail.

        They fail where a number that divides is 0, or a discount is below 0 or above the count it is taken off.
        """
        t = [sum(c == j for c in counts) for j in (1, 2, 3, 4)]
        if 0 in t[: self.number]:
            return (0.5, 1.0, 1.5)
        y = t[0] / (t[0] + 2 * t[1])
        if self.number == 1:
            return (y, y, y)
        found = tuple(j - (j + 1) * y * t[j] / t[j - 1] for j in (1, 2, 3))
        return found if all(0 <= d <= j for j, d in enumerate(found, 1)) else (0.5, 1.0, 1.5)

    def discount(self, k, c):
        return self.discounts[k][min(c, 3) - 1]

    def probability(self, ngram):
        """p(w | h), h as long as it is."""
        if not ngram:
            return 1 / self.size
        lower = self.probability(ngram[1:])
        following = {g: c for g, c in self.counts[len(ngram)].items() if g[:-1] == ngram[:-1]}
        total = sum(following.values())
        if not total:
            return lower
        taken = {g: self.discount(len(ngram), c) for g, c in following.items()}
        own = following.get(ngram, 0) - taken.get(ngram, 0)
        return own / total + sum(taken.values()) / total * lower


SENTENCES = ["a b a c a b", "b a b c", "a a b", "c b a d", "d", "a b a b c e", "e a d b", "f b a", "a c"]


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("eos", [True, False])
def test_the_formulas_over_dictionaries(tmp_path, order, eos, number):
    """Orders 1 to 3 have discounts by the formula somewhere, and the fallback stands in somewhere else."""
    text = text_of(SENTENCES, tmp_path, eos=eos)
    model = NgramLM(order=order, discounts=number, discount_fallback=True).train(text)
    naive = Naive(text, order, number)
    found = model.log_probs(text)
    for first, last in zip(text.offsets[:-1], text.offsets[1:], strict=True):
        words = (len(text.vocabulary), *text.ids[first:last].tolist())
        for place in range(1, len(words)):
            expected = naive.probability(words[max(place + 1 - order, 0) : place + 1])
            assert found[first + place - 1] == pytest.approx(math.log(expected), abs=1e-6)


def test_a_bigram_by_hand(tmp_path):
    """Three sentences, a b / a b / a c.

    V = 5: a, b, c, </s>, <unk>. Bigrams: <s>a 3, ab 2, ac 1, b</s> 2, c</s> 1. Before a stands only <s>, before b and c
    only a, before </s> b and c: words count 1, 1, 1 and 2, five in all. None counts 3, so that the fallback discounts
    0.5 and 1 are taken off: p(b) = (1 - 0.5) / 5 + g / 5, where g = (3 * 0.5 + 1) / 5 = 0.5, is 0.2; p(<unk>) is 0.1.
    Bigrams have t = 2, 2, 1, 0: Y = 2 / 6, D = 1 - 2 / 3 = 1 / 3 and 2 - 3 / 3 * 1 / 2 = 1.5. After a:
    p(b | a) = (2 - 1.5) / 3 + g(a) 0.2, where g(a) = (1.5 + 1 / 3) / 3 = 11 / 18, is 26 / 90; p(<unk> | a) is 11 / 180.
    """
    text = text_of(["a b", "a b", "a c"], tmp_path)
    model = NgramLM(order=2, discount_fallback=True).train(text)
    ids = text.vocabulary.ids
    scores, _ = model.start([[ids["a"]]])
    assert np.exp(scores[0, [ids["b"], ids["<unk>"]]]) == pytest.approx([26 / 90, 11 / 180], rel=1e-6)
    assert np.exp(model.log_probs(text)[1]) == pytest.approx(26 / 90, rel=1e-6)


def test_discounts_by_hand():
    """t = 6, 3, 2, 1: Y = 6 / 12; D = 1 - 2 Y 3 / 6, 2 - 3 Y 2 / 3 and 3 - 4 Y 1 / 2, which is 0.5, 1 and 2."""
    counts = np.array([0] + [1] * 6 + [2] * 3 + [3] * 2 + [4] + [9] * 5)
    assert discounts(counts, 2, NgramLM()) == pytest.approx([0.5, 1, 2])
    assert discounts(counts, 2, NgramLM(discounts=1)) == pytest.approx([0.5, 0.5, 0.5])


@pytest.mark.parametrize("counts", [[1, 1, 2], [2, 3, 4], [1] + [2] * 2 + [3] * 40])
def test_discounts_that_cannot_be_estimated(counts):
    """None that counts 3; none that counts 1; a second discount of 2 - 3 * 0.2 * 40 / 2 = -10."""
    with pytest.raises(OptionError, match=r"cannot estimate the discounts of 2-grams.*discount_fallback=True"):
        discounts(np.array(counts), 2, NgramLM())
    assert discounts(np.array(counts), 2, NgramLM(discount_fallback=True)).tolist() == [0.5, 1, 1.5]


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("number", [1, 3])
def test_distributions_sum_to_one(english_text, tmp_path, order, number):
    text = text_of(english_text, tmp_path)
    check_sums(NgramLM(order=order, discounts=number).train(text), text)


def test_without_ends_distributions_sum_to_one(english_text, tmp_path):
    text = text_of(english_text, tmp_path, eos=False)
    check_sums(NgramLM(order=3).train(text), text)
