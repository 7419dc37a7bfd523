"""Occurrences read as their senses: one point for one sense."""

import numpy as np
import pytest

from firth.evaluation.context import Occurrence, best_threshold, cosines_of, read_contexts
from firth.evaluation.sense_reading import sense_reading
from firth.evaluation.suite import Setting, Space
from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import SenseVectors

ROWS = np.array([[2, 0], [0, 1], [1, 0], [0, 1]], dtype=np.float32)


@pytest.fixture
def senses():
    contexts = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
    reader = Centroids(contexts, np.ones(3, np.float32), ROWS, temperature=0.1, decay=1.0)
    return SenseVectors(["bank", "money", "river"], [0, 2, 3, 4], ROWS, priors=[0.5, 0.5, 1, 1], reader=reader)


def at(text, place, word="bank"):
    return Occurrence(word, text.split(), place)


def test_the_likeliest_sense(senses):
    """Beside money the first sense, (1, 0) at length 1; beside a river the second, (0, 1). The nearer word counts more.
    An inflected form is read as its lemma; a word of neither has no vector."""
    given = [at("money in the bank", 3), at("bank at the river", 0), at("river bank of the money", 1),
             at("river banks", 1), at("a stone", 1, "stone")]  # fmt: skip
    found, known = sense_reading(senses)(Space(senses.single(), Setting()), given)
    assert found.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1], [0, 0]]
    assert known.tolist() == [True, True, True, True, False]


def test_words_out_of_the_window_tell_nothing(senses):
    near = sense_reading(senses, window=1)
    found, _ = near(Space(senses.single(), Setting()), [at("river is a bank of money", 3), at("bank money river", 0)])
    assert found.tolist() == [[1, 0], [1, 0]]  # the first among equals


def test_pairs_of_one_sense_or_two(senses, tmp_path):
    """Same sense: cosine 1; another: 0. A threshold between them is always right."""
    lines = ["bank\tN\t0-2\tbank money\tmoney my bank", "bank\tN\t0-1\tbank money\triver bank"]
    for name in ("dev", "train"):
        (tmp_path / f"{name}.data.txt").write_text("\n".join(lines) + "\n")
        (tmp_path / f"{name}.gold.txt").write_text("T\nF\n")
    gold = read_contexts(tmp_path / "dev.data.txt")
    cosines, known = cosines_of(Space(senses.single(), Setting()), gold.judged.pairs, sense_reading(senses))
    assert cosines.tolist() == [1, 0]
    assert known.all()
    assert best_threshold(cosines, gold.judged.same) == 0.5
