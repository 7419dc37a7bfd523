"""Models that see a fixed number of words, read as streams: their state is the words that the next window needs."""

import torch

from firth.neural.layers.state import State


def windows(ids: torch.Tensor, state: State, before: int, begin: int) -> tuple[torch.Tensor, State]:
    """Return ids with those before them that complete the first window.

    Args:
        ids: (B, T) int64.
        state: (B, before - 1) the ids just before, or None for a fresh start.
        before: how many ids a window holds.
        begin: the id that stands before a fresh text, as often as needed.

    Returns:
        (B, T + before - 1), of which [:, t:t + before] is the window that ends with ids[:, t]; and the next state.
    """
    past = ids.new_full((len(ids), before - 1), begin) if state is None else state
    whole = torch.cat([past, ids], 1)
    return whole, whole[:, whole.shape[1] - (before - 1) :]
