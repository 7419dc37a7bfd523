"""Labelled sentences as SentEval's sets are distributed: `label token token ...`, one sentence per line."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.lines import numbered_lines


@dataclass(frozen=True)
class LabelledSentences:
    """Sentences with labels.

    Attributes:
        labels: (n,) the number of each sentence's label among the sorted labels.
        test: (n,) which sentences are scored. If all are, they are scored by cross-validation.
        development: (n,) which sentences choose between models.
        fingerprint: a checksum of texts, labels and splits.
    """

    texts: Sequence[Sequence[str]]
    labels: npt.NDArray[np.int64]
    test: npt.NDArray[np.bool_]
    development: npt.NDArray[np.bool_]
    fingerprint: str


@names_files
def read_labelled_sentences(path: Path) -> LabelledSentences:
    """Read labelled sentences: `label token token ...`, one per line, tokens separated by spaces.

    A file with `.test` in its name is the test set of the file with `.train` in its place, if there is one; a file with
    `.dev` in its place holds the development set.

    Args:
        path: the file, in any encoding; damaged UTF-8, as in some published files, is replaced by U+FFFD.

    Raises:
        FormatError: there is only one label, or the lines do not start with labels.
        OSError: the file cannot be read.
    """
    train = _part(path, ".train")
    development = _part(path, ".dev") if train else []
    test = _read(path)
    sentences = [*train, *development, *test]
    labels = [label for label, _ in sentences]
    _check(labels, path)
    digest = hashlib.sha256(repr([len(train), len(development), sentences]).encode()).hexdigest()
    numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    part = np.repeat([0, 1, 2], [len(train), len(development), len(test)])
    return LabelledSentences([tokens for _, tokens in sentences], numbers, part == 2, part == 1, digest)


def _part(path: Path, name: str) -> list[tuple[str, list[str]]]:
    other = path.with_name(path.name.replace(".test", name))
    return _read(other) if other != path and other.is_file() else []


def _read(path: Path) -> list[tuple[str, list[str]]]:
    split = [line.split() for _, line in numbered_lines(path, strict=False)]
    return [(fields[0], fields[1:]) for fields in split]


def _check(labels: Sequence[str], path: Path) -> None:
    kinds = sorted(set(labels))
    if len(kinds) < 2:
        raise FormatError(
            f"{path}: every sentence has the label {kinds[0]!r}, expected at least two labels: 'label token token ...'"
        )
    if len(kinds) > len(labels) / 2:
        raise FormatError(
            f"{path}: {len(kinds)} labels for {len(labels)} sentences, such as {kinds[0]!r}: expected lines that start "
            "with a label, 'label token token ...', and several sentences per label"
        )
