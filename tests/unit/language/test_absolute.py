"""Absolute discounting."""

import math

import numpy as np
import pytest

from firth.errors import OptionError
from firth.language.absolute import discount
from firth.language.ngram_counts import count
from firth.language.ngram_lm import NgramLM
from firth.language.smoothing import interpolated, levels
from tests.unit.language.naive_ngrams import SENTENCES, check_formula
from tests.unit.language.ngram_checks import check_sums, text_of


def of_order(counted, k):
    n = counted.of_counts(k)
    return n[1] / (n[1] + 2 * n[2]) if n[1] and n[2] else 0.5


def mixed(counted, context, word):
    after, order = counted.after(context), len(context) + 1
    lower = mixed(counted, context[1:], word) if context else 1 / counted.size
    if not after:
        return lower
    d, total = of_order(counted, order), sum(after.values())
    return max(after.get(word, 0) - d, 0) / total + d * len(after) / total * lower


def backing_off(counted, context, word):
    after, order = counted.after(context), len(context) + 1

    def lower(each):
        return backing_off(counted, context[1:], each) if context else 1 / counted.size

    if not after:
        return lower(word)
    d, total = of_order(counted, order), sum(after.values())
    if word in after:
        return (after[word] - d) / total
    return d * len(after) / total * lower(word) / sum(lower(w) for w in range(counted.size) if w not in after)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("eos", [True, False])
@pytest.mark.parametrize("formula", [mixed, backing_off])
def test_the_formulas(tmp_path, order, eos, formula):
    options = NgramLM(smoothing="absolute", order=order, interpolated=formula is mixed, eos=eos, discount_fallback=True)
    check_formula(tmp_path, options, formula, eos)


@pytest.mark.parametrize("mixing", [True, False])
def test_sums(tmp_path, mixing):
    text = text_of(SENTENCES, tmp_path)
    check_sums(NgramLM(smoothing="absolute", order=4, interpolated=mixing, discount_fallback=True).train(text), text)


def test_a_bigram_by_hand(tmp_path):
    """Three sentences, a b / a b / a c; V = 5: a, b, c, </s>, <unk>.

    Words: a 3, b 2, c 1, </s> 3; one counts 1, one 2: D = 1 / 3. p(b) = (2 - 1/3) / 9 + 4 (1/3) / 9 / 5 = 29 / 135, and
    p(a) = 44 / 135, p(c) = 14 / 135, p(<unk>) = 4 / 135.
    Bigrams: <s>a 3, ab 2, ac 1, b</s> 2, c</s> 1: two count 1, two 2: D = 1 / 3. After a, 3 times, stand two words:
    p(b | a) = (2 - 1/3) / 3 + 2 (1/3) / 3 * 29 / 135 = 5 / 9 + 58 / 1215; p(<unk> | a) = 2 / 9 * 4 / 135.
    Backing off, words have (c - 1/3) / 9, so p(b) = 5 / 27, and <unk>, alone unseen, all that was taken, 4 / 27. Unseen
    after a are a, </s> and <unk>, 8 / 27 + 8 / 27 + 4 / 27 = 20 / 27: p(b | a) = 5 / 9, p(<unk> | a) = 2 / 9 * 4 / 20.
    """
    text = text_of(["a b", "a b", "a c"], tmp_path)
    ids = text.vocabulary.ids
    for mixing, b, unknown in ((True, 5 / 9 + 58 / 1215, 8 / 1215), (False, 5 / 9, 2 / 45)):
        (row,), _ = NgramLM(smoothing="absolute", order=2, interpolated=mixing).train(text).start([[ids["a"]]])
        assert math.exp(row[ids["b"]]) == pytest.approx(b)
        assert math.exp(row[text.unk_id]) == pytest.approx(unknown)


def test_a_context_that_all_words_follow_keeps_all(tmp_path):
    """Backing off after a, which a, b and <unk> follow: nothing is unseen, and what is kept is scaled to one."""
    text = text_of(["a a b", "b a <unk>", "a b a a b"], tmp_path, eos=False)
    model = NgramLM(smoothing="absolute", order=2, interpolated=False, discount_fallback=True).train(text)
    (row,), _ = model.start([[text.vocabulary.ids["a"]]])
    assert np.exp(row).sum() == pytest.approx(1, abs=1e-6)
    check_sums(model, text, many=40)


def test_a_text_too_small(tmp_path):
    """a b: words have 0.5 taken off, for want of one that counts 2; bigrams have no such leave."""
    text = text_of(["a b"], tmp_path)
    options = NgramLM(smoothing="absolute", order=2)
    with pytest.raises(
        OptionError, match=r"cannot estimate the discounts of 2-grams: 3 of them occur once, and 0 twice"
    ):
        options.train(text)
    given = NgramLM(smoothing="absolute", order=2, discount_fallback=True)
    assert [discount(level, given) for level in levels(count(text, 2))] == [0.5, 0.5]


@pytest.mark.peer
def test_interpolation_as_nltk_has_it(tmp_path):
    """NLTK takes 0.75 off and leaves order 1 as it is: the same above the same order 1."""
    nltk = pytest.importorskip("nltk.lm", reason="NLTK is not installed: pip install nltk")
    from nltk.lm.preprocessing import pad_both_ends
    from nltk.util import everygrams

    text = text_of(SENTENCES, tmp_path)
    words = list(text.vocabulary.words)
    theirs = nltk.AbsoluteDiscountingInterpolated(order=2, discount=0.75)
    theirs.fit([everygrams(pad_both_ends(s.split(), 2), max_len=2) for s in SENTENCES], [*words, "<s>"])
    _, pairs = levels(count(text, 2))
    lower = np.array([theirs.score(word) for word in [*words, "<s>"]])
    found, _ = interpolated(pairs, np.where(pairs.counts > 0, 0.75, 0.0), lower)
    told = [*words, "<s>"]
    last = count(text, 2).last[1]
    assert len(found) > 20
    for value, context, word in zip(found, pairs.contexts, last, strict=True):
        assert value == pytest.approx(theirs.score(told[word], [told[context]]), rel=1e-9)
