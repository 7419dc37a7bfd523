"""The module of a lattice language model: units, states of nodes, and scores of the edges between them.

Chunks lie within sentences, and never hold `<unk>` or the end of a sentence. A unit is a token (unit i is token i) or a
chunk (unit V + c is chunk c). The trie's nodes are the beginnings of units: node i is token i, later nodes are longer.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from firth.errors import OptionError
from firth.language.text import LanguageText
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.dropout import Dropout, DropoutMask
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.lattice_recurrence import Edges, Nodes, run_lattice
from firth.neural.layers.state import State

Chunk = tuple[int, ...]
Ints = npt.NDArray[np.int64]


def frequent_chunks(text: LanguageText, *, max_length: int, most: int, min_count: int) -> dict[Chunk, int]:
    """Return chunks of 2 to `max_length` tokens with their counts: shorter ones first, then by falling count."""
    ids, words = text.ids.astype(np.int64), len(text.vocabulary)
    plain = ids != text.unk_id
    if text.eos_id is not None:
        plain &= ids != text.eos_id
    ends = np.zeros(len(ids) + 1, bool)
    ends[text.offsets] = True
    codes, inside, result = ids, plain, dict[Chunk, int]()
    for length in range(2, max_length + 1):
        count = len(ids) - length + 1
        if count < 1:
            break
        # Windows that begin with each token: the window one shorter, as a number, and one token more.
        _, numbers = np.unique(codes[:count], return_inverse=True)
        codes = numbers * words + ids[length - 1 :]
        inside = inside[:count] & plain[length - 1 :] & ~ends[length - 1 : length - 1 + count]
        _, firsts, counts = np.unique(codes[inside], return_index=True, return_counts=True)
        order = np.lexsort((firsts, -counts))[:most]
        order = order[counts[order] >= min_count]
        starts = np.flatnonzero(inside)[firsts[order]]
        for start, number in zip(starts.tolist(), counts[order].tolist(), strict=True):
            result[tuple(ids[start : start + length].tolist())] = number
    return result


class Units(nn.Module):
    """The units of a lattice: V tokens and C chunks.

    Attributes:
        count: V + C.
        nodes: number of nodes of the trie.
        covers: (P,) int64 units and (P,) int64 nodes, all pairs of a unit and a beginning of it.

    Raises:
        OptionError: a chunk is longer than allowed, has fewer than two tokens or unknown ones, or occurs twice.
    """

    keys: torch.Tensor
    unit_of: torch.Tensor
    covering: torch.Tensor
    covered: torch.Tensor

    def __init__(self, tokens: int, chunks: Sequence[Chunk], max_length: int) -> None:
        super().__init__()
        self.tokens, self.chunks, self.max_length = tokens, [tuple(chunk) for chunk in chunks], max_length
        self._check()
        self.count = tokens + len(self.chunks)
        nodes: dict[Chunk, int] = {}
        keys: list[int] = []
        for length in range(2, max_length + 1):
            level = {chunk[:length] for chunk in self.chunks if len(chunk) >= length}
            numbered = sorted((_number(nodes, prefix[:-1]) * tokens + prefix[-1], prefix) for prefix in level)
            for key, prefix in numbered:
                nodes[prefix] = tokens + len(keys)
                keys.append(key)
        self.nodes = tokens + len(keys)
        unit_of = np.full(self.nodes, -1, np.int64)
        unit_of[:tokens] = np.arange(tokens)
        pairs = [(token, token) for token in range(tokens)]
        for unit, chunk in enumerate(self.chunks, tokens):
            unit_of[nodes[chunk]] = unit
            pairs += [(unit, _number(nodes, chunk[:length])) for length in range(1, len(chunk) + 1)]
        buffers = {"keys": np.array(keys, np.int64), "unit_of": unit_of}
        buffers["covering"], buffers["covered"] = np.array(pairs, np.int64).T.copy()
        for name, values in buffers.items():
            self.register_buffer(name, torch.from_numpy(values), persistent=False)

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the units, and the nodes, that begin with each token, by their length less 1; -1 where there is none.

        Args:
            ids: (B, S) int64 tokens; -1 where there is no token.

        Returns:
            (B, S, L) units and (B, S, L) nodes, both int64.
        """
        node = ids
        nodes = [node]
        for length in range(2, self.max_length + 1):
            following = nn.functional.pad(ids[:, length - 1 :], (0, min(length - 1, ids.shape[1])), value=-1)
            node = self.child(node, following)
            nodes.append(node)
        every = torch.stack(nodes, 2)
        return torch.where(every >= 0, self.unit_of[every.clamp(min=0)], every), every

    def child(self, nodes: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Return the nodes of one token more; -1 where there is none, and for node or token -1."""
        if not len(self.keys):
            return torch.full_like(nodes, -1)
        wanted = nodes * self.tokens + ids
        index = torch.searchsorted(self.keys, wanted).clamp(max=len(self.keys) - 1)
        exists = (self.keys[index] == wanted) & (nodes >= 0) & (ids >= 0)
        return torch.where(exists, index + self.tokens, torch.full_like(index, -1))

    def continuations(self, node: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the tokens that may follow in a node, and the nodes that they lead to."""
        bounds = torch.tensor([node * self.tokens, (node + 1) * self.tokens], device=self.keys.device)
        first, last = torch.searchsorted(self.keys, bounds).tolist()
        keys = self.keys[first:last]
        return keys - node * self.tokens, torch.arange(first, last, device=keys.device) + self.tokens

    def masses(self, probabilities: torch.Tensor) -> torch.Tensor:
        """Return the (N, nodes) probability of all units that begin with each node, from (N, units) ones."""
        result = probabilities.new_zeros(len(probabilities), self.nodes)
        return result.index_add_(1, self.covered, probabilities[:, self.covering])

    def table(self) -> Ints:
        """Return the chunks as (C, L) tokens; -1 behind the last of each."""
        table = np.full((len(self.chunks), self.max_length), -1, np.int64)
        for row, chunk in zip(table, self.chunks, strict=True):
            row[: len(chunk)] = chunk
        return table

    def _check(self) -> None:
        seen = set[Chunk]()
        for number, chunk in enumerate(self.chunks):
            if len(chunk) > self.max_length:
                raise OptionError(
                    f"chunk {number} has {len(chunk)} tokens: expected at most max_length={self.max_length}; leave it "
                    "out, or train with a greater max_length"
                )
            if len(chunk) < 2 or not all(0 <= token < self.tokens for token in chunk):
                raise OptionError(f"chunk {number} is {chunk}: expected two or more tokens below {self.tokens:,}")
            if chunk in seen:
                raise OptionError(f"chunk {number} occurs twice: expected each once")
            seen.add(chunk)


def _number(nodes: dict[Chunk, int], prefix: Chunk) -> int:
    return prefix[0] if len(prefix) == 1 else nodes[prefix]


MERGES = ("expected", "sampled", "gumbel")


class Reading(NamedTuple):
    """What a module has read: T tokens of B texts, after the L nodes of the state before.

    Attributes:
        nodes: totals are relative to that of node L - 1, where the reading begins.
        prefixes: (B, L + T - 1, L) int64, nodes of the trie that begin with each token.
        state: for the next tokens.
    """

    nodes: Nodes
    prefixes: torch.Tensor
    state: State


class LatticeModule(nn.Module):
    """An LSTM over the nodes of lattices of units, and a softmax over all units.

    Attributes:
        embedding: unit u in sense k has row u K + k.
        cell: the LSTM.
        weight, bias: of the softmax, in the same order; with K > 1 they are added to those of the unit.
        unit_weight, unit_bias: of the softmax, a row per unit, which its senses share; only with K > 1.
    """

    def __init__(
        self,
        units: Units,
        *,
        senses: int,
        dim: int,
        hidden: int,
        dropout: float,
        merge: str,
        temperature: float,
        bos: int,
    ) -> None:
        super().__init__()
        self.units, self.senses, self.bos = units, senses, bos
        self._merge, self._temperature = merge, temperature
        rows = units.count * senses
        self.embedding, self.cell = WordEmbedding(rows, dim), RecurrentLayer("lstm", dim, hidden)
        unit_weight = torch.empty(units.count, hidden).uniform_(-(hidden**-0.5), hidden**-0.5)
        self.weight = nn.Parameter(unit_weight if senses == 1 else torch.zeros(rows, hidden))
        self.bias = nn.Parameter(torch.zeros(rows))
        if senses > 1:
            self.unit_weight, self.unit_bias = nn.Parameter(unit_weight), nn.Parameter(torch.zeros(units.count))
        self.dropout, self.mask = Dropout(dropout), DropoutMask(dropout)

    def start(self, before: torch.Tensor) -> State:
        """Return the state at the beginning of B texts, after (B,) int64 tokens before them."""
        B, L = len(before), self.units.max_length
        _, ends = self.cell(self.dropout(self.embedding(before * self.senses)).unsqueeze(1))
        states = tuple(functional.pad(part.unsqueeze(1), (0, 0, L - 1, 0)) for part in ends)  # (B, L, H)
        totals = torch.full((B, L), -torch.inf, dtype=torch.float64, device=before.device)
        totals[:, -1] = 0
        return *states, totals, before.new_full((B, L - 1), -1)

    def forward(self, ids: torch.Tensor, state: State) -> Reading:
        """Read (B, T) int64 tokens after a state; see `Reading`."""
        h, c, totals, context = state
        T, L = ids.shape[1], self.units.max_length
        units, nodes = self.units(torch.cat([context, ids], 1))  # (B, L - 1 + T, L), that begin with each token
        # Node n stands before token n; an edge of l tokens into node n begins at node n - l.
        entering = [units[:, L - length : L - length + T, length - 1] for length in range(1, L + 1)]
        leaving = functional.pad(units, (0, 0, 0, 1), value=-1).transpose(0, 1)  # (L + T, B, L)
        rows = self._rows(leaving)
        x = self._inputs(self._rows(torch.stack(entering, 2).transpose(0, 1)))  # (T, B, L, K, 4 H)
        mask = self.mask(h, (L + T, len(ids), h.shape[2]))
        edges = Edges(x, rows.clamp(min=0), rows < 0, mask, self._noise(x), self._drawn)
        start = tuple(part.transpose(0, 1) for part in (h, c, totals - totals[:, -1:]))
        run = run_lattice(edges, start, self.cell.weight_hh, self.output_rows())
        last = tuple(part[T:].transpose(0, 1) for part in (run.hidden, run.cells, run.totals))
        return Reading(run, nodes, (*last, torch.cat([context, ids], 1)[:, T:]))

    @torch.no_grad()
    def begin_at(self, counts: torch.Tensor) -> None:
        """Set the biases to the logarithms of relative frequencies, from the (units,) counts."""
        shares = (counts.double() + 0.5).log()
        bias = self.bias if self.senses == 1 else self.unit_bias
        bias.copy_(shares - shares.logsumexp(0))

    def output_rows(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the (units K, H) weights and (units K,) biases of the softmax."""
        if self.senses == 1:
            return self.weight, self.bias
        weight, bias = (table.repeat_interleave(self.senses, 0) for table in (self.unit_weight, self.unit_bias))
        return weight + self.weight, bias + self.bias

    def unit_probabilities(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the (N, units) float64 probabilities of all units after (N, H) outputs, their senses added up."""
        p: torch.Tensor = functional.linear(hidden, *self.output_rows()).double().softmax(1)
        return p.view(len(p), -1, self.senses).sum(2)

    @property
    def _drawn(self) -> float:
        return self._temperature if self._merge == "gumbel" else 0.0

    def _noise(self, x: torch.Tensor) -> torch.Tensor | None:
        """Return Gumbel's noise of the edges into each node, if states are drawn."""
        T, B, L, K = x.shape[:4]
        if not self.training or self._merge == "expected":
            return None
        noise = torch.empty(T, B, L * K, dtype=torch.float64, device=x.device)
        return noise.exponential_().log_().neg_()

    def _rows(self, units: torch.Tensor) -> torch.Tensor:
        """Return (..., L, K) rows of the senses of (..., L) units; -1 for none."""
        units = units.unsqueeze(-1)
        rows = units * self.senses + torch.arange(self.senses, device=units.device)
        return torch.where(units >= 0, rows, torch.full_like(rows, -1))

    def _inputs(self, rows: torch.Tensor) -> torch.Tensor:
        """Return (..., 4 H) W x and the biases of (...) rows; those of row 0 for -1."""
        distinct, numbers = torch.unique(rows.clamp(min=0), return_inverse=True)
        vectors = self.dropout(self.embedding(distinct))
        table = functional.linear(vectors, self.cell.weight_ih, self.cell.bias_ih + self.cell.bias_hh)
        return functional.embedding(numbers, table.to(self.weight.dtype))  # not in half precision: it is added to sums
