"""Simple Good-Turing, its counts and the models that they make."""

import math

import numpy as np
import pytest

from firth.errors import OptionError
from firth.language.good_turing import adjusted_counts
from firth.language.ngram_lm import NgramLM
from tests.unit.language.naive_ngrams import SENTENCES, check_formula
from tests.unit.language.ngram_checks import check_sums, text_of

# Gale and Sampson 1995, table 1: how many sequences of vowels and consonants count r, in pairs (r, N_r).
PROSODY = """
1 120 2 40 3 24 4 13 5 15 6 5 7 11 8 2 9 2 10 1 12 3 14 2 15 1 16 1 17 3 19 1 20 3 21 2 23 3 24 3 25 3 26 2 27 2 28 1
31 2 32 2 33 1 34 2 36 2 41 3 43 1 45 3 46 1 47 1 50 1 71 1 84 1 101 1 105 1 121 1 124 1 146 1 162 1 193 1 199 1 224 1
226 1 254 1 257 1 339 1 421 1 456 1 481 1 483 1 1140 1 1256 1 1322 1 1530 1 2131 1 2395 1 6925 1 7846 1
"""


def test_the_example_of_the_paper():
    """Scaled to 1 - N_1 / N, r* of 1 is 0.7628, and the probability of what counts 7,846 is 0.2537."""
    r, n = np.array(PROSODY.split(), dtype=np.int64).reshape(-1, 2).T
    total = int((r * n).sum())
    assert total == 30_902
    adjusted = adjusted_counts(r, n)
    scaled = (1 - n[0] / total) * adjusted / (n * adjusted).sum() * total
    assert scaled[0] == pytest.approx(0.7628, abs=5e-5)
    assert scaled[-1] / total == pytest.approx(0.2537, abs=5e-5)


def by_hand(counts):
    """The paper's steps for a dictionary r -> N_r, in a loop."""
    rs = sorted(counts)
    z = {}
    for i, r in enumerate(rs):
        q = rs[i - 1] if i else 0
        t = rs[i + 1] if i + 1 < len(rs) else 2 * r - q
        z[r] = 2 * counts[r] / (t - q)
    x, y = [math.log(r) for r in rs], [math.log(z[r]) for r in rs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)
    if slope >= -1:
        return None
    found, switched = {}, False
    for r in rs:
        line = r * (1 + 1 / r) ** (slope + 1)
        if not switched and r + 1 in counts:
            own = (r + 1) * counts[r + 1] / counts[r]
            variance = (r + 1) ** 2 * counts[r + 1] / counts[r] ** 2 * (1 + counts[r + 1] / counts[r])
            switched = abs(own - line) <= 1.96 * math.sqrt(variance)
            found[r] = own if not switched and own < r else line
        else:
            switched = True
            found[r] = line
    return found


def test_the_switch_by_a_loop():
    for seed in range(20):
        draw = np.random.default_rng(seed)
        counts = np.bincount(draw.zipf(1.8, 3000).clip(max=500))
        table = {r: int(n) for r, n in enumerate(counts) if n}
        found = adjusted_counts(np.array(list(table)), np.array(list(table.values())))
        expected = by_hand(table)
        assert found.tolist() == pytest.approx([expected[r] for r in table], rel=1e-9)
        assert all(0 < value < r for r, value in zip(table, found, strict=True))


def formula(counted, context, word):
    after = counted.after(context)
    if not after:
        return 1 / counted.size
    adjusted = by_hand(counted.of_counts(len(context) + 1))
    total = sum(after.values())
    kept = {w: (adjusted[c] if adjusted else c - 0.5) / total for w, c in after.items()}
    if len(after) == counted.size:
        return kept[word] / sum(kept.values())
    return kept[word] if word in after else (1 - sum(kept.values())) / (counted.size - len(after))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("eos", [True, False])
def test_the_formula(tmp_path, order, eos):
    options = NgramLM(smoothing="good-turing", order=order, eos=eos, discount_fallback=True)
    check_formula(tmp_path, options, formula, eos)


def test_sums(tmp_path):
    text = text_of(SENTENCES, tmp_path)
    check_sums(NgramLM(smoothing="good-turing", order=3, discount_fallback=True).train(text), text)


def test_a_text_too_small(tmp_path):
    """In a b / a b all three bigrams count 2: there is no line through one point."""
    with pytest.raises(OptionError, match=r"cannot estimate the discounts of 2-grams: they occur 2 times"):
        NgramLM(smoothing="good-turing", order=2).train(text_of(["a b", "a b"], tmp_path))


def test_counts_that_do_not_fall():
    assert adjusted_counts(np.array([1, 2, 3]), np.array([5, 6, 7])) is None
    assert adjusted_counts(np.array([4]), np.array([5])) is None
