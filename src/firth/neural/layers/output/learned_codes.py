"""A tree over words that is learned from the contexts in which they are predicted.

What: each word is known by the mean of the hidden vectors that a trained model had where that word came next. The words
are parted in two by a mixture of two Gaussians, each part again, and so on to single words. Words between the two
may go to both sides, and then have several codes.

Objective: with r_w the responsibility of the first Gaussian for word w's mean vector, and an overlap e,

    w to the left iff r_w > 1/2 - e,    w to the right iff r_w < 1/2 + e          ("adaptive")
    the half of the words with the greater r_w to the left, the others to the right     ("balanced")

Source: Mnih and Hinton 2008, "A scalable hierarchical distributed language model", section 4.1: words by their mean
predicted vectors, the mixture by EM, the rules "balanced", "adaptive" and "adaptive(e)". The model that gives the
hidden vectors has, as theirs, a random tree.

Departures: the two Gaussians have one spherical variance between them, so that their border is a plane, where theirs
have one each; in a hundred dimensions the wider of two otherwise takes nearly everything. "adaptive" leaves lopsided
parts, and with them paths of hundreds of nodes; below three times the depth of a balanced tree parts are cut in the
middle, and so they are where a side would be empty or hold all words. Words go to both sides only while there are no
more than `most` codes a word. Words without a context are known by their number alone and lie in the tree's middle.

A tree that has been learned knows the contexts it came from, and with little text it knows them too well. On Brown
(log-bilinear, two passes, dropout 0.2, 800,000 tokens) a balanced learned tree has a held-out perplexity of 322 and a
random one 340; on 200,000 tokens without dropout it is 583 and 498, though the learned tree fits that text better.

Cost: `rounds` passes over the vectors for each level; all parts of a level are cut at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError, ShapeError
from firth.neural.layers.output.codes import WordCodes
from firth.randomness import generator

RULES = ("balanced", "adaptive")
DEEPEST = 3  # times the depth of a balanced tree
Vectors = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


class ContextMeans:
    """The mean hidden vector before each word, summed up batch by batch.

    Args:
        width: D.
        words: V.
    """

    def __init__(self, width: int, words: int) -> None:
        self._sums = torch.zeros(words, width, dtype=torch.float64)
        self._counts = torch.zeros(words, dtype=torch.float64)

    def add(self, hidden: torch.Tensor, targets: torch.Tensor) -> None:
        """Take in some predictions.

        Args:
            hidden: (N, D).
            targets: (N,) int64.
        """
        words = targets.detach().cpu()
        self._sums.index_add_(0, words, hidden.detach().cpu().double())
        self._counts += torch.bincount(words, minlength=len(self._counts))

    def means(self) -> Vectors:
        """Return (V, D) float64; a word that was no target gets the mean of all predictions."""
        overall = self._sums.sum(0) / self._counts.sum().clamp(min=1)
        means: Vectors = torch.where(
            self._counts[:, None] > 0, self._sums / self._counts.clamp(min=1)[:, None], overall
        ).numpy()
        return means


@dataclass(frozen=True, kw_only=True)
class Cutting:
    """How parts are cut in two.

    Attributes:
        rule: "balanced" or "adaptive".
        overlap: e, below 1/2; of "adaptive" alone.
        most: codes a word on average, above which no word gets another.
        rounds: of EM.

    Raises:
        OptionError: one of them is out of its range.
    """

    rule: str = "adaptive"
    overlap: float = 0.0
    most: float = 4.0
    rounds: int = 10

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise OptionError(f"rule={self.rule!r}: expected one of {', '.join(RULES)}")
        if not 0 <= self.overlap < 0.5 or (self.overlap > 0 and self.rule == "balanced"):
            raise OptionError(f"overlap={self.overlap}: expected from 0 to below 0.5, and 0 with rule='balanced'")


def learned_codes(means: Vectors, *, cutting: Cutting = Cutting(), seed: int = 0) -> WordCodes:
    """Return a tree; several of them, with seeds of their own, can be joined by `codes.joined`.

    Args:
        means: (V, D), see `ContextMeans`.
        cutting: how parts are cut.
        seed: of the directions that EM begins with.

    Raises:
        ShapeError: there is no word, or a number is not finite.
    """
    if means.ndim != 2 or not len(means) or not np.isfinite(means).all():
        raise ShapeError(f"mean contexts of shape {means.shape}: expected (V, D) finite numbers, V at least 1")
    words, random = len(means), generator(seed, "tree of contexts")
    deepest = DEEPEST * max(int(words - 1).bit_length(), 1)
    parts = Parts(np.arange(words), np.zeros(1, np.int64))
    pairs: list[npt.NDArray[np.int64]] = []  # children of each level, leaves as -1 - word, nodes by their order
    nodes, made = 1, words  # nodes so far, and the leaves that there would be if no part were cut with overlap again
    while words > 1 and len(parts.starts):
        odds = _log_odds(means, parts, cutting.rounds, random)
        middle = cutting.rule == "balanced" or len(pairs) >= deepest
        overlap = 0.0 if made >= cutting.most * words else cutting.overlap
        halves = _cut(parts, odds, middle, overlap)
        made += len(halves.words) - len(parts.words)
        single = halves.sizes == 1
        items = np.where(single, -1 - halves.words[halves.starts], nodes - 1 + np.cumsum(~single))
        nodes += int((~single).sum())
        pairs.append(items.reshape(-1, 2))
        parts = halves.kept(~single)
    return _numbered(pairs)


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of the words, one behind the other.

    Attributes:
        words: the words of all parts.
        starts: where each part begins among them.
    """

    words: Ids
    starts: Ids

    @property
    def sizes(self) -> Ids:
        """The words of each part."""
        sizes: Ids = np.diff(np.append(self.starts, len(self.words)))
        return sizes

    @property
    def part(self) -> Ids:
        """The part of each word."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)

    def kept(self, chosen: npt.NDArray[np.bool_]) -> "Parts":
        """Return some of the parts.

        Args:
            chosen: one a part.
        """
        sizes = self.sizes[chosen]
        return Parts(self.words[chosen[self.part]], np.cumsum(sizes) - sizes)


def _log_odds(means: Vectors, parts: Parts, rounds: int, random: np.random.Generator) -> Vectors:
    """Return for each word of each part log(r / (1 - r)), r the responsibility of the first of two Gaussians."""
    x, part = means[parts.words], parts.part

    def total(values: npt.NDArray[Any]) -> Vectors:
        sums: Vectors = np.add.reduceat(values, parts.starts)
        return sums

    centre = total(x) / parts.sizes[:, None]
    spread = np.sqrt(total((x - centre[part]) ** 2) / parts.sizes[:, None])
    offset = random.standard_normal(centre.shape) * np.maximum(spread, 1e-12)
    odds: Vectors = np.einsum("wd,wd->w", x - centre[part], offset[part])
    r = (odds > 0) * 1.0  # EM begins with the two sides of a random direction
    for _ in range(rounds):
        mass = np.stack([total(r), total(1 - r)]) + 1e-6
        first, second = total(r[:, None] * x) / mass[0][:, None], total((1 - r)[:, None] * x) / mass[1][:, None]
        near = ((x - first[part]) ** 2).sum(1), ((x - second[part]) ** 2).sum(1)
        variance = total(r * near[0] + (1 - r) * near[1]) / (parts.sizes * x.shape[1]) + 1e-12
        odds = (near[1] - near[0]) / (2 * variance[part]) + np.log(mass[0] / mass[1])[part]
        r = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return odds


def _cut(parts: Parts, odds: Vectors, middle: bool, overlap: float) -> Parts:
    """Return both halves of each part, left and right in turn."""
    part, sizes = parts.part, parts.sizes
    border = np.log((0.5 + overlap) / (0.5 - overlap))
    left, right = odds > -border, odds <= border
    order = np.lexsort((parts.words, -odds, part))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - parts.starts[part[order]]
    upper = rank < (sizes // 2)[part]
    # A cut that leaves a side empty or whole would go on for ever.
    sides = [np.add.reduceat(side.astype(np.int64), parts.starts) for side in (left, right)]
    idle = np.zeros(len(sizes), bool) | middle
    for side in sides:
        idle |= (side == 0) | (side == sizes)
    left, right = np.where(idle[part], upper, left), np.where(idle[part], ~upper, right)
    words = np.concatenate([parts.words[left], parts.words[right]])
    half = np.concatenate([2 * part[left], 2 * part[right] + 1])
    counts = np.bincount(half, minlength=2 * len(sizes))
    return Parts(words[np.argsort(half, kind="stable")], np.cumsum(counts) - counts)


def _numbered(pairs: list[npt.NDArray[np.int64]]) -> WordCodes:
    """Return the tree whose levels these are: leaves in the order in which they were reached, the root as last node."""
    if not pairs:
        return WordCodes(np.zeros((0, 2), np.int64), np.zeros(1, np.int64))
    items = np.concatenate(pairs)
    flat, nodes = items.ravel(), len(items)
    leaf = flat < 0
    numbers = np.where(leaf, np.cumsum(leaf) - 1, 2 * nodes - flat)  # L + (L - 2 - k), L being nodes + 1
    return WordCodes(numbers.reshape(-1, 2)[::-1].copy(), -1 - flat[leaf])
