"""Sentences to a vector per word, in its context: a BiLSTM, or a window.

What
    A BiLSTM reads the whole sentence. A window reads a word and w neighbours on each side through one hidden layer;
    the positions before and behind the sentence have vectors of their own.
Objective
    bilstm   h_t = [LSTM_f(x_1 .. x_t); LSTM_b(x_T .. x_t)]
    window   z_t = V [x_{t-w}; ...; x_{t+w}] + b,   h_t = hardtanh(z_t)
    scores   s(y) = w_y . h_t + b_y, and for tags y of several attributes, such as Case=Nom|Number=Sing,
             s(y) = (w_y + sum of v_a over the attributes a of y) . h_t + b_y
Source
    Lample et al. 2016, section 2.1; Collobert et al. 2011, sections 3.3.1 (window) and 3.2 (HardTanh); for weights of
    the parts of a tag Müller, Schmid and Schütze 2013, "Efficient higher-order CRFs for morphological tagging".
Departures
    Dropout on the vectors of words and, in a BiLSTM, between layers and on its output; one mask per sentence.
Cost
    `firth.neural.layers.bilstm`; a window costs (2 w + 1) D H products a word.
"""

import abc
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy, hardtanh

from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.masks import inside_of
from firth.neural.models.classification.reader import UNKNOWN
from firth.neural.models.tagging.tag_set import UNKNOWN_TAG, TagSet
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import MIDDLE, OUTPUT
from firth.neural.models.tokens.features import joined
from firth.neural.models.tokens.reader import TokenInputs
from firth.neural.structs.chains import Chain, chain_score, log_partition

DRAWS = 8  # words drawn for each window; the first suitable one replaces its middle


class TagEncoder(nn.Module, abc.ABC):
    """Sentences to vectors of their words.

    Attributes:
        width: W.
    """

    width: int

    @abc.abstractmethod
    def forward(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, W) vectors, each of its own sentence only, whatever else is in the batch."""


class BiLstmEncoder(TagEncoder):
    """A BiLSTM over the vectors of words."""

    def __init__(self, embedder: TokenEmbedder, *, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embedder, self.dropout = embedder, Dropout(dropout, locked=True)
        self.bilstm = BiLSTM(embedder.width, hidden, layers, dropout=dropout, locked=True, joins=embedder.joins(MIDDLE))
        self.width = self.bilstm.width + embedder.joins(OUTPUT)

    def forward(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, 2 H) vectors, and those that join them; see `TagEncoder.forward`."""
        context = self.embedder.context(inputs)
        x = self.dropout(self.embedder(inputs, context))
        h = self.bilstm(x, inputs.lengths, context.get(MIDDLE))
        y: torch.Tensor = self.dropout(joined(h, context, OUTPUT))
        return y


class WindowEncoder(TagEncoder):
    """A hidden layer over a window of words."""

    def __init__(self, embedder: TokenEmbedder, *, window: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedder, self.window, self.dropout = embedder, window, Dropout(dropout, locked=True)
        D = embedder.width
        self.before, self.behind = (nn.Parameter(torch.empty(D).uniform_(-0.1, 0.1)) for _ in range(2))
        self.linear = nn.Linear((2 * window + 1) * D, hidden)
        self.width = hidden

    def forward(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, H) vectors; see `TagEncoder.forward`."""
        return self.activated(self.sums(self.words(inputs), inputs.lengths))

    def words(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, D) vectors of words."""
        x: torch.Tensor = self.dropout(self.embedder(inputs))
        return x

    def sums(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, T, H), z of (B, T, D) vectors of words."""
        B, T, D = x.shape
        x = torch.where(inside_of(x, lengths).unsqueeze(2), x, self.behind)
        edges = [edge.expand(B, self.window, D) for edge in (self.before, self.behind)]
        padded = torch.cat([edges[0], x, edges[1]], dim=1)
        windows = torch.cat([padded[:, k : k + T] for k in range(2 * self.window + 1)], dim=2)
        z: torch.Tensor = self.linear(windows)
        return z

    def change(self, difference: torch.Tensor) -> torch.Tensor:
        """Return what z changes by if the word in the middle of each window changes by (..., D)."""
        D = difference.shape[-1]
        return difference @ self.linear.weight[:, self.window * D : (self.window + 1) * D].t()

    @staticmethod
    def activated(z: torch.Tensor) -> torch.Tensor:
        """Return the hidden layer of z."""
        return hardtanh(z)


class TagHead(nn.Module, abc.ABC):
    """Scores of K tags from vectors of words."""

    def __init__(self, width: int, tags: TagSet) -> None:
        super().__init__()
        self.linear = nn.Linear(width, len(tags))
        self.attributes: nn.Linear | None = None
        if (table := tags.attributes).size:
            self.attributes = nn.Linear(width, table.shape[1], bias=False)
            self.register_buffer("attributes_of_tags", torch.from_numpy(table.T.copy()), persistent=False)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        """Return (B, T, K) scores of (B, T, W) vectors, in single precision or double."""
        scores: torch.Tensor = self.linear(h)
        if self.attributes is not None:
            scores = scores + self.attributes(h) @ self.get_buffer("attributes_of_tags")
        return scores.to(torch.promote_types(scores.dtype, torch.float32))

    @abc.abstractmethod
    def chain(self, scores: torch.Tensor, lengths: torch.Tensor) -> Chain:
        """Return the scores of all tag sequences: (B, T, K) scores of words of (B,) sentences, and of neighbours."""

    @abc.abstractmethod
    def sequences(self, scores: torch.Tensor, lengths: torch.Tensor, tags: TagSet) -> tuple[Chain, TagSet]:
        """Return what the best sequences are searched in, with the tags that it numbers; no two sequences show alike.

        Args:
            scores: (B, T, K) of words.
            lengths: (B,) words of the sentences.
        """

    @abc.abstractmethod
    def loss(self, scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B,) losses of sentences with (B, T) tags, in nats."""


class CrfHead(TagHead):
    """Scores of tags and of neighbouring tags; for the arguments see `TagHead`."""

    def __init__(self, width: int, tags: TagSet) -> None:
        super().__init__(width, tags)
        K = len(tags)
        self.transitions, self.first, self.last = (
            nn.Parameter(torch.empty(shape).uniform_(-0.1, 0.1)) for shape in ((K, K), (K,), (K,))
        )
        for name, allowed in zip(("pairs", "begins", "ends"), tags.allowed, strict=True):
            self.register_buffer(f"forbidden_{name}", torch.from_numpy(~allowed), persistent=False)

    def chain(self, scores: torch.Tensor, lengths: torch.Tensor) -> Chain:
        """Return the scores of all tag sequences; see `TagHead.chain`."""
        transitions, first, last = (
            part.masked_fill(self.get_buffer(f"forbidden_{name}"), -torch.inf)
            for name, part in (("pairs", self.transitions), ("begins", self.first), ("ends", self.last))
        )
        return Chain(scores, transitions, first, last, lengths.to(scores.device))

    def sequences(self, scores: torch.Tensor, lengths: torch.Tensor, tags: TagSet) -> tuple[Chain, TagSet]:
        """Return the chain: sequences of BIOES that mark spans never show alike; see `TagHead.sequences`."""
        return self.chain(scores, lengths), tags

    def loss(self, scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return -log p of the tags; see `TagHead.loss`."""
        chain = self.chain(scores, lengths)
        return log_partition(chain) - chain_score(chain, tags)


class SoftmaxHead(TagHead):
    """Scores of each tag by itself; for `width` and `tags` see `TagHead`. Words without a tag, -1, have no loss."""

    def __init__(self, width: int, tags: TagSet, *, probabilities: bool = True) -> None:
        super().__init__(width, tags)
        self.probabilities = probabilities

    def chain(self, scores: torch.Tensor, lengths: torch.Tensor) -> Chain:
        """Return the scores, with zeros for neighbours; see `TagHead.chain`."""
        K = scores.shape[2]
        edge = scores.new_zeros(K)
        return Chain(scores, scores.new_zeros(K, K), edge, edge, lengths.to(scores.device))

    def sequences(self, scores: torch.Tensor, lengths: torch.Tensor, tags: TagSet) -> tuple[Chain, TagSet]:
        """Return the scores of tags as they are shown, each the sum or the largest; see `TagHead.sequences`."""
        if len(tags.shown) < len(tags):
            join = torch.logsumexp if self.probabilities else torch.amax
            scores = torch.stack([join(scores[..., numbers], 2) for numbers in tags.members], 2)
        return self.chain(scores, lengths), tags.as_shown

    def loss(self, scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the cross entropy of each sentence; see `TagHead.loss`."""
        inside = inside_of(scores, lengths) & (tags != UNKNOWN_TAG)
        losses = cross_entropy(scores.flatten(0, 1), tags.clamp(min=0).flatten(), reduction="none")
        return (losses.view(tags.shape) * inside).sum(1)


def replacements(tags: torch.Tensor, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return for each of N words the number of another one with another tag, and whether one was drawn.

    Args:
        tags: (N,) numbers of tags.
        words: (N,) ids of words; unknown words count as equal.
    """
    drawn = torch.randint(len(tags), (len(tags), DRAWS), device=tags.device)
    suitable = (tags[drawn] != tags.unsqueeze(1)) & (words[drawn] != words.unsqueeze(1))
    suitable &= (words[drawn] != UNKNOWN) | (words.unsqueeze(1) != UNKNOWN)
    first = suitable.int().argmax(1, keepdim=True)
    return drawn.gather(1, first).squeeze(1), suitable.any(1)


def margin_losses(
    scores: torch.Tensor, corrupted: torch.Tensor, tags: torch.Tensor, replaced: torch.Tensor, margin: float
) -> torch.Tensor:
    """Return (N,) losses of words: a ranking of true windows above corrupted ones, and of true tags above others.

    Args:
        scores: (N, K) of each tag in the true windows.
        corrupted: (N, K) in the corrupted ones.
        tags: (N,) numbers of the true tags.
        replaced: (N,) whether the middle was replaced; without, the first term is 0.
        margin: m.
    """
    at = tags.unsqueeze(1)
    true = scores.gather(1, at)
    ranking = (margin - true + corrupted.gather(1, at)).clamp(min=0).squeeze(1)
    best_wrong = scores.scatter(1, at, -torch.inf).amax(1)
    return torch.where(replaced, ranking, 0.0) + (margin - true.squeeze(1) + best_wrong).clamp(min=0)


class TaggerModule(nn.Module):
    """An encoder and a head for each target.

    Args:
        weights: of the targets in the loss; 1 each by default.
    """

    def __init__(
        self,
        encoder: TagEncoder,
        heads: list[TagHead],
        *,
        margin: float | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        self.encoder, self.heads, self.margin = encoder, nn.ModuleList(heads), margin
        self.weights = tuple(weights or [1.0] * len(heads))

    @property
    def target_heads(self) -> list[TagHead]:
        """The heads of the targets."""
        return [head for head in self.heads if isinstance(head, TagHead)]

    def forward(self, inputs: TokenInputs) -> list[torch.Tensor]:
        """Return of each target the (B, T, K) scores of its tags."""
        h = self.encoder(inputs)
        return [head(h) for head in self.target_heads]

    def losses(self, inputs: TokenInputs, tags: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Return the (B,) losses of sentences with (B, T) tags of each target: sums over words and weighted targets."""
        if self.margin is not None:
            return self._margin_losses(inputs, tags, self.margin)
        targets = zip(self.weights, self.target_heads, self(inputs), tags, strict=True)
        return torch.stack([weight * head.loss(scores, y, inputs.lengths) for weight, head, scores, y in targets]).sum(
            0
        )

    def _margin_losses(self, inputs: TokenInputs, tags: tuple[torch.Tensor, ...], margin: float) -> torch.Tensor:
        weight = next(self.parameters())
        total = weight.new_zeros(len(inputs.words))
        rows = inside_of(inputs.words, inputs.lengths).nonzero()[:, 0]
        for scores, corrupted, y, replaced in self._corrupted(inputs, tags):
            total = total.index_add(0, rows, margin_losses(scores, corrupted, y, replaced, margin))
        return total

    def ranked(self, inputs: TokenInputs, tags: tuple[torch.Tensor, ...]) -> tuple[int, int]:
        """Return how many windows score above a corrupted one for the tag of their middle word, and of how many."""
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
            rows, replaced = replacements(y, inputs.words[inside])
            corrupted = z + encoder.change(flat[rows] - flat)
            yield head(encoder.activated(z)), head(encoder.activated(corrupted)), y, replaced
