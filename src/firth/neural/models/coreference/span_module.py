"""Scores of spans as mentions, and of pairs of them as mention and antecedent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import relu

from firth.documents.document import Span
from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.masks import inside_of
from firth.neural.models.coreference.pair_module import FEATURES, PairCodes
from firth.neural.models.coreference.span_data import SpanInputs
from firth.neural.models.tokens.embedder import TokenEmbedder

LOWEST = -30.0  # of the logarithm of a weight of the attention, below the largest near it
REACH, BLOCK = 2000, 1000  # spans before a span that are looked at; spans whose antecedents are scored at once


@dataclass(frozen=True, eq=False)
class Spans:
    """What the module knows of all spans.

    Attributes:
        x: (N, D) vectors of words.
        h: (N, 2 H) outputs of the BiLSTM.
        weights: (N, L) weights of the attention, not normalised, of the words from each word on.
        scores: (N, L) scores as mentions; minus infinity for spans that leave their sentence.
    """

    x: torch.Tensor
    h: torch.Tensor
    weights: torch.Tensor
    scores: torch.Tensor


class Candidates(NamedTuple):
    """K spans in the order of the document.

    Attributes:
        starts: (K,) first tokens.
        widths: (K,) words, less one.
        scores: (K,) as mentions.
        vectors: (K, F) g.
    """

    starts: torch.Tensor
    widths: torch.Tensor
    scores: torch.Tensor
    vectors: torch.Tensor


@dataclass(frozen=True, eq=False)
class Links:
    """Antecedents of K spans, up to A each.

    Attributes:
        antecedents: (K, A) numbers of earlier spans among the K.
        scores: (K, A) of a span with each; minus infinity where there are fewer than A.
    """

    antecedents: torch.Tensor
    scores: torch.Tensor


class SpanModule(nn.Module):
    """End-to-end coreference: documents to scores of spans and of pairs of spans."""

    def __init__(
        self,
        embedder: TokenEmbedder,
        *,
        hidden: int,
        layers: int,
        width: int,
        ffnn: int,
        spans_per_token: float,
        antecedents: int,
        features: Sequence[str] = tuple(FEATURES),
        input_dropout: float = 0.0,
        lstm_dropout: float = 0.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedder, self.width, self.spans_per_token, self.antecedents = (
            embedder,
            width,
            spans_per_token,
            antecedents,
        )
        self.input_dropout, self.dropout = Dropout(input_dropout), Dropout(dropout)
        self.lstm, self.lstm_dropout = (
            BiLSTM(embedder.width, hidden, layers, dropout=lstm_dropout),
            Dropout(lstm_dropout),
        )
        H, D = 2 * hidden, embedder.width
        self.attention = nn.Sequential(nn.Linear(H, ffnn), nn.ReLU(), Dropout(dropout), nn.Linear(ffnn, 1))
        self.mention = _SpanLayer(H, D, width, ffnn)
        self.mention_score = nn.Sequential(nn.Linear(ffnn, ffnn), nn.ReLU(), Dropout(dropout), nn.Linear(ffnn, 1))
        self.span = _SpanLayer(H, D, width, ffnn)
        self.quoted = nn.Parameter(torch.zeros(ffnn))
        self.later, self.earlier = nn.Linear(ffnn, ffnn), nn.Linear(ffnn, ffnn, bias=False)
        self.both, self.bilinear = (nn.Linear(ffnn, ffnn, bias=False) for _ in range(2))
        self.codes = PairCodes(features, ffnn)
        self.pair_score = nn.Linear(ffnn, 1)

    def forward(self, inputs: SpanInputs) -> tuple[Spans, Candidates, Links]:
        """Return the scores of all spans, those that pruning keeps, and their antecedents."""
        spans = self.spans(inputs)
        candidates = self.candidates(spans, inputs, *self.pruned(spans))
        return spans, candidates, self.links(candidates, inputs)

    def spans(self, inputs: SpanInputs) -> Spans:
        """Return the scores of all spans as mentions."""
        x, h = self._tokens(inputs)
        weights = self._attention(h, inputs.valid)
        layer = self.dropout(relu(self.mention.all_spans(x, h, weights)))  # (N, L, F)
        return Spans(x, h, weights, self.mention_score(layer).squeeze(2).masked_fill(~inputs.valid, -torch.inf))

    def pruned(self, spans: Spans) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the starts and widths of the best spans, in the order of the document."""
        scores = spans.scores.detach().flatten()
        most = max(1, min(int(self.spans_per_token * len(spans.scores)), int((scores > -torch.inf).sum())))
        best = scores.topk(most).indices.sort().values
        return best // self.width, best % self.width

    def candidates(self, spans: Spans, inputs: SpanInputs, starts: torch.Tensor, widths: torch.Tensor) -> Candidates:
        """Return spans with their vectors.

        Args:
            starts: (K,) first tokens.
            widths: (K,) words, less one; below L.
        """
        quoted = (inputs.quotations[starts] >= 0).unsqueeze(1) * self.quoted
        g = self.dropout(relu(self.span.some_spans(spans, starts, widths) + quoted))
        return Candidates(starts, widths, spans.scores[starts, widths], g)

    def links(self, candidates: Candidates, inputs: SpanInputs) -> Links:
        """Return the antecedents of spans: the best A by the bilinear score, with their scores in full."""
        count = len(candidates.starts)
        parts = [
            self._block(
                candidates, inputs, slice(first, min(first + BLOCK, count)), slice(max(0, first - REACH), count)
            )
            for first in range(0, count, BLOCK)
        ]
        wide = max(part.scores.shape[1] for part in parts)
        fill = [wide - part.scores.shape[1] for part in parts]
        antecedents = [nn.functional.pad(part.antecedents, (0, more)) for part, more in zip(parts, fill, strict=True)]
        scores = [
            nn.functional.pad(part.scores, (0, more), value=-torch.inf) for part, more in zip(parts, fill, strict=True)
        ]
        return Links(torch.cat(antecedents), torch.cat(scores))

    def _block(self, candidates: Candidates, inputs: SpanInputs, rows: slice, columns: slice) -> Links:
        columns = slice(columns.start, rows.stop)
        g, h = candidates.vectors[rows], candidates.vectors[columns]
        codes = self.codes.of(candidates.starts, candidates.widths, inputs, rows, columns)  # (R, C, features)
        rough = self.bilinear(g) @ h.t() + self.codes.rough(codes)
        rough = rough + candidates.scores[rows].unsqueeze(1) + candidates.scores[columns]
        numbers = torch.arange(columns.start, columns.stop, device=g.device)
        before = numbers < torch.arange(rows.start, rows.stop, device=g.device).unsqueeze(1)
        rough = rough.masked_fill(~before, -torch.inf)
        best = rough.detach().topk(min(self.antecedents, rough.shape[1])).indices.sort(1).values  # (R, A)
        chosen = codes.gather(1, best.unsqueeze(2).expand(-1, -1, codes.shape[2]))
        layer = self.codes(chosen) + self.both(g.unsqueeze(1) * h[best])
        layer = layer + self.later(g).unsqueeze(1) + self.earlier(h)[best]
        scores = self.pair_score(self.dropout(relu(layer))).squeeze(2) + rough.gather(1, best)
        return Links(best + columns.start, scores)

    def _tokens(self, inputs: SpanInputs) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the (N, D) vectors of the words, and their (N, 2 H) outputs of the BiLSTM."""
        vectors, outputs = [], []
        for group in inputs.groups:
            x = self.input_dropout(self.embedder(group))
            y = self.lstm(x, group.lengths)
            inside = inside_of(x, group.lengths)
            vectors.append(x[inside])
            outputs.append(y[inside])
        h: torch.Tensor = self.lstm_dropout(torch.cat(outputs)[inputs.order])
        return torch.cat(vectors)[inputs.order], h

    def _attention(self, h: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
        """Return (N, L) weights, not normalised, of the words that follow each word in its sentence."""
        scores: torch.Tensor = self.attention(h).squeeze(1)
        follow = scores[_window(valid)].masked_fill(~valid, -torch.inf)
        weights: torch.Tensor = (follow - follow.amax(1, keepdim=True).detach()).clamp(min=LOWEST).exp() * valid
        return weights


class _SpanLayer(nn.Module):
    """The first layer over g = [h_start; h_end; head; width], by parts: each word's share is computed once."""

    def __init__(self, outputs: int, vectors: int, width: int, ffnn: int) -> None:
        super().__init__()
        self.start, self.end = nn.Linear(outputs, ffnn), nn.Linear(outputs, ffnn, bias=False)
        self.head = nn.Linear(vectors, ffnn, bias=False)
        self.widths = nn.Parameter(torch.zeros(width, ffnn))

    def all_spans(self, x: torch.Tensor, h: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """Return (N, L, F) sums for spans of every start and width."""
        window = _window(weights > 0)
        heads = (self.head(x)[window] * weights.unsqueeze(2)).cumsum(1) / weights.cumsum(1).unsqueeze(2)
        result: torch.Tensor = self.start(h).unsqueeze(1) + self.end(h)[window] + heads + self.widths
        return result

    def some_spans(self, spans: Spans, starts: torch.Tensor, widths: torch.Tensor) -> torch.Tensor:
        """Return (K, F) sums for some spans."""
        steps = torch.arange(spans.weights.shape[1], device=starts.device)
        inside = steps <= widths.unsqueeze(1)
        weights = spans.weights[starts] * inside  # (K, L)
        weights = weights / weights.sum(1, keepdim=True)
        heads = (self.head(spans.x)[(starts.unsqueeze(1) + steps) * inside] * weights.unsqueeze(2)).sum(1)
        result: torch.Tensor = self.start(spans.h)[starts] + self.end(spans.h)[starts + widths] + heads
        return result + self.widths[widths]


def _window(valid: torch.Tensor) -> torch.Tensor:
    """Return (N, L) numbers of the tokens from each token on, that of the token itself beyond its sentence."""
    N, L = valid.shape
    own = torch.arange(N, device=valid.device).unsqueeze(1)
    return own + torch.arange(L, device=valid.device) * valid


def decode(candidates: Candidates, links: Links, *, singletons: bool, every: bool = False) -> list[list[int]]:
    """Return the chains of a document, of numbers of spans.

    A span is a mention if its score is above 0, a probability of a half. Each mention is linked with its best
    antecedent among the mentions before it, unless the dummy, whose score is 0, is better.
    """
    mention = torch.ones_like(candidates.starts, dtype=torch.bool) if every else candidates.scores > 0
    scores = with_dummy(links.scores.masked_fill(~mention[links.antecedents], -torch.inf))
    best = scores.argmax(1)  # 0: the dummy
    linked = links.antecedents.gather(1, (best - 1).clamp(min=0).unsqueeze(1)).squeeze(1)
    antecedents = torch.where(best > 0, linked, -1).tolist()
    chains: list[list[int]] = []
    chain_of: dict[int, list[int]] = {}
    for number in torch.nonzero(mention).flatten().tolist():
        if antecedents[number] < 0:
            chains.append([])
            chain_of[number] = chains[-1]
        else:
            chain_of[number] = chain_of[antecedents[number]]
        chain_of[number].append(number)
    return [chain for chain in chains if singletons or len(chain) > 1]


def spans_of(candidates: Candidates) -> list[Span]:
    """Return spans as first token and token after the last."""
    return [
        (start, start + width + 1)
        for start, width in zip(candidates.starts.tolist(), candidates.widths.tolist(), strict=True)
    ]


def with_dummy(scores: torch.Tensor) -> torch.Tensor:
    """Return (K, 1 + A) scores of antecedents with that of the dummy, 0, before them."""
    return torch.cat([scores.new_zeros(len(scores), 1), scores], 1)
