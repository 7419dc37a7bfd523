"""Scheduled sampling in encoder-decoders: in training, the decoder reads a part of its own words.

What
    A recurrent decoder goes step by step: each step reads the true word before, or the decoder's own. A transformer
    reads all steps twice: its own words come from a first pass over the true ones.
Objective
    Inputs of `layers.scheduled_sampling`: a draw, the mean of all word vectors under the distribution of the step
    before (soft), or the same with Gumbel noise.
Source
    Bengio, Vinyals, Jaitly and Shazeer 2015; Goyal, Dyer and Berg-Kirkpatrick 2017 (differentiable); Mihaylova and
    Martins 2019, section 3 (two passes of a transformer).
Departures
    Words that only a source has, of a decoder that copies, are read as unknown words, as in a search.
Cost
    One call of a recurrent decoder per step, or two passes of a transformer, and the output layer a second time.
"""

from collections.abc import Callable
from typing import Any

import torch

from firth.neural.layers.scheduled_sampling import Feeding, mixed_inputs
from firth.neural.layers.state import State

# (B, t, D) inputs, (B, t, H) hidden states and (B, t, S) attention to (B, t, V) log-probabilities
Score = Callable[[torch.Tensor, torch.Tensor, torch.Tensor | None], torch.Tensor]


def read_own_words(
    decoder: Any, score: Score, x: torch.Tensor, words: torch.Tensor, memory: Any, state: State, feeding: Feeding
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Return the (B, T, D) inputs that were read, (B, T, H) hidden states, and (B, T, S) attention if it is known.

    Args:
        decoder: implements `firth.neural.models.translation.decoders.Decoder`.
        score: log-probabilities of the words that follow.
        x: (B, T, D) vectors of the true words before each step.
        words: (V, D) the vector of each word.
        memory: what the decoder looks at.
        state: its first state.
        feeding: the inputs.
    """
    if not decoder.sequential:
        hidden, weights, _ = decoder.read(x, memory, state)
        scores = score(x[:, :-1], hidden[:, :-1], weights)
        x = torch.cat([x[:, :1], mixed_inputs(x[:, 1:], scores, words, feeding)], 1)
        hidden, weights, _ = decoder.read(x, memory, state)
        return x, hidden, weights
    inputs, outputs, attention = [x[:, :1]], list[torch.Tensor](), list[torch.Tensor]()
    for following in range(1, x.shape[1] + 1):
        hidden, weights, state = decoder.read(inputs[-1], memory, state)
        outputs.append(hidden)
        attention.append(weights)
        if following < x.shape[1]:
            scores = score(inputs[-1], hidden, weights)
            inputs.append(mixed_inputs(x[:, following : following + 1], scores, words, feeding))
    return torch.cat(inputs, 1), torch.cat(outputs, 1), torch.cat(attention, 1)
