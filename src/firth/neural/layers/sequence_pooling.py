"""Pooling: one vector from the hidden states of a padded sequence.

What: the mean of the states, their maximum in each dimension, the last state, or the mean weighted by attention to the
    last state.
Objective: for the T states h_t of a sequence, each (D,),

    mean       (1 / T) sum_t h_t
    max        max_t h_t, in each dimension
    last       h_T
    attention  sum_t a_t h_t,      a = softmax_t(h_t . h_T / sqrt(D))

Source: Conneau et al. 2017, "Supervised learning of universal sentence representations", section 3.2 (mean, max, last);
    Vaswani et al. 2017, section 3.2.1 (scaled dot-product attention).
Departures: "attention" has no parameters, so that it serves models that were not trained for it: the last state, which
    has read the whole text, is the query, and the states are keys and values. Attention with trained parameters belongs
    to models that learn from labels.
Cost: O(T D) per sequence.
"""

import torch

from firth.errors import OptionError
from firth.neural.layers.attention import attention_weights, scaled_dot_scores
from firth.neural.layers.masks import padding_mask

POOLINGS = ("mean", "last", "max", "attention")


def check_pooling(pooling: str) -> None:
    """Check the name of a pooling.

    Raises:
        OptionError: there is no such pooling.
    """
    if pooling not in POOLINGS:
        raise OptionError(f"pooling={pooling!r}: expected one of {', '.join(POOLINGS)}")


def pooled(hidden: torch.Tensor, lengths: torch.Tensor, pooling: str) -> torch.Tensor:
    """Return one vector per sequence, (B, D); zeros for an empty sequence.

    Args:
        hidden: (B, T, D) states; those after a sequence's end have no influence, whatever they are.
        lengths: (B,) int64 number of states of each sequence, at most T.
        pooling: "mean", "last", "max" or "attention".

    Raises:
        OptionError: there is no such pooling.
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
