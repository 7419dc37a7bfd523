"""Gold files of properties that words have: a label or a number a word, or pairs of words that differ in it.

The form is found from the content:

- `word<TAB>label`: classes, such as `cat<TAB>animate`. Whole numbers of at most ten values are labels too.
- `word<TAB>number`: a scale, such as concreteness.
- `word<TAB>word`: pairs, such as `cat<TAB>cats`. Labels come again and again; where more than half of the second column
  differ from each other, they are words.
- analogy questions (`a b c d` under `: relation` lines): the pairs of each relation.
- a zip file of word lists: each list is a class, named as its file; `README` is none. Lines that begin with `;` are
  remarks, as in the opinion lexicon.
- supersenses as in QVec's oracle, `word<TAB>{"semcor.noun.person": 0.9, ...}`: animacy. Words with four fifths of their
  uses for persons and animals are animate, with four fifths for artifacts, objects, substances and food inanimate;
  others are left out.

A word that stands there twice counts once, whatever its case; with two different labels it is left out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.evaluation.files import finite_number, lines, read_questions
from firth.storage.untrusted import parse_json, zip_members

FOLDS = 5  # of every probe; a class needs a word for each
FEWEST_NUMBERS = 10
FEWEST_PAIRS = 3  # a direction from two others, at the least
_GRADES = 10  # different whole numbers that may still be names of classes
_ANIMATE = ("noun.person", "noun.animal")
_INANIMATE = ("noun.artifact", "noun.object", "noun.substance", "noun.food")
_MOSTLY = 0.8
ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Labels:
    """Words with one of several labels.

    Attributes:
        words: n words.
        labels: (n,) the number of each word's label among the names.
        names: of the labels, sorted.
    """

    words: Sequence[str]
    labels: npt.NDArray[np.int64]
    names: Sequence[str]


@dataclass(frozen=True)
class Numbers:
    """Words with a number each.

    Attributes:
        words: n words.
        numbers: (n,) float64.
    """

    words: Sequence[str]
    numbers: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """Pairs of words that differ in one thing.

    Attributes:
        pairs: n pairs.
        relations: n names of what each pair differs in; "" where a file has none.
    """

    pairs: Sequence[tuple[str, str]]
    relations: Sequence[str]


def read_property(path: Path) -> Labels | Numbers | Pairs:
    """Read a property of words in any of the forms of this module.

    Args:
        path: the file.

    Raises:
        FormatError: the file is in none of the forms, or holds too little to learn from: one class only, a class of
            fewer words than there are folds, a relation of fewer than three pairs.
        OSError: the file cannot be read.
    """
    if path.suffix == ".zip":
        return _labels(_listed(path), path)
    numbered = lines(path)
    first = numbered[0][1]
    if first.startswith(":") or ("\t" not in first and len(first.split()) in (4, 5)):
        return _related(path)
    rows = {place: _two(line, place, path) for place, line in numbered}
    if first.lower().startswith("word") and len(rows) > 1 and finite_number(rows[numbered[0][0]][1]) is None:
        del rows[numbered[0][0]]  # a title
    return _columns(rows, path)


def _columns(rows: Mapping[int, tuple[str, str]], path: Path) -> Labels | Numbers | Pairs:
    values = [value for _, value in rows.values()]
    if values[0].startswith("{"):
        return _labels(_animacy(rows, path), path)
    if not _are_grades(values) and sum(finite_number(value) is not None for value in values) * 2 > len(values):
        return _scale(rows, path)
    if not _are_grades(values) and len(set(values)) * 2 > len(values):
        return _paired(list(rows.values()), [""] * len(rows), path)
    return _labels(rows.values(), path)


def _two(line: str, place: int, path: Path) -> tuple[str, str]:
    separator = next((mark for mark in ("\t", ";", ",") if mark in line), None)
    fields = [field.strip() for field in line.split(separator, 1 if separator == "\t" else -1)]
    if len(fields) != 2 or not all(fields):
        raise FormatError(
            f"{path} line {place}: {line[:60]!r}, expected a word and its label, number or partner: 'word<TAB>label'"
        )
    return fields[0], fields[1]


def _are_grades(values: Sequence[str]) -> bool:
    return len(set(values)) <= _GRADES and all(value.lstrip("+-").isdigit() for value in values)


def _listed(path: Path) -> Iterable[tuple[str, str]]:
    lists = zip_members(
        path, lambda name: name.endswith(".txt") and "readme" not in name.lower(), "one of word lists, a list a class"
    )
    return [
        (line.strip(), Path(name).stem)
        for name, listed in lists.items()
        for line in listed.decode("utf-8", errors="replace").split("\n")
        if line.strip() and not line.startswith(";")
    ]


def _animacy(rows: Mapping[int, tuple[str, str]], path: Path) -> Iterable[tuple[str, str]]:
    found = []
    for place, (word, value) in rows.items():
        try:
            shares = {sense.partition(".")[2]: float(share) for sense, share in parse_json(value).items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise FormatError(
                f"{path} line {place}: {value[:60]!r}, expected supersenses and their shares, as in "
                '{"semcor.noun.person": 0.9}'
            ) from error
        for label, senses in (("animate", _ANIMATE), ("inanimate", _INANIMATE)):
            if sum(shares.get(sense, 0.0) for sense in senses) >= _MOSTLY * sum(shares.values()):
                found.append((word, label))
    return found


def _once(rows: Iterable[tuple[str, ValueT]]) -> list[tuple[str, ValueT]]:
    """Each word once, by its lower case; none of those with two values."""
    kept: dict[str, tuple[str, ValueT]] = {}
    torn = set()
    for word, value in rows:
        if kept.setdefault(word.lower(), (word, value))[1] != value:
            torn.add(word.lower())
    return [row for low, row in kept.items() if low not in torn]


def _labels(rows: Iterable[tuple[str, str]], path: Path) -> Labels:
    kept = _once(rows)
    counts = Counter(label for _, label in kept)
    if len(counts) < 2:
        raise FormatError(
            f"{path}: {_seen(counts)}, expected two labels or more: a property is probed by words with and without it"
        )
    name, fewest = min(counts.items(), key=lambda item: item[1])
    if fewest < FOLDS:
        raise FormatError(
            f"{path}: {fewest} of {len(kept)} words have the label {name!r}, expected at least {FOLDS}, one for each "
            "part; add words, or leave the label out"
        )
    names = sorted(counts)
    numbers = {name: place for place, name in enumerate(names)}
    return Labels([word for word, _ in kept], np.array([numbers[label] for _, label in kept], dtype=np.int64), names)


def _seen(counts: Counter[str]) -> str:
    return f"every word has the label {next(iter(counts))!r}" if counts else "no word has one label"


def _scale(rows: Mapping[int, tuple[str, str]], path: Path) -> Numbers:
    measured = []
    for place, (word, value) in rows.items():
        found = finite_number(value)
        if found is None:
            raise FormatError(f"{path} line {place}: {value!r}, expected a finite number, as on most other lines")
        measured.append((word, found))
    kept = _once(measured)
    values = np.array([value for _, value in kept])
    if len(kept) < FEWEST_NUMBERS or len(set(values.tolist())) < 2:
        raise FormatError(
            f"{path}: {len(set(values.tolist()))} different numbers of {len(kept)} words, expected at least "
            f"{FEWEST_NUMBERS} words, not all with the same number"
        )
    return Numbers([word for word, _ in kept], values)


def _related(path: Path) -> Pairs:
    questions = read_questions(path)
    named = [
        (pair, relation)
        for (a, b, c, d), relation in zip(questions.words, questions.sections, strict=True)
        for pair in ((a, b), (c, d))
    ]
    unique = list(dict.fromkeys(named))
    return _paired([pair for pair, _ in unique], [relation for _, relation in unique], path)


def _paired(pairs: Sequence[tuple[str, str]], relations: Sequence[str], path: Path) -> Pairs:
    unique = dict.fromkeys(zip(pairs, relations, strict=True))
    counts = Counter(relation for _, relation in unique)
    name, fewest = min(counts.items(), key=lambda item: item[1])
    if fewest < FEWEST_PAIRS:
        raise FormatError(
            f"{path}: {fewest} pairs of words{f' under {name!r}' if name else ''}, expected at least {FEWEST_PAIRS}; "
            "if the second column holds labels, give each to several words"
        )
    return Pairs([pair for pair, _ in unique], [relation for _, relation in unique])
