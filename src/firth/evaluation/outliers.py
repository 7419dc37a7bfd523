"""Which word does not belong? Groups of alike words, each with an intruder to find.

What: of a group and one outlier, the word is found without which the rest is most compact,

    c(w) = 1 / (n (n - 1)) sum_{u, v in W without w, u != v} cos(u, v),

W being the n + 1 words. The outlier's position among all by rising c, from 0 to n, gives two figures:

    accuracy = share of tests where the position is n,      OPP = mean of position / n

Source: Camacho-Collados and Navigli 2016, Find the word that does not belong: a framework for an intrinsic evaluation
of word vector representations, equations 1 to 4.

Departures: words that tie with the outlier stand above it, so that vectors which tell nothing apart get 0. A name of
several words (`New_York`) that is unknown as a whole is the mean of its words' unit vectors, if all are known. A test
of which any word is unknown is left out, or wrong (position 0) where the policy counts it: with no vector at all, the
outlier would be the easiest to find. Intervals and tests between models draw whole groups: the tests of a group share
its words, and vectors find nearly all of its outliers or nearly none, so that single tests drawn would promise twice
the precision. Of eight groups no interval is exact.

Cost: n^2 D a test.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.evaluation.files import PathLike, named_columns
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.resampling import Ints, Sample
from firth.vectors.neighbours import unit

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """Words that belong together, and words that do not.

    Attributes:
        name: what the words are.
        words: n words.
        outliers: words, each of which makes a test with the group.
    """

    name: str
    words: Sequence[str]
    outliers: Sequence[str]


def read_groups(path: PathLike) -> list[Group]:
    """Read groups with their outliers: a table with the columns `category`, `words` and `outliers`.

    Words and outliers are lists as Python writes them, `['tiger', 'lion']`; empty words in them are passed over.

    Args:
        path: comma- or tab-separated, UTF-8.

    Raises:
        FormatError: a column is missing, a field is no list of words, or a group has fewer than two words or no
            outlier.
        OSError: the file cannot be read.
    """
    groups = []
    for number, (name, words, outliers) in named_columns(path, ("category", "words", "outliers")):
        group = Group(name, _listed(words, number, path), _listed(outliers, number, path))
        if len(group.words) < 2 or not group.outliers:
            raise FormatError(
                f"{path} line {number}: {len(group.words)} words and {len(group.outliers)} outliers, expected two "
                "words or more and an outlier"
            )
        groups.append(group)
    if not groups:
        raise FormatError(f"{path}: no groups, only a heading; expected a group a line")
    return groups


def _listed(field: str, number: int, path: PathLike) -> list[str]:
    try:
        words = ast.literal_eval(field)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise FormatError(f"{path} line {number}: {field[:40]!r}, expected a list of words such as ['tiger', 'lion']")
    return [word for word in words if word]


def compactness(vectors: npt.NDArray[np.floating]) -> Floats:
    """Return how compact a group of words is without each of them in turn.

    Args:
        vectors: (n + 1, D), n at least 2, of any length; only their directions matter.

    Returns:
        (n + 1,) means of the cosines of all pairs that are left.

    Source:
        Camacho-Collados and Navigli 2016, equations 1 and 2.
    """
    points = unit(vectors.astype(np.float64))
    cosines = points @ points.T
    np.fill_diagonal(cosines, 0)
    n = len(points) - 1
    return np.asarray((cosines.sum() - 2 * cosines.sum(axis=1)) / (n * (n - 1)))


def outlier_position(vectors: npt.NDArray[np.floating]) -> int:
    """Return the position of the last of n + 1 words when all are put in the order of rising compactness.

    Args:
        vectors: (n + 1, D), the outlier last.

    Returns:
        From 0 to n; n where the outlier is found. Words that tie with the outlier stand above it.
    """
    *others, outlier = compactness(vectors)
    return int((np.array(others) < outlier).sum())


@dataclass(frozen=True)
class _OfGroups:
    """The mean over all tests of the groups drawn."""

    sums: Floats  # (G,) of the scores of each group's tests
    sizes: Floats  # (G,) tests

    def __call__(self, weights: Ints, /) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(weights @ self.sums / (weights @ self.sizes))


def _judge(space: Space, gold: Sequence[Group], setting: Setting) -> list[Figure]:
    positions = [_positions(space, group) for group in gold]
    covered = int(sum(np.isfinite(some).sum() for some in positions))
    if setting.unknown == "count":
        positions = [np.nan_to_num(some) for some in positions]  # wrong, and last of all
    sizes = np.array([np.isfinite(some).sum() for some in positions], dtype=np.float64)
    words = np.array([len(group.words) for group in gold])
    return [
        Figure(
            metric=metric,
            sample=Sample(sizes > 0, _OfGroups(sums[sizes > 0], sizes[sizes > 0])),
            covered=covered,
            total=sum(len(group.outliers) for group in gold),
            baseline=float(chance @ sizes / sizes.sum()) if sizes.any() else None,
            baseline_name="random",
        )
        for metric, sums, chance in (
            ("accuracy", _summed(positions, lambda place, n: place == n, words), 1 / (words + 1)),
            ("opp", _summed(positions, lambda place, n: place / n, words), np.full(len(words), 0.5)),
        )
    ]


def _summed(
    positions: Sequence[Floats], score: Callable[[Floats, int], npt.NDArray[Any]], words: npt.NDArray[np.int64]
) -> Floats:
    """The sum of the scores of each group's tests."""
    return np.array([float(score(some[np.isfinite(some)], n).sum()) for some, n in zip(positions, words, strict=True)])


def _positions(space: Space, group: Group) -> Floats:
    """The position of each outlier; NaN where a word is unknown."""
    vectors, known = _taken(space, [*group.words, *group.outliers])
    n = len(group.words)
    found = np.full(len(group.outliers), np.nan)
    for test in np.flatnonzero(known[n:] & known[:n].all()).tolist():
        found[test] = outlier_position(np.vstack([vectors[:n], vectors[n + test]]))
    return found


def _taken(space: Space, words: Sequence[str]) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.bool_]]:
    """Vectors of words; a name that is unknown as a whole has the mean of its words."""
    parts = [word.split("_") if found < 0 else [word] for word, found in zip(words, space.find(words), strict=True)]
    vectors, known = space.take([part for some in parts for part in some])
    starts = np.cumsum([0, *map(len, parts[:-1])])
    return np.add.reduceat(vectors, starts), np.logical_and.reduceat(known, starts)


SUITE = Suite(
    name="outliers",
    help="which word does not belong: the share found, and how near the others came",
    sets=("8-8-8",),
    read=read_groups,
    judge=_judge,
)
