"""Pooling: one vector from the hidden states of a padded sequence.

What: the mean of the states, their maximum in each dimension, the last state, or the mean weighted by attention to the
    last state. With parameters: weighted means by learned attention; the k greatest numbers in each dimension.
Objective: for the T states h_t of a sequence, each (D,),

    mean       (1 / T) sum_t h_t
    max        max_t h_t, in each dimension
    last       h_T
    attention  sum_t a_t h_t,      a = softmax_t(h_t . h_T / sqrt(D))
    learned    sum_t a_t h_t,      a = softmax_t(v . tanh(W h_t + b)); with r rows v, r such sums (structured)
    k-max      the k greatest of h_1 ... h_T in each dimension, in the order of t; zeros where T < k

Source: Conneau et al. 2017, "Supervised learning of universal sentence representations", section 3.2 (mean, max, last);
    Vaswani et al. 2017, section 3.2.1 (scaled dot-product attention); Yang et al. 2016, section 2.2, equations 5 to 7,
    and Lin et al. 2017, section 2 (learned attention, structured); Kalchbrenner, Grefenstette and Blunsom 2014, section
    3.2 (k-max).
Departures: "attention" has no parameters, so that it serves models that were not trained for it: the last state, which
    has read the whole text, is the query, and the states are keys and values. Structured attention is without the
    penalty on the overlap of its rows.
Cost: O(T D) per sequence; O(T D A) for learned attention with a hidden layer of width A.
"""

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.attention import attention_weights, scaled_dot_scores
from firth.neural.layers.masks import mask_scores, padding_mask

POOLINGS = ("mean", "last", "max", "attention")
TRAINED_POOLINGS = ("max", "mean", "last", "attention", "structured")  # of models that learn from labels
ATTENTION_WIDTH, ROWS = 100, 4  # A; weighted means of structured attention


def check_pooling(pooling: str) -> None:
    """Check the name of a pooling."""
    if pooling not in POOLINGS:
        raise OptionError(f"pooling={pooling!r}: expected one of {', '.join(POOLINGS)}")


def pooled(hidden: torch.Tensor, lengths: torch.Tensor, pooling: str) -> torch.Tensor:
    """Return one vector per sequence, (B, D); zeros for an empty sequence.

    Args:
        hidden: (B, T, D) states; those after a sequence's end have no influence, whatever they are.
        lengths: (B,) int64 number of states of each sequence, at most T.
        pooling: "mean", "last", "max" or "attention".
    """
    check_pooling(pooling)
    if not hidden.shape[1]:
        return hidden.new_zeros(hidden.shape[0], hidden.shape[2])
    mask = padding_mask(lengths, hidden.shape[1])  # (B, 1, T)
    inside = mask.transpose(1, 2)  # (B, T, 1)
    if pooling == "max":
        greatest = hidden.masked_fill(~inside, -torch.inf).amax(1)
        return torch.where(lengths[:, None] > 0, greatest, 0.0)
    states = hidden.masked_fill(~inside, 0.0)
    if pooling == "mean":
        return states.sum(1) / lengths.clamp(min=1)[:, None]
    rows = torch.arange(len(states), device=states.device)
    last = states[rows, (lengths - 1).clamp(min=0)]  # (B, D)
    if pooling == "last":
        return last
    weights = attention_weights(scaled_dot_scores(last[:, None], states), mask)  # (B, 1, T)
    return (weights @ states)[:, 0]


class Pooling(nn.Module):
    """Pooling of a model that learns from labels; its attention is learned.

    Args:
        kind: a name of `TRAINED_POOLINGS`.
        width: D.

    Attributes:
        width: of the result: D, or r D for structured attention.
    """

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        if kind not in TRAINED_POOLINGS:
            raise OptionError(f"pooling={kind!r}: expected one of {', '.join(TRAINED_POOLINGS)}")
        self.kind, rows = kind, {"attention": 1, "structured": ROWS}.get(kind, 0)
        self.hidden = nn.Linear(width, ATTENTION_WIDTH) if rows else None
        self.rows = nn.Linear(ATTENTION_WIDTH, rows, bias=False) if rows else None
        self.width = max(rows, 1) * width

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, D') vectors of (B, T, D) x and (B,) lengths."""
        if self.rows is None:
            return pooled(x, lengths, self.kind)
        states = x.masked_fill(~padding_mask(lengths, x.shape[1]).transpose(1, 2), 0.0)
        return (self.weights(states, lengths) @ states).flatten(1)

    def weights(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, r, T) attention weights that sum to 1, exactly 0 at padding."""
        assert self.hidden is not None
        assert self.rows is not None
        scores = self.rows(torch.tanh(self.hidden(x))).transpose(1, 2)  # (B, r, T)
        return attention_weights(scores, padding_mask(lengths, x.shape[1]))


def k_max(x: torch.Tensor, lengths: torch.Tensor, k: int) -> torch.Tensor:
    """Return (B, k, D), the k greatest numbers of each dimension in the order of the steps.

    Args:
        x: (B, T, D).
        lengths: (B,) int64, steps of each sequence; of fewer than k, zeros follow.
    """
    x = nn.functional.pad(x, (0, 0, 0, max(0, k - x.shape[1])))
    inside = padding_mask(lengths, x.shape[1]).transpose(1, 2)  # (B, T, 1)
    # Not topk: which of equal numbers it returns depends on the number of steps, that is, on the padding.
    order = mask_scores(x, inside).sort(dim=1, descending=True, stable=True).indices
    return x.masked_fill(~inside, 0.0).gather(1, order[:, :k].sort(1).values)
