"""The best spans of given scores of starts and ends.

What
    All spans of at most L tokens, or the best of them.
Objective
    score(i, j) = s_i + e_j for i <= j < i + L, with the scores s of starts and e of ends.
Source
    Chen, Fisch, Weston and Bordes 2017, section 3.2 (prediction).
Departures
    None.
Cost
    T L sums.
"""

import torch
from torch.nn.functional import pad


def best_spans(starts: torch.Tensor, ends: torch.Tensor, *, longest: int, n: int = 1) -> tuple[torch.Tensor, ...]:
    """Return the n best spans, best first: (B, n) scores, first and last tokens; fewer of texts that have fewer.

    Spans that reach into padding have the score minus infinity.

    Args:
        starts: (B, T) scores, minus infinity at padding.
        ends: (B, T) likewise.
        longest: L, tokens of a span at most.
        n: spans per row.
    """
    rows, steps = starts.shape
    scores = span_scores(starts, ends, longest=longest)
    width, flat_scores = scores.shape[2], scores.reshape(rows, -1)
    best, flat = flat_scores.topk(min(n, flat_scores.shape[1]), dim=1)
    firsts = flat // width
    return best, firsts, (firsts + flat % width).clamp(max=steps - 1)


def span_scores(starts: torch.Tensor, ends: torch.Tensor, *, longest: int) -> torch.Tensor:
    """Return (B, T, L) scores of the spans that start at a token and have 1 to L tokens, L at most T.

    Args:
        starts: (B, T) scores.
        ends: (B, T) likewise.
        longest: L.
    """
    width = min(longest, starts.shape[1])
    return starts.unsqueeze(2) + pad(ends, (0, width - 1), value=-torch.inf).unfold(1, width, 1)
