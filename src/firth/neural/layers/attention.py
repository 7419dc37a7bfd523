"""Attention: the mean of values, weighted by the similarity of a query to each value's key.

What: four scoring functions of a query and a key, the softmax over the keys that the mask allows, and the weighted
    mean. `Attention` combines a scoring function with the other two. Multi-head attention is in
    `firth.neural.layers.multi_head_attention`, masks in `firth.neural.layers.masks`.
Objective: a(q, k_s) = q . k_s (dot), q . k_s / sqrt(D) (scaled), q W k_s (multiplicative, also called general) or
    v . tanh(W q + U k_s) (additive); weights softmax_s a(q, k_s); result sum_s weight_s value_s.
Source: Bahdanau, Cho and Bengio 2015, section 3.1 and appendix A.1.2 (additive); Luong, Pham and Manning 2015,
    section 3.1 (dot, general); Vaswani et al. 2017, section 3.2.1 (scaled).
Departures: if the mask allows no key, the result is zeros instead of 0 / 0, so that a batch may contain empty
    sequences.
Cost: dot and scaled O(T S D); multiplicative O(T D_q D_k + T S D_k); additive O(T S H) with a (B, T, S, H) array.
"""

import math
from collections.abc import Callable

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.masks import mask_scores

KINDS = ("dot", "scaled", "general", "additive")
Scores = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # (B, T, D_q), (B, S, D_k) -> (B, T, S)


def dot_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Return (..., T, S) dot products of (..., T, D) queries and (..., S, D) keys."""
    return queries @ keys.transpose(-2, -1)


class DotScores(nn.Module):
    """Dot products, in the form of the scores that have parameters.

    Args:
        scaled: whether they are divided by the square root of the width.
    """

    def __init__(self, *, scaled: bool = False) -> None:
        super().__init__()
        self.scaled = scaled

    def project(self, keys: torch.Tensor) -> torch.Tensor:
        """Return the keys as they are."""
        return keys

    def compare(self, queries: torch.Tensor, projected: torch.Tensor) -> torch.Tensor:
        """Return (..., T, S) scores; see `dot_scores`."""
        return (scaled_dot_scores if self.scaled else dot_scores)(queries, projected)


def scaled_dot_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Return dot products divided by the square root of D; see `dot_scores`.

    The sum of D products of numbers with mean 0 and variance 1 has variance D. The division makes it 1, which keeps the
    softmax out of the range where its gradient vanishes.
    """
    return dot_scores(queries, keys) / math.sqrt(queries.shape[-1])


class MultiplicativeScores(nn.Module):
    """Scores q W k, for queries and keys of different widths.

    Args:
        query_width: D_q.
        key_width: D_k.
    """

    def __init__(self, query_width: int, key_width: int) -> None:
        super().__init__()
        # q W k is a sum of query_width * key_width products: its variance is 1 for queries and keys of variance 1.
        self.weight = nn.Parameter(torch.randn(query_width, key_width) / math.sqrt(query_width * key_width))

    def forward(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """Return (..., T, S) scores; see `dot_scores`."""
        return self.compare(queries @ self.weight, keys)

    def project(self, keys: torch.Tensor) -> torch.Tensor:
        """Return (..., S, D_q) W k: a decoder computes them once for all steps."""
        return keys @ self.weight.T

    def compare(self, queries: torch.Tensor, projected: torch.Tensor) -> torch.Tensor:
        """Return (..., T, S) scores of keys from `project`."""
        return dot_scores(queries, projected)


class AdditiveScores(nn.Module):
    """Scores v . tanh(W q + U k): a network with one hidden layer.

    Args:
        query_width: D_q.
        key_width: D_k.
    """

    def __init__(self, query_width: int, key_width: int, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_width, hidden, bias=False)
        self.key = nn.Linear(key_width, hidden)
        self.value = nn.Linear(hidden, 1, bias=False)

    def forward(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """Return (..., T, S) scores; see `dot_scores`."""
        return self.compare(queries, self.project(keys))

    def project(self, keys: torch.Tensor) -> torch.Tensor:
        """Return (..., S, H) U k: a decoder computes them once for all steps."""
        projected: torch.Tensor = self.key(keys)
        return projected

    def compare(self, queries: torch.Tensor, projected: torch.Tensor) -> torch.Tensor:
        """Return (..., T, S) scores of keys from `project`."""
        both = self.query(queries)[..., :, None, :] + projected[..., None, :, :]  # (..., T, S, H)
        scores: torch.Tensor = self.value(torch.tanh(both)).squeeze(-1)
        return scores


def make_scores(kind: str, query_width: int, key_width: int, hidden: int) -> nn.Module:
    """Return a scoring function with the methods `project` and `compare`.

    Args:
        query_width: D_q.
        key_width: D_k, equal to D_q for dot products.
        hidden: width of the hidden layer of additive scores.
    """
    if kind not in KINDS:
        raise OptionError(f"attention={kind!r}: expected one of {', '.join(KINDS)}")
    if kind in ("dot", "scaled"):
        if query_width != key_width:
            raise OptionError(
                f"attention={kind!r}: the decoder's states have {query_width} numbers and the encoder's {key_width}; "
                "expected as many, or attention='general'"
            )
        return DotScores(scaled=kind == "scaled")
    if kind == "general":
        return MultiplicativeScores(query_width, key_width)
    return AdditiveScores(query_width, key_width, hidden)


def attention_weights(scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    """Return the softmax of (..., T, S) scores over the keys that the mask allows.

    Args:
        scores: (..., T, S).
        mask: True where a query may attend, broadcasting to `scores`; None for everywhere.

    Returns:
        (..., T, S) weights that sum to 1, exactly 0 where the mask is False; all 0 if it is False for every key.
    """
    weights = mask_scores(scores, mask).softmax(-1)
    return weights if mask is None else weights * mask


class Attention(nn.Module):
    """One head of attention with any scoring function, without parameters of its own.

    Args:
        scores: a scoring function of this module, or any other function of queries and keys.
    """

    def __init__(self, scores: Scores) -> None:
        super().__init__()
        self.scores = scores

    def forward(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T, D_v) attention output and (B, T, S) weights.

        Args:
            queries: (B, T, D_q).
            keys: (B, S, D_k).
            values: (B, S, D_v).
            mask: True where a query may attend, broadcasting to (B, T, S).
        """
        weights = attention_weights(self.scores(queries, keys), mask)
        return weights @ values, weights
