"""The module of a tagger: an encoder, and a head for each target."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from firth.neural.models.tags.encoders import TagEncoder, WindowEncoder
from firth.neural.models.tags.heads import TagHead, inside_of
from firth.neural.models.tags.margin import margin_losses, replacements
from firth.neural.models.tokens.reader import TokenInputs


class TaggerModule(nn.Module):
    """An encoder and a head for each target.

    Args:
        encoder: sentences to vectors of words.
        heads: of the targets, in their order.
        margin: of max-margin training; None for the losses of the heads.

    Attributes:
        encoder, margin: as given.
        heads: as given.
    """

    def __init__(self, encoder: TagEncoder, heads: list[TagHead], *, margin: float | None = None) -> None:
        super().__init__()
        self.encoder, self.heads, self.margin = encoder, nn.ModuleList(heads), margin

    @property
    def target_heads(self) -> list[TagHead]:
        """The heads of the targets."""
        return [head for head in self.heads if isinstance(head, TagHead)]

    def forward(self, inputs: TokenInputs) -> list[torch.Tensor]:
        """Return of each target the (B, T, K) scores of its tags."""
        h = self.encoder(inputs)
        return [head(h) for head in self.target_heads]

    def losses(self, inputs: TokenInputs, tags: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Return the (B,) losses of sentences, summed over their words and over the targets.

        Args:
            inputs: B sentences.
            tags: of each target (B, T) numbers of tags.
        """
        if self.margin is not None:
            return self._margin_losses(inputs, tags, self.margin)
        found = zip(self.target_heads, self(inputs), tags, strict=True)
        parts = [head.loss(scores, y, inputs.lengths) for head, scores, y in found]
        return torch.stack(parts).sum(0)

    def _margin_losses(self, inputs: TokenInputs, tags: tuple[torch.Tensor, ...], margin: float) -> torch.Tensor:
        weight = next(self.parameters())
        total = weight.new_zeros(len(inputs.words))
        rows = inside_of(inputs.words, inputs.lengths).nonzero()[:, 0]
        for scores, corrupted, y, replaced in self._corrupted(inputs, tags):
            total = total.index_add(0, rows, margin_losses(scores, corrupted, y, replaced, margin))
        return total

    def ranked(self, inputs: TokenInputs, tags: tuple[torch.Tensor, ...]) -> tuple[int, int]:
        """Return how many windows score above a corrupted one for the tag of their middle word, and how many there are.

        Args:
            inputs: B sentences.
            tags: of each target (B, T) numbers of tags.
        """
        right = count = 0
        for scores, corrupted, y, replaced in self._corrupted(inputs, tags):
            at = y.unsqueeze(1)
            higher = (scores.gather(1, at) > corrupted.gather(1, at)).squeeze(1)
            right, count = right + int(higher[replaced].sum()), count + int(replaced.sum())
        return right, count

    def _corrupted(self, inputs: TokenInputs, tags: tuple[torch.Tensor, ...]) -> Iterator[tuple[torch.Tensor, ...]]:
        """Yield of each target (N, K) scores, those of corrupted windows, (N,) tags, and which windows were changed."""
        encoder: Any = self.encoder
        assert isinstance(encoder, WindowEncoder), "the options allow a margin for windows only"
        x = encoder.words(inputs)
        inside = inside_of(x, inputs.lengths)
        z, flat = encoder.sums(x, inputs.lengths)[inside], x[inside]  # (N, H), (N, D)
        for head, target in zip(self.target_heads, tags, strict=True):
            y = target[inside]
            others, replaced = replacements(y, inputs.words[inside])
            corrupted = z + encoder.change(flat[others] - flat)
            yield head(encoder.activated(z)), head(encoder.activated(corrupted)), y, replaced
