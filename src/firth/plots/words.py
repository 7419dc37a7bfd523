"""The words that a picture shows: known, not too many, in the colours of their groups."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from firth.errors import OptionError, counted
from firth.options import check_kind
from firth.plots.picture import NO_GROUP, Floats
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import stop_words

Vectors = WordVectors | SubwordVectors
Groups = Mapping[str, Sequence[str]]

NAMED = 5  # left-out words that a note lists
LEGEND = 24  # groups that fit into a legend


@dataclass(frozen=True)
class Selection:
    """Words to draw.

    Attributes:
        words: n different words, in the given order.
        rows: (n, D) their vectors at length 1, so that distances follow cosines.
        groups: (n,) the number of each word's group.
        names: names of the groups, as many as fit into a legend.
        notes: what is left out, and why.
    """

    words: list[str]
    rows: Floats
    groups: list[int]
    names: list[str]
    notes: list[str]


def check_vectors(vectors: object) -> None:
    """Raise ArgumentTypeError for anything but vectors, such as a path."""
    check_kind("vectors", vectors, WordVectors, SubwordVectors)


def choose(
    vectors: Vectors, words: Sequence[str], groups: Groups | None = None, *, most: int, keep: Sequence[str] = ()
) -> Selection:
    """Choose the words to draw.

    Args:
        groups: words by the name of their group; a word in several groups belongs to the first.
        most: number of words at most: the most frequent ones, which are the first rows of the vectors.

    Raises:
        OptionError: there are no words, or none of them has a direction.
    """
    requested = list(dict.fromkeys(words or [word for members in (groups or {}).values() for word in members]))
    if not requested:
        raise OptionError("no words to draw: name some, or give a list of words or of groups")
    covered, notes = known_words(vectors, requested)
    selection = _most_frequent(vectors, covered, most, keep)
    if len(selection) < len(covered):
        notes.append(f"the {len(selection):,} most frequent of {len(covered):,} words are drawn")
    rows = np.asarray(vectors.get_vector(selection), dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.all():
        zeros = [word for word, ok in zip(selection, usable, strict=True) if not ok]
        notes.append(f"without a direction (all zeros, or not finite): {_names(zeros)}")
        selection = [word for word, ok in zip(selection, usable, strict=True) if ok]
    if not selection:
        raise OptionError(f"no word that can be drawn: {'; '.join(notes)}")
    if groups and len(groups) > LEGEND:
        notes.append(f"the legend names the first {LEGEND} of {len(groups):,} groups")
    of = {word: i for i, members in reversed(list(enumerate((groups or {}).values()))) for word in members}
    return Selection(
        selection,
        rows[usable] / lengths[usable, None],
        [of.get(word, NO_GROUP if groups else 0) for word in selection],
        list(groups or {})[:LEGEND],
        notes,
    )


def content_words(vectors: Vectors) -> tuple[list[str], list[str]]:
    """Return all words without stop words, and a note that names some of these, if there are any."""
    whole = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    stopped = stop_words(whole.words, whole.counts)
    if not stopped:
        return vectors.words, []
    left_out = [word for word in vectors.words if word in stopped]
    note = f"{counted(len(left_out), 'stop word')} left out ({_names(left_out)}); stop_words=True draws them"
    return [word for word in vectors.words if word not in stopped], [note]


def known_words(vectors: Vectors, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that have a vector, and a note that names the others, if there are any.

    Raises:
        UnknownWordError: there are words, and none of them has a vector.
    """
    rows = vectors.key_to_index  # looked up first: half a million lookups in the vectors take seconds
    has = [word in rows or word in vectors for word in words]
    covered, unknown = list(compress(words, has)), list(compress(words, map(operator.not_, has)))
    if unknown and not covered:
        raise vectors.lexicon.unknown(unknown[0])
    return covered, [f"{len(unknown):,} of {len(words):,} words have no vector: {_names(unknown)}"] if unknown else []


def _names(words: Sequence[str]) -> str:
    return ", ".join(words[:NAMED]) + (", ..." if len(words) > NAMED else "")


def _most_frequent(vectors: Vectors, words: list[str], most: int, keep: Sequence[str]) -> list[str]:
    if most < 1:
        raise OptionError(f"number={most}: expected at least 1 word to draw")
    if len(words) <= most:
        return words
    last = len(vectors)
    required = set(keep)
    rows = vectors.key_to_index
    selection = set(sorted(words, key=lambda word: (word not in required, rows.get(word, last)))[:most])
    return [word for word in words if word in selection]


def name_of(vectors: Vectors) -> str:
    """Return the name of vectors in parentheses for a title; "" if they have none."""
    name = str(vectors.metadata.get("name", ""))
    return f" ({name})" if name else ""
