"""Defaults that depend on the size of the text: what the options `min_count`, `epochs` and `sample` are when None.

What: a short text is read more often, keeps rarer words, and its frequent words are dropped less, because all of its
words together are few. The peers have one default for any text.

Rule, for a text of N words:

    min_count   1 below 1,000 words unless a word stands for unknown ones, 2 below 200,000, otherwise 5
    epochs      20 from 10^6 to 5 10^6 words; below 20 sqrt(10^6 / N), at most 40; above 20 sqrt(5 10^6 / N), at least 5
    sample      100 / N, from 10^-4 to 1: words that occur less than 100 times are never dropped; where E epochs are
                given in place of e, those of the rule, 100 e / (E N), so that as many occurrences count over all epochs

Source: measured at 0.1, 1, 5 and 20 million words of Wikipedia for skip-gram and CBOW, chosen on one half of the
    evaluation sets and judged on the other: benchmarks/results/defaults.md. A `min_count` of 2 was better on these
    sets at every size, as more questions have known words; but from a million words on by .01 only, and most
    neighbours of frequent words were then words that occur less than five times. More than five million words gain
    by more epochs, too, as long as they take half of the time of gensim's defaults: on the two halves skip-gram of
    5 M words had .347 and .350 after 9 epochs, and has .373 and .355 after 20; of 20 M words .449 and .457 after 5,
    .471 and .475 after 10; 40 epochs of 5 M words gain no more. With few epochs less may be dropped: 5 epochs of 1
    M words have .136 with a `sample` of 10^-4, and .167 with 10^-3. Below 0.1 million words `epochs` and `sample`
    continue what was measured above. A `min_count` of 1 was worse than 2 in a classifier of 6,000 words: it is for
    examples of a few sentences, of which nothing would be left otherwise. An unknown word has to be learned from
    words that are left out: with none, the perplexity of an LSTM on 823 words was 92, with `min_count` 2 it was 60.
"""

import dataclasses
import logging
import math
from collections.abc import Mapping
from typing import Any

SHORT, LONG = 1_000, 200_000  # words below which words that occur once, and twice, are kept
RARE_SUBWORDS = 5  # minimum count of learned subwords and characters at any size
FEWEST, MOST = 5, 40  # epochs
USUAL, FROM, TO = 20, 1_000_000, 5_000_000  # epochs of texts of so many words
FREQUENT = 100  # occurrences of words that are dropped, at least
POOR = 10_000  # words below which most neighbours are chance
LOWEST = 1e-4  # subsampling threshold

_log = logging.getLogger("firth")


def min_count(words: int, *, unknown: bool = False) -> int:
    """Return the minimum count of a word to be kept.

    Args:
        words: number of words of the text.
        unknown: whether a word stands in place of those that are left out, and must be learned from some.
    """
    return 1 if words < SHORT and not unknown else 2 if words < LONG else 5


def epochs(words: int) -> int:
    """Return the number of passes over the corpus.

    Args:
        words: number of words of the corpus.
    """
    near = min(max(words, FROM), TO)
    return max(FEWEST, min(MOST, round(USUAL * math.sqrt(near / max(words, 1)))))


def sample(words: int, passes: int | None = None) -> float:
    """Return the subsampling threshold, to two digits.

    Args:
        words: number of words of the corpus.
        passes: number of epochs; None for those of the rule.
    """
    default = epochs(words)
    return float(f"{max(LOWEST, min(1.0, FREQUENT * default / (max(words, 1) * (passes or default)))):.2g}")


def chosen_options(model: Any, words: int) -> dict[str, Any]:
    """Return the options of a model that are None and depend on the size of the corpus, with their values.

    Args:
        words: number of words of the corpus.
    """
    passes = getattr(model, "epochs", None)
    values = {"epochs": epochs(words), "sample": sample(words, passes)}
    return {name: value for name, value in values.items() if getattr(model, name, words) is None}


def log_advice(model: Any, words: int) -> None:
    """Log that the text is short, or that it is read less often than it should be, at level INFO of "firth".

    Args:
        words: number of words of the corpus.
    """
    default = {field.name: field.default for field in dataclasses.fields(model)}
    given = getattr(model, "epochs", None)
    if not words or default.get("epochs", "none") is not None:
        return
    if words < POOR:
        _log.info("%s words are few: most neighbours are chance; more text helps most", f"{words:,}")
    if given is not None and 2 * given < (fitting := epochs(words)):
        _log.info("epochs=%s: few for %s words; by default %s", given, f"{words:,}", fitting)


def log_choice(chosen: Mapping[str, Any], size: int | str) -> None:
    """Log options that were chosen, at level INFO of the logger "firth".

    Args:
        size: number of words that they were chosen for, or the size of the data in words, such as "300 sentences".
    """
    if chosen:
        numbers = {name: f"{value:g}" if isinstance(value, float) else value for name, value in chosen.items()}
        values = ", ".join(f"{name}={value}" for name, value in numbers.items())
        _log.info("%s: chosen for %s", values, size if isinstance(size, str) else f"{size:,} words")
