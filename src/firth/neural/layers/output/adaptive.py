"""The adaptive softmax: frequent words at full width in the head, rare words in narrow tails.

What: words are split by frequency into a head and J tails. The head is a softmax over its words and one entry per tail.
A tail is a softmax over its words after a projection to fewer dimensions; only rare words need it.

Objective: with the head's weights A and biases a, and tail j's projection P_j to D / shrink^j numbers, weights U_j and
biases b_j,

    p(w | h) = softmax(A h + a)_w                                         w in the head
    p(w | h) = softmax(A h + a)_{tail j} softmax(U_j P_j h + b_j)_w       w in tail j,      loss = -log p(target | h)

Source: Grave et al. 2017, "Efficient softmax approximation for GPUs", sections 4.2 and 4.3.

Departures: the paper's cut-offs minimise the measured time of a GPU. Here, by default, they minimise the expected
number of multiplications over a grid, plus a hundred per score for the passes over scores (as measured on a CPU). Words
may have any ids: they are ranked by counts. Without counts, ids are taken as ranks and shares follow Zipf's law. The
paper has no biases. Here they start at the logarithms of the shares of words and tails, so that the first predictions
are those of a unigram model, as in the full softmax; without counts they start at 0.

Cost: N D times the size of the head; for each tail its tokens times its width and size. For 16,000 words about one
twentieth of the full softmax.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig, OutputLayer, checked_counts, checked_number, start_uniform
from firth.neural.layers.output.cross_entropy import linear_cross_entropy

MOST_TAILS = 64  # more than any vocabulary needs
CANDIDATES = 24  # cut-offs to choose from
PASSES = 100  # multiplications that take as long as the other work per score: exponential, sum, gradient


class AdaptiveSoftmax(OutputLayer):
    """A head and tails; see the module.

    Args:
        config: width, words and counts (for the ranks and the initial biases; 0 counts as 1; without counts word 0 is
            the most frequent). A tied weight is refused: tails are narrower than an embedding.
        cutoffs: size of the head, of head and first tail, and so on, all below V; or one number, the head's size.
            Default: the cheapest.
        tails: J, without `cutoffs`.
        shrink: ratio of the widths of consecutive tails.

    Attributes:
        cutoffs: the cut-offs, V at the end.
        rank: (V,) int64, each word's rank by count.
        head, head_bias: (c + J, D) and (c + J,), the head's words first.
        projections: per tail (D_j, D).
        weights, biases: per tail (its words, D_j) and (its words,).
    """

    rank: torch.Tensor

    def __init__(
        self, config: OutputConfig, *, cutoffs: int | Sequence[int] | None = None, tails: int = 2, shrink: float = 4.0
    ) -> None:
        super().__init__(config)
        config.refuse_tied("adaptive")
        width, words, counts = config.width, config.words, config.counts
        rank, sorted_counts = _ranked(counts, words)
        fixed_cuts = None if cutoffs is None else _checked_cutoffs(cutoffs, words)
        widths = _tail_widths(width, tails if fixed_cuts is None else len(fixed_cuts), shrink)
        cuts = cheapest_cutoffs(sorted_counts, width, widths) if fixed_cuts is None else fixed_cuts
        self.cutoffs = [*cuts, words]
        self.register_buffer("rank", torch.from_numpy(rank))
        self.head = start_uniform(torch.empty(self.cutoffs[0] + len(cuts), width), width)
        sizes = np.diff(self.cutoffs).tolist()
        inner = widths[: len(sizes)]
        self.projections = torch.nn.ParameterList(start_uniform(torch.empty(d, width), width) for d in inner)
        self.weights = torch.nn.ParameterList(
            start_uniform(torch.empty(size, d), d) for size, d in zip(sizes, inner, strict=True)
        )
        head_bias, *tail_biases = _unigram_biases(None if counts is None else sorted_counts, self.cutoffs)
        self.head_bias, self.biases = head_bias, torch.nn.ParameterList(tail_biases)

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) -log p(target); see `OutputLayer.loss`."""
        ranks = self.rank[targets]
        first, entry = self.cutoffs[0], ranks
        tails = []
        for tail, (start, stop) in enumerate(zip(self.cutoffs, self.cutoffs[1:], strict=False)):
            inside = (ranks >= start) & (ranks < stop)
            entry = torch.where(inside, first + tail, entry)
            if len(rows := inside.nonzero()[:, 0]):
                narrow = functional.linear(hidden.index_select(0, rows), self.projections[tail])
                inner = linear_cross_entropy(narrow, self.weights[tail], self.biases[tail], ranks[rows] - start)
                tails.append((rows, inner))
        nats = linear_cross_entropy(hidden, self.head, self.head_bias, entry)
        for rows, more in tails:
            nats = nats.index_add(0, rows, more)
        return nats

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        head = functional.log_softmax(functional.linear(hidden, self.head, self.head_bias), 1)
        first, tails = self.cutoffs[0], []
        parts = zip(self.projections, self.weights, self.biases, strict=True)
        for tail, (projection, weight, bias) in enumerate(parts):
            scores = functional.linear(functional.linear(hidden, projection), weight, bias)
            tails.append(functional.log_softmax(scores, 1) + head[:, first + tail, None])
        return torch.cat([head[:, :first], *tails], 1).index_select(1, self.rank)


def cheapest_cutoffs(counts: npt.NDArray[np.int64], width: int, tail_widths: Sequence[int]) -> list[int]:
    """Return the cut-offs with the lowest cost per token, from a logarithmic grid.

    Args:
        counts: (V,) word counts, in descending order.
        width: D.
        tail_widths: of each tail; a small vocabulary gets fewer tails.

    Source: Grave et al. 2017, section 4.3; they measure the time, this function counts multiplications.
    """
    words = len(counts)
    below = np.concatenate([[0.0], np.cumsum(counts / counts.sum())])
    candidates = np.unique(np.geomspace(1, max(words - 1, 1), CANDIDATES).astype(int)).tolist() if words > 1 else []

    def cost(cuts: tuple[int, ...]) -> float:
        bounds = [*cuts, words]
        total = float((width + PASSES) * (bounds[0] + len(cuts)))
        for inner, start, stop in zip(tail_widths, bounds, bounds[1:], strict=False):
            total += float(below[stop] - below[start]) * (inner * width + (inner + PASSES) * (stop - start))
        return total

    choices: list[tuple[int, ...]] = list(combinations(candidates, min(len(tail_widths), len(candidates))))
    cheapest = min(choices, key=cost)
    return list(cheapest)


def _ranked(counts: Any, words: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each word's rank by count (equal counts by id), and the counts in that order."""
    if counts is None:
        return np.arange(words), (1e12 / np.arange(1, words + 1)).astype(np.int64)
    array = np.maximum(checked_counts(counts, words), 1)
    order = np.argsort(-array, kind="stable")
    rank = np.empty(words, np.int64)
    rank[order] = np.arange(words)
    return rank, array[order]


def _unigram_biases(counts: npt.NDArray[np.int64] | None, cutoffs: Sequence[int]) -> list[torch.nn.Parameter]:
    """Return the biases of the head and of each tail that predict unigram shares; zeros without counts."""
    share = np.ones(cutoffs[-1]) if counts is None else counts / counts.sum()
    inside = np.split(share, cutoffs[:-1])
    masses = [part.sum() for part in inside[1:]]
    logs = [
        np.log([*inside[0], *masses]),
        *(np.log(part / mass) for part, mass in zip(inside[1:], masses, strict=True)),
    ]
    return [
        torch.nn.Parameter(torch.from_numpy(log * (counts is not None)).to(torch.get_default_dtype())) for log in logs
    ]


def _tail_widths(width: int, tails: int, shrink: float) -> list[int]:
    factor = checked_number("shrink", shrink, 1)
    return [
        max(int(width / factor ** (tail + 1)), 1)
        for tail in range(checked_number("tails", tails, 1, MOST_TAILS, whole=True))
    ]


def _checked_cutoffs(cutoffs: Any, words: int) -> list[int]:
    array = np.atleast_1d(np.asarray(cutoffs))
    cuts: list[int] = array.ravel().tolist()
    if array.dtype.kind not in "iu" or sorted(set(cuts)) != cuts or any(not 1 <= cut < words for cut in cuts):
        raise OptionError(f"cutoffs={cutoffs!r}: expected ascending whole numbers from 1 to {words - 1}")
    return cuts
