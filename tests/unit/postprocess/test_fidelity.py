"""How much of a neighbourhood is left."""

import numpy as np
import pytest

from firth import postprocess
from firth.errors import OptionError, ShapeError
from firth.vectors.word_vectors import WordVectors

ANGLES = {"a": 0, "b": 10, "c": 30, "d": 60}


def turned(angles):
    radians = np.radians(list(angles.values()))
    return WordVectors(list(angles), np.stack([np.cos(radians), np.sin(radians)], axis=1))


def test_by_hand():
    """Nearest two of a, b, c, d at 0, 10, 30 and 60 degrees: bc, ac, ab, bc (30 and 50 off). With d at -5 degrees they
    are db, ad, ba, ab: shared are b, a, both, b: 5 of 8. The cosines are 1, 1, 1 and that of 65 degrees."""
    result = postprocess.fidelity(turned(ANGLES), turned({**ANGLES, "d": -5}), k=2)
    assert result.recall == 5 / 8
    assert result.cosine == pytest.approx((3 + np.cos(np.radians(65))) / 4)
    assert (result.neighbours, result.asked) == (2, 4)


def test_the_same_vectors_and_noise():
    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(500)]
    one, other = (WordVectors(words, random.normal(size=(500, 20))) for _ in range(2))
    assert postprocess.fidelity(one, one).recall == 1
    assert postprocess.fidelity(one, other).recall < 0.05
    assert postprocess.fidelity(one, other, sample=50).asked == 50
    narrower = postprocess.fidelity(one, postprocess.reduce(one, 19), k=3)
    assert narrower.cosine is None
    assert narrower.recall > 0.7


def test_what_cannot_be_compared():
    with pytest.raises(ShapeError, match="4 and 3 words: expected the same words"):
        postprocess.fidelity(turned(ANGLES), turned({"a": 0, "b": 1, "c": 2}))
    for how in ({"k": 0}, {"sample": 0}):
        with pytest.raises(OptionError, match="expected at least 1, 1 and 2"):
            postprocess.fidelity(turned(ANGLES), turned(ANGLES), **how)
    with pytest.raises(OptionError, match="of 1 words"):
        postprocess.fidelity(turned({"a": 1}), turned({"a": 1}))
