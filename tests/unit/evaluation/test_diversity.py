import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from firth.errors import OptionError
from firth.evaluation import diversity as module
from firth.evaluation.diversity import diversity, entropy

A = ["p", "q", "r"]
B = [f"pattern {i % 5}" for i in range(100)]
C = ["same"] * 96 + ["one", "two", "three", "four"]


def test_three_systems_by_hand():
    """A has 3 examples of 3 patterns: -3 (1/3) log (1/3) = log 3.

    B has 100 of 5, evenly: log 5. C has 96 of one pattern and 4 of others: -(96/100) log (96/100) - 4 (1/100) log
    (1/100) = (100 log 100 - 96 log 96) / 100, which is less than log 3.
    """
    a, b, c = (diversity(texts).entropy for texts in (A, B, C))
    assert a == pytest.approx(math.log(3), abs=1e-12)
    assert b == pytest.approx(math.log(5), abs=1e-12)
    assert c == pytest.approx((100 * math.log(100) - 96 * math.log(96)) / 100, abs=1e-12)
    assert b > a > c


def test_millers_correction_by_hand():
    """A: log 3 + (3 - 1) / (2 * 3) = log 3 + 1/3. B: log 5 + 4 / 200. C adds 4 / 200 too."""
    assert diversity(A).corrected == pytest.approx(math.log(3) + 1 / 3)
    assert diversity(B).corrected == pytest.approx(math.log(5) + 0.02)
    assert diversity(C).corrected - diversity(C).entropy == pytest.approx(0.02)
    assert diversity(B).effective == pytest.approx(5 * math.exp(0.02))


def test_an_even_set_has_the_logarithm_of_its_size():
    for n in (1, 2, 17, 1000):
        assert entropy(np.full(n, 7)) == pytest.approx(math.log(n), abs=1e-12)


def test_distinct_n_by_hand():
    """the cat sat, the cat ran, a dog ran away: 2 + 2 + 3 = 7 bigrams, of which only "the cat" stands twice: 6 / 7.

    Of 10 tokens the, cat and ran stand twice: 7 / 10; trigrams: 1 + 1 + 2, all different. No n-gram reaches over the
    end of an example. Between spaces, "The" and "the" differ: 8 / 10.
    """
    texts = ["The cat sat.", "the cat ran", "a dog ran away"]
    assert [diversity(texts, patterns=n).distinct for n in (1, 2, 3)] == pytest.approx([7 / 10, 6 / 7, 1.0])
    assert diversity(texts, patterns=1, tokens="whitespace").distinct == pytest.approx(8 / 10)
    assert diversity(texts, patterns=1, tokens=list).total == 12 + 11 + 14


def test_a_function_gives_the_patterns():
    found = diversity(["a b", "c d", "e"], patterns=lambda text: [len(text.split())])
    assert sorted(found.counts.tolist()) == [1, 2]
    assert found.unseen == pytest.approx(1 / 3)


def test_what_to_expect_among_fewer_is_the_mean_over_all_draws():
    """Every way of drawing m of 9 patterns, counted."""
    texts = list("aaaabbccd")
    found = diversity(texts)
    for m in range(1, 10):
        drawn = [len(set(some)) for some in combinations(texts, m)]
        assert found.expected_patterns(m) == pytest.approx(np.mean(drawn), abs=1e-9)
    assert found.expected_patterns(9) == pytest.approx(4)
    for m in (0, 10):
        with pytest.raises(OptionError, match=f"m={m}: expected 1 to 9"):
            found.expected_patterns(m)


def test_counting_agrees_with_a_loop():
    random = np.random.default_rng(2)
    texts = [" ".join(random.choice(list("abcdef"), size=random.integers(0, 9))) for _ in range(200)]
    for n in (1, 2, 3):
        plain = Counter(tuple(t.split()[i : i + n]) for t in texts for i in range(len(t.split()) - n + 1))
        found = diversity(texts, patterns=n, resamples=5)
        assert sorted(found.counts.tolist()) == sorted(plain.values())
        shares = np.array(list(plain.values())) / plain.total()
        assert found.entropy == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-12)


def test_interval_is_that_of_a_loop_over_resampled_examples():
    """Examples are drawn whole; the error of a resample is its corrected entropy less the sample's plain one."""
    random = np.random.default_rng(4)
    texts = [" ".join(random.choice(list("abcdefgh"), size=6)) for _ in range(40)]
    found = diversity(texts, patterns=1, resamples=4000)

    def corrected(some):
        counts = np.array(list(Counter(word for text in some for word in text.split()).values()))
        return entropy(counts) + (len(counts) - 1) / (2 * counts.sum())

    errors = [corrected([texts[i] for i in random.integers(0, 40, 40)]) - found.entropy for _ in range(4000)]
    low, high = found.corrected - np.quantile(errors, [0.975, 0.025])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.003)


def test_interval_holds_the_true_entropy_about_as_often_as_it_says():
    """100 patterns by Zipf's law, 1,000 examples: the plain entropy is 0.04 too low, and its percentiles miss it."""
    shares = 1 / np.arange(1, 101)
    shares /= shares.sum()
    truth = -(shares * np.log(shares)).sum()
    random = np.random.default_rng(6)
    held = plain = 0
    for trial in range(200):
        texts = [str(i) for i in random.choice(100, size=1000, p=shares)]
        found = diversity(texts, resamples=200, seed=trial)
        held += found.low <= truth <= found.high
        plain += found.entropy < truth
    # 95 % of 200 is 190, with a standard deviation of 3.1.
    assert 180 <= held <= 199
    assert plain > 150  # without bias: 100


def test_the_interval_always_holds_the_estimate():
    """All different: the truth lies somewhere above, and a resample shows 63 % of what is there."""
    found = diversity([str(i) for i in range(500)])
    assert found.low <= found.corrected <= found.high
    assert found.unseen == 1.0
    one = diversity(["same"] * 10)
    assert (one.entropy, one.corrected, one.low, one.high) == (0, 0, 0, 0)


def test_interval_does_not_depend_on_how_resamples_are_blocked(monkeypatch):
    whole = diversity(C, seed=3)
    monkeypatch.setattr(module, "_CELLS", 12)
    again = diversity(C, seed=3)
    assert (again.low, again.high) == (whole.low, whole.high)
    other = diversity(C, seed=4)
    assert (other.low, other.high) != (whole.low, whole.high)


@pytest.mark.parametrize(
    ("examples", "how", "message"),
    [
        ([], {}, "no examples"),
        (["a b"], {"patterns": 3}, r"patterns=3: none in 1 examples; expected a smaller n"),
        (["a b"], {"patterns": 0}, "patterns=0"),
        (["a b"], {"patterns": True}, "patterns=True"),
        (["a b"], {"patterns": "words"}, "patterns='words'"),
        (["a b"], {"resamples": 0}, "resamples=0"),
        (["a b"], {"tokens": "letters"}, "tokens='letters'"),
    ],
)
def test_bad_input(examples, how, message):
    with pytest.raises(OptionError, match=message):
        diversity(examples, **how)


def test_real_sentences_are_more_diverse_than_a_few_repeated(english_text):
    """1,000 sentences of documentation against 20 of them said 50 times over: a hundredth of the bigrams at most."""
    texts = [line for line in english_text.read_text(encoding="ascii").splitlines() if line][:1000]
    real, repeated = (diversity(some, patterns=2, resamples=50) for some in (texts, texts[:20] * 50))
    assert real.low > repeated.high + 2
    alike = min(real.total, repeated.total)
    assert real.expected_patterns(alike) > 20 * repeated.expected_patterns(alike)
