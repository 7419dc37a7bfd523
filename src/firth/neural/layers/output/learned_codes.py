"""A tree over words, learned from the contexts in which they occur.

What: each word is represented by the mean hidden vector of a trained model where that word came next. A mixture of two
Gaussians splits the words in two, then each part again, down to single words. Words near the border may go to both
sides and then have several codes.

Objective: with r_w the responsibility of the first Gaussian for word w's mean vector, and an overlap e,

    w to the left iff r_w > 1/2 - e,    w to the right iff r_w < 1/2 + e          ("adaptive")
    the half of the words with the greater r_w to the left, the others to the right     ("balanced")

Source: Mnih and Hinton 2008, "A scalable hierarchical distributed language model", section 4.1: mean predicted vectors
of words, the mixture by EM, the rules "balanced", "adaptive" and "adaptive(e)". As in the paper, the model that gives
the hidden vectors has a random tree.

Departures: the two Gaussians share one spherical variance, so the border is a plane. In the paper each has its own;
in a hundred dimensions the wider one then takes nearly all words. "adaptive" gives unequal parts, and paths of hundreds
of nodes; below three times the depth of a balanced tree, and where a side would be empty or hold all words, parts are
split in the middle. Words go to both sides only while there are at most `most` codes per word. Words without a context
have the overall mean and lie in the middle of the tree.

With little text a learned tree overfits. On Brown (log-bilinear, two passes, dropout 0.2, 800,000 tokens) a balanced
learned tree has a held-out perplexity of 322 and a random one 340. On 200,000 tokens without dropout the figures are
583 and 498, although the learned tree fits the training text better.

Cost: `rounds` passes over the vectors per level; all parts of a level are split at once.
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
    """The mean hidden vector before each word, accumulated over batches.

    Args:
        width: D.
        words: V.
    """

    def __init__(self, width: int, words: int) -> None:
        self._sums = torch.zeros(words, width, dtype=torch.float64)
        self._counts = torch.zeros(words, dtype=torch.float64)

    def add(self, hidden: torch.Tensor, targets: torch.Tensor) -> None:
        """Add (N, D) hidden vectors and their (N,) int64 targets."""
        words = targets.detach().cpu()
        self._sums.index_add_(0, words, hidden.detach().cpu().double())
        self._counts += torch.bincount(words, minlength=len(self._counts))

    def means(self) -> Vectors:
        """Return (V, D) float64; a word that never was a target gets the overall mean."""
        overall = self._sums.sum(0) / self._counts.sum().clamp(min=1)
        means: Vectors = torch.where(
            self._counts[:, None] > 0, self._sums / self._counts.clamp(min=1)[:, None], overall
        ).numpy()
        return means


@dataclass(frozen=True, kw_only=True)
class ClusteringOptions:
    """How parts are split in two.

    Attributes:
        rule: "balanced" or "adaptive".
        overlap: e, below 1/2; only with "adaptive".
        max_codes: limit of the mean number of codes per word.
        rounds: iterations of EM.
    """

    rule: str = "adaptive"
    overlap: float = 0.0
    max_codes: float = 4.0
    rounds: int = 10

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise OptionError(f"rule={self.rule!r}: expected one of {', '.join(RULES)}")
        if not 0 <= self.overlap < 0.5 or (self.overlap > 0 and self.rule == "balanced"):
            raise OptionError(f"overlap={self.overlap}: expected from 0 to below 0.5, and 0 with rule='balanced'")


def learned_codes(means: Vectors, *, clustering: ClusteringOptions = ClusteringOptions(), seed: int = 0) -> WordCodes:
    """Return a tree; `codes.join_trees` joins several with different seeds.

    Args:
        means: (V, D), see `ContextMeans`.
    """
    if means.ndim != 2 or not len(means) or not np.isfinite(means).all():
        raise ShapeError(f"mean contexts of shape {means.shape}: expected (V, D) finite numbers, V at least 1")
    words, random = len(means), generator(seed, "tree of contexts")
    deepest = DEEPEST * max(int(words - 1).bit_length(), 1)
    parts = Parts(np.arange(words), np.zeros(1, np.int64))
    pairs: list[npt.NDArray[np.int64]] = []  # children of each level, leaves as -1 - word, nodes by their order
    nodes, leaves = 1, words  # nodes so far, and leaves if no later split overlaps
    while words > 1 and len(parts.starts):
        odds = _log_odds(means, parts, clustering.rounds, random)
        middle = clustering.rule == "balanced" or len(pairs) >= deepest
        overlap = 0.0 if leaves >= clustering.max_codes * words else clustering.overlap
        halves = _cut(parts, odds, middle, overlap)
        leaves += len(halves.words) - len(parts.words)
        single = halves.sizes == 1
        items = np.where(single, -1 - halves.words[halves.starts], nodes - 1 + np.cumsum(~single))
        nodes += int((~single).sum())
        pairs.append(items.reshape(-1, 2))
        parts = halves.select(~single)
    return _numbered(pairs)


@dataclass(frozen=True, eq=False)
class Parts:
    """A division of words into parts.

    Attributes:
        words: the words of all parts, part by part.
        starts: the index of each part's first word.
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

    def select(self, mask: npt.NDArray[np.bool_]) -> "Parts":
        """Return the parts that a mask, one value per part, selects."""
        sizes = self.sizes[mask]
        return Parts(self.words[mask[self.part]], np.cumsum(sizes) - sizes)


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
    r = (odds > 0) * 1.0  # EM starts with the two sides of a random direction
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
    # A split with an empty side would repeat for ever.
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
    """Return the tree with these levels; leaves are numbered level by level and the root is the last node."""
    if not pairs:
        return WordCodes(np.zeros((0, 2), np.int64), np.zeros(1, np.int64))
    items = np.concatenate(pairs)
    flat, nodes = items.ravel(), len(items)
    leaf = flat < 0
    numbers = np.where(leaf, np.cumsum(leaf) - 1, 2 * nodes - flat)  # L + (L - 2 - k), L being nodes + 1
    return WordCodes(numbers.reshape(-1, 2)[::-1].copy(), -1 - flat[leaf])
