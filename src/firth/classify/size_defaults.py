"""Defaults of `TextClassifier` that follow from the number of texts, words and labels.

What: fastText's own defaults, five epochs at a rate of .1, are made for millions of texts. On a few hundred they end
before the vectors have left their random beginning.

Rule, for n texts of N words with L labels:

    epochs        20,000 L / n, from 5 to 100, and at most 50,000,000 / N but for the first 5
    lr            0.5
    word_ngrams   1 below 300 texts, otherwise 2
    dim           100, or that of given vectors

Source: measured at 100, 300, 1,000, 3,000 and all texts of TREC and SST-2 and at 100 of R8, and judged on other sets:
    benchmarks/results/small/classify.md. More epochs did not help at any size, and cost time; a rate of 1 was as good.
"""

import dataclasses
from typing import Any

from firth.classify.labels import count_labels
from firth.corpus.size_defaults import log_choice
from firth.readers.labelled import LabelledTexts

PER_LABEL = 20_000  # texts that are read for each label, all epochs together
FEWEST, MOST = 5, 100  # epochs
LONGEST = 50_000_000  # words of all epochs
PAIRS_FROM = 300  # texts
LR, DIM = 0.5, 100


def epochs(texts: int, words: int, labels: int) -> int:
    """Return the number of passes over the texts."""
    wanted = min(MOST, round(PER_LABEL * labels / max(texts, 1)), LONGEST // max(words, 1))
    return max(FEWEST, wanted)


def with_size_defaults(model: Any, data: LabelledTexts, dim: int | None = None) -> Any:
    """Return the options of a `TextClassifier` with values in place of None, chosen for these texts.

    Args:
        dim: width of the vectors that training starts from; None for random ones.
    """
    texts, words = len(data.lines.ends), len(data.lines.tokens)
    if not texts:
        return model  # an error follows
    counts = count_labels(data, prefix=model.label_prefix).counts
    labels = int((counts >= model.min_count_label).sum())
    values = {
        "epochs": epochs(texts, words, labels),
        "lr": LR,
        "word_ngrams": 1 if texts < PAIRS_FROM else 2,
        "dim": DIM if dim is None else dim,
    }
    chosen = {name: value for name, value in values.items() if getattr(model, name) is None}
    log_choice(chosen, f"{texts:,} texts, {labels:,} labels")
    return dataclasses.replace(model, **chosen)
