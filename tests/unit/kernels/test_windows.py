"""Subsampling keeps words with their probability, in pieces of limited size."""

import numpy as np
from numba import njit

from firth.kernels.windows import LONGEST, keep_thresholds, subsample
from firth.vocabulary import Vocabulary
from tests.unit.kernels.statistics import p_value


@njit
def piece(ids, start, end, thresholds, state):
    kept = np.empty(LONGEST + 1, dtype=np.int64)
    count, reached = subsample(ids, start, end, thresholds, state, kept)
    return kept[:count], reached


def survivors(ids, thresholds, seed=1):
    """Everything that survives, read to the end a piece at a time."""
    state, start, kept = np.array([seed], np.uint64), 0, []
    while start < len(ids):
        words, reached = piece(ids, start, len(ids), thresholds, state)
        assert start < reached <= min(len(ids), start + 10**9)
        start = reached
        kept.append(words)
    return np.concatenate(kept)


def test_thresholds_by_hand():
    """32 bits are at most the threshold in threshold + 1 of 2^32 cases: p = 1/2 asks for 2^31 - 1, p = 1 for all."""
    assert keep_thresholds(np.array([1.0, 0.5, 0.25, 0.0])).tolist() == [2**32 - 1, 2**31 - 1, 2**30 - 1, 0]


def test_all_are_kept_where_all_should_be():
    ids = np.arange(500, dtype=np.int32)
    kept = survivors(ids, keep_thresholds(np.ones(500)))
    assert kept.tolist() == ids.tolist()


def test_none_is_kept_where_none_should_be():
    assert len(survivors(np.zeros(10**5, dtype=np.int32), keep_thresholds(np.zeros(1)))) == 0


def test_only_the_requested_range_is_read():
    words, reached = piece(
        np.arange(10, dtype=np.int32), 3, 7, keep_thresholds(np.ones(10)), np.array([1], dtype=np.uint64)
    )
    assert (words.tolist(), reached) == ([3, 4, 5, 6], 7)


def test_a_long_sentence_comes_in_pieces():
    ids = np.arange(2 * LONGEST + 5, dtype=np.int32)
    thresholds, state = keep_thresholds(np.ones(len(ids))), np.array([1], np.uint64)
    first, reached = piece(ids, 0, len(ids), thresholds, state)
    assert (len(first), reached) == (LONGEST, LONGEST)
    assert survivors(ids, thresholds).tolist() == ids.tolist()


def test_a_seed_decides_who_survives():
    ids, thresholds = np.zeros(1000, dtype=np.int32), keep_thresholds(np.array([0.5]))
    ids[::2] = 0
    numbered = np.arange(1000, dtype=np.int32)
    thresholds = np.repeat(thresholds, 1000)
    assert survivors(numbered, thresholds, seed=1).tolist() == survivors(numbered, thresholds, seed=1).tolist()
    assert survivors(numbered, thresholds, seed=1).tolist() != survivors(numbered, thresholds, seed=2).tolist()


COUNTS = np.array([400_000, 200_000, 50_000, 10_000, 1_000, 50])
SAMPLE = 1e-2


def kept_and_expected(sample):
    """Counts of survivors and of the dropped, and what `Vocabulary.keep_probabilities` asks for."""
    vocabulary = Vocabulary(list("abcdef"), COUNTS, int(COUNTS.sum()))
    ids = np.random.default_rng(0).permutation(np.repeat(np.arange(6, dtype=np.int32), COUNTS))
    kept = np.bincount(survivors(ids, keep_thresholds(vocabulary.keep_probabilities(SAMPLE)), seed=9), minlength=6)
    expected = vocabulary.keep_probabilities(sample)
    return np.stack([kept, COUNTS - kept], 1), np.stack([expected, 1 - expected], 1)


def test_survivors_follow_the_probabilities():
    observed, expected = kept_and_expected(SAMPLE)
    random = expected[:, 1] > 0
    assert random.tolist() == [True, True, True, False, False, False]  # the rare are always kept
    assert observed[~random, 1].tolist() == [0, 0, 0]
    for pair, probabilities in zip(observed[random], expected[random], strict=True):
        assert p_value(pair, probabilities) > 1e-3


def test_another_threshold_would_be_seen():
    observed, expected = kept_and_expected(1.1 * SAMPLE)
    assert p_value(observed[0], expected[0]) < 1e-12


def test_the_formula_of_the_paper_alone_would_be_seen():
    """sqrt(t / f) without word2vec.c's second term t / f keeps fewer."""
    observed, _ = kept_and_expected(SAMPLE)
    frequency = COUNTS[0] / COUNTS.sum()
    alone = np.sqrt(SAMPLE / frequency)
    assert p_value(observed[0], np.array([alone, 1 - alone])) < 1e-12
