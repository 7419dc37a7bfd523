"""How clearly translations stand out: by plain NumPy, by spaces that are good, weak and too small to tell."""

import warnings

import numpy as np
import pytest

from firth.alignment.procrustes import Procrustes
from firth.alignment.strength import FEWEST, WEAK, Strength, strength
from firth.vectors.word_vectors import WordVectors
from tests.unit.alignment.spaces import translations, twins


def test_the_formula_over_a_small_space():
    random = np.random.default_rng(0)
    x, z = (random.normal(size=(n, 4)).astype(np.float32) for n in (30, 25))
    unit_x, unit_z = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (x, z))
    cosines = unit_x @ unit_z.T
    around_x = np.sort(cosines, axis=1)[:, -10:].mean(axis=1)
    around_z = np.sort(cosines, axis=0)[-10:].mean(axis=0)
    csls = 2 * cosines - around_x[:, None] - around_z
    pairs = [
        (i, j) for i in range(30) for j in range(25) if csls[i, j] == csls[i].max() and csls[i, j] == csls[:, j].max()
    ]
    found = strength(x, z)
    assert found.pairs.tolist() == [list(pair) for pair in pairs]
    assert found.margin == pytest.approx(np.mean([csls[pair] for pair in pairs]), abs=1e-6)
    assert found.words == 25


def test_agreement_is_the_share_of_pairs_of_the_lesser_list():
    def of(*pairs):
        return Strength(0.3, np.array(pairs, dtype=np.int64).reshape(-1, 2), 300)

    assert of((0, 1), (1, 2), (2, 0)).agreement(of((0, 1), (1, 0))) == 0.5
    assert of((0, 1)).agreement(of((1, 0))) == 0
    assert of().agreement(of((1, 0))) == 0


def test_a_good_alignment_stands_out():
    source, target = twins(words=400, noise=0.1)
    found = Procrustes().align(source, target, translations(0, 100), progress=False)
    assert found.metadata["margin"] > 2 * WEAK
    assert found.metadata["mutual_pairs"] > 350


def weak_space(words, seed):
    """All words in a narrow cone, as after too few epochs: what they share is much, what tells them apart is noise."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(words, 2)) @ random.normal(size=(2, 20)) + 0.05 * random.normal(size=(words, 20))
    return WordVectors([f"{'ab'[seed]}{i}" for i in range(words)], rows.astype(np.float32))


def test_weak_vectors_are_warned_of():
    source, target = (weak_space(400, seed) for seed in (0, 1))
    with (
        pytest.warns(UserWarning, match=r"too weak to align: .* CSLS of 0\.0\d\d, expected at least 0\.1"),
        pytest.warns(UserWarning, match="hardly generalise to other words"),
    ):
        found = Procrustes().align(source, target, translations(0, 100), progress=False)
    assert found.metadata["margin"] < WEAK


def test_too_few_words_tell_nothing():
    source, target = (weak_space(FEWEST - 1, seed) for seed in (0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="the pairs hardly generalise")
        found = Procrustes().align(source, target, translations(0, 100), progress=False)
    assert "margin" in found.metadata
