"""torch's recurrent kernels, called with a layer's weights: oneDNN's on the CPU, cuDNN's on CUDA.

On processors without AVX-512 or AMX, oneDNN has no LSTM in bf16, and torch has no other. Under bf16 autocast the layer
then computes in float32; products outside of LSTM layers stay in bf16.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

KERNELS: dict[str, Callable[..., Any]] = {"rnn": torch.rnn_tanh, "lstm": torch.lstm, "gru": torch.gru}

States = tuple[torch.Tensor, ...]


def run_torch(
    kind: str, x: torch.Tensor, weights: Sequence[torch.Tensor], start: States, lengths: torch.Tensor | None = None
) -> tuple[torch.Tensor, States]:
    """Take all steps of one layer in one direction.

    Args:
        kind: "rnn", "lstm" or "gru".
        x: (B, T, D).
        weights: weight_ih, weight_hh, bias_ih and bias_hh, in torch's order of gates.
        start: the state, (B, H) each.
        lengths: (B,) int64 on the CPU, steps of each sequence, at least 1; None where all have T.

    Returns:
        (B, T, H) outputs, zero past a sequence's end, and the state at its end.
    """
    if kind == "lstm" and x.device.type == "cpu" and torch.is_autocast_enabled("cpu") and not has_bf16_lstm():
        with torch.autocast("cpu", enabled=False):
            start = tuple(part.float() for part in start)
            return _run(kind, x.float(), [weight.float() for weight in weights], start, lengths)
    return _run(kind, x, weights, start, lengths)


@functools.cache
def has_bf16_lstm() -> bool:
    """Whether oneDNN runs an LSTM in bf16 on this processor."""
    state, weight, bias = torch.zeros(1, 1, 8), torch.zeros(32, 8), torch.zeros(32)
    try:
        with torch.autocast("cpu", torch.bfloat16):
            torch.lstm(state, [state, state], [weight, weight, bias, bias], True, 1, 0.0, False, False, True)
    except RuntimeError:
        return False
    return True


def _run(
    kind: str, x: torch.Tensor, weights: Sequence[torch.Tensor], start: States, lengths: torch.Tensor | None
) -> tuple[torch.Tensor, States]:
    options = (True, 1, 0.0, True, False)  # biases, one layer, no dropout, training, one direction
    if lengths is None:
        y, *ends = KERNELS[kind](x, _first(start), list(weights), *options, True)
        return y, tuple(end[0] for end in ends)
    sequences = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    order, back = sequences.sorted_indices, sequences.unsorted_indices
    assert order is not None, "sequences were sorted"
    assert back is not None, "sequences were sorted"
    start = tuple(part.index_select(0, order) for part in start)
    y, *ends = KERNELS[kind](sequences.data, sequences.batch_sizes, _first(start), list(weights), *options)
    y, _ = pad_packed_sequence(sequences._replace(data=y), batch_first=True, total_length=x.shape[1])
    return y, tuple(end[0].index_select(0, back) for end in ends)


def _first(start: States) -> Any:
    """The state as the kernels expect it: with an axis for layers; a single tensor without a list."""
    layered = [part.unsqueeze(0).contiguous() for part in start]
    return layered if len(layered) > 1 else layered[0]
