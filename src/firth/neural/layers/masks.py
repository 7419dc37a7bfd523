"""Attention masks: boolean, True where a query may attend, broadcasting to (B, T, S) or (B, heads, T, S)."""

import torch


def padding_mask(lengths: torch.Tensor, steps: int) -> torch.Tensor:
    """Return a (B, 1, S) mask that hides padding.

    Args:
        lengths: (B,) int64, tokens of each sequence.
        steps: S, the padded length; padding is on the right.
    """
    return (torch.arange(steps, device=lengths.device) < lengths[:, None])[:, None]


def inside_of(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return (B, T), True at tokens and False at padding, for (B, T, ...) x and (B,) lengths."""
    return torch.arange(x.shape[1], device=x.device) < lengths.to(x.device).unsqueeze(1)


def causal_mask(
    steps: int, *, before: int = 0, context: int | None = None, device: torch.device | None = None
) -> torch.Tensor:
    """Return a (T, before + T) mask that hides later keys, and keys outside the context.

    Args:
        steps: T queries; the last is at the position of the last key.
        context: maximum number of keys per query, with its own; None for no limit.
    """
    queries = torch.arange(before, before + steps, device=device)[:, None]
    keys = torch.arange(before + steps, device=device)
    visible = keys <= queries
    return visible if context is None else visible & (keys > queries - context)


def mask_scores(scores: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Return (..., T, S) scores with the lowest finite number where the mask is False; None masks nothing.

    The number is finite because a row of minus infinities would give 0 / 0, and a gradient of NaN that no later
    multiplication by zero removes.
    """
    return scores if mask is None else scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
