"""The plain file of n-gram models: distributions, a case by hand, and the same probabilities as `firth.NgramLM`."""

import math
import random

import numpy as np
import pytest

import firth
from examples.plain import ngram_lm


def sentences_of(number, seed=0):
    rng = np.random.default_rng(seed)
    law = 1 / np.arange(1, 41)
    return [[f"w{i}" for i in rng.choice(40, rng.integers(1, 9), p=law / law.sum())] for _ in range(number)]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_agrees_with_firth(order):
    """To 1e-5: firth stores logarithms in float32, 6e-8 of numbers up to 10, and adds up to `order` of them."""
    train, test = sentences_of(80), [*sentences_of(20, seed=1), ["w0", "unseen", "w1"]]
    plain = ngram_lm.NgramLM(train, order)
    fast = firth.NgramLM(order=order, discount_fallback=True).train(train, min_count=1, progress=False)
    for sentence, score in zip(test, fast.score(test), strict=True):
        np.testing.assert_allclose(plain.log_probs(sentence), score.log_probs, atol=1e-5)
    assert math.log(plain.perplexity(test)) == pytest.approx(
        -np.mean(np.concatenate([score.log_probs for score in fast.score(test)])), abs=1e-5
    )


def test_distributions_sum_to_one():
    model = ngram_lm.NgramLM(sentences_of(40), 3)
    for context in [(ngram_lm.BOS,), (ngram_lm.BOS, "w0"), ("w1", "w2"), ("new", "words"), ("new", "w0")]:
        assert sum(model.p(word, context) for word in model.vocabulary) == pytest.approx(1)


def test_by_hand():
    """ "a b" and "a c": unigrams count the different words before them, a 1, b 1, c 1, </s> 2; the discounts are the
    fallback, 0.5 and 1. gamma = (3 * 0.5 + 1) / 5 = 0.5, and p(a) = (1 - 0.5) / 5 + 0.5 / 5 = 0.2 with V = 5. After
    "a": b and c once each, p(b | a) = (1 - 0.5) / 2 + (2 * 0.5 / 2) * 0.2 = 0.35.
    """
    model = ngram_lm.NgramLM([["a", "b"], ["a", "c"]], 2)
    assert model.p("a", ()) == pytest.approx(0.2)
    assert model.p("b", ("a",)) == pytest.approx(0.35)


def test_generates_words_of_the_text(tmp_path, capsys):
    sentence = ngram_lm.NgramLM(sentences_of(40), 2).generate(random.Random(0))
    assert sentence
    assert all(word.startswith("w") for word in sentence)
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat\nthe dog sat on the log\n" * 10)
    ngram_lm.main([str(text)])
    lines = capsys.readouterr().out.splitlines()
    perplexities = [float(line.split()[8]) for line in lines if line.startswith("order")]
    assert perplexities[2] < perplexities[1] < perplexities[0]
