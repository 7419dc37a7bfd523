"""Causal transformer: each step attends to earlier ones, in one pass over a sequence or step by step.

What: a stack with the interface of the recurrent one; its state is the key-value caches of earlier steps. The context
    of a step does not depend on how the text is cut into calls: a text read whole, in chunks or word by word gives the
    same outputs.
Objective: a step of a layer attends to itself and to earlier steps, C = `context` in all at most.
    Relative, rotary and no positions: a sliding window. Step t of a layer attends to steps t - C + 1 ... t of the layer
    below, each computed from a window of its own, so that in a stack of L layers an output depends on the last
    L (C - 1) + 1 steps. The limit holds per layer, as in Transformer-XL (Dai et al. 2019, section 3.2).
    Added positions, learned or sinusoidal, end after C steps: then the last C / 2 steps are read again from position 0,
    and an output depends on C / 2 + 1 to C steps, whatever the number of layers.
Source: Vaswani et al. 2017, section 3.2.3 (causal); Dai et al. 2019, section 3.2 (state across segments).
Departures: the state is keys and values, not the inputs of layers; in training they are those of the weights before the
    last update. In Dai et al. the first step of a segment has less context than the last; here all have C.
Cost: O(T D^2 + T C D) per layer; added positions read each step twice if the text is longer than C.
"""

from collections.abc import Sequence

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.masks import causal_mask
from firth.neural.layers.state import State
from firth.neural.layers.transformer import TransformerConfig, added_positions, transformer_blocks

Remembered = Sequence[torch.Tensor]  # (B, S, 2 D) per block: keys and values of a memory
_Memory = tuple[Remembered | None, torch.Tensor | None]  # and its mask
_Caches = Sequence[torch.Tensor | None]  # (B, P, 2 D) per block, or None


class TransformerStack(nn.Module):
    """Causal blocks with their key-value caches as state.

    Args:
        context: C, maximum number of steps that a step of a layer attends to, with itself.
        positions: as in `firth.neural.layers.transformer.added_positions`.
        memory: whether the blocks have cross-attention, as in decoders.

    Attributes:
        width: D of inputs and outputs.
        reach: maximum number of steps that an output depends on, with its own.
        slides: whether every step has its full context through the state, so that training may carry it.
    """

    def __init__(
        self, config: TransformerConfig, layers: int, *, context: int, positions: str = "learned", memory: bool = False
    ) -> None:
        super().__init__()
        if context < 1:
            raise OptionError(f"context={context}: expected at least 1 step")
        self.width, self.context = config.width, context
        self.positions = added_positions(positions, config.width, context)
        self.slides = self.positions is None
        self.reach = layers * (context - 1) + 1 if self.slides else context
        self.blocks = transformer_blocks(config, layers, memory=memory, positions=positions)
        self.norm = nn.LayerNorm(config.width) if config.norm == "pre" else nn.Identity()
        self.dropout = Dropout(config.dropout)

    def forward(
        self,
        x: torch.Tensor,
        state: State = None,
        *,
        memory: torch.Tensor | Remembered | None = None,
        memory_mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, State]:
        """Return (B, T, D) outputs of further steps, and the state after them.

        Args:
            x: (B, T, D).
            state: after the steps before, or None; a tuple of tensors, batch first.
            memory: (B, S, D), for cross-attention, the same in every call; or what `remember` returns, so that it is
                projected once.
            memory_mask: True where steps may attend to the memory, broadcasting to (B, T, S).
        """
        cross = (self.remember(memory) if isinstance(memory, torch.Tensor) else memory, memory_mask)
        if self.slides:
            return self._slide(x, state, cross)
        outputs = []
        while x.shape[1]:
            past = 0 if state is None else state[0].shape[1]
            if past == self.context:  # no position is left: read the context of the next step again from position 0
                past = self.context // 2
                state = self._extend(state[0][:, -past:], None, cross)[1] if past else None
            output, state = self._extend(x[:, : self.context - past], state, cross)
            outputs.append(output)
            x = x[:, self.context - past :]
        return (outputs[0] if len(outputs) == 1 else torch.cat(outputs, 1)), state

    def remember(self, memory: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return keys and values of a (B, S, D) memory, (B, S, 2 D) per block."""
        return tuple(block.remember(memory) for block in self.blocks)  # type: ignore[operator]  # a ModuleList of blocks

    def cross_weights(self, x: torch.Tensor, memory: Remembered, memory_mask: torch.Tensor, block: int) -> torch.Tensor:
        """Return the (B, H, T, S) weights of a block's cross-attention at the first T steps, at most C.

        Args:
            x: (B, T, D).
            memory_mask: True where steps may attend to the memory, broadcasting to (B, T, S).
            block: number of the block, from 0.
        """
        x = x if self.positions is None else self.positions(x)
        for layer, remembered in zip(self.blocks[:block], memory, strict=False):
            x, _ = layer(x, causal=True, remembered=remembered, memory_mask=memory_mask)
        weights: torch.Tensor = self.blocks[block].cross_weights(x, memory[block], memory_mask)  # type: ignore[operator]  # a ModuleList of blocks
        return weights

    def _extend(self, x: torch.Tensor, state: State, cross: _Memory) -> tuple[torch.Tensor, State]:
        """Process steps within the remaining positions; the state is (inputs of all steps, cache of each block)."""
        caches = [None] * len(self.blocks) if state is None else state[1:]
        past = 0 if state is None else state[0].shape[1]
        inputs = x if state is None else torch.cat((state[0], x), 1)
        assert self.positions is not None
        mask = None if past == 0 or x.shape[1] == 1 else causal_mask(x.shape[1], before=past, device=x.device)
        output, caches = self._through_blocks(self.positions(x, past), caches, mask, past == 0, cross)
        return output, (inputs, *caches)

    def _slide(self, x: torch.Tensor, state: State, cross: _Memory) -> tuple[torch.Tensor, State]:
        """Process steps with sliding windows; the state is the cache of each block."""
        caches = [None] * len(self.blocks) if state is None else state
        past = 0 if state is None else state[0].shape[1]
        causal = past == 0 and x.shape[1] <= self.context
        mask = None
        if not causal and x.shape[1] > 1:
            mask = causal_mask(x.shape[1], before=past, context=self.context, device=x.device)
        output, caches = self._through_blocks(x, caches, mask, causal, cross)
        size = min(self.context - 1, caches[0].shape[1])
        return output, tuple(cache[:, cache.shape[1] - size :] for cache in caches)

    def _through_blocks(
        self, x: torch.Tensor, caches: _Caches, mask: torch.Tensor | None, causal: bool, cross: _Memory
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        x, extended = self.dropout(x), []
        remembered: Sequence[torch.Tensor | None] = cross[0] or [None] * len(self.blocks)
        for block, cache, keys_values in zip(self.blocks, caches, remembered, strict=True):
            x, cache = block(x, cache, mask, causal=causal, remembered=keys_values, memory_mask=cross[1])
            extended.append(cache)
        return self.norm(x), extended
