"""Segmentations drawn at random have the probabilities that their definition gives them."""

import math
import random
from collections import Counter

import pytest

from firth.text.segmentation import sample_unigram, sample_wordpiece

DRAWS = 20_000


def segmentations(chunk, pieces):
    """All ways of cutting a chunk into pieces."""
    if not chunk:
        return [[]]
    return [
        [chunk[:end], *rest]
        for end in range(1, len(chunk) + 1)
        if chunk[:end] in pieces
        for rest in segmentations(chunk[end:], pieces)
    ]


def drawn(draw_one):
    draw = random.Random(7)
    return {cut: count / DRAWS for cut, count in Counter(" ".join(draw_one(draw)) for _ in range(DRAWS)).items()}


def four_deviations(p):
    return 4 * math.sqrt(p * (1 - p) / DRAWS)


def test_two_cuts_by_hand():
    """ab: P(ab) = 0.2, P(a) P(b) = 0.5 * 0.3 = 0.15. Power 1: 0.2 / 0.35 = 4/7. Power 2: 0.04 / 0.0625 = 0.64."""
    log_probs = {"a": math.log(0.5), "b": math.log(0.3), "ab": math.log(0.2)}
    for power, expected in ((1.0, 4 / 7), (2.0, 0.64), (0.0, 0.5)):
        found = drawn(lambda draw, power=power: sample_unigram("ab", log_probs, 2, power, draw))
        assert found["ab"] == pytest.approx(expected, abs=four_deviations(expected))


def test_unigram_cuts_are_drawn_as_enumeration_has_them():
    """abcabc has 4 * 4 cuts between the halves, 2 * 2 through ca, 1 through bcab and 2 through cabc: 23."""
    pieces = ("a", "b", "c", "ab", "bc", "abc", "ca", "bcab", "cabc")
    log_probs = {piece: -1.0 - 0.7 * i for i, piece in enumerate(pieces)}
    cuts = segmentations("abcabc", log_probs)
    weights = {" ".join(cut): math.exp(0.5 * sum(log_probs[piece] for piece in cut)) for cut in cuts}
    found = drawn(lambda draw: sample_unigram("abcabc", log_probs, 4, 0.5, draw))
    assert len(weights) == 23
    assert set(found) <= set(weights)
    for cut, weight in weights.items():
        p = weight / sum(weights.values())
        assert found.get(cut, 0.0) == pytest.approx(p, abs=four_deviations(p))


def test_longest_pieces_by_hand():
    """abc with pieces abc, ab, …c, …bc and the bytes, p = 0.5: abc 1/2; else ab 1/4 and then …c, a byte that is never
    passed over; else a 1/4 and then …bc or …b …c, 1/8 each.
    """
    pieces = dict.fromkeys(["a", "b", "c", "…a", "…b", "…c", "abc", "ab", "…bc"], 0)
    found = drawn(lambda draw: sample_wordpiece("abc", pieces, "…", 0.5, draw))
    for cut, p in {"abc": 0.5, "ab …c": 0.25, "a …bc": 0.125, "a …b …c": 0.125}.items():
        assert found[cut] == pytest.approx(p, abs=four_deviations(p))
