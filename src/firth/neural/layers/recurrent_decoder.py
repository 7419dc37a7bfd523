"""A recurrent decoder with attention: input feeding, local attention, coverage, intra-attention.

What
    A recurrent stack reads the embeddings of the words before. Its state looks at the encoder's states, and both make
    the attentional state, from which the next word is predicted.
Objective
    h_t = stack([x_t; a_t-1]),   c_t = sum_s alpha_ts m_s,   a_t = tanh(W [c_t; h_t])
    alpha_t = softmax_s score(h_t, m_s), of `layers.attention`; a_t-1 enters with input feeding only. Local attention
    looks at the positions within D of p_t, monotonic p_t = t or predicted p_t = S sigma(v . tanh(U h_t)), the latter
    times exp(-(s - p_t)^2 / (D^2 / 2)). Coverage adds w sum_t' alpha_t's to the projected key of m_s, t' < t. With
    intra-attention, of `layers.intra_attention`, scores also depend on those of earlier steps, and a context of the
    decoder's own states enters a_t = tanh(W [c_t; h_t; d_t]).
Source
    Luong, Pham and Manning 2015, sections 3.1 (global), 3.2 (local) and 3.3 (input feeding); Bahdanau, Cho and Bengio
    2015 (additive scores); See, Liu and Manning 2017, section 2.3, equation 11 (coverage); Paulus, Xiong and Socher
    2018, section 2 (intra-attention).
Departures
    Scores are of h_t also where they are additive: Bahdanau et al. use h_t-1. Without attention a_t = h_t.
Cost
    Without input feeding and coverage all steps are computed at once. With input feeding, the steps of one LSTM layer
    are `layers.attentional_steps`; other stacks, coverage, predicted windows and intra-attention take one call of the
    stack per step.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.attention import attention_weights, make_scores
from firth.neural.layers.attentional_steps import StepWeights, attentional_steps
from firth.neural.layers.dropout import Dropout, Dropouts
from firth.neural.layers.intra_attention import NOTHING, IntraDecoderAttention, IntraState, temporal_scores
from firth.neural.layers.prepared_step import PreparedStep
from firth.neural.layers.products import linear
from firth.neural.layers.recurrent import RecurrentStack
from firth.neural.layers.state import State

LOCAL = ("none", "monotonic", "predictive")


class Memory(NamedTuple):
    """What a decoder looks at; P sequences of S states, each for B / P consecutive rows of what it reads.

    Attributes:
        states: (P, S, M), of the encoder.
        projected: (P, S, K) their keys.
        values: (P, S, H) their part of the attentional state; without columns where it is not computed beforehand.
        inside: (P, S) False at padding.
    """

    states: torch.Tensor
    projected: torch.Tensor
    values: torch.Tensor
    inside: torch.Tensor


class DecoderState(NamedTuple):
    """State of a decoder between steps.

    Attributes:
        recurrent: of the stack.
        fed: (B, H) attentional state of the step before.
        coverage: (B, S) sum of the attention of all steps before.
        step: (B,) int64 number of the next step.
        intra: of intra-attention.
    """

    recurrent: State
    fed: torch.Tensor
    coverage: torch.Tensor
    step: torch.Tensor
    intra: Any = None


Reader = Callable[[torch.Tensor, Memory, DecoderState], tuple[torch.Tensor, torch.Tensor, DecoderState]]


class RecurrentDecoder(nn.Module):
    """A recurrent decoder.

    Args:
        width_in: D, width of the embeddings.
        hidden: H, width of the states.
        memory_width: M, width of the encoder's states.
        cell: "lstm", "gru", "rnn" or "qrnn".
        attention: "none", or a kind of score: "dot", "scaled", "general", "additive".
        input_feeding: whether the attentional state of a step enters the next.
        local: "none", "monotonic" or "predictive".
        coverage: whether the attention of earlier steps enters the scores.
        intra_temporal: whether scores of earlier steps lower the scores (intra-temporal attention).
        intra_decoder: whether the decoder also looks at its own earlier states.
        dropout: rate on embeddings, between layers and on attentional states.

    Attributes:
        width: H.
        covering: whether coverage enters the scores, if there is coverage: a first phase of training may leave it out.
    """

    def __init__(
        self,
        width_in: int,
        hidden: int,
        memory_width: int,
        *,
        layers: int = 1,
        cell: str = "lstm",
        attention: str = "general",
        input_feeding: bool = True,
        local: str = "none",
        window: int = 10,
        coverage: bool = False,
        intra_temporal: bool = False,
        intra_decoder: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if local not in LOCAL:
            raise OptionError(f"local={local!r}: expected one of {', '.join(LOCAL)}")
        if attention == "none" and (input_feeding or coverage or intra_temporal or intra_decoder or local != "none"):
            raise OptionError(
                "attention='none' with input_feeding, coverage, local or intra-attention: these need attention"
            )
        self.width, self.input_feeding, self.local, self.window = hidden, input_feeding, local, window
        self._width_in = width_in
        between = Dropouts(layers=dropout)
        self.stack = RecurrentStack(width_in + hidden * input_feeding, hidden, layers, cell=cell, dropout=between)
        self.dropout = Dropout(dropout)
        self.covering = coverage
        plain = local != "predictive" and not intra_temporal and not intra_decoder
        self._can_be_fast = input_feeding and cell == "lstm" and layers == 1 and plain
        self.kind = attention
        self.attention: Any = None if attention == "none" else make_scores(attention, hidden, memory_width, hidden)
        read = memory_width + hidden * (1 + intra_decoder)
        self.combine = None if attention == "none" else nn.Linear(read, hidden, bias=False)
        self.intra_temporal = intra_temporal
        self.intra_decoder = IntraDecoderAttention(hidden) if intra_decoder else None
        key_width = {"additive": hidden, "general": hidden}.get(attention, memory_width)
        self.coverage = nn.Parameter(torch.zeros(key_width)) if coverage else None
        if local == "predictive":
            self.position = nn.Sequential(
                nn.Linear(hidden, hidden, bias=False), nn.Tanh(), nn.Linear(hidden, 1, bias=False)
            )

    @property
    def fast(self) -> bool:
        """Whether the steps are those of `layers.attentional_steps`."""
        return self._can_be_fast and not (self.covering and self.coverage is not None)

    def remember(self, states: torch.Tensor, lengths: torch.Tensor) -> Memory:
        """Return the memory of (B, S, M) encoder states with (B,) lengths."""
        inside = torch.arange(states.shape[1], device=states.device) < lengths.to(states.device)[:, None]
        values = states[:, :, :0]
        if self.fast and self.combine is not None:
            values = linear(states, self.combine.weight[:, : states.shape[2]])
        return Memory(states, states if self.attention is None else self.attention.project(states), values, inside)

    def start(self, memory: Memory, recurrent: State) -> DecoderState:
        """Return the first state; `recurrent` is that of the stack."""
        B, S = memory.inside.shape
        zeros, step = memory.states.new_zeros, torch.zeros(B, dtype=torch.int64, device=memory.states.device)
        intra = IntraState(zeros(B, S * self.intra_temporal) + NOTHING, zeros(B, 0, self.width))
        return DecoderState(recurrent, zeros(B, self.width), zeros(B, S), step, intra)

    def forward(
        self, x: torch.Tensor, memory: Memory, state: DecoderState
    ) -> tuple[torch.Tensor, torch.Tensor, DecoderState]:
        """Return (B, T, H) attentional states, (B, T, S) weights, and the state after T steps.

        Args:
            x: (B, T, D) embeddings of the words before each step.
            memory: of the encoder; P = B but in searches.
            state: of the previous call, or from `start`.
        """
        x = self.dropout(x)
        if self.fast:
            return self._fast_steps(x, memory, state)
        if not self.input_feeding and (self.coverage is None or not self.covering):
            return self._steps(x, memory, state)
        outputs, weights = [], []
        for step in x.unbind(1):
            output, weight, state = self._steps(step[:, None], memory, state)
            outputs.append(output)
            weights.append(weight)
        return torch.cat(outputs, 1), torch.cat(weights, 1), state

    def prepared(self) -> Reader:
        """Return what takes a step of a search as `forward` does, without gradients, with the weights as they are now.

        x is (B, 1, D).
        """
        if not self.fast or self.training:  # with dropout
            return self
        step, D = PreparedStep(*self._inputs(), self._step_weights()), self._width_in

        def read(
            x: torch.Tensor, memory: Memory, state: DecoderState
        ) -> tuple[torch.Tensor, torch.Tensor, DecoderState]:
            x = x.reshape(-1, D)
            before = state.recurrent[0] if state.recurrent else (torch.zeros_like(state.fed),) * 2
            inside = memory.inside
            if self.local == "monotonic":
                inside = _window(_of_rows(inside, len(x)), state.step, 1, self.window)[:, 0]
            attention, (h, c, fed) = step(x, self._keys(memory), memory.values, inside, (*before, state.fed))
            covered = state.coverage + attention
            after = DecoderState(((h, c),), fed, covered, state.step + 1, state.intra)
            return fed[:, None], attention[:, None], after

        return read

    def _inputs(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the (4 H, D) weight of the embeddings, and the biases."""
        layer: Any = self.stack.layers[0]
        return layer.weight_ih[:, : self._width_in], layer.bias_ih + layer.bias_hh

    def _step_weights(self) -> StepWeights:
        assert self.combine is not None, "input feeding needs attention"
        layer: Any = self.stack.layers[0]
        query, score = None, None
        if self.kind == "additive":
            query, score = self.attention.query.weight, self.attention.value.weight[0]
        recurrent = torch.cat([layer.weight_hh, layer.weight_ih[:, self._width_in :]], 1)
        return StepWeights(recurrent, self.combine.weight[:, -self.width :], query, score)

    def _keys(self, memory: Memory) -> torch.Tensor:
        return memory.projected / math.sqrt(self.width) if self.kind == "scaled" else memory.projected

    def _fast_steps(
        self, x: torch.Tensor, memory: Memory, state: DecoderState
    ) -> tuple[torch.Tensor, torch.Tensor, DecoderState]:
        B, T, H = *x.shape[:2], self.width
        projected = linear(x.transpose(0, 1), *self._inputs())
        h, c = state.recurrent[0] if state.recurrent else (x.new_zeros(B, H), x.new_zeros(B, H))
        mask = self.dropout.mask(memory.states, (T, B, H))
        visible = inside = _of_rows(memory.inside, B)
        if self.local == "monotonic":
            visible = _window(inside, state.step, T, self.window).transpose(0, 1)
        outputs, attention, (h, c, fed) = attentional_steps(
            projected, self._keys(memory), memory.values, visible, mask, self._step_weights(), (h, c, state.fed)
        )
        attention = attention.transpose(0, 1)
        state = DecoderState(((h, c),), fed, state.coverage + attention.sum(1), state.step + T, state.intra)
        return outputs.transpose(0, 1), attention, state

    def _steps(
        self, x: torch.Tensor, memory: Memory, state: DecoderState
    ) -> tuple[torch.Tensor, torch.Tensor, DecoderState]:
        """As `forward`, without input feeding and coverage between the steps."""
        if self.input_feeding:
            x = torch.cat([x, state.fed[:, None]], 2)
        outputs, recurrent = self.stack(x, state.recurrent)
        step = state.step + x.shape[1]
        if self.attention is None or self.combine is None:
            weights = memory.states.new_zeros(*outputs.shape[:2], memory.states.shape[1])
            return self.dropout(outputs), weights, state._replace(recurrent=recurrent, step=step)
        sums, before = state.intra
        weights, sums = self._weights(outputs, memory, state, sums)
        context = _shared(weights, memory) @ memory.states
        read = [context.view(*weights.shape[:2], -1), outputs]
        if self.intra_decoder is not None:
            own, before = self.intra_decoder(outputs, before)
            read.append(own)
        attentional = self.dropout(torch.tanh(self.combine(torch.cat(read, 2))))
        covered = state.coverage + weights.sum(1)
        return attentional, weights, DecoderState(recurrent, attentional[:, -1], covered, step, (sums, before))

    def _weights(
        self, queries: torch.Tensor, memory: Memory, state: DecoderState, sums: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T, S) attention weights of (B, T, H) queries, and the sums of intra-temporal attention."""
        assert self.attention is not None
        (B, T), inside = queries.shape[:2], _of_rows(memory.inside, len(queries))
        if self.coverage is not None and self.covering:
            projected = _of_rows(memory.projected, B) + state.coverage[:, :, None] * self.coverage
            scores = self.attention.compare(queries, projected)
        else:
            scores = self.attention.compare(_shared(queries, memory), memory.projected).view(B, T, -1)
        if self.intra_temporal:
            scores, sums = temporal_scores(scores, sums)
        visible = inside[:, None]
        if self.local == "none":
            return attention_weights(scores, visible), sums
        if self.local == "monotonic":
            return attention_weights(scores, _window(inside, state.step, T, self.window)), sums
        positions = torch.arange(scores.shape[2], device=scores.device)
        centre = self.position(queries).sigmoid() * inside.sum(1)[:, None, None]
        away = positions - centre
        weights = attention_weights(scores, visible & (away.abs() <= self.window))
        return weights * torch.exp(-(away**2) / (self.window**2 / 2)), sums


def _window(inside: torch.Tensor, step: torch.Tensor, steps: int, width: int) -> torch.Tensor:
    """Return the (B, T, S) positions within `width` of T steps, of (B, S) positions that are not padding."""
    positions = torch.arange(inside.shape[1], device=step.device)
    every = step[:, None] + torch.arange(steps, device=step.device)
    centre = torch.minimum(every, inside.sum(1, keepdim=True) - 1)[..., None]  # (B, T, 1)
    return inside[:, None] & ((positions - centre).abs() <= width)


def _of_rows(x: torch.Tensor, rows: int) -> torch.Tensor:
    """Return (B, ...) of (P, ...) what each row looks at."""
    return x if len(x) == rows else x.repeat_interleave(rows // len(x), 0)


def _shared(x: torch.Tensor, memory: Memory) -> torch.Tensor:
    """Return (P, B T / P, D) rows that look at the same states, of (B, T, D)."""
    return x.reshape(len(memory.states), -1, x.shape[2])
