"""Lattices by their definition: every path is written out, and states are merged by the sums over paths."""

import torch


def paths(ids, module, end=None):
    """All paths to a place, as lists of edges (start, stop, row)."""
    end, units = len(ids) if end is None else end, module.units
    names = {(token,): token for token in range(units.tokens)}
    names |= {chunk: units.tokens + number for number, chunk in enumerate(units.chunks)}
    if end == 0:
        return [[]]
    found = []
    for start in range(max(0, end - units.max_length), end):
        unit = names.get(tuple(ids[start:end]))
        if unit is not None:
            for sense in range(module.senses):
                edge = (start, end, unit * module.senses + sense)
                found += [[*path, edge] for path in paths(ids, module, start)]
    return found


class Reference:
    """A text's lattice under a module, one edge at a time.

    Attributes:
        scores: log-probability of each edge (start, stop, row).
        paths: all paths through the text.
    """

    def __init__(self, module, ids):
        self.module, self.ids, self.scores, self.states = module, ids, {}, {}
        zeros = torch.zeros(module.cell.width, dtype=torch.float64)
        self.states[0] = self.step(module.bos * module.senses, (zeros, zeros))
        for end in range(1, len(ids) + 1):
            leading = paths(ids, module, end)
            last = {path[-1] for path in leading}
            for start, stop, row in last:
                self.scores[start, stop, row] = self.log_p(self.states[start][0])[row]
            total = torch.logsumexp(torch.stack([self.log_prob(path) for path in leading]), 0)
            merged = [torch.zeros_like(zeros) for _ in range(2)]
            for edge in last:
                through = torch.stack([self.log_prob(path) for path in leading if path[-1] == edge])
                weight = (torch.logsumexp(through, 0) - total).exp()
                state = self.step(edge[2], self.states[edge[0]])
                merged = [whole + weight * part for whole, part in zip(merged, state, strict=True)]
            self.states[end] = tuple(merged)
        self.paths = paths(ids, module)

    def log_prob(self, path):
        """The sum of the scores of a path."""
        return torch.stack([self.scores[edge] for edge in path]).sum()

    @property
    def total(self):
        """The log-probability of the text."""
        return torch.logsumexp(torch.stack([self.log_prob(path) for path in self.paths]), 0)

    def log_p(self, h):
        """Log-probabilities of all rows after an output."""
        module = self.module
        scores = module.weight @ h + module.bias
        if module.senses > 1:
            scores = scores + (module.unit_weight @ h + module.unit_bias).repeat_interleave(module.senses)
        return torch.log_softmax(scores, 0)

    def step(self, row, state):
        """One LSTM step."""
        cell, x = self.module.cell, self.module.embedding.weight[row]
        i, f, g, o = (cell.weight_ih @ x + cell.bias_ih + cell.weight_hh @ state[0] + cell.bias_hh).chunk(4)
        c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c
