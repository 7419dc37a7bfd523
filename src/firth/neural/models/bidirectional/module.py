"""The module of a bidirectional language model."""

from collections.abc import Sequence

import torch
from torch import nn

from firth.neural.layers.bidirectional import reversed_sequences
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.characters import CharacterCNN
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.normalise import Normalise
from firth.neural.layers.output.base import OutputLayer


class BidirectionalModule(nn.Module):
    """A character CNN, a forward and a backward stack of LSTMs, and an output layer for both.

    Layers above the first add their output to their input (residual connections).

    Attributes:
        embedding: ids, or characters, to (..., D) vectors of words, which `norm` normalises.
        forward_layers, backward_layers: the stacks.
    """

    def __init__(
        self,
        words: Sequence[str],
        output: OutputLayer,
        *,
        dim: int,
        layers: int,
        char_dim: int,
        highway: int,
        dropout: float,
        bos: int,
    ) -> None:
        super().__init__()
        self.embedding = CharacterCNN(words, char_dim=char_dim, highway=highway, width=dim, bound=0.5)
        self.norm = Normalise("layer", dim)
        self.forward_layers = nn.ModuleList(RecurrentLayer("lstm", dim, dim) for _ in range(layers))
        self.backward_layers = nn.ModuleList(RecurrentLayer("lstm", dim, dim) for _ in range(layers))
        self.dropout, self.output, self.bos = Dropout(dropout), output, bos

    def states(self, x: torch.Tensor, lengths: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Return of each layer the (B, T + 1, D) states forward and, in the order in which words are read, backward.

        The first state of either has read the end of a sentence only, state k the first k words in its direction.
        States at padding are meaningless.

        Args:
            x: (B, T, D) normalised vectors of words.
            lengths: (B,) int64, at least 1.
        """
        start = self.norm(self.embedding(torch.full((len(x), 1), self.bos, device=x.device))).to(x.dtype)  # (B, 1, D)
        onward = self._through(self.forward_layers, torch.cat([start, x], 1))
        back = self._through(self.backward_layers, torch.cat([start, reversed_sequences(x, lengths)], 1))
        return onward, back

    def _through(self, layers: nn.ModuleList, x: torch.Tensor) -> list[torch.Tensor]:
        found: list[torch.Tensor] = []
        for number, layer in enumerate(layers):
            y, _ = layer(self.dropout(x))
            x = x + y if number else y
            found.append(x)
        return found

    def predictions(
        self, ids: torch.Tensor, lengths: torch.Tensor, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T + 1, D) states that predict, forward and backward, each in the order in which words are read.

        State k predicts word k + 1 in its direction, and the last one of a sentence its end.

        Args:
            ids: (B, T) int64; V + i stands for unknown word i.
            lengths: (B,) int64.
            unknown: (U, C) character ids of unknown words, or None.
        """
        onward, back = self.states(self.norm(self.embedding(ids, unknown)), lengths)
        return self.dropout(onward[-1]), self.dropout(back[-1])

    def layers_of(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, T, L, 2 D) vectors of words, zero at padding: their own, twice, and then layer by layer.

        Args:
            x: (B, T, D) normalised vectors of words.
            lengths: (B,) int64.
        """
        onward, back = self.states(x, lengths)
        found = [torch.cat([x, x], 2)]
        for y, z in zip(onward, back, strict=True):
            found.append(torch.cat([y[:, 1:], reversed_sequences(z[:, 1:], lengths)], 2).to(x.dtype))
        inside = torch.arange(x.shape[1], device=x.device) < lengths.to(x.device).unsqueeze(1)
        return torch.stack(found, 2) * inside[:, :, None, None]
