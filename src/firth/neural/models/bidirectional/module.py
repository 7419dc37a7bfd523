"""The module of a bidirectional language model, and the sentences of a text as it reads and predicts them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import nn

from firth.language.text import LanguageText
from firth.neural.layers.bidirectional import reversed_sequences
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.characters import CharacterCNN
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.normalise import Normalise
from firth.neural.layers.output.base import OutputLayer
from firth.neural.models.sentences.data import Ids, TokenBatch, TokenRows, pieces, sentences
from firth.neural.training.batching import Buckets


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
        outputs: list[torch.Tensor] = []
        for number, layer in enumerate(layers):
            y, _ = layer(self.dropout(x))
            x = x + y if number else y
            outputs.append(x)
        return outputs

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
        layers = [torch.cat([x, x], 2)]
        for y, z in zip(onward, back, strict=True):
            layers.append(torch.cat([y[:, 1:], reversed_sequences(z[:, 1:], lengths)], 2).to(x.dtype))
        inside = torch.arange(x.shape[1], device=x.device) < lengths.to(x.device).unsqueeze(1)
        return torch.stack(layers, 2) * inside[:, :, None, None]


LONGEST = 200  # words that are read in one piece; longer sentences are cut


EVAL_WORDS = 4000  # per batch of an evaluation


def rows_of(text: LanguageText) -> TokenRows:
    """Return the sentences of a text as rows of input ids without their ends, in pieces of at most `LONGEST` words."""
    rows = sentences(text)
    ends = int(text.rules.eos)
    inputs = TokenRows(text.input_ids, rows.starts, rows.lengths - ends)
    return pieces(inputs.take(inputs.lengths > 0), LONGEST)


@dataclass(frozen=True, eq=False)
class Targets:
    """What is predicted of B sentences of T words: in each direction T + 1 tokens, of which `real` count.

    Attributes:
        forward: (B, T + 1) int64 in the order of reading.
        real: (B, T + 1) bool.
    """

    forward: torch.Tensor
    backward: torch.Tensor
    real: torch.Tensor


def targets_of(batch: TokenBatch, words: int, unknown: int, eos: int) -> Targets:
    """Return the targets of a batch."""
    ids = torch.where(batch.ids >= words, unknown, batch.ids)
    lengths = batch.lengths.to(ids.device).unsqueeze(1)
    B, T = ids.shape
    steps = torch.arange(T + 1, device=ids.device)
    padded = torch.cat([ids, ids.new_full((B, 1), eos)], 1)
    onward = torch.where(steps < lengths, padded, eos)
    back = onward.gather(1, torch.where(steps < lengths, lengths - 1 - steps, T).clamp(min=0))
    back = torch.where(steps < lengths, back, eos)
    return Targets(onward, back, steps <= lengths)


def sentence_buckets(rows: TokenRows, batch_size: int, *, seed: int = 0, shuffle: bool = True) -> Buckets[Ids]:
    """Return sentences in batches of similar length."""
    make = partial(
        Buckets,
        items=rows,
        lengths=np.asarray(rows.lengths, dtype=np.int64),
        collate=TokenBatch.of,
        batch_size=batch_size,
        tokens=True,
    )
    return make(seed=seed, shuffle=shuffle)


class Reader:
    """Batches of a text to hidden states and targets.

    Attributes:
        rows: the sentences.
    """

    def __init__(self, module: BidirectionalModule, text: LanguageText) -> None:
        assert text.eos_id is not None, "sentence ends are predicted"
        self._module, self.rows = module, rows_of(text)
        self._special = len(text.vocabulary), text.unk_id, text.eos_id
        self._unknown = module.embedding.character_ids(text.unknown_words) if text.unknown_words else None

    def predicted(self, batch: TokenBatch) -> tuple[list[torch.Tensor], list[torch.Tensor], torch.Tensor]:
        """Return (N, D) states forward and backward, their (N,) targets, and the (B, T + 1) places that count."""
        if self._unknown is not None:
            self._unknown = self._unknown.to(batch.ids.device)
        targets = targets_of(batch, *self._special)
        states = self._module.predictions(batch.ids, batch.lengths, self._unknown)
        hidden = [state[targets.real] for state in states]
        return hidden, [targets.forward[targets.real], targets.backward[targets.real]], targets.real

    def log_probs(self, batches: Iterator[TokenBatch]) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Yield of each batch the (N,) log-probabilities forward and backward, in the order of reading, and `real`."""
        device = next(self._module.parameters()).device
        for batch in batches:
            hidden, targets, real = self.predicted(batch.to(device))
            pairs = zip(hidden, targets, strict=True)
            first, second = (self._module.output.log_prob_of(h, y) for h, y in pairs)
            yield first, second, real
