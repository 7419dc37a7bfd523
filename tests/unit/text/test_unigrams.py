"""Unigram models of subwords, against sums over all segmentations one by one."""

import itertools
import math
from collections import Counter, defaultdict
from pydoc_data.topics import topics

import numpy as np
import pytest

from firth.kernels.unigram import expected_counts
from firth.text import unigrams
from firth.text.byte_level import chunks
from firth.text.unigrams import _repeated, _seeds, train_unigrams

COUNTS = {b"abab": 3, b"ab": 4, b"bab\0": 2, b"b": 1, b"\0\0": 2}


def words(count=300):
    found = Counter(chunk.encode() for text in list(topics.values())[:20] for chunk in chunks(text))
    return dict(found.most_common(count))


def lattice_of(counts):
    keys = sorted(counts)
    lattice, scores = _seeds(b"".join(keys), keys, np.array([counts[key] for key in keys], float))
    text = b"".join(keys)
    names = [text[a : a + n] for a, n in zip(lattice.places.tolist(), lattice.sizes.tolist(), strict=True)]
    return lattice, names, scores


def segmentations(chunk, names):
    for cuts in itertools.product((False, True), repeat=len(chunk) - 1):
        ends = [i for i, cut in enumerate(cuts, 1) if cut] + [len(chunk)]
        parts = [chunk[a:b] for a, b in itertools.pairwise([0, *ends])]
        if all(part in names for part in parts):
            yield parts


def test_seeds_are_repeated_strings_that_go_on_in_several_ways():
    """Of "abab" 3, "ab" 4, "bab." 2, ".." 2: "aba" is always "abab", and "ba" always "bab"."""
    _, names, scores = lattice_of(COUNTS)
    counts = Counter[bytes]()
    for chunk, count in COUNTS.items():
        for a, b in itertools.combinations(range(len(chunk) + 1), 2):
            counts[chunk[a:b]] += count
    kept = {
        s
        for s in counts
        if len(s) == 1 or (counts[s] >= 2 and all(counts[s + bytes([byte])] < counts[s] for byte in range(256)))
    }
    assert set(names) == kept
    assert len(names) == len(kept)
    assert b"aba" not in kept
    assert dict(zip(names, scores.tolist(), strict=True)) == {s: counts[s] * len(s) for s in kept}


def test_every_occurrence_is_an_edge():
    lattice, names, _ = lattice_of(COUNTS)
    text, place = b"".join(sorted(COUNTS)), 0
    for chunk in sorted(COUNTS):
        for start in range(len(chunk)):
            edges = slice(lattice.edges[place + start], lattice.edges[place + start + 1])
            found = [names[k] for k in lattice.subwords[edges]]
            expected = [chunk[start:end] for end in range(start + 1, len(chunk) + 1) if chunk[start:end] in names]
            assert found == expected
            assert lattice.lengths[edges].tolist() == [*map(len, expected)]
        place += len(chunk)
    assert place == len(text)


def test_counts_and_losses_are_those_of_all_segmentations():
    lattice, names, _ = lattice_of(COUNTS)
    p = np.random.default_rng(0).dirichlet(np.ones(len(names)))
    of = dict(zip(names, p.tolist(), strict=True))
    expected = defaultdict(float)
    for chunk, count in COUNTS.items():
        ways = [(parts, math.prod(of[part] for part in parts)) for parts in segmentations(chunk, of)]
        total = sum(share for _, share in ways)
        for parts, share in ways:
            for part in parts:
                expected[part] += count * share / total
    counts = lattice.counts(p)
    assert dict(zip(names, counts, strict=True)) == pytest.approx(
        {name: max(expected[name], unigrams.LEAST if len(name) == 1 else 0) for name in names}, abs=1e-8
    )
    losses, shares = lattice.losses(counts), dict(zip(names, (counts / counts.sum()).tolist(), strict=True))
    for name, count, loss in zip(names, counts, losses, strict=True):
        splits = [sum(math.log(shares[x]) for x in parts) for parts in segmentations(name, shares) if len(parts) > 1]
        assert loss == pytest.approx(count * (math.log(shares[name]) - max(splits, default=-math.inf)))


def test_em_never_lowers_the_likelihood():
    lattice, _, found = lattice_of(words())
    likelihoods = []
    for _ in range(6):
        p, counts = found / found.sum(), np.zeros(len(found))
        arrays = (lattice.edges, lattice.lengths, lattice.subwords, lattice.chunks, lattice.weights)
        likelihoods.append(expected_counts(*arrays, np.log(np.maximum(p, 1e-300)), counts))
        found = counts
    assert (np.diff(likelihoods) > 0).all()


def test_the_size_and_the_alphabet():
    counts = words()
    for size in (257, 300, 400):
        found = train_unigrams(counts, size)
        assert len(found) == len({subword for subword, _ in found}) == size
        assert {bytes([byte]) for byte in range(256)} <= {subword for subword, _ in found}
        assert math.fsum(math.exp(score) for _, score in found) == pytest.approx(1)
    assert len(train_unigrams({b"abc": 1}, 500)) == 256


def test_as_many_subwords_as_are_asked_for_though_few_are_expected_often():
    """More than half of the seeds have an expected count below a half."""
    counts = words()
    seeds = len(lattice_of(counts)[1]) + 256 - len({byte for chunk in counts for byte in chunk})
    sizes = [600, 900, seeds - 1, seeds, seeds + 1]
    assert [len(train_unigrams(counts, size)) for size in sizes] == [600, 900, seeds - 1, seeds, seeds]


def test_the_smaller_vocabulary_keeps_what_matters():
    small, large = (dict(train_unigrams(words(), size)) for size in (280, 400))
    assert b" the" in small
    assert len(small.keys() & large.keys()) > 270


def test_long_chunks_have_finite_probabilities():
    """260 bytes of 1e-300 each are far below the smallest number."""
    found = train_unigrams({b"\xf0\x9f\x91\xa9" * 65: 1, b"a": 10**15}, 300)
    assert all(math.isfinite(score) and score <= 0 for _, score in found)


def test_levels_end_with_the_longest():
    text = b"x" * 20
    levels = _repeated(text, np.minimum(np.arange(20, 0, -1), unigrams.LONGEST), np.ones(20))
    assert [len(level.counts) for level in levels] == [1] * unigrams.LONGEST
    assert [level.counts.tolist() for level in levels] == [[21 - n] for n in range(1, unigrams.LONGEST + 1)]
