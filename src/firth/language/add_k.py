"""Add-k smoothing: every word is taken to have followed every context k times more than it did.

What: the oldest way of giving unseen words a share; Laplace's with k = 1, Lidstone's with any other. A baseline: it
takes far too much from what was seen, the more so the larger the vocabulary.

Objective: p(w | h) = (c(h w) + k) / (c(h .) + k V), for contexts h of n - 1 words, or from the beginning of the
sentence where that is nearer; 1 / V after a context that was not seen.

Source: Lidstone 1920, "Note on the general case of the Bayes-Laplace formula for inductive or a posteriori
probabilities"; Chen and Goodman 1998, section 2.1.

Departures: none. In back-off form b(h) = k V / (c(h .) + k V), above lower orders that take all words alike.

Cost: two passes over the n-grams.
"""

from typing import Protocol

import numpy as np

from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import alone, in_logs, levels


class Adding(Protocol):
    """The option that add-k smoothing looks at."""

    @property
    def add(self) -> float:
        """The count k that is added to that of every word."""


def estimate(counts: NgramCounts, options: Adding) -> Estimates:
    """Return the probabilities and back-off weights of add-k smoothing.

    Args:
        counts: of the n-grams of all orders.
        options: what is added.
    """
    probabilities, weights = [], []
    for level in levels(counts):
        totals = level.totals + options.add * level.size
        own = (level.counts + options.add) / totals[level.contexts]
        found = alone(level, (np.asarray(own), options.add * level.size / totals))
        probabilities.append(found[0])
        weights.append(found[1])
    return in_logs(probabilities, weights)
