"""Scores of pairs of mentions, and of mentions that begin a chain: a feed-forward network over words and features."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn.functional import embedding_bag

from firth.coreference.mention_features import mention_feature_count
from firth.coreference.pairs import CLASS_PAIRS, feature_count
from firth.documents.document import Span
from firth.neural.layers.dropout import Dropout
from firth.neural.models.coreference.pair_data import WORDS, PairInputs
from firth.neural.models.coreference.span_data import SpanInputs
from firth.neural.models.tokens.embedder import TokenEmbedder

NONE = -1e9  # score of what is no candidate
SPANS = (1, 2, 3, 4, 5, 8, 16, 32, 64, 128)  # kept spans apart: lower ends of the ranges with a row each
SENTENCES = (0, 1, 2, 3, 5, 9, 17, 33)  # sentences apart, likewise
QUOTATIONS = 8
MATCHES = 32
CHUNK = 1 << 15  # pairs that are scored at once where nothing is learned


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of a document with M mentions and P pairs.

    Attributes:
        pairs: (P,) that the pair corefers.
        new: (M,) that a mention has no antecedent.
        hidden: (P, H) what the score of a pair is computed from.
    """

    pairs: torch.Tensor
    new: torch.Tensor
    hidden: torch.Tensor


def score_table(inputs: PairInputs, scores: PairScores) -> torch.Tensor:
    """Return (M, K + 1) scores of each mention's antecedents: column 0 for none, -1e9 where there is no candidate."""
    width = int(inputs.columns.max()) if len(inputs.columns) else 0
    table = scores.pairs.new_full((len(scores.new), width + 1), NONE)
    table = table.index_put((inputs.anaphors, inputs.columns), scores.pairs)
    return torch.cat([scores.new[:, None], table[:, 1:]], dim=1)


def gold_table(inputs: PairInputs, chains: torch.Tensor, width: int) -> torch.Tensor:
    """Return (M, K + 1) which of a mention's antecedents are right: those of its chain, or none if it has none."""
    table = torch.zeros((len(chains), width), dtype=torch.bool, device=chains.device)
    table[inputs.anaphors, inputs.columns] = chains[inputs.anaphors] == chains[inputs.antecedents]
    table[:, 0] = ~table.any(1)
    return table


class PairCodes(nn.Module):
    """The vectors of features of pairs, summed, and their sum as a number."""

    def __init__(self, names: Sequence[str], width: int) -> None:
        super().__init__()
        self.names = tuple(names)
        rows = sum(FEATURES[name][0] for name in self.names)
        self.vectors, self.weights = nn.Parameter(torch.zeros(rows, width)), nn.Parameter(torch.zeros(rows))

    def of(
        self, starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
    ) -> torch.Tensor:
        """Return (R, C, features) int64 rows of the table for pairs of some of K spans.

        Args:
            starts: (K,) first tokens.
            widths: (K,) words, less one.
        """
        parts, offset = [], 0
        for name in self.names:
            count, codes = FEATURES[name]
            parts.append(codes(starts, widths, inputs, rows, columns) + offset)
            offset += count
        return torch.stack(parts, 2)

    def rough(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (R, C) sums of the numbers of pairs' features."""
        return self.weights[codes].sum(2)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (R, A, F) sums of the vectors of (R, A, features) rows."""
        sums: torch.Tensor = embedding_bag(codes.flatten(0, 1), self.vectors, mode="sum")
        return sums.view(*codes.shape[:2], sums.shape[1])


def _distance_in_spans(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    numbers = torch.arange(len(starts), device=starts.device)
    return _range(numbers[rows].unsqueeze(1) - numbers[columns], SPANS)


def _distance_in_sentences(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    numbers = inputs.sentence_of[starts]
    return _range(numbers[rows].unsqueeze(1) - numbers[columns], SENTENCES)


def _range(distance: torch.Tensor, ends: Sequence[int]) -> torch.Tensor:
    return torch.bucketize(distance, torch.tensor(ends, device=distance.device), right=True).sub(1).clamp(min=0)


def _quotations(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    """Which of the two is quoted (0 to 2), and for two the quotations apart: 3 in the same one, 7 four or more."""
    numbers = inputs.quotations[starts]
    later, earlier = numbers[rows].unsqueeze(1), numbers[columns]
    apart = 3 + (later - earlier).clamp(0, 4)
    return torch.where((later >= 0) & (earlier >= 0), apart, (later >= 0) + 2 * (earlier >= 0))


def _matches(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    """Five bits: same words, same last word, same first word, last word of one in the other, overlap."""
    forms, ends = inputs.forms, starts + widths
    steps = torch.arange(int(widths.max()) + 1, device=starts.device)
    inside = steps <= widths.unsqueeze(1)
    words = forms[(starts.unsqueeze(1) + steps) * inside].masked_fill(~inside, -1)  # (K, L)
    _, texts = torch.unique(words, dim=0, return_inverse=True)
    holds_last = (words[rows].unsqueeze(1) == forms[ends[columns]].view(1, -1, 1)).any(2)
    last_in = (words[columns].unsqueeze(0) == forms[ends[rows]].view(-1, 1, 1)).any(2)
    bits = [
        *(keys[rows].unsqueeze(1) == keys[columns] for keys in (texts, forms[ends], forms[starts])),
        holds_last | last_in,
        starts[rows].unsqueeze(1) <= ends[columns],
    ]
    codes = torch.zeros_like(bits[0], dtype=torch.int64)
    for power, bit in enumerate(bits):
        codes += bit.long() << power
    return codes


Codes = Callable[[torch.Tensor, torch.Tensor, SpanInputs, slice, slice], torch.Tensor]


FEATURES: dict[str, tuple[int, Codes]] = {  # name: number of values, and the value of each pair
    "spans": (len(SPANS), _distance_in_spans),
    "sentences": (len(SENTENCES), _distance_in_sentences),
    "quotations": (QUOTATIONS, _quotations),
    "matches": (MATCHES, _matches),
}


class PairModule(nn.Module):
    """Scores of pairs of mentions.

    Attributes:
        bias: () added to the scores of having no antecedent; chosen on held-out documents.
    """

    bias: torch.Tensor

    def __init__(self, embedder: TokenEmbedder, *, hidden: int, dropout: float, ranks: bool) -> None:
        super().__init__()
        self.embedder, self.dropout, self.ranks = embedder, Dropout(dropout), ranks
        width = (WORDS + 1) * embedder.width + mention_feature_count()
        self.anaphor = nn.Linear(width, hidden)
        self.antecedent = nn.Linear(width, hidden, bias=False)
        self.features = nn.Linear(feature_count(), hidden, bias=False)
        self.classes = nn.Embedding(CLASS_PAIRS, hidden)
        self.layer = nn.Linear(hidden, hidden)
        self.score = nn.Linear(hidden, 1)
        self.class_score = nn.Embedding(CLASS_PAIRS, 1)
        for table in (self.classes, self.class_score):
            nn.init.zeros_(table.weight)
        if ranks:
            self.new = nn.Sequential(
                nn.Linear(width, hidden), nn.ReLU(), Dropout(dropout),
                nn.Linear(hidden, hidden), nn.ReLU(), Dropout(dropout), nn.Linear(hidden, 1),
            )  # fmt: skip
        self.register_buffer("bias", torch.zeros(()))

    def mentions(self, inputs: PairInputs) -> torch.Tensor:
        """Return the (M, D) vectors of mentions: words, their mean, features."""
        words = self.embedder(inputs.words)[0]  # (N, E)
        words = torch.cat([words, words.new_zeros(1, words.shape[1])])
        sums = torch.cat([words.new_zeros(1, words.shape[1]), words.cumsum(0)])
        start, end = inputs.spans.T
        means = (sums[end] - sums[start]) / (end - start)[:, None]
        read = torch.cat([words[inputs.near].flatten(1), means], dim=1)
        return torch.cat([self.dropout(read), inputs.mentions.to(words.dtype)], dim=1)

    def forward(self, inputs: PairInputs, *, hidden: bool = True) -> PairScores:
        """Return the scores of a document.

        Args:
            hidden: whether to return what the scores of pairs are computed from; otherwise (P, 0).
        """
        mentions = self.mentions(inputs)
        # The first layer over both mentions is the sum of a layer over each, computed once per mention.
        of_mentions = self.anaphor(mentions), self.antecedent(mentions)
        count = len(inputs.anaphors)
        size = count if torch.is_grad_enabled() else CHUNK  # whole novels have millions of pairs
        parts = [
            self._pairs(inputs, of_mentions, slice(first, first + size), hidden)
            for first in range(0, max(count, 1), max(size, 1))
        ]
        scores, states = (torch.cat(part) for part in zip(*parts, strict=True))
        new = self.new(mentions).squeeze(1) if self.ranks else mentions.new_zeros(len(mentions))
        return PairScores(scores, new, states)

    def _pairs(
        self, inputs: PairInputs, of_mentions: tuple[torch.Tensor, torch.Tensor], rows: slice, keep: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of some pairs, and their hidden states."""
        later, earlier = of_mentions
        classes = inputs.classes[rows]
        first = later[inputs.anaphors[rows]] + earlier[inputs.antecedents[rows]]
        first = first + self.features(inputs.pairs[rows].to(later.dtype)) + self.classes(classes)
        hidden = torch.relu(self.layer(self.dropout(torch.relu(first))))  # (P, H)
        scores = self.score(self.dropout(hidden)) + self.class_score(classes)
        return scores.squeeze(1), hidden if keep else hidden[:, :0]

    def chains(self, inputs: PairInputs) -> list[list[Span]]:
        """Return the chains of a document: each mention with its best antecedent."""
        return best_chains(inputs, self(inputs, hidden=False), float(self.bias))


def antecedents(inputs: PairInputs, scores: PairScores, bias: float = 0.0) -> list[int]:
    """Return the best antecedent of each mention by its number, -1 for none."""
    table = score_table(inputs, scores)
    table[:, 0] += bias
    columns = table.argmax(1).cpu().numpy()
    first = np.searchsorted(inputs.anaphors.cpu().numpy(), np.arange(len(columns)))
    earlier = np.append(inputs.antecedents.cpu().numpy(), -1)
    chosen = earlier[np.minimum(first + columns - 1, len(earlier) - 1)]
    return np.where(columns == 0, -1, chosen).tolist()  # type: ignore[no-any-return]  # tolist has no type


def chains_of(spans: Sequence[Span], earlier: Sequence[int]) -> list[list[Span]]:
    """Return chains of mentions that are linked to earlier ones."""
    chains: list[list[Span]] = []
    of: list[int] = []
    for span, antecedent in zip(spans, earlier, strict=True):
        of.append(of[antecedent] if antecedent >= 0 else len(chains))
        if antecedent < 0:
            chains.append([])
        chains[of[-1]].append(span)
    return chains


def spans_of(inputs: PairInputs) -> list[Span]:
    """Return the mentions of a document."""
    return [(start, end) for start, end in inputs.spans.tolist()]


def best_chains(inputs: PairInputs, scores: PairScores, bias: float) -> list[list[Span]]:
    """Return the chains of a document; the arguments are those of `antecedents`."""
    with torch.no_grad():
        return chains_of(spans_of(inputs), antecedents(inputs, scores, bias))
