"""The module of a lattice language model: states of nodes, and scores of the edges between them."""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.dropout import Dropout, DropoutMask
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.lattice_recurrence import Edges, Nodes, run_lattice
from firth.neural.layers.state import State
from firth.neural.models.lattices.chunks import Units

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
        states = tuple(functional.pad(each.unsqueeze(1), (0, 0, L - 1, 0)) for each in ends)  # (B, L, H)
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
        start = tuple(each.transpose(0, 1) for each in (h, c, totals - totals[:, -1:]))
        found = run_lattice(edges, start, self.cell.weight_hh, self.output_rows())
        last = tuple(each[T:].transpose(0, 1) for each in (found.hidden, found.cells, found.totals))
        return Reading(found, nodes, (*last, torch.cat([context, ids], 1)[:, T:]))

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
        weight, bias = (each.repeat_interleave(self.senses, 0) for each in (self.unit_weight, self.unit_bias))
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
        distinct, places = torch.unique(rows.clamp(min=0), return_inverse=True)
        vectors = self.dropout(self.embedding(distinct))
        table = functional.linear(vectors, self.cell.weight_ih, self.cell.bias_ih + self.cell.bias_hh)
        return functional.embedding(places, table.to(self.weight.dtype))  # not in half precision: it is added to sums
