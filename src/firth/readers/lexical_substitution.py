"""Lexical substitution sets: LST-07 and CoInCo."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.lines import PathLike, numbered_lines
from firth.readers.words_in_context import Occurrence

_Key = tuple[str, str]  # word.tag, number


@dataclass(frozen=True)
class SubstitutionTarget:
    """A target word with its candidates and sentences.

    Attributes:
        candidates: m single words, sorted.
        names: names of the k sentences, such as "bright.a 1".
        occurrences: the target word in each sentence.
        weights: (k, m) number of annotators who gave each candidate for each sentence; every row has one above 0.
    """

    candidates: Sequence[str]
    names: Sequence[str]
    occurrences: Sequence[Occurrence]
    weights: npt.NDArray[np.float64]


@names_files
def read_substitutions(path: PathLike) -> list[SubstitutionTarget]:
    """Read a lexical substitution set: substitutes in one file, sentences in another.

    Substitutes: `word.tag number :: substitute count;substitute count;`, one sentence per line, in a file whose name
    ends in `.gold`. Sentences: tab-separated `word.tag  number  position  tokens`, in the file with `.preprocessed` in
    its place, plain or gzip (`.gz`). The candidates of a word are all its substitutes in the file.

    Args:
        path: the file of substitutes, in any encoding; damaged UTF-8, as in some lines of the published files,
            is replaced by U+FFFD.

    Returns:
        One target per word and tag, in the order of the file.
    """
    sentences = _sentences(Path(path))
    targets: dict[str, list[tuple[_Key, dict[str, float]]]] = {}
    for number, line in numbered_lines(path, strict=False, comments=False):
        key, weights = _substitutes(line, f"{path} line {number}")
        if key not in sentences:
            raise FormatError(f"{path} line {number}: {' '.join(key)} has no sentence in the file beside it")
        if weights:
            lemma = ".".join(key[0].split(".")[:2])  # bar.n and bar.n.v are one
            targets.setdefault(lemma, []).append((key, weights))
    if not targets:
        raise FormatError(f"{path}: no substitute of one word; expected lines like 'bright.a 1 :: clever 3;light 1;'")
    return [_target(items, sentences) for items in targets.values()]


def _target(
    items: Sequence[tuple[_Key, Mapping[str, float]]], sentences: Mapping[_Key, Occurrence]
) -> SubstitutionTarget:
    candidates = sorted({word for _, weights in items for word in weights})
    table = np.array([[weights.get(word, 0.0) for word in candidates] for _, weights in items])
    return SubstitutionTarget(
        candidates, [" ".join(key) for key, _ in items], [sentences[key] for key, _ in items], table
    )


def _substitutes(line: str, where: str) -> tuple[_Key, dict[str, float]]:
    """The key of a line, and the weights of its single words."""
    name, mark, rest = line.partition("::")
    word, _, number = name.strip().rpartition(" ")
    if not (mark and word):
        raise FormatError(f"{where}: expected 'word.tag number :: substitute count;substitute count;'")
    weights: dict[str, float] = {}
    for part in filter(str.strip, rest.split(";")):
        substitute, space, count = part.rstrip().rpartition(" ")
        if not (space and count.isdecimal()):
            raise FormatError(f"{where}: {part!r}, expected a substitute and its count")
        # CoInCo has an empty substitute, which is ignored. LST-07 has some with an extra space at the end, which the
        # task's program reads as several words: a second "arrive " must not replace the first.
        substitute = substitute.lstrip()
        if substitute and " " not in substitute and "-" not in substitute:
            weights[substitute] = float(count)
    return (word, number), weights


def _sentences(path: Path) -> dict[_Key, Occurrence]:
    plain = path.with_suffix(".preprocessed")
    files = [file for file in (plain, plain.with_name(plain.name + ".gz")) if file.is_file()]
    if path.suffix != ".gold" or not files:
        raise FormatError(f"{path}: expected a name that ends in .gold, and {plain.name} beside it with the sentences")
    sentences = {}
    for number, line in numbered_lines(files[0], strict=False, comments=False):
        fields = line.split("\t")
        tokens = fields[-1].split()
        if len(fields) != 4 or not fields[2].isdecimal() or int(fields[2]) >= len(tokens):
            raise FormatError(
                f"{files[0]} line {number}: expected 'word.tag  number  position  tokens' between tabs, the position a "
                "token number from 0"
            )
        sentences[fields[0], fields[1]] = Occurrence(fields[0].split(".")[0], tokens, int(fields[2]))
    return sentences
