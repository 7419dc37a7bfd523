"""How alike two programs' vectors are, the seeds' own noise apart."""

import numpy as np
from scipy.stats import spearmanr

WORDS = 400  # the most frequent ones, whose pairs are compared


def cosines(matrix):
    unit = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return (unit @ unit.T)[np.triu_indices(len(unit), 1)]


def agreement(one, other):
    """Spearman's correlation between the cosines of all pairs of words."""
    return spearmanr(cosines(one), cosines(other))[0]


def likeness(ours, theirs):
    """The agreement of two programs, each given by the vectors of two seeds, corrected for attenuation.

    Two seeds of one program never agree wholly. What two programs agree on is divided by the geometric mean of what
    each agrees on with itself: 1 means that they differ as two seeds of one program do.

    Source: Spearman 1904, "The proof and measurement of association between two things".
    """
    across = np.mean([agreement(one, other) for one in ours for other in theirs])
    own = [agreement(*pair) for pair in (ours, theirs)]
    assert min(own) > 0.5, own
    found = across / np.sqrt(np.prod(own))
    print(f"two seeds {own[0]:.3f}, of the peer {own[1]:.3f}, across {across:.3f}: {found:.3f}")
    return found
