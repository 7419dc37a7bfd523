"""Columns of tags that a treebank has: what taggers learn and parsers read where nobody says.

Rule:

    feats          beside upos, where a word in ten or more has features
    upos or xpos   where half of the words have one, upos before xpos

One rule for both, so that a tagger gives what a parser of the same treebank reads.
"""

from collections.abc import Sequence
from itertools import chain

from firth.neural.models.tokens.reader import COLUMNS
from firth.readers.conllu import NONE, DependencySentence

FEATURES, TAGS = 0.1, 0.5  # shares of words with a value from which on a column counts


def share_filled(sentences: Sequence[DependencySentence], column: str) -> float:
    """Return the share of words that have a value in a column, a name of `COLUMNS`."""
    values = list(chain.from_iterable(COLUMNS[column](sentence) for sentence in sentences))
    return sum(value not in (NONE, "") for value in values) / max(len(values), 1)


def default_columns(sentences: Sequence[DependencySentence]) -> tuple[str, ...]:
    """Return the columns of tags of a treebank: upos and feats, upos, xpos, or none."""
    tags = next((name for name in ("upos", "xpos") if share_filled(sentences, name) >= TAGS), None)
    if tags == "upos" and share_filled(sentences, "feats") >= FEATURES:
        return "upos", "feats"
    return () if tags is None else (tags,)
