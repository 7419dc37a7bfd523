"""Pairs left out of a map: by maps that know everything, nothing, and only what they were given."""

import warnings

import numpy as np
import pytest

import firth
from firth.alignment.cross_validation import cross_validate
from firth.alignment.steps import METHODS
from firth.vectors.cosine import unit


def spaces(words, dim, noise, seed=0):
    """A space, and the same turned, with noise; word i translates word i."""
    random = np.random.default_rng(seed)
    x = unit(random.normal(size=(words, dim))).astype(np.float32)
    turn, _ = np.linalg.qr(random.normal(size=(dim, dim)))
    z = unit(x @ turn + noise * random.normal(size=x.shape) / np.sqrt(dim)).astype(np.float32)
    return x, z


def pairs(count):
    return np.stack([np.arange(count), np.arange(count)], axis=1).astype(np.int64)


def test_a_map_that_fits_translates_what_was_left_out():
    found = cross_validate(*spaces(600, 20, 0.2), pairs(100), METHODS["orthogonal"])
    assert found.words == 100  # each once, in five folds
    assert found.correct >= 95


def test_where_pairs_are_plenty_one_part_is_enough():
    assert cross_validate(*spaces(600, 20, 0.2), pairs(500), METHODS["orthogonal"]).words == 100


def test_a_map_that_only_fits_its_own_pairs_is_found_out():
    """50 numbers a word and 60 pairs of vectors that have nothing to do with each other."""
    x, z = spaces(600, 50, 0.2)[0], spaces(600, 50, 0.2, seed=1)[1]
    own = METHODS["least-squares"](x[:60], z[:60])
    assert (np.argmax(unit(x[:60] @ own[0]) @ z.T, axis=1) == np.arange(60)).mean() > 0.9
    found = cross_validate(x, z, pairs(60), METHODS["orthogonal"])
    assert found.correct <= 2
    with pytest.warns(UserWarning, match=r"\d of 60 held-out words were translated correctly"):
        found.warn()


def test_any_of_several_translations_is_right():
    x, z = spaces(600, 20, 0.0)
    doubled = np.concatenate([pairs(100), pairs(100) + np.array([0, 300])])
    z[300:400] = z[:100]  # the second translation is the first's twin
    assert cross_validate(x, z, doubled, METHODS["orthogonal"]).correct == 100


def test_too_few_pairs_are_not_checked():
    assert cross_validate(*spaces(600, 20, 0.2), pairs(19), METHODS["orthogonal"]) is None
    assert (
        cross_validate(*spaces(600, 20, 0.2), pairs(21), METHODS["least-squares"]) is None
    )  # 17: not determine 20 x 20


def test_alignment_says_what_became_of_them():
    x, z = spaces(600, 20, 0.2)
    one, other = (firth.WordVectors([f"{side}{i}" for i in range(600)], rows) for side, rows in (("a", x), ("b", z)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = firth.Procrustes().align(one, other, [(f"a{i}", f"b{i}") for i in range(50)])
    assert found.metadata["left_out"] == 50
    assert found.metadata["left_out_right"] >= 45
    with pytest.warns(UserWarning, match=r"the pairs hardly generalise to other words: \d+ of 50"):
        firth.Procrustes().align(one, other, [(f"a{i}", f"b{(7 * i + 3) % 600}") for i in range(50)])
