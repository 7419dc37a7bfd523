"""What is reached without a model: the most frequent label. A training that ends no better is told of."""

from collections import Counter
from collections.abc import Iterable, Sequence

from firth.errors import brief, warn_caller

FEWEST = 20  # examples that a comparison with a baseline needs: on fewer, chance decides


def most_frequent(labels: Iterable[str]) -> tuple[str, float]:
    """Return the most frequent label, of several the first, and its share; "" and 0 without labels."""
    counts = Counter(labels)
    label, count = counts.most_common(1)[0] if counts else ("", 0)
    return label, count / max(counts.total(), 1)


def most_frequent_of_texts(labels: Sequence[Sequence[str]]) -> tuple[str, float]:
    """Return the label that most texts have, of several the first, and the share of the texts that have it."""
    label, _ = most_frequent(name for names in labels for name in dict.fromkeys(names))
    return label, sum(label in names for names in labels) / max(len(labels), 1)


def warn_if_trivial(
    score: float, trivial: float, *, measure: str, data: str, baseline: str, remedy: str, margin: float = 0.0
) -> bool:
    """Warn where a training ended no better, or hardly better, than what needs no model; return whether it did.

    Args:
        score: of the trained model on held-out data, from 0 to 1.
        trivial: score of the baseline on the same data.
        measure: what the score is, such as "accuracy".
        data: what it was measured on, such as "30 held-out sentences".
        baseline: what needs no model, such as `the_label`.
        remedy: what to do, with the options that exist.
        margin: share of the way from the baseline to 1 that counts as hardly better.
    """
    worse = score <= trivial + margin * (1 - trivial)
    if worse:
        how_much = "no" if score <= trivial else "hardly"
        warn_caller(
            f"training ended {how_much} better than {baseline}: {measure} {100 * score:.1f} on {data}, without a model "
            f"{100 * trivial:.1f}; {remedy}"
        )
    return worse


def the_label(label: str) -> str:
    """Return the baseline of the most frequent label in words."""
    return f"the most frequent label, {brief(label)}"
