"""Linguistic features of words in QVec's format: a word, a tab and a JSON object with the weight of each feature."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.lines import PathLike, numbered_lines
from firth.storage.untrusted import parse_json


@dataclass(frozen=True)
class LinguisticFeatures:
    """Words and their linguistic features: the "oracle" matrix of QVec.

    Attributes:
        features: M feature names.
        matrix: (n, M) float64, 0 where a word does not have the feature.
    """

    words: Sequence[str]
    features: Sequence[str]
    matrix: npt.NDArray[np.float64]


@names_files
def read_qvec(path: PathLike) -> LinguisticFeatures:
    """Read linguistic features in QVec's format, one word per line.

    Args:
        path: the file, UTF-8, such as `semcor_noun_verb.supersenses.en`.
    """
    weights_of: dict[str, dict[str, float]] = {}
    for number, line in numbered_lines(path, comments=False):
        word, _, text = line.partition("\t")
        if word in weights_of:
            raise FormatError(f"{path} line {number}: {word!r} is also on an earlier line, expected each word once")
        weights_of[word] = _weights(text, f"{path} line {number}")
    names = dict.fromkeys(name for weights in weights_of.values() for name in weights)
    columns = {name: column for column, name in enumerate(names)}
    matrix = np.zeros((len(weights_of), len(columns)))
    for row, weights in enumerate(weights_of.values()):
        matrix[row, [columns[name] for name in weights]] = list(weights.values())
    return LinguisticFeatures(list(weights_of), list(columns), matrix)


def _weights(text: str, where: str) -> dict[str, float]:
    try:
        weights = parse_json(text)
    except (ValueError, RecursionError):
        weights = None
    if not isinstance(weights, dict):
        raise FormatError(f'{where}: {text[:40]!r}, expected a word, a tab and features such as {{"noun.animal": 0.5}}')
    for name, value in weights.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise FormatError(f"{where}: feature {name!r} is {value!r}, expected a finite number")
    return weights
