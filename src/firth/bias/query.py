"""What is asked of vectors about bias, and what is answered: sets of words in, a figure with its coverage out.

Every measure takes the same `Query`: sets of target words (whose bias is asked for, such as women and men) and sets of
attribute words (what they may be tied to, such as career and family). A word is looked up as it is written, then in
lower case. Words without a vector are left out and listed: a figure of half a list is another figure.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Vectors = WordVectors | SubwordVectors
Floats = npt.NDArray[np.float64]
Words = Sequence[str]

LOST = 0.2  # of a set's words without a vector, from which on the result says so


@dataclass(frozen=True)
class Query:
    """Sets of words to measure a bias with.

    Attributes:
        targets: target words by the names of their sets.
        attributes: attribute words by the names of their sets.
        name: what the query is called in results; by default the names of its sets.
    """

    targets: Mapping[str, Words]
    attributes: Mapping[str, Words]
    name: str = ""

    def __post_init__(self) -> None:
        for kind, sets in (("target", self.targets), ("attribute", self.attributes)):
            for name, words in sets.items():
                _check_words(words, f"{kind} set {name!r}")
        if not self.name:
            named = " / ".join(", ".join(sets) for sets in (self.targets, self.attributes))
            object.__setattr__(self, "name", named)

    def lacking(self, vectors: Vectors) -> list[str]:
        """Return the names of the sets of which no word has a vector.

        Args:
            vectors: which words are looked up in.
        """
        sets = [*self.targets.items(), *self.attributes.items()]
        return [name for name, words in sets if all(_form(vectors, word) is None for word in words)]

    @classmethod
    def of(cls, targets: Sequence[Words], attributes: Sequence[Words], name: str = "") -> "Query":
        """Return a query of sets without names, which are then called target 1, attribute 1 and so on."""
        named = [
            {f"{kind} {number}": words for number, words in enumerate(sets, 1)}
            for kind, sets in (("target", targets), ("attribute", attributes))
        ]
        return cls(named[0], named[1], name)


@dataclass(frozen=True)
class Coverage:
    """How much of a set had vectors.

    Attributes:
        used: words that have one, as the vectors write them.
        missing: words that have none, as the set writes them.
    """

    used: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def given(self) -> int:
        """How many different words the set has."""
        return len(self.used) + len(self.missing)


@dataclass(frozen=True)
class Measured:
    """A figure of bias.

    Attributes:
        metric: what was measured, such as "weat".
        query: the query's name.
        value: the figure; what its zero and its sign mean is the metric's.
        coverage: of every set of words, by its name.
        p: the probability of one as great by chance, where the metric has such a test.
        low: the lower end of the 95 % interval, where there is one.
        high: the upper end.
        by_word: the figure of single words, where the metric has them.
        facts: whatever else was found, which JSON can hold.
        notes: what to know before believing the figure.
    """

    metric: str
    query: str
    value: float
    coverage: Mapping[str, Coverage]
    p: float | None = None
    low: float | None = None
    high: float | None = None
    by_word: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """The words of all sets that have no vector."""
        return list(dict.fromkeys(word for each in self.coverage.values() for word in each.missing))

    @property
    def words(self) -> int:
        """How many words the figure is of."""
        return sum(len(each.used) for each in self.coverage.values())

    @property
    def row(self) -> dict[str, Any]:
        """The result as JSON has it; `plots.bias_summary` reads its name, effect, low, high and p."""
        return {
            "name": self.query,
            "metric": self.metric,
            "effect": self.value if math.isfinite(self.value) else None,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "words": self.words,
            "sets": {name: {"used": len(each.used), "given": each.given} for name, each in self.coverage.items()},
            "missing": self.missing,
            "by_word": dict(self.by_word),
            **self.facts,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Found:
    """The vectors of a query's words.

    Attributes:
        query: what was asked.
        targets: a matrix (n, D) a set, in the vectors' own lengths.
        attributes: likewise.
        target_words: the words of each target set that have a vector.
        attribute_words: likewise.
        coverage: of every set.
        notes: sets that lost many words, and words on both sides.
        rounding: the relative rounding error of the vectors' precision.
    """

    query: Query
    targets: tuple[Floats, ...]
    attributes: tuple[Floats, ...]
    target_words: tuple[tuple[str, ...], ...]
    attribute_words: tuple[tuple[str, ...], ...]
    coverage: Mapping[str, Coverage]
    notes: tuple[str, ...]
    rounding: float

    def measured(self, metric: str, value: float, *, notes: Sequence[str] = (), **found: Any) -> Measured:
        """Return a figure with this coverage.

        Args:
            metric: its name.
            value: the figure.
            notes: more to know.
            found: the other fields of `Measured`.
        """
        return Measured(metric, self.query.name, value, self.coverage, notes=(*self.notes, *notes), **found)


def find(vectors: Vectors, query: Query, metric: str, targets: int | None, attributes: int | None) -> Found:
    """Return the vectors of a query's words.

    Args:
        vectors: which words are looked up in; words without a row are missing, also where n-grams could infer one.
        query: the sets.
        metric: who asks, for messages.
        targets: how many target sets it takes; None is one or more.
        attributes: how many attribute sets.

    Raises:
        OptionError: the query has another number of sets, a set has no word with a vector, or two sets of one kind
            share a word.
        FormatError: the vector of a word is not finite.
    """
    sides = []
    for kind, sets, wanted in (("target", query.targets, targets), ("attribute", query.attributes, attributes)):
        if len(sets) != (wanted or max(len(sets), 1)):
            raise OptionError(f"{metric} of {query.name}: {len(sets)} {kind} sets, expected {wanted or 'at least 1'}")
        covered = {name: covered_by(vectors, words, f"{kind} set {name!r}") for name, words in sets.items()}
        _check_apart(covered, kind)
        sides.append(covered)
    rows = [tuple(rows_of(vectors, each.used) for each in side.values()) for side in sides]
    words = [tuple(each.used for each in side.values()) for side in sides]
    coverage = _named_apart(*sides)
    notes = (*_losses(coverage), *_shared(*words))
    rounding = float(np.finfo(vectors.vectors.dtype).eps)
    return Found(query, rows[0], rows[1], words[0], words[1], coverage, notes, rounding)


def covered_by(vectors: Vectors, words: Words, what: str) -> Coverage:
    """Return which words have a row, each once.

    Args:
        vectors: which they are looked up in.
        words: as they are written, or else in lower case.
        what: they are called in messages.

    Raises:
        OptionError: there are none, or none has a vector.
    """
    _check_words(words, what)
    written = dict.fromkeys(words)
    places = {word: _form(vectors, word) for word in written}
    used = tuple(dict.fromkeys(form for form in places.values() if form is not None))
    missing = tuple(word for word, form in places.items() if form is None)
    if not used:
        some = ", ".join(repr(word) for word in missing[:3])
        raise OptionError(
            f"none of the {len(missing)} words of {what} has a vector ({some}): expected words in the language and "
            "the spelling of the vectors"
        )
    return Coverage(used, missing)


def _form(vectors: Vectors, word: str) -> str | None:
    """Return a word as the vectors write it: as it stands, or in lower case."""
    return next((form for form in (word, word.lower()) if row_of(vectors, form) >= 0), None)


def row_of(vectors: Vectors, word: str) -> int:
    """Return the row of a word, or -1."""
    row = vectors.lexicon.row_of(word)
    return -1 if row is None else int(row)


def rows_of(vectors: Vectors, words: Words) -> Floats:
    """Return the vectors of words that have one, (n, D) float64.

    Raises:
        FormatError: a vector is not finite.
    """
    rows = np.asarray(vectors.vectors[[row_of(vectors, word) for word in words]], dtype=np.float64)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        word = words[int(np.argmin(finite))]
        raise FormatError(f"the vector of {word!r} holds NaN or infinity: expected finite numbers; train or load anew")
    return rows


def units(rows: Floats) -> Floats:
    """Return rows of length 1; zero rows stay zero, and are like nothing."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


def cosines(rows: Floats, others: Floats) -> Floats:
    """Return the cosine of each row with each other row, (n, m)."""
    return units(rows) @ units(others).T


def _check_words(words: Words, what: str) -> None:
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise OptionError(f"{what} is {brief(words)}: expected a list of words")
    if not len(words):
        raise OptionError(f"{what} is empty: expected at least one word")


def _check_apart(sets: Mapping[str, Coverage], kind: str) -> None:
    for (one, first), (other, second) in combinations(sets.items(), 2):
        if shared := [word for word in first.used if word in set(second.used)]:
            raise OptionError(
                f"{shared[0]!r} stands in both {kind} sets {one!r} and {other!r}: expected sets without a common word"
            )


def _named_apart(targets: Mapping[str, Coverage], attributes: Mapping[str, Coverage]) -> dict[str, Coverage]:
    """Put both kinds into one mapping; a name of both kinds says which."""
    both = targets.keys() & attributes.keys()
    return {
        f"{name} ({kind})" if name in both else name: each
        for kind, sets in (("targets", targets), ("attributes", attributes))
        for name, each in sets.items()
    }


def _losses(coverage: Mapping[str, Coverage]) -> list[str]:
    return [
        f"{len(each.missing)} of the {each.given} words of {name} have no vector: the figure is that of the others"
        for name, each in coverage.items()
        if len(each.missing) > LOST * each.given
    ]


def _shared(targets: Sequence[Words], attributes: Sequence[Words]) -> list[str]:
    told = {word for words in attributes for word in words}
    both = [word for words in targets for word in words if word in told]
    return [f"{both[0]!r} is target and attribute at once: its likeness with itself counts"] if both else []
