"""A small text in which each sentence says what the next one is, and options for a model of it."""

import numpy as np

OPTIONS = {"dim": 6, "hidden": 8, "output": "importance:samples=6"}


def documents(count=6, sentences=8, seed=0):
    """Texts whose sentences count on: `W3 w4. W5 w6 w7.`"""
    random = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        word, text = int(random.integers(12)), []
        for _ in range(sentences):
            length = int(random.integers(1, 5))
            text.append(" ".join(f"w{(word + i) % 12}" for i in range(length)).capitalize() + ".")
            word += length
        texts.append(" ".join(text))
    return texts
