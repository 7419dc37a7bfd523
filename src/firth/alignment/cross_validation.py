"""Do the pairs that are given say anything of pairs that are not? Some are left out, and asked for.

What: a map with as many numbers as the pairs have can fit any pairs, so how well the given ones are translated says
little. Parts of them are left out in turn, a map is learned from the others, and the words left out are translated.

Objective: the share of the source words left out whose nearest target word by CSLS is one of their translations, among
the `FREQUENT` most frequent words of the target and the translations that are asked for.

Source: Stone 1974, "Cross-validatory choice and assessment of statistical predictions", section 2, with parts in place
of single items.

Departures: where pairs are plenty (`PLENTY`), one part alone is left out. The map is not refined. Fewer candidates than
all words make the share greater than P@1 over the whole vocabulary; a map that knows nothing has next to 0 in both.

Cost: a map and 4 n^2 D flops a part, n = `FREQUENT`.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.alignment.steps import Floats, Matrix
from firth.alignment.strength import FREQUENT
from firth.errors import OptionError
from firth.vectors.cosine import unit
from firth.vectors.csls import csls_nearest

Fit = Callable[[Matrix, Matrix], tuple[Floats, Floats]]
Rows = npt.NDArray[np.int64]

PARTS = 5
FEWEST = 20  # source words below which a share says nothing
PLENTY = 400  # source words of which a fifth is enough to ask for
LOW = 0.05  # share below which the pairs taught next to nothing


@dataclass(frozen=True)
class LeftOut:
    """What became of the pairs that were left out.

    Attributes:
        asked: how many source words were asked for.
        right: how many of them were translated rightly.
    """

    asked: int
    right: int

    @property
    def share(self) -> float:
        """The share translated rightly."""
        return self.right / self.asked

    def warn(self) -> None:
        """Warn where next to none was."""
        if self.share < LOW:
            warnings.warn(
                f"the pairs say next to nothing of other words: of {self.asked} that were left out for a check, "
                f"{self.right} were translated rightly; train both sides for longer (epochs=20, sample=3e-4), on more "
                "text, or give more pairs",
                stacklevel=4,
            )


def left_out(x: Matrix, z: Matrix, rows: Rows, fit: Fit) -> LeftOut | None:
    """Return how many words are translated rightly by what the other pairs say.

    Args:
        x: (V, D) normalised rows of the source, the most frequent first.
        z: (W, E) of the target.
        rows: (P, 2) the pairs.
        fit: makes maps of paired rows.

    Returns:
        The counts; None where the pairs are too few to leave some out.
    """
    words = np.unique(rows[:, 0])  # by frequency, so that every part has frequent and rare ones
    if len(words) < FEWEST:
        return None
    asked = right = 0
    for part in range(1 if len(words) >= PLENTY else PARTS):
        chosen = words[part::PARTS]
        out = np.isin(rows[:, 0], chosen)
        try:
            maps = fit(x[rows[~out, 0]], z[rows[~out, 1]])
        except OptionError:  # enough pairs to learn a map from, and too few to do without a part
            return None
        asked += len(chosen)
        right += _right(x, z, rows[out], maps)
    return LeftOut(asked, right)


def _right(x: Matrix, z: Matrix, rows: Rows, maps: tuple[Floats, Floats]) -> int:
    """Count the source words of some pairs whose nearest candidate is one of their translations."""
    asked = np.unique(rows[:, 0])
    sources = np.concatenate([asked, np.setdiff1d(np.arange(min(FREQUENT, len(x))), asked)])
    targets = np.union1d(np.arange(min(FREQUENT, len(z))), rows[:, 1])
    source, target = (
        np.ascontiguousarray(unit(side[of] @ each.astype(np.float32)), dtype=np.float32)
        for side, of, each in zip((x, z), (sources, targets), maps, strict=True)
    )
    nearest, _ = csls_nearest(source, target, 1)
    gold = {(int(a), int(b)) for a, b in rows}
    return sum((int(word), int(targets[nearest[i, 0]])) in gold for i, word in enumerate(asked))
