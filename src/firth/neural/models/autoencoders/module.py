"""Network of a sentence autoencoder: an encoder of sentences, their codes, and a decoder that reads a code.

What
    A recurrent encoder reads a sentence; its pooled outputs give the posterior of the code. A recurrent decoder starts
    from the code and reads it beside each word. With labels, encoder and decoder also read the vector of the label.
Objective
    log p(x | z, c) = sum_t log softmax(W h_t + b)[x_t],   h_t = stack([E x_t-1; z; c], h_t-1),   h_0 = tanh(U [z; c])
Source
    Bowman et al. 2016, section 3; Long, Cao and Cheung 2019, "Preventing posterior collapse in sequence VAEs with
    pooling", section 3 (the maximum of all outputs instead of the last one); Sohn, Lee and Yan 2015, section 4.
Departures
    The encoder's word vectors are standard normal at first: with small ones, codes of different sentences are hardly
    different, and the decoder has learned to ignore them before they are.
    Words have different vectors in encoder and decoder, so that each can be trained without the other. The decoder's
    vectors are also those of the output layer (Press and Wolf 2017).
Cost
    A step of both recurrent stacks and of the output layer per word.
"""

import math
from typing import Any

import torch
from torch import nn

from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.packed import Packing
from firth.neural.layers.recurrent import RecurrentStack
from firth.neural.layers.sequence_pooling import pooled
from firth.neural.layers.state import State
from firth.neural.models.autoencoders.codes import Code
from firth.neural.models.autoencoders.data import Sentences
from firth.neural.models.translation.units import BOS, UNKNOWN, Units

LAGGING = 6  # numbers of the state of `LaggingInference`


class SentenceReader(nn.Module):
    """Sentences to the numbers that give posteriors."""

    def __init__(self, options: Any, words: int, labels: int, outputs: int) -> None:
        super().__init__()
        self.pooling = options.pooling
        self.embedding = WordEmbedding(words, options.dim)
        nn.init.normal_(self.embedding.weight)
        self.labels = nn.Embedding(labels, options.label_dim) if labels else None
        self.stack = RecurrentStack(options.dim, options.hidden, options.layers, cell=options.cell)
        self.output = nn.Linear(self.stack.width + (options.label_dim if labels else 0), outputs)

    def forward(self, batch: Sentences) -> torch.Tensor:
        """Return (B, outputs). The stack reads forward: its outputs do not depend on padding, which comes later."""
        outputs, _ = self.stack(self.embedding(batch.targets))
        vector = pooled(outputs, batch.lengths.to(outputs.device), self.pooling)
        if self.labels is not None:
            vector = torch.cat([vector, self.labels(batch.labels)], 1)
        numbers: torch.Tensor = self.output(vector)
        return numbers


class SentenceAutoencoder(nn.Module):
    """Module of a sentence autoencoder.

    Attributes:
        encoder: what gives the posterior; all else generates.
        lagging: state of the training with a lagging encoder.
    """

    lagging: torch.Tensor

    def __init__(self, options: Any, units: Units, labels: int, code: Code) -> None:
        super().__init__()
        self.code, self.word_dropout = code, options.word_dropout
        self.encoder = SentenceReader(options, len(units), labels, code.inputs)
        self.embedding = WordEmbedding(len(units), options.dim)
        self.labels = nn.Embedding(labels, options.label_dim) if labels else None
        condition = code.width + (options.label_dim if labels else 0)
        self.decoder = RecurrentStack(
            options.dim + condition,
            options.hidden,
            options.layers,
            cell=options.cell,
            dropout=Dropouts.plain(options.dropout),
        )
        self.states = 2 if options.cell == "lstm" else 1
        self.start = nn.Linear(condition, options.layers * self.states * options.hidden)
        self.output = FullSoftmax(
            OutputConfig(self.decoder.width, len(units), units.counts.clip(1), tied=self.embedding.weight)
        )
        self.register_buffer("lagging", torch.zeros(LAGGING, dtype=torch.float64))

    def forward(self, batch: Sentences, *, step: int, weight: float, free_bits: float) -> torch.Tensor:
        """Return the scalar objective of training per sentence; see `firth.neural.models.autoencoders.sentence_vae`."""
        raw = self.encoder(batch)
        vectors, further = self.code.train_draw(raw, step)
        kl = self.code.kl(self.code.distribution(raw), self.code.prior(batch.labels, len(raw)))
        losses = self.reconstruction(batch, self.condition(vectors, batch.labels))
        return losses.mean().to(raw.dtype) + weight * penalty(kl, free_bits) + further.mean()

    def condition(self, vectors: torch.Tensor, labels: torch.Tensor | None) -> torch.Tensor:
        """Return (B, C), what the decoder reads at each step: (B, W) vectors of codes, and those of (B,) labels."""
        return vectors if self.labels is None else torch.cat([vectors, self.labels(labels)], 1)

    def first_state(self, condition: torch.Tensor) -> State:
        """Return the state of the decoder before the first word, given (B, C)."""
        parts = torch.tanh(self.start(condition)).chunk(len(self.decoder.layers) * self.states, 1)
        return tuple(parts[i : i + self.states] for i in range(0, len(parts), self.states))

    def read(self, words: torch.Tensor, condition: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        """Return the (B, T, H) outputs after (B, T) words, and the new state."""
        beside = condition.unsqueeze(1).expand(-1, words.shape[1], -1)
        result: tuple[torch.Tensor, State] = self.decoder(torch.cat([self.embedding(words), beside], 2), state)
        return result

    def reconstruction(self, batch: Sentences, condition: torch.Tensor) -> torch.Tensor:
        """Return (B,) float64 -log p(x | z, c) in nats, given (B, C). In training mode, words are dropped."""
        words = batch.inputs
        if self.training and self.word_dropout:
            dropped = torch.rand(words.shape, device=words.device) < self.word_dropout
            words = words.masked_fill(dropped & (words != BOS), UNKNOWN)
        outputs, _ = self.read(words, condition, self.first_state(condition))
        packing = Packing(batch.lengths)
        losses = self.output.loss(packing.pack(outputs), packing.pack(batch.targets))
        return _sums(losses, packing.rows.to(losses.device), len(words))


def _sums(losses: torch.Tensor, rows: torch.Tensor, batch: int) -> torch.Tensor:
    """Return (B,) float64 sums of (N,) losses by their rows."""
    return losses.new_zeros(batch, dtype=torch.float64).index_add(0, rows, losses.double())


def kl_weight(kind: str, fraction: float, share: float) -> float:
    """Return w."""
    position = 1.0 if kind == "none" or not share else fraction / share
    if position >= 1.0:
        return 1.0
    return position if kind == "linear" else 1 / (1 + math.exp(-STEEPNESS * (position - 0.5)))


def penalty(kl: torch.Tensor, free_bits: float) -> torch.Tensor:
    """Return the scalar sum of mean divergences with free bits.

    Args:
        kl: (B, G) in nats.
        free_bits: l, in nats per dimension or slot.
    """
    return kl.mean(0).clamp(min=free_bits).sum()


STEEPNESS = 12.0


WINDOW = 5  # updates of the encoder whose mean loss is compared with that of the ones before
# Places in the state, a buffer of the module, so that checkpoints hold it.
PHASE, BEST, UPDATES, NATS, WORDS, BEFORE = range(6)
JUDGED, ENDED = 1.0, 2.0


class LaggingInference:
    """Chooses which part of a module the next update trains: the encoder many times, then the decoder once, and so on.

    A decoder learns to ignore codes while the encoder lags behind: the posterior is then close to the prior, and stays
    there. Aggressive training updates the encoder alone until its loss stops to fall, then the decoder once, and so on,
    until the mutual information of codes and sentences stops to rise. Then both are updated together. Each update takes
    the next batch of the epoch; the paper's program draws extra ones, so that its epochs have as many updates of the
    decoder as without. Losses are compared after `WINDOW` updates instead of 15 (10 in the paper). An update of the
    generator in the aggressive phase changes the decoder only, as in algorithm 1.

    Source:
        He, Spokoyny, Neubig and Berg-Kirkpatrick 2019, "Lagging inference networks and posterior collapse in
        variational autoencoders", algorithm 1 and section 4.
    """

    def __init__(self, module: SentenceAutoencoder, most: int) -> None:
        self._module, self._most = module, most

    @property
    def _state(self) -> torch.Tensor:
        return self._module.lagging

    @property
    def aggressive(self) -> bool:
        """Whether the encoder is trained by itself."""
        return bool(self._state[PHASE] != ENDED)

    @property
    def of_encoder(self) -> bool:
        """Whether the next update is one of the encoder alone."""
        return self.aggressive and bool(self._state[UPDATES] >= 0)

    def begin(self) -> None:
        """Let the next update train one part, or both after the aggressive phase."""
        own = set(self._module.encoder.parameters())
        for parameter in self._module.parameters():
            parameter.requires_grad_(not self.aggressive or (parameter in own) == self.of_encoder)

    def record(self, nats: float, words: int) -> None:
        """Count an update with its loss, in sum, over so many words."""
        if not self.aggressive:
            return
        state = self._state
        if not self.of_encoder:
            state[UPDATES:] = 0.0
            return
        state[UPDATES] += 1
        state[NATS] += nats
        state[WORDS] += words
        if state[UPDATES] % WINDOW == 0:
            mean = state[NATS] / state[WORDS]
            if state[UPDATES] >= self._most or (state[BEFORE] and mean >= state[BEFORE]):
                state[UPDATES] = -1.0  # the decoder is next
            state[NATS], state[WORDS], state[BEFORE] = 0.0, 0.0, mean

    def judge(self, information: float) -> None:
        """End the aggressive phase if the mutual information is not above that of the last call."""
        state = self._state
        if state[PHASE] == JUDGED and information <= state[BEST]:
            state[PHASE] = ENDED
        elif state[PHASE] != ENDED:
            state[PHASE], state[BEST] = JUDGED, information

    def end(self) -> None:
        """Let all parameters have gradients again."""
        for parameter in self._module.parameters():
            parameter.requires_grad_(True)
