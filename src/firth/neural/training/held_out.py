"""The part of the training examples that selects a model where no held-out data are given."""

import numpy as np

from firth.errors import CorpusError
from firth.randomness import generator

SHARE = 0.1


def split_rows(count: int, seed: int, name: str) -> tuple[list[int], list[int]]:
    """Return the rows to train on, and a tenth of all, at random, to select the model by; both ascending.

    Args:
        name: what the examples are, for the message, such as "train.conllu: 1 sentence".

    Raises:
        CorpusError: there are fewer than two examples.
    """
    if count < 2:
        raise CorpusError(f"{name}; expected at least two, one of them to select the model by, or held_out")
    size = max(1, round(SHARE * count))
    order = generator(seed, "development part").permutation(count)
    return np.sort(order[size:]).tolist(), np.sort(order[:size]).tolist()
