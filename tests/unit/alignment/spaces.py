"""Two spaces of which one is the other, turned and blurred: what alignment must undo."""

import numpy as np

from firth.vectors.word_vectors import WordVectors


def rotation(dim, seed=0):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    return turn


def twins(words=300, dim=20, noise=0.0, seed=0):
    """Words "a0", "a1" ... and "b0", "b1" ..., which translate them: the same points in groups, turned, with noise."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(words // 15, 2), dim)) * np.linspace(2, 0.5, dim)
    rows = centres[random.integers(len(centres), size=words)] + 0.7 * random.normal(size=(words, dim))
    other = rows @ rotation(dim, seed + 1) + noise * random.normal(size=(words, dim))
    source = WordVectors([f"a{i}" for i in range(words)], rows.astype(np.float32), metadata={"name": "A"})
    target = WordVectors([f"b{i}" for i in range(words)], other.astype(np.float32), metadata={"name": "B"})
    return source, target


def translations(low, high):
    return [(f"a{i}", f"b{i}") for i in range(low, high)]
