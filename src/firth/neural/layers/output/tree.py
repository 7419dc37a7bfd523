"""Hierarchical softmax: a word is a leaf of a tree, and its probability is that of the path to it.

What: a binary tree over the words, in which each inner node decides between left and right. A prediction computes the
nodes on its target's path, some ten to fifteen, instead of all words. A word may have several leaves.

Objective: with codes c of word w, each a path of nodes n with signs s,

    p(w | h) = sum_c prod_i sigma(s_i (h . u_{n_i} + b_{n_i})),      loss = -log p(target | h)

which sums to one over all words for any tree, because the two sides of each node do.

Source: Morin and Bengio 2005, "Hierarchical probabilistic neural network language model", section 3, for the tree;
Mnih and Hinton 2008, "A scalable hierarchical distributed language model", sections 4 and 5, for a bias at each node,
several codes per word, and learned trees (`firth.neural.layers.output.learned_codes`).

Departures: initial biases give each word its relative frequency for a hidden state of zeros, divided equally among its
codes; without counts they are 0. The default is a Huffman tree, which neither paper uses: it needs only counts, and its
paths are the shortest.

Cost: P D multiplications forward and twice that backward, with P the number of nodes on all paths. Rows of nodes are
gathered block by block, so that they stay in the cache. Backward, with the passes sorted by node, the gradients of
hidden vectors and of nodes are weighted sums of rows. These are embedding bags, which torch computes several times
faster than it scatters rows. The probabilities of all words, for generation, take N L D multiplications and a sweep
from the root down, level by level.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from firth.kernels.trees import Children
from firth.neural.layers.output.base import OutputConfig, OutputLayer, start_uniform
from firth.neural.layers.output.codes import WordCodes, named_codes

BLOCK = 1024  # passes per gathered block: two blocks of 100 floats each fit a cache of 1 MB


class TreeSoftmax(OutputLayer):
    """Hierarchical softmax; see the module.

    Saved weights include their tree: a layer that loads them replaces its own tree.

    Args:
        config: width, words, counts (for Huffman trees and the initial biases) and seed (of random trees). A tied
            weight is refused: nodes are not words.
        tree: "huffman", "balanced", "random", or `WordCodes`, such as those of `learned_codes`.
        codes: number of random trees that are joined, and of codes per word.

    Attributes:
        weight: (L - 1, D), one row per node.
        bias: (L - 1,).
        inner_nodes: (L - 1, 2) int64 and
        leaf_words: (L,) int64, the tree: `children` and `leaf_words` of `WordCodes`.
    """

    weight: torch.nn.Parameter
    bias: torch.nn.Parameter
    inner_nodes: torch.Tensor
    leaf_words: torch.Tensor
    leaves: torch.Tensor
    starts: torch.Tensor
    nodes: torch.Tensor
    signs: torch.Tensor

    def __init__(self, config: OutputConfig, *, tree: str | WordCodes = "huffman", codes: int = 1) -> None:
        super().__init__(config)
        config.refuse_tied("tree")
        if not isinstance(tree, WordCodes):
            tree = named_codes(tree, config.words, counts=config.counts, seed=config.seed, codes=codes)
        self._hang(tree, torch.device("cpu"))
        self.weight = start_uniform(torch.empty(len(tree.children), config.width), config.width)
        bias = np.zeros(len(self.weight)) if config.counts is None else first_bias(tree, config.shares())
        self.bias = torch.nn.Parameter(torch.from_numpy(bias).to(self.weight))
        before_loading: Any = self.register_load_state_dict_pre_hook  # which torch gives no type
        before_loading(_take_tree)

    @property
    def codes(self) -> WordCodes:
        """The tree."""
        return WordCodes(self.inner_nodes.cpu().numpy(), self.leaf_words.cpu().numpy())

    def hang(self, codes: WordCodes) -> None:
        """Replace the tree; if it has another number of nodes, weights are zero until they are loaded."""
        self._hang(codes, self.weight.device)
        nodes = len(codes.children)
        if nodes != len(self.weight):
            self.weight = torch.nn.Parameter(self.weight.new_zeros(nodes, self.width))
            self.bias = torch.nn.Parameter(self.bias.new_zeros(nodes))

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) -log p(target); see `OutputLayer.loss`."""
        return -self.log_prob_of(hidden, targets)

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) log p(target); see `OutputLayer.log_prob_of`."""
        table = self.leaves[targets]  # (N, M)
        row, column = (table >= 0).nonzero(as_tuple=True)
        by_leaf = self._log_prob_of_leaves(hidden.to(self.weight.dtype), table[row, column], row)
        if table.shape[1] == 1:
            return by_leaf
        table_scores = by_leaf.new_full(table.shape, -torch.inf).index_put((row, column), by_leaf)
        return table_scores.logsumexp(1)

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        scores = functional.linear(hidden, self.weight, self.bias)
        by_leaf = log_prob_of_leaves(scores, self._sweep.to(hidden.device))
        if self.leaves.shape[1] == 1:
            return by_leaf.index_select(1, self.leaves[:, 0])
        nothing = by_leaf.new_full((len(by_leaf), 1), -torch.inf)  # the last column, where -1 points
        return torch.cat([by_leaf, nothing], 1)[:, self.leaves].logsumexp(2)

    def _log_prob_of_leaves(self, hidden: torch.Tensor, leaves: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        """Return the logarithm of the probability of some leaves, each under the hidden vector `row`."""
        first, lengths = self.starts[leaves], self.starts[leaves + 1] - self.starts[leaves]
        ends = lengths.cumsum(0)
        leaf = torch.repeat_interleave(torch.arange(len(leaves), device=leaves.device), lengths)
        position = torch.arange(len(leaf), device=leaves.device) + (first - ends + lengths)[leaf]
        begins = functional.pad(ends, (1, 0))[torch.searchsorted(row, torch.arange(len(hidden), device=row.device))]
        signs = self.signs[position].to(hidden.dtype)
        passes = Passes(self.nodes[position], signs, row[leaf], leaf, begins)
        return path_log_prob(hidden, self.weight, self.bias, passes, len(leaves))

    def _hang(self, codes: WordCodes, device: torch.device) -> None:
        """Take a tree: what is saved of it, and what follows from it."""
        tables: dict[str, npt.NDArray[Any]] = {
            "leaves": codes.leaves_of(self.words),
            "starts": codes.paths.starts,
            "nodes": codes.paths.nodes,
            "signs": codes.paths.signs.astype(np.int8),
        }
        for name, table in (("inner_nodes", codes.children), ("leaf_words", codes.leaf_words)):
            self.register_buffer(name, torch.from_numpy(table).to(device))
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table).to(device), persistent=False)
        self._sweep = sweep_of(codes.children)


def first_bias(codes: WordCodes, share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return (L - 1,) the biases that give each word its share where the hidden vector is zero.

    Args:
        share: (V,) above 0.
    """
    paths = codes.paths
    mass = (share / np.bincount(codes.leaf_words, minlength=len(share)))[codes.leaf_words]
    passing = np.repeat(mass, paths.lengths)
    nodes, left = paths.nodes, paths.signs > 0
    sides = [np.bincount(nodes[side], passing[side], len(codes.children)) for side in (left, ~left)]
    ratio: npt.NDArray[np.float64] = np.log(sides[0] / sides[1])
    return ratio


def _take_tree(module: torch.nn.Module, state: Mapping[str, Any], prefix: str, *_: Any) -> None:
    """Hang the tree of a state that is about to be loaded, where it is another than the layer's."""
    assert isinstance(module, TreeSoftmax)
    tensors = [state.get(prefix + name) for name in ("inner_nodes", "leaf_words")]
    if tensors[0] is None or tensors[1] is None:
        return  # torch says what is missing
    codes, own = WordCodes(tensors[0].cpu().numpy(), tensors[1].cpu().numpy()), module.codes
    same = [np.array_equal(*pair) for pair in ((codes.children, own.children), (codes.leaf_words, own.leaf_words))]
    if not all(same):
        module.hang(codes)


@dataclass(frozen=True, eq=False)
class Passes:
    """The P nodes on the paths to the requested leaves, in the order of their hidden vectors.

    Attributes:
        nodes: (P,) int64.
        signs: (P,) the turns, +1 left and -1 right.
        rows: (P,) int64, the index of the hidden vector.
        leaves: (P,) int64, the index of the requested leaf.
        starts: (N,) int64, the first pass of each hidden vector.
    """

    nodes: torch.Tensor
    signs: torch.Tensor
    rows: torch.Tensor
    leaves: torch.Tensor
    starts: torch.Tensor


def path_log_prob(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, passes: Passes, count: int
) -> torch.Tensor:
    """Return the log-probability of each requested leaf, in nats.

    Args:
        hidden: (N, D).
        weight: (L - 1, D) one row per node.
        bias: (L - 1,).
        count: number of requested leaves; a leaf without passes is the only one of its tree and certain.
    """
    apply: Callable[..., torch.Tensor] = _PathLogProb.apply
    return apply(hidden, weight, bias, passes, count)


class _PathLogProb(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, passes: Passes, count: int
    ) -> torch.Tensor:
        scores = bias.index_select(0, passes.nodes)
        for first in range(0, len(scores), BLOCK):
            block = slice(first, first + BLOCK)
            product = weight.index_select(0, passes.nodes[block])
            product *= hidden.index_select(0, passes.rows[block])
            scores[block] += product.sum(1)
        scores *= passes.signs
        ctx.save_for_backward(hidden, weight, scores)
        ctx.passes = passes
        return scores.new_zeros(count).index_add_(0, passes.leaves, functional.logsigmoid(scores))

    @staticmethod
    def backward(ctx: Any, *outer: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        hidden, weight, scores = ctx.saved_tensors
        passes: Passes = ctx.passes
        slopes = torch.sigmoid(-scores) * passes.signs * outer[0].index_select(0, passes.leaves)
        if not len(slopes):
            return torch.zeros_like(hidden), torch.zeros_like(weight), weight.new_zeros(len(weight)), None, None
        by_bias = weight.new_zeros(len(weight)).index_add_(0, passes.nodes, slopes)
        by_hidden = functional.embedding_bag(passes.nodes, weight, passes.starts, mode="sum", per_sample_weights=slopes)
        return by_hidden, _by_weight(hidden, weight, passes, slopes), by_bias, None, None


def _by_weight(hidden: torch.Tensor, weight: torch.Tensor, passes: Passes, slopes: torch.Tensor) -> torch.Tensor:
    """Return (L - 1, D): for every node the weighted sum of the hidden vectors that pass it."""
    nodes, order = torch.sort(passes.nodes)
    distinct, times = torch.unique_consecutive(nodes, return_counts=True)
    sums = functional.embedding_bag(
        passes.rows[order], hidden, times.cumsum(0) - times, mode="sum", per_sample_weights=slopes[order]
    )
    return torch.zeros_like(weight).index_copy_(0, distinct, sums)


class Level(NamedTuple):
    """The nodes at one distance from the root, with 2 n children.

    Attributes:
        nodes: (n,) int64, the inner nodes of this level.
        inner: int64, indices of the children that are inner nodes, in the order of the next level.
        outer: int64, indices of the children that are leaves.
    """

    nodes: torch.Tensor
    inner: torch.Tensor
    outer: torch.Tensor


@dataclass(frozen=True, eq=False)
class Sweep:
    """A tree, level by level.

    Attributes:
        levels: from the root down.
        columns: (L,) int64, the index of each leaf in level order.
    """

    levels: list[Level]
    columns: torch.Tensor

    def to(self, device: torch.device) -> "Sweep":
        """Return the sweep on a device."""
        if self.columns.device == device:
            return self
        levels = [Level(*(part.to(device) for part in level)) for level in self.levels]
        return Sweep(levels, self.columns.to(device))


def sweep_of(children: Children) -> Sweep:
    """Return the levels of a tree with (L - 1, 2) children, as in `firth.kernels.trees`."""
    leaves = len(children) + 1
    levels, leaf_ids = [], []
    nodes = np.array([len(children) - 1])[: len(children)]
    while len(nodes):
        items = children[nodes].ravel()
        inner, outer = np.flatnonzero(items >= leaves), np.flatnonzero(items < leaves)
        levels.append(Level(*(torch.from_numpy(part) for part in (nodes, inner, outer))))
        leaf_ids.append(items[outer])
        nodes = items[inner] - leaves
    columns = np.zeros(leaves, np.int64)
    columns[np.concatenate([np.zeros(0, np.int64), *leaf_ids])] = np.arange(leaves if leaf_ids else 0)
    return Sweep(levels, torch.from_numpy(columns))


def log_prob_of_leaves(scores: torch.Tensor, sweep: Sweep) -> torch.Tensor:
    """Return the (N, L) log-probabilities of all leaves, in nats.

    Args:
        scores: (N, L - 1) one per node; the left side has probability sigma(score).
        sweep: of the tree, on the device of the scores.
    """
    if not sweep.levels:
        return scores.new_zeros(len(scores), 1)
    prefix, parts = scores.new_zeros(len(scores), 1), []
    for level in sweep.levels:
        here = scores.index_select(1, level.nodes)
        turns = torch.stack([functional.logsigmoid(here), functional.logsigmoid(-here)], 2)
        both = (prefix[:, :, None] + turns).flatten(1)
        parts.append(both.index_select(1, level.outer))
        prefix = both.index_select(1, level.inner)
    return torch.cat(parts, 1).index_select(1, sweep.columns)
