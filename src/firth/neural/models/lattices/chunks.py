"""Chunks of several tokens: the frequent ones of a text, and where they occur in others.

Chunks lie within sentences, and never hold `<unk>` or the end of a sentence. A unit is a token (unit i is token i) or a
chunk (unit V + c is chunk c). The trie's nodes are the beginnings of units: node i is token i, later nodes are longer.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from firth.errors import OptionError
from firth.language.text import LanguageText

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
    codes, inside, found = ids, plain, dict[Chunk, int]()
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
            found[tuple(ids[start : start + length].tolist())] = number
    return found


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
            numbered = sorted((_number(nodes, each[:-1]) * tokens + each[-1], each) for each in level)
            for key, each in numbered:
                nodes[each] = tokens + len(keys)
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
        found = (self.keys[index] == wanted) & (nodes >= 0) & (ids >= 0)
        return torch.where(found, index + self.tokens, torch.full_like(index, -1))

    def continuations(self, node: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the tokens that may follow in a node, and the nodes that they lead to."""
        bounds = torch.tensor([node * self.tokens, (node + 1) * self.tokens], device=self.keys.device)
        first, last = torch.searchsorted(self.keys, bounds).tolist()
        keys = self.keys[first:last]
        return keys - node * self.tokens, torch.arange(first, last, device=keys.device) + self.tokens

    def masses(self, probabilities: torch.Tensor) -> torch.Tensor:
        """Return the (N, nodes) probability of all units that begin with each node, from (N, units) ones."""
        found = probabilities.new_zeros(len(probabilities), self.nodes)
        return found.index_add_(1, self.covered, probabilities[:, self.covering])

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
