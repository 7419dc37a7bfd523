"""Cross-validation of a dictionary: does a map learned from some of the pairs translate the others?

What: a map with as many parameters as the pairs have numbers fits any pairs, so the training accuracy says little. The
pairs are split into folds. For each fold, a map is learned from the other folds and translates the held-out words.

Objective: the share of held-out source words whose nearest target word by CSLS is one of their translations, among the
`FREQUENT` most frequent target words and the held-out translations.

Source: Stone 1974, "Cross-validatory choice and assessment of statistical predictions", section 2, with folds in place
of single items.

Departures: with `PLENTY` words or more, only one fold is held out. The map is not refined. The candidates are fewer
than the whole vocabulary, so the share is greater than P@1 over all words; a useless map has almost 0 in both.

Cost: a map and 4 n^2 D flops per fold, n = `FREQUENT`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.alignment.steps import Floats, Matrix
from firth.alignment.strength import FREQUENT
from firth.errors import OptionError, warn_caller
from firth.vectors.cosine import unit
from firth.vectors.csls import csls_nearest

Fit = Callable[[Matrix, Matrix], tuple[Floats, Floats]]
Rows = npt.NDArray[np.int64]

FOLDS = 5
FEWEST = 20  # source words needed for a meaningful share
PLENTY = 400  # source words from which one fold is enough
LOW = 0.05  # share below which the pairs taught almost nothing


@dataclass(frozen=True)
class CrossValidation:
    """Result of cross-validation.

    Attributes:
        correct: how many of them were translated correctly.
    """

    words: int
    correct: int

    @property
    def share(self) -> float:
        """Share of held-out words translated correctly."""
        return self.correct / self.words

    def warn(self) -> None:
        """Warn if almost none was."""
        if self.share < LOW:
            warn_caller(
                f"the pairs hardly generalise to other words: {self.correct} of {self.words} held-out words were "
                "translated correctly; train both sides for longer (epochs=20, sample=3e-4), on more text, or give "
                "more pairs"
            )


def cross_validate(x: Matrix, z: Matrix, rows: Rows, fit: Fit) -> CrossValidation | None:
    """Cross-validate the pairs of a dictionary.

    Args:
        x: (V, D) normalised source rows, the most frequent first.
        z: (W, E) normalised target rows.
        rows: (P, 2) the pairs.
        fit: learns the maps from paired rows.

    Returns:
        The counts; None if the pairs are too few.
    """
    words = np.unique(rows[:, 0])  # by frequency, so that each fold has frequent and rare words
    if len(words) < FEWEST:
        return None
    total = correct = 0
    for fold in range(1 if len(words) >= PLENTY else FOLDS):
        held_out = words[fold::FOLDS]
        mask = np.isin(rows[:, 0], held_out)
        try:
            maps = fit(x[rows[~mask, 0]], z[rows[~mask, 1]])
        except OptionError:  # all pairs determine a map, but those without this fold do not
            return None
        total += len(held_out)
        correct += _count_correct(x, z, rows[mask], maps)
    return CrossValidation(total, correct)


def _count_correct(x: Matrix, z: Matrix, rows: Rows, maps: tuple[Floats, Floats]) -> int:
    """Count the source words whose nearest candidate is one of their translations."""
    words = np.unique(rows[:, 0])
    sources = np.concatenate([words, np.setdiff1d(np.arange(min(FREQUENT, len(x))), words)])
    targets = np.union1d(np.arange(min(FREQUENT, len(z))), rows[:, 1])
    source, target = (
        np.ascontiguousarray(unit(side[of] @ rotation.astype(np.float32)), dtype=np.float32)
        for side, of, rotation in zip((x, z), (sources, targets), maps, strict=True)
    )
    nearest_rows, _ = csls_nearest(source, target, 1)
    gold = {(int(a), int(b)) for a, b in rows}
    return sum((int(word), int(targets[nearest_rows[i, 0]])) in gold for i, word in enumerate(words))
