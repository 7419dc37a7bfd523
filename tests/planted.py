"""Texts whose label follows from one word, for tests of explanations."""

import numpy as np


def planted(count, seed, *, words=20, length=6, labels=2):
    """Yield texts of random words, their labels, and the word of each that decides its label."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        text = [f"w{number}" for number in random.integers(0, words, length)]
        label = int(random.integers(labels))
        text[random.integers(length)] = f"key{label}"
        yield " ".join(text), f"label{label}", f"key{label}"
