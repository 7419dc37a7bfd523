"""The module of a latent predictor network: encoder of fields, decoder, probabilities of predictors."""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.state import State
from firth.neural.models.predictors.data import END, IDS, RecordBatch
from firth.neural.structs.segmentations import Segments


class Memory(NamedTuple):
    """What the decoder reads of B records.

    Attributes:
        keys: (B, F N, H) of all bytes of all fields, for attention.
        inside: (B, F N) bool, which are no padding.
        pointers: (B, F, H) of whole fields.
        copied: (B, F) bool, which may be copied.
    """

    keys: torch.Tensor
    inside: torch.Tensor
    pointers: torch.Tensor
    copied: torch.Tensor


class Predictions(NamedTuple):
    """Log-probabilities before each of T bytes.

    Attributes:
        generate: (B, T, IDS) that the next byte is generated, and is this one.
        copy: (B, T, F) that the whole value of a field is copied.
    """

    generate: torch.Tensor
    copy: torch.Tensor


class PredictorModule(nn.Module):
    """The network."""

    def __init__(self, fields: int, *, dim: int, hidden: int, dropout: float, copying: bool, max_copy: int) -> None:
        super().__init__()
        self.copying, self.max_copy = copying, max_copy
        self.bytes, self.fields = nn.Embedding(IDS, dim), nn.Embedding(fields, dim)
        self.encoder = BiLSTM(dim, hidden)
        self.decoder = RecurrentLayer("lstm", dim, hidden)
        self.writer = RecurrentLayer("lstm", 2 * hidden, hidden)  # remembers what was read
        self.start = nn.Linear(2 * hidden * fields, 4 * hidden)  # each field has weights of its own
        self.keys = nn.Linear(2 * hidden + dim, hidden)
        self.pointers, self.point = nn.Linear(2 * hidden + dim, hidden), nn.Linear(hidden, hidden)
        self.output, self.generate = nn.Linear(3 * hidden, hidden), nn.Linear(hidden, IDS)
        self.predictor = nn.Linear(hidden, 2)
        self.dropout = Dropout(dropout)

    def encode(self, values: torch.Tensor, sizes: torch.Tensor) -> tuple[Memory, State]:
        """Return what the decoder reads of (B, F, N) bytes of (B, F) sizes, and its first state."""
        B, F, N = values.shape
        names = self.fields.weight.unsqueeze(1)  # (F, 1, D)
        x = self.dropout(self.bytes(values) + names).flatten(0, 1)
        states = self.encoder(x, sizes.flatten().clamp(min=1).cpu()).view(B, F, N, -1)
        inside = torch.arange(N, device=values.device) < sizes.unsqueeze(2)  # (B, F, N)
        keys = self.keys(torch.cat([states, names.expand(B, F, N, -1)], 3))
        means = (states * inside.unsqueeze(3)).sum(2) / sizes.clamp(min=1).unsqueeze(2)  # (B, F, 2 H)
        pointers = self.pointers(torch.cat([means, self.fields.weight.expand(B, -1, -1)], 2))
        copied = (sizes > 0) & (sizes <= self.max_copy)
        state = torch.tanh(self.start(means.flatten(1))).chunk(4, 1)
        return Memory(keys.flatten(1, 2), inside.flatten(1), pointers, copied), state

    def decode(self, memory: Memory, previous: torch.Tensor, state: State) -> tuple[Predictions, State]:
        """Return what may follow each of (B, T) bytes, and the state behind the last."""
        h, asked = self.decoder(self.dropout(self.bytes(previous)), state[:2])  # (B, T, H)
        scores = (h @ memory.keys.mT).masked_fill(~memory.inside.unsqueeze(1), torch.finfo(h.dtype).min)
        # A record without a value has nothing to read: its softmax would be one over the padding of its batch.
        context = scores.softmax(2) @ memory.keys * memory.inside.any(1)[:, None, None]
        read, written = self.writer(self.dropout(torch.cat([h, context], 2)), state[2:])
        state = (*asked, *written)
        out = self.dropout(torch.tanh(self.output(torch.cat([h, read, context], 2))))
        letters = self.generate(out).log_softmax(2)
        pointed = (self.point(out) @ memory.pointers.mT).masked_fill(~memory.copied.unsqueeze(1), -torch.inf)
        none = ~memory.copied.any(1)[:, None, None]
        pointed = pointed.masked_fill(none, 0.0).log_softmax(2).masked_fill(none, -torch.inf)
        choice = self.predictor(out)
        if not self.copying:
            return Predictions(letters, torch.full_like(pointed, -torch.inf)), state
        # Where no field can be copied, everything is generated.
        choice = torch.where(none, choice.new_tensor([0.0, -torch.inf]), choice.log_softmax(2))
        return Predictions(choice[..., :1] + letters, choice[..., 1:] + pointed), state

    def forward(self, batch: RecordBatch) -> Segments:
        """Return the scores of all segmentations of the texts: label 0 generates a byte, label 1 + f copies field f."""
        memory, state = self.encode(batch.values, batch.sizes)
        previous = functional.pad(batch.targets[:, :-1], (1, 0), value=END)
        predictions, _ = self.decode(memory, previous, state)
        (B, T), F = batch.targets.shape, memory.pointers.shape[1]
        letters = predictions.generate.gather(2, batch.targets.unsqueeze(2)).squeeze(2).double()
        rows, starts, sizes, fields = batch.copies
        longest = int(sizes.max()) if len(sizes) else 1
        pieces = letters.new_full((B, T, longest, F + 1), -torch.inf)
        pieces[:, :, 0, 0] = letters
        pieces[rows, starts + sizes - 1, sizes - 1, fields + 1] = predictions.copy[rows, starts, fields].double()
        none = letters.new_zeros(F + 1)
        return Segments(pieces, letters.new_zeros(F + 1, F + 1), none, none, batch.lengths.to(letters.device))
