"""Counts become ids and probabilities, by hand-worked arithmetic."""

import numpy as np
import pytest

from firth.errors import ShapeError
from firth.vocabulary import Vocabulary, stop_words


@pytest.fixture
def vocabulary():
    return Vocabulary(["the", "cat", "sat"], np.array([70, 20, 10]), 125)


def test_words_and_ids(vocabulary):
    assert len(vocabulary) == 3
    assert list(vocabulary) == ["the", "cat", "sat"]
    assert vocabulary.ids == {"the": 0, "cat": 1, "sat": 2}
    assert "cat" in vocabulary
    assert "dog" not in vocabulary
    assert 0 not in vocabulary


def test_share_outside(vocabulary):
    """100 of 125 tokens are inside: 20 % are not."""
    assert vocabulary.oov_share == pytest.approx(0.2, abs=1e-15)
    assert Vocabulary([], np.array([], dtype=np.int64), 0).oov_share == 0


def test_keep_probabilities_by_hand(vocabulary):
    """t = 0.0625 and frequencies 0.7, 0.2, 0.1 of the 100 kept tokens.

    the: t/f = 0.0892857, its root 0.2988072, together 0.3880929
    cat: t/f = 0.3125, its root 0.5590170, together 0.8715170
    sat: t/f = 0.625, its root 0.7905694, together above 1, so 1
    """
    kept = vocabulary.keep_probabilities(0.0625)
    assert kept == pytest.approx([0.3880929, 0.8715170, 1.0], abs=1e-7)


def test_no_threshold_keeps_everything(vocabulary):
    assert vocabulary.keep_probabilities(0).tolist() == [1, 1, 1]


def test_a_high_threshold_keeps_everything(vocabulary):
    assert vocabulary.keep_probabilities(1).tolist() == [1, 1, 1]


def test_keep_probabilities_are_those_of_word2vec_c():
    """`(sqrt(cn / (sample * train_words)) + 1) * (sample * train_words) / cn`, over a range of counts."""
    counts = np.array([10**6, 10**5, 10**4, 10**3, 5])
    sample, train_words = 1e-3, counts.sum()
    ran = (np.sqrt(counts / (sample * train_words)) + 1) * (sample * train_words) / counts
    vocabulary = Vocabulary(list("abcde"), counts, int(train_words))
    assert vocabulary.keep_probabilities(sample) == pytest.approx(np.minimum(ran, 1), rel=1e-12)


def test_noise_by_hand():
    """Counts 16 and 1 to the power of 3/4 are 8 and 1: 8/9 and 1/9."""
    vocabulary = Vocabulary(["a", "b"], np.array([16, 1]), 17)
    assert vocabulary.noise_probabilities(0.75) == pytest.approx([8 / 9, 1 / 9], abs=1e-15)
    assert vocabulary.noise_probabilities(0) == pytest.approx([0.5, 0.5], abs=1e-15)
    assert vocabulary.noise_probabilities(1) == pytest.approx([16 / 17, 1 / 17], abs=1e-15)
    assert vocabulary.noise_probabilities(-0.5) == pytest.approx([0.2, 0.8], abs=1e-15)


@pytest.mark.parametrize("exponent", [-10, -1, 0.75, 3, 10])
def test_noise_sums_to_one(exponent):
    counts = np.array([10**9, 10**6, 10**3, 1])
    noise = Vocabulary(list("abcd"), counts, int(counts.sum())).noise_probabilities(exponent)
    assert noise.sum() == pytest.approx(1, abs=1e-15)
    assert (noise >= 0).all()


def test_one_count_a_word():
    with pytest.raises(ShapeError, match="2 counts for 3 words: expected one count per word"):
        Vocabulary(["a", "b", "c"], np.array([2, 1]), 3)


def test_stop_words_are_those_with_more_than_a_thousandth_of_the_text():
    """A million occurrences. A twentieth of the words are stop words at most: one of 39, none of 19."""
    counts = np.array([1_000, 400_000, 1_001, *[996] * 600, 399])
    words = [f"w{row}" for row in range(len(counts))]
    assert counts.sum() == 1_000_000
    assert stop_words(words, counts) == {"w1", "w2"}
    assert stop_words(words[:39], counts[:39]) == {"w1"}
    assert stop_words(words[:19], counts[:19]) == frozenset()


def test_without_counts_stop_words_are_the_first():
    words = [f"w{row}" for row in range(3_000)]
    assert stop_words(words, None) == frozenset(words[:100])
    assert stop_words(words[:100], None) == frozenset(words[:5])
