"""Defaults of taggers by the number of training sentences.

What: few sentences are read more often, in smaller batches at a higher rate, by a narrower network, and without early
stopping: the few sentences that select the epoch are too few to tell when to stop.

Rule, for N training sentences:

    epochs       40 (100 / N)^(1/3), from 15 to 40
    batch_size   8 up to 2,000 sentences, 16 above
    lr           .004 up to 2,000 sentences, .002 above
    hidden       100 up to 2,000 sentences, 200 above
    patience     none up to 2,000 sentences, 5 above

Source: chosen on a set of entities and one of parts of speech at 100 sentences, and judged on others:
    benchmarks/results/small/tag.md, which also says what was tried and what was not measured.
"""

from typing import Any

SMALL = 2_000  # sentences
FEWEST, MOST = 15, 40  # epochs
REFERENCE = 100, 40  # sentences, and their epochs


def tagger_defaults(sentences: int) -> dict[str, Any]:
    """Return the options that follow from the number of training sentences."""
    size, epochs = REFERENCE
    passes = max(FEWEST, min(MOST, round(epochs * (size / max(sentences, 1)) ** (1 / 3))))
    if sentences <= SMALL:
        return {"hidden": 100, "epochs": passes, "batch_size": 8, "lr": 0.004, "patience": 0}
    return {"hidden": 200, "epochs": passes, "batch_size": 16, "lr": 0.002, "patience": 5}
