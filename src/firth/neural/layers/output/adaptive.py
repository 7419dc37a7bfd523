"""The adaptive softmax: frequent words at full width in the head, rare ones in tails that are narrow.

What: words are parted by frequency into a head and J tails. The head is a softmax over its words and one entry a tail;
a tail, of which rare words alone have need, is a softmax over its words behind a projection.

Objective: with the head's weights A and biases a, and tail j's projection P_j to D / shrink^j numbers, weights U_j and
biases b_j,

    p(w | h) = softmax(A h + a)_w                                         w in the head
    p(w | h) = softmax(A h + a)_{tail j} softmax(U_j P_j h + b_j)_w       w in tail j,      loss = -log p(target | h)

Source: Grave et al. 2017, "Efficient softmax approximation for GPUs", sections 4.2 and 4.3.

Departures: their cut-offs minimise the measured time of a GPU; here, without `cutoffs`, the expected number of
multiplications over a grid of them, a hundred more for each score: the passes over scores, measured on a processor,
which make narrow tails less cheap than their products. Words may have any numbers: they are ranked
by their counts. Without counts word 0 is taken as the most frequent, as in every vocabulary of firth, which is sorted
by count, and shares as Zipf's law has them. Theirs has no biases. These begin at the logarithms of shares where counts
are known, of the words and tails of the head in the text and of a tail's words in it, so that the first predictions are
those of a unigram model, as in the full softmax; without counts they begin at 0.

Cost: N D times the size of the head, and for each tail the tokens that fall into it times its width and size: for
16,000 words some twentieth of the full softmax.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.output.base import (
    OutputLayer,
    TiedWeight,
    checked_counts,
    checked_number,
    refuse_tied,
    start_uniform,
)
from firth.neural.layers.output.cross_entropy import linear_cross_entropy

MOST_TAILS = 64  # more than any vocabulary has use for
CANDIDATES = 24  # cut-offs among which the cheapest are sought
PASSES = 100  # multiplications that take as long as what else is done with a score: exponential, sum, gradient


class AdaptiveSoftmax(OutputLayer):
    """A head and tails; see the module.

    Args:
        width: D, of the hidden vectors.
        words: V.
        counts: (V,) of the words, to rank them by and for the biases' beginning, a word never met counted once; without
            them word 0 is the most frequent.
        tied: refused: tails are narrower than an embedding.
        cutoffs: the sizes of the head, of head and first tail, and so on, all below V, or the head's alone; without
            them the cheapest.
        tails: J, where no cut-offs are given.
        shrink: by how much each tail is narrower than the one before.

    Attributes:
        cutoffs: as given or found, V at the end.
        rank: (V,) int64, each word's place in the order of counts.
        head, head_bias: (c + J, D) and (c + J,), the head's words first.
        projections: of each tail, (D_j, D).
        weights, biases: of each tail, (words of it, D_j) and (words of it,).

    Raises:
        OptionError: the cut-offs do not rise or are not all between 1 and V - 1; tied weights.
        ShapeError: there are not V counts.
    """

    rank: torch.Tensor

    def __init__(
        self,
        width: int,
        words: int,
        *,
        counts: Any = None,
        tied: TiedWeight = None,
        cutoffs: int | Sequence[int] | None = None,
        tails: int = 2,
        shrink: float = 4.0,
    ) -> None:
        super().__init__(width, words)
        refuse_tied("adaptive", tied)
        rank, sorted_counts = _ranked(counts, words)
        given = None if cutoffs is None else _checked_cutoffs(cutoffs, words)
        widths = _tail_widths(width, tails if given is None else len(given), shrink)
        cuts = cheapest_cutoffs(sorted_counts, width, widths) if given is None else given
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

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) log p(target); see `OutputLayer.log_prob_of`."""
        return -self.loss(hidden, targets)


def cheapest_cutoffs(counts: npt.NDArray[np.int64], width: int, tail_widths: Sequence[int]) -> list[int]:
    """Return the cut-offs that are cheapest for a token, among some that are spread by their logarithms.

    Args:
        counts: (V,) of the words, none greater than the one before.
        width: D.
        tail_widths: of each tail that there is to be; fewer where there are fewer words.

    Source: Grave et al. 2017, section 4.3, whose time is measured where this one is counted.
    """
    words = len(counts)
    below = np.concatenate([[0.0], np.cumsum(counts / counts.sum())])
    spread = np.unique(np.geomspace(1, max(words - 1, 1), CANDIDATES).astype(int)).tolist() if words > 1 else []

    def cost(cuts: tuple[int, ...]) -> float:
        bounds = [*cuts, words]
        total = float((width + PASSES) * (bounds[0] + len(cuts)))
        for inner, start, stop in zip(tail_widths, bounds, bounds[1:], strict=False):
            total += float(below[stop] - below[start]) * (inner * width + (inner + PASSES) * (stop - start))
        return total

    choices: list[tuple[int, ...]] = list(combinations(spread, min(len(tail_widths), len(spread))))
    cheapest = min(choices, key=cost)
    return list(cheapest)


def _ranked(counts: Any, words: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each word's place in the order of counts, equal counts by number, and the counts in that order."""
    if counts is None:
        return np.arange(words), (1e12 / np.arange(1, words + 1)).astype(np.int64)
    array = np.maximum(checked_counts(counts, words), 1)
    order = np.argsort(-array, kind="stable")
    rank = np.empty(words, np.int64)
    rank[order] = np.arange(words)
    return rank, array[order]


def _unigram_biases(counts: npt.NDArray[np.int64] | None, cutoffs: Sequence[int]) -> list[torch.nn.Parameter]:
    """Return the biases of the head and of each tail that predict words by their counts, sorted; zeros without them."""
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
    """Return how many numbers each tail works on, at least one."""
    by = checked_number("shrink", shrink, 1)
    return [
        max(int(width / by ** (tail + 1)), 1)
        for tail in range(checked_number("tails", tails, 1, MOST_TAILS, whole=True))
    ]


def _checked_cutoffs(cutoffs: Any, words: int) -> list[int]:
    array = np.atleast_1d(np.asarray(cutoffs))
    cuts: list[int] = array.ravel().tolist()
    if array.dtype.kind not in "iu" or sorted(set(cuts)) != cuts or any(not 1 <= cut < words for cut in cuts):
        raise OptionError(f"cutoffs={cutoffs!r}: expected whole numbers that rise, from 1 to {words - 1}")
    return cuts
