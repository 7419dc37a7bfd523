"""Properties of words: a label or a number per word, or pairs of words that differ in the property.

The form is detected from the content:

- `word<TAB>label`: classes, such as `cat<TAB>animate`. Whole numbers with at most ten values are labels too.
- `word<TAB>number`: a scale, such as concreteness.
- `word<TAB>word`: pairs, such as `cat<TAB>cats`. Labels repeat; if more than half of the second column is different,
  it holds words.
- analogy questions (`a b c d` under `: relation` lines): the pairs of each relation.
- a zip file of word lists: each list is a class with the name of its file; `README` is skipped, and so are lines that
  start with `;`, the comments of the opinion lexicon.
- supersenses in QVec's format, `word<TAB>{"semcor.noun.person": 0.9, ...}`: animacy. Words with at least 80 % of their
  uses for persons and animals are animate, with at least 80 % for artifacts, objects, substances and food inanimate;
  other words are skipped.

A word that occurs twice, in any case, counts once; with two different labels it is skipped.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.analogies import read_analogies
from firth.readers.lines import finite_number, numbered_lines
from firth.storage.encodings import decoded_text
from firth.storage.untrusted import parse_json, zip_members

FOLDS = 5  # of every probe; a class needs at least one word per fold
MIN_NUMBERS = 10
MIN_PAIRS = 3  # each pair is compared with the mean of at least two others
_MAX_CLASSES = 10  # different whole numbers that may still be labels
_ANIMATE = ("noun.person", "noun.animal")
_INANIMATE = ("noun.artifact", "noun.object", "noun.substance", "noun.food")
_SHARE = 0.8
ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class WordLabels:
    """Words with one label each.

    Attributes:
        labels: (n,) index of each word's label in `names`.
        names: the labels, sorted.
    """

    words: Sequence[str]
    labels: npt.NDArray[np.int64]
    names: Sequence[str]


@dataclass(frozen=True)
class WordNumbers:
    """Words with one number each.

    Attributes:
        numbers: (n,) float64.
    """

    words: Sequence[str]
    numbers: npt.NDArray[np.float64]


@dataclass(frozen=True)
class RelatedPairs:
    """Pairs of words that differ in one property.

    Attributes:
        relations: n names of relations; "" where the file has none.
    """

    pairs: Sequence[tuple[str, str]]
    relations: Sequence[str]


@names_files
def read_word_property(path: Path) -> WordLabels | WordNumbers | RelatedPairs:
    """Read a word property in any of the forms of this module."""
    if path.suffix == ".zip":
        return _labels(_word_lists(path), path)
    numbered = numbered_lines(path)
    first = numbered[0][1]
    if first.startswith(":") or ("\t" not in first and len(first.split()) in (4, 5)):
        return _related(path)
    rows = {number: _two_fields(line, number, path) for number, line in numbered}
    if first.lower().startswith("word") and len(rows) > 1 and finite_number(rows[numbered[0][0]][1]) is None:
        del rows[numbered[0][0]]  # a header
    return _columns(rows, path)


def _columns(rows: Mapping[int, tuple[str, str]], path: Path) -> WordLabels | WordNumbers | RelatedPairs:
    values = [value for _, value in rows.values()]
    if values[0].startswith("{"):
        return _labels(_animacy(rows, path), path)
    if not _are_grades(values) and sum(finite_number(value) is not None for value in values) * 2 > len(values):
        return _scale(rows, path)
    if not _are_grades(values) and len(set(values)) * 2 > len(values):
        return _paired(list(rows.values()), [""] * len(rows), path)
    return _labels(rows.values(), path)


def _two_fields(line: str, number: int, path: Path) -> tuple[str, str]:
    separator = next((mark for mark in ("\t", ";", ",") if mark in line), None)
    fields = [field.strip() for field in line.split(separator, 1 if separator == "\t" else -1)]
    if len(fields) != 2 or not all(fields):
        raise FormatError(
            f"{path} line {number}: {line[:60]!r}, expected a word and a label, number or other word: 'word<TAB>label'"
        )
    return fields[0], fields[1]


def _are_grades(values: Sequence[str]) -> bool:
    return len(set(values)) <= _MAX_CLASSES and all(value.lstrip("+-").isdigit() for value in values)


def _word_lists(path: Path) -> Iterable[tuple[str, str]]:
    lists = zip_members(
        path,
        lambda name: name.endswith(".txt") and "readme" not in name.lower(),
        "a zip file of word lists, one per class",
    )
    return [
        (line.strip(), Path(name).stem)
        for name, words in lists.items()
        for line in decoded_text(words, f"{path}: {name}", strict=False).split("\n")
        if line.strip() and not line.startswith(";")
    ]


def _animacy(rows: Mapping[int, tuple[str, str]], path: Path) -> Iterable[tuple[str, str]]:
    words = []
    for number, (word, value) in rows.items():
        try:
            shares = {sense.partition(".")[2]: float(share) for sense, share in parse_json(value).items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise FormatError(
                f"{path} line {number}: {value[:60]!r}, expected supersenses with their shares, as in "
                '{"semcor.noun.person": 0.9}'
            ) from error
        for label, senses in (("animate", _ANIMATE), ("inanimate", _INANIMATE)):
            if sum(shares.get(sense, 0.0) for sense in senses) >= _SHARE * sum(shares.values()):
                words.append((word, label))
    return words


def _once(rows: Iterable[tuple[str, ValueT]]) -> list[tuple[str, ValueT]]:
    """Each word once, ignoring case; words with two values are dropped."""
    unique: dict[str, tuple[str, ValueT]] = {}
    ambiguous = set()
    for word, value in rows:
        if unique.setdefault(word.lower(), (word, value))[1] != value:
            ambiguous.add(word.lower())
    return [row for lower, row in unique.items() if lower not in ambiguous]


def _labels(rows: Iterable[tuple[str, str]], path: Path) -> WordLabels:
    rows = _once(rows)
    counts = Counter(label for _, label in rows)
    if len(counts) < 2:
        raise FormatError(
            f"{path}: {_labels_text(counts)}, expected at least two labels: a probe needs words with and "
            "without the property"
        )
    name, fewest = min(counts.items(), key=lambda item: item[1])
    if fewest < FOLDS:
        raise FormatError(
            f"{path}: {fewest} of {len(rows)} words have the label {name!r}, expected at least {FOLDS}, one per "
            "fold; add words, or remove the label"
        )
    names = sorted(counts)
    numbers = {name: number for number, name in enumerate(names)}
    return WordLabels(
        [word for word, _ in rows], np.array([numbers[label] for _, label in rows], dtype=np.int64), names
    )


def _labels_text(counts: Counter[str]) -> str:
    return f"every word has the label {next(iter(counts))!r}" if counts else "no word has one label"


def _scale(rows: Mapping[int, tuple[str, str]], path: Path) -> WordNumbers:
    numbers = []
    for line, (word, value) in rows.items():
        number = finite_number(value)
        if number is None:
            raise FormatError(f"{path} line {line}: {value!r}, expected a finite number, as on most other lines")
        numbers.append((word, number))
    unique = _once(numbers)
    values = np.array([value for _, value in unique])
    if len(unique) < MIN_NUMBERS or len(set(values.tolist())) < 2:
        raise FormatError(
            f"{path}: {len(set(values.tolist()))} different numbers for {len(unique)} words, expected at least "
            f"{MIN_NUMBERS} words, not all with the same number"
        )
    return WordNumbers([word for word, _ in unique], values)


def _related(path: Path) -> RelatedPairs:
    questions = read_analogies(path)
    pairs = [
        (pair, relation)
        for (a, b, c, d), relation in zip(questions.words, questions.sections, strict=True)
        for pair in ((a, b), (c, d))
    ]
    unique = list(dict.fromkeys(pairs))
    return _paired([pair for pair, _ in unique], [relation for _, relation in unique], path)


def _paired(pairs: Sequence[tuple[str, str]], relations: Sequence[str], path: Path) -> RelatedPairs:
    unique = dict.fromkeys(zip(pairs, relations, strict=True))
    counts = Counter(relation for _, relation in unique)
    name, fewest = min(counts.items(), key=lambda item: item[1])
    if fewest < MIN_PAIRS:
        raise FormatError(
            f"{path}: {fewest} pairs of words{f' under {name!r}' if name else ''}, expected at least {MIN_PAIRS}; "
            "if the second column holds labels, use each for several words"
        )
    return RelatedPairs([pair for pair, _ in unique], [relation for _, relation in unique])
