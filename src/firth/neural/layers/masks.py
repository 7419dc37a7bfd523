"""Which keys a query may look at: boolean masks, True where it may, that broadcast to (B, T, S) or (B, heads, T, S)."""

import torch


def padding_mask(lengths: torch.Tensor, steps: int) -> torch.Tensor:
    """Return a mask that hides what stands behind the end of each sequence.

    Args:
        lengths: (B,) int64, the real tokens of each.
        steps: S, to which all were padded on the right.

    Returns:
        (B, 1, S) bool, the same for every query.
    """
    return (torch.arange(steps, device=lengths.device) < lengths[:, None])[:, None]


def causal_mask(
    steps: int, *, before: int = 0, context: int | None = None, device: torch.device | None = None
) -> torch.Tensor:
    """Return a mask that hides what comes later, and what is too long ago.

    Args:
        steps: T queries, the last of them at the last key.
        before: keys that stand before the first query.
        context: keys that a query sees at most, its own among them; None for all.
        device: where the mask is needed.

    Returns:
        (T, before + T) bool.
    """
    queries = torch.arange(before, before + steps, device=device)[:, None]
    keys = torch.arange(before + steps, device=device)
    seen = keys <= queries
    return seen if context is None else seen & (keys > queries - context)


def hidden(scores: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Return scores with the lowest finite number wherever a query may not look.

    A finite number, not minus infinity: where nothing may be looked at, infinities would give 0 / 0, and a gradient
    of NaN that no later multiplication by zero takes away.

    Args:
        scores: (..., T, S).
        mask: True where a query may look; None for everywhere.
    """
    return scores if mask is None else scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
