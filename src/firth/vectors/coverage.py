"""How many of the words of a text have a given vector: message before a model is trained with the vectors."""

import logging
from collections.abc import Callable, Mapping

from firth.errors import counted, warn_caller

POOR = 0.5  # share of the words below which the vectors hardly fit the text
NAMED = 5  # words that the warning names

_log = logging.getLogger("firth")


def tell_coverage(counts: Mapping[str, int], has_vector: Callable[[str], bool]) -> float:
    """Log the share of the words of the training data that given vectors know, and warn where it is low; return it.

    Args:
        counts: of the words of the training data, as they are written.
        has_vector: whether a word has a vector.

    Warns:
        UserWarning: less than half of the words have a vector: they may be of another language.
    """
    unknown = {word: count for word, count in counts.items() if not has_vector(word)}
    total, lacking = sum(counts.values()), sum(unknown.values())
    share, distinct = 1 - lacking / max(total, 1), 1 - len(unknown) / max(len(counts), 1)
    words = f"{counted(total, 'word')} ({100 * distinct:.1f} % of the distinct ones)"
    message = f"vectors know {100 * share:.1f} % of {words}"
    if share >= POOR:
        _log.info("%s", message)
        return share
    frequent = sorted(unknown, key=lambda word: (-unknown[word], word))[:NAMED]
    warn_caller(
        f"the {message}, and lack {', '.join(map(repr, frequent))}: are they of another language, or are their words "
        "divided or written in another way?"
    )
    return share
