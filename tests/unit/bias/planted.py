"""Vectors whose bias is known, for it was put there."""

import numpy as np

from firth.vectors.word_vectors import WordVectors

DIM, WORDS, PAIRS = 24, 600, 8
PAIR_LIST = [(f"she{i}", f"he{i}") for i in range(PAIRS)]


def planted(second: float = 1.0, seed: int = 0) -> tuple[WordVectors, np.ndarray, np.ndarray]:
    """Words that lean along one direction, and by the same side along a second one that pairs do not show.

    Returns:
        Vectors: the pairs, then the words w0 .. w599, every other one leaning to the second pole; the two directions.
    """
    random = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(random.normal(size=(DIM, DIM)))
    along, hidden = basis[:, 0], basis[:, 1]
    middle = 0.3 * random.normal(size=(PAIRS, DIM - 2)) @ basis[:, 2:].T
    sides = np.where(np.arange(WORDS) % 2, 1.0, -1.0)
    rows = 0.3 * random.normal(size=(WORDS, DIM - 2)) @ basis[:, 2:].T
    rows += np.outer(sides * random.uniform(0.5, 1.5, WORDS), along) + np.outer(second * sides, hidden)
    words = [word for pair in PAIR_LIST for word in pair] + [f"w{i}" for i in range(WORDS)]
    both = np.stack([middle - along, middle + along], axis=1).reshape(-1, DIM)
    return WordVectors(words, np.vstack([both, rows]).astype(np.float32)), along, hidden
