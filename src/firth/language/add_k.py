"""Add-k smoothing: add k to the count of every word after every context.

What: the oldest smoothing; Laplace's with k = 1, Lidstone's with any other k. A baseline: it moves far too much mass to
unseen words, the more so the larger the vocabulary.

Objective: p(w | h) = (c(h w) + k) / (c(h .) + k V), where h has n - 1 words, or fewer if the sentence starts there;
1 / V after an unseen context.

Source: Lidstone 1920, "Note on the general case of the Bayes-Laplace formula for inductive or a posteriori
probabilities"; Chen and Goodman 1998, section 2.1.

Departures: none. In back-off form b(h) = k V / (c(h .) + k V), and all lower orders are uniform.

Cost: two passes over the n-grams.
"""

from typing import Protocol

import numpy as np

from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import Floats, Level, estimate_levels, without_lower_orders


class Adding(Protocol):
    """Options of add-k smoothing."""

    @property
    def add(self) -> float:
        """The number k that is added to every count."""


def estimate(counts: NgramCounts, options: Adding) -> Estimates:
    """Return probabilities and back-off weights by add-k smoothing."""

    def smooth(level: Level, lower: Floats) -> tuple[Floats, Floats]:
        totals = level.totals + options.add * level.vocab_size
        probabilities = (level.counts + options.add) / totals[level.contexts]
        return without_lower_orders(level, np.asarray(probabilities), options.add * level.vocab_size / totals)

    return estimate_levels(counts, smooth)
