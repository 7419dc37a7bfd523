"""Queries and scores of bias: sets of words in, a score with its coverage out.

All metrics take the same `Query`: sets of target words (the groups, such as women and men) and sets of attribute words
(what they may be associated with, such as career and family). A word is looked up as written, then in lower case. Words
without a vector are left out and listed, because scores of different words are not comparable.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief, brief_repr
from firth.notebook import Markup, facts, table
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Vectors = WordVectors | SubwordVectors
Floats = npt.NDArray[np.float64]
Words = Sequence[str]

TITLES = {  # of the tests of Caliskan et al. 2017, for people; files and flags have the short names
    "weat-1": "Flowers, insects and pleasantness (WEAT 1)",
    "weat-2": "Instruments, weapons and pleasantness (WEAT 2)",
    "weat-3": "European and African American names and pleasantness (WEAT 3)",
    "weat-4": "European and African American names and pleasantness (WEAT 4)",
    "weat-5": "European and African American names and pleasantness (WEAT 5)",
    "weat-6": "Names and careers (WEAT 6)",
    "weat-7": "Mathematics, arts and gender (WEAT 7)",
    "weat-8": "Science, arts and gender (WEAT 8)",
    "weat-9": "Mental and physical disease and permanence (WEAT 9)",
    "weat-10": "Young and old people's names and pleasantness (WEAT 10)",
}
MISSING_SHARE = 0.2  # share of a set's words; if more are missing, the score has a note


def title_of(name: str) -> str:
    """Return what people read in place of the name of a query or of a part of one, such as "weat-6: career"."""
    test, colon, part = name.partition(":")
    return TITLES.get(test, test) + colon + part


@dataclass(frozen=True)
class Query:
    """Sets of words to measure a bias with.

    Attributes:
        targets: target words by the names of their sets.
        attributes: attribute words by the names of their sets.
        name: name in results; by default the names of the sets.
    """

    targets: Mapping[str, Words]
    attributes: Mapping[str, Words]
    name: str = ""

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        for kind, sets in (("target", self.targets), ("attribute", self.attributes)):
            for name, words in sets.items():
                _check_words(words, f"{kind} set {name!r}")
        if not self.name:
            label = " / ".join(", ".join(sets) for sets in (self.targets, self.attributes))
            object.__setattr__(self, "name", label)

    def unknown_sets(self, vectors: Vectors) -> list[str]:
        """Return the names of the sets without a known word."""
        sets = [*self.targets.items(), *self.attributes.items()]
        return [name for name, words in sets if all(_form(vectors, word) is None for word in words)]

    @classmethod
    def of(cls, targets: Sequence[Words], attributes: Sequence[Words], name: str = "") -> "Query":
        """Return a query of unnamed sets, which are called target 1, attribute 1 and so on."""
        names = [
            {f"{kind} {number}": words for number, words in enumerate(sets, 1)}
            for kind, sets in (("target", targets), ("attribute", attributes))
        ]
        return cls(names[0], names[1], name)


@dataclass(frozen=True)
class Coverage:
    """The words of a set with and without vectors.

    Attributes:
        used: words with a vector, as the vectors spell them.
        missing: words without one, as the set spells them.
    """

    used: tuple[str, ...]
    missing: tuple[str, ...]

    __repr__ = brief_repr

    @property
    def given(self) -> int:
        """Number of different words in the set."""
        return len(self.used) + len(self.missing)


@dataclass(frozen=True)
class BiasScore:
    """The value of a bias metric.

    Attributes:
        metric: name of the metric, such as "weat".
        query: name of the query.
        value: the value; its zero and sign depend on the metric.
        coverage: used and missing words of each set, by name.
        p: p-value, if the metric has a test.
        low: lower bound of the 95 % interval, if there is one.
        high: upper bound.
        by_word: values of single words, if the metric has them.
        facts: further results that JSON can represent.
        notes: caveats.
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

    __repr__ = brief_repr

    @property
    def missing(self) -> list[str]:
        """The words of all sets without a vector."""
        return list(dict.fromkeys(word for covered in self.coverage.values() for word in covered.missing))

    @property
    def words(self) -> int:
        """Number of words used."""
        return sum(len(covered.used) for covered in self.coverage.values())

    @property
    def row(self) -> dict[str, Any]:
        """The score for JSON; `plots.bias_summary` reads its name, effect, low, high and p."""
        return {
            "name": self.query,
            "metric": self.metric,
            "effect": self.value if math.isfinite(self.value) else None,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "words": self.words,
            "sets": {
                name: {"used": len(covered.used), "given": covered.given} for name, covered in self.coverage.items()
            },
            "missing": self.missing,
            "by_word": dict(self.by_word),
            **self.facts,
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        interval = "" if self.low is None or self.high is None else f" ({self.low:.3f} to {self.high:.3f})"
        rows = [
            ("query", title_of(self.query)),
            ("value", f"{self.value:.3f}{interval}"),
            ("p", "" if self.p is None else f"{self.p:.3g}"),
            ("words", f"{self.words:,}"),
            ("without a vector", ", ".join(self.missing)),
            ("notes", "; ".join(self.notes)),
        ]
        words = [(word, f"{value:.3f}") for word, value in self.by_word.items()]
        more = Markup(table(("word", "value"), words)) if words else ""
        return facts(self.metric, [row for row in rows if row[1]], more=more)


@dataclass(frozen=True)
class QueryVectors:
    """The vectors of a query's words.

    Attributes:
        targets: one matrix (n, D) per target set, not normalised.
        attributes: one per attribute set.
        target_words: the known words of each target set.
        attribute_words: the known words of each attribute set.
        coverage: used and missing words of each set.
        notes: sets with many missing words, and words that are target and attribute.
    """

    query: Query
    targets: tuple[Floats, ...]
    attributes: tuple[Floats, ...]
    target_words: tuple[tuple[str, ...], ...]
    attribute_words: tuple[tuple[str, ...], ...]
    coverage: Mapping[str, Coverage]
    notes: tuple[str, ...]
    rounding: float

    def score(self, metric: str, value: float, *, notes: Sequence[str] = (), **fields: Any) -> BiasScore:
        """Return a score with this coverage.

        Args:
            fields: other fields of `BiasScore`.
        """
        return BiasScore(metric, self.query.name, value, self.coverage, notes=(*self.notes, *notes), **fields)


def lookup(vectors: Vectors, query: Query, metric: str, targets: int | None, attributes: int | None) -> QueryVectors:
    """Return the vectors of a query's words.

    Args:
        vectors: the vectors; words without a row are missing, even if n-grams could infer a vector.
        metric: name of the metric, for messages.
        targets: number of target sets the metric takes; None is one or more.
    """
    sides = []
    for kind, sets, number in (("target", query.targets, targets), ("attribute", query.attributes, attributes)):
        if len(sets) != (number or max(len(sets), 1)):
            raise OptionError(f"{metric} of {query.name}: {len(sets)} {kind} sets, expected {number or 'at least 1'}")
        coverages = {name: coverage_of(vectors, words, f"{kind} set {name!r}") for name, words in sets.items()}
        _check_disjoint(coverages, kind)
        sides.append(coverages)
    rows = [tuple(rows_of(vectors, covered.used) for covered in side.values()) for side in sides]
    words = [tuple(covered.used for covered in side.values()) for side in sides]
    coverage = _unique_names(*sides)
    notes = (*_missing_notes(coverage), *_overlap_notes(*words))
    rounding = float(np.finfo(vectors.vectors.dtype).eps)
    return QueryVectors(query, rows[0], rows[1], words[0], words[1], coverage, notes, rounding)


def coverage_of(vectors: Vectors, words: Words, what: str) -> Coverage:
    """Return which words have a vector, each once; looked up as written, then in lower case.

    Args:
        what: name of the words in messages.
    """
    _check_words(words, what)
    form_of = {word: _form(vectors, word) for word in dict.fromkeys(words)}
    forms = tuple(dict.fromkeys(form for form in form_of.values() if form is not None))
    missing = tuple(word for word, form in form_of.items() if form is None)
    if not forms:
        examples = ", ".join(repr(word) for word in missing[:3])
        raise OptionError(
            f"none of the {len(missing)} words of {what} has a vector ({examples}): expected words in the language and "
            "the spelling of the vectors"
        )
    return Coverage(forms, missing)


def _form(vectors: Vectors, word: str) -> str | None:
    """Return a word as the vectors spell it, or None if they lack it."""
    row = row_of(vectors, word)
    return vectors.words[row] if row >= 0 else None


def row_of(vectors: Vectors, word: str) -> int:
    """Return the row of a word, or -1."""
    row = vectors.lexicon.row_of(word)
    return -1 if row is None else int(row)


def rows_of(vectors: Vectors, words: Words) -> Floats:
    """Return the vectors of known words, (n, D) float64."""
    rows = np.asarray(vectors.vectors[[row_of(vectors, word) for word in words]], dtype=np.float64)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        word = words[int(np.argmin(finite))]
        raise FormatError(f"the vector of {word!r} holds NaN or infinity: expected finite numbers; train them again")
    return rows


def units(rows: Floats) -> Floats:
    """Return rows scaled to length 1; zero rows stay zero."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


def cosines(rows: Floats, other_rows: Floats) -> Floats:
    """Return the cosine of each row with each other row, (n, m)."""
    return units(rows) @ units(other_rows).T


def _check_words(words: Words, what: str) -> None:
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise OptionError(f"{what} is {brief(words)}: expected a list of words")
    if not len(words):
        raise OptionError(f"{what} is empty: expected at least one word")


def _check_disjoint(sets: Mapping[str, Coverage], kind: str) -> None:
    for (first_name, first), (second_name, second) in combinations(sets.items(), 2):
        if shared := [word for word in first.used if word in set(second.used)]:
            raise OptionError(
                f"{shared[0]!r} is in both {kind} sets {first_name!r} and {second_name!r}: expected sets without a "
                "common word"
            )


def _unique_names(targets: Mapping[str, Coverage], attributes: Mapping[str, Coverage]) -> dict[str, Coverage]:
    """Merge both kinds into one mapping; a name used by both gets its kind."""
    both = targets.keys() & attributes.keys()
    return {
        f"{name} ({kind})" if name in both else name: words
        for kind, sets in (("targets", targets), ("attributes", attributes))
        for name, words in sets.items()
    }


def _missing_notes(coverage: Mapping[str, Coverage]) -> list[str]:
    return [
        f"{len(covered.missing)} of the {covered.given} words of {name} have no vector: the score is that of the others"
        for name, covered in coverage.items()
        if len(covered.missing) > MISSING_SHARE * covered.given
    ]


def _overlap_notes(targets: Sequence[Words], attributes: Sequence[Words]) -> list[str]:
    vocabulary = {word for words in attributes for word in words}
    both = [word for words in targets for word in words if word in vocabulary]
    return [f"{both[0]!r} is both target and attribute: its similarity with itself counts"] if both else []
