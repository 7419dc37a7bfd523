"""Transformer blocks along a text: each step sees what came before it, in one pass or step by step.

What: a stack with the interface of the recurrent one, whose state is the keys and values of earlier steps. What a
    step sees does not depend on how the text is cut into calls, so that a text read whole, in chunks or word by word
    gives the same outputs.
Objective: a step of a layer attends to itself and to steps before it, C = `context` in all at most.
    Relative, rotary and no positions: the window slides. Step t of a layer attends to steps t - C + 1 ... t of the
    layer below, each of which was made from a window of its own, so that an output depends on the last L (C - 1) + 1
    steps in a stack of L layers. The limit is one of each layer, as in Transformer-XL (Dai et al. 2019, section 3.2).
    Added positions, learned or sinusoidal, end after C places: then the last C / 2 steps are read anew from place 0,
    and an output depends on C / 2 + 1 to C steps, however many layers there are.
Source: Vaswani et al. 2017, section 3.2.3 (causal); Dai et al. 2019, section 3.2 (states carried over segments).
Departures: keys and values are kept, not the layer's inputs; in training they are those of the weights of the step
    before. Dai et al. let the first step of a segment see less than the last; here all see C.
Cost: O(T D^2 + T C D) a layer; added positions read each step twice when the text is longer than C.
"""

from collections.abc import Sequence

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.masks import causal_mask
from firth.neural.layers.state import State
from firth.neural.layers.transformer import BlockShape, added_positions, blocks

_Memory = tuple[torch.Tensor | None, torch.Tensor | None]  # what is looked at, and where that is allowed
_Caches = Sequence[torch.Tensor | None]  # (B, P, 2 D) a block, or None


class TransformerStack(nn.Module):
    """Causal blocks with their caches as state.

    Args:
        shape: what the blocks have in common.
        layers: how many.
        context: C, the most steps that a step of a layer attends to, itself among them.
        positions: as in `firth.neural.layers.transformer.added_positions`.
        memory: whether the blocks look at a memory, as decoders do.

    Attributes:
        width: D of inputs and outputs.
        reach: the most steps that an output depends on, its own among them.
        slides: whether the state serves every step with all of its context, so that training may carry it.

    Raises:
        OptionError: the context is below 1, or positions have no such name.
    """

    def __init__(
        self, shape: BlockShape, layers: int, *, context: int, positions: str = "learned", memory: bool = False
    ) -> None:
        super().__init__()
        if context < 1:
            raise OptionError(f"context={context}: expected at least 1 step")
        self.width, self.context = shape.width, context
        self.positions = added_positions(positions, shape.width, context)
        self.slides = self.positions is None
        self.reach = layers * (context - 1) + 1 if self.slides else context
        self.blocks = blocks(shape, layers, memory=memory, positions=positions)
        self.norm = nn.LayerNorm(shape.width) if shape.norm == "pre" else nn.Identity()
        self.dropout = Dropout(shape.dropout)

    def forward(
        self,
        x: torch.Tensor,
        state: State = None,
        *,
        memory: torch.Tensor | None = None,
        memory_mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, State]:
        """Return outputs of further steps and the state after them.

        Args:
            x: (B, T, D).
            state: after the steps before, or None for a fresh start; a tuple of tensors, the batch first.
            memory: (B, S, D), for blocks that look at one; the same in every call.
            memory_mask: True where steps may look at the memory, broadcasting to (B, T, S).

        Returns:
            (B, T, D) and the state.
        """
        looked_at = (memory, memory_mask)
        if self.slides:
            return self._slid(x, state, looked_at)
        outputs = []
        while x.shape[1]:
            past = 0 if state is None else state[0].shape[1]
            if past == self.context:  # no place is left: what the next step is to see is read anew from place 0
                past = self.context // 2
                state = self._placed(state[0][:, -past:], None, looked_at)[1] if past else None
            output, state = self._placed(x[:, : self.context - past], state, looked_at)
            outputs.append(output)
            x = x[:, self.context - past :]
        return (outputs[0] if len(outputs) == 1 else torch.cat(outputs, 1)), state

    def _placed(self, x: torch.Tensor, state: State, looked_at: _Memory) -> tuple[torch.Tensor, State]:
        """Steps that fit into the places left; the state is their inputs, then the caches."""
        caches = [None] * len(self.blocks) if state is None else state[1:]
        past = 0 if state is None else state[0].shape[1]
        inputs = x if state is None else torch.cat((state[0], x), 1)
        assert self.positions is not None
        mask = None if past == 0 or x.shape[1] == 1 else causal_mask(x.shape[1], before=past, device=x.device)
        output, seen = self._through(self.positions(x, past), caches, mask, past == 0, looked_at)
        return output, (inputs, *seen)

    def _slid(self, x: torch.Tensor, state: State, looked_at: _Memory) -> tuple[torch.Tensor, State]:
        caches = [None] * len(self.blocks) if state is None else state
        past = 0 if state is None else state[0].shape[1]
        whole = past == 0 and x.shape[1] <= self.context
        mask = None
        if not whole and x.shape[1] > 1:
            mask = causal_mask(x.shape[1], before=past, context=self.context, device=x.device)
        output, seen = self._through(x, caches, mask, whole, looked_at)
        kept = min(self.context - 1, seen[0].shape[1])
        return output, tuple(cache[:, cache.shape[1] - kept :] for cache in seen)

    def _through(
        self,
        x: torch.Tensor,
        caches: _Caches,
        mask: torch.Tensor | None,
        causal: bool,
        looked_at: _Memory,
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        x, seen = self.dropout(x), []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, kept = block(x, cache, mask, causal=causal, memory=looked_at[0], memory_mask=looked_at[1])
            seen.append(kept)
        return self.norm(x), seen
