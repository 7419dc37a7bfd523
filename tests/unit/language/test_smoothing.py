"""What smoothings share."""

import numpy as np

from firth.language.ngram_counts import count
from firth.language.ngram_lm import SMOOTHINGS, NgramLM
from firth.language.smoothing import counts_of_counts, levels, log_estimates
from tests.unit.language.ngram_checks import text_of


def test_levels_by_hand(tmp_path):
    """a b / a a: a 3, b 1, </s> 2; bigrams <s>a 2, aa 1, ab 1, a</s> 1, b</s> 1."""
    text = text_of(["a b", "a a"], tmp_path)
    first, second = levels(count(text, 2))
    ids = text.vocabulary.ids
    assert [int(first.counts[ids[word]]) for word in ("a", "b", "</s>", "<unk>")] == [3, 1, 2, 0]
    assert first.counts[first.vocab_size] == 0
    assert first.totals.tolist() == [6]
    assert second.totals[[ids["a"], ids["b"], first.vocab_size]].tolist() == [3, 1, 2]
    assert int(second.starts_with_bos.sum()) == 1
    assert second.shares(second.counts)[second.starts_with_bos].tolist() == [1.0]
    assert (first.is_top, second.is_top) == (False, True)


def test_counts_of_counts():
    assert counts_of_counts(np.array([0, 1, 1, 2, 9, 4]), 3).tolist() == [1, 2, 1, 0]


def test_weights_belong_to_the_order_below():
    """The weight of no context is left out, and the longest n-grams have none."""
    probabilities, weights = [np.array([0.5, 0.5]), np.array([0.25])], [np.array([0.3]), np.array([0.7, 1])]
    (one, weight), (two, last) = log_estimates(probabilities, weights)
    np.testing.assert_allclose(np.exp(one), [0.5, 0.5])
    np.testing.assert_allclose(np.exp(weight), [0.7, 1])
    np.testing.assert_allclose(np.exp(two), [0.25])
    assert last.tolist() == [0.0]


def test_every_smoothing_has_a_model_of_its_name():
    options = {name: preset.options for name, preset in NgramLM.presets.items()}
    assert options == {name: {"smoothing": name} for name in SMOOTHINGS}


def test_a_text_shorter_than_the_order(tmp_path):
    """No 5-gram stands in it: orders without n-grams are no error, if there is a fallback."""
    text = text_of(["a b", "a", "b b a"], tmp_path, eos=False)
    for name in SMOOTHINGS:
        model = NgramLM(order=5, smoothing=name, discount_fallback=True).train(text)
        scores, _ = model.start([[], [0], [0, 1, 0]])
        np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, atol=1e-6)
