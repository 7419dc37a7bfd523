"""Scores of pairs of mentions, and of mentions that begin a chain: a feed-forward network over words and features."""

import torch
from torch import nn

from firth.coreference.mention_features import mention_feature_count
from firth.coreference.pairs import CLASS_PAIRS, feature_count
from firth.documents.document import Span
from firth.neural.layers.dropout import Dropout
from firth.neural.models.coreference.chains import best_chains
from firth.neural.models.coreference.pair_data import PLACES, PairInputs
from firth.neural.models.coreference.pair_scores import PairScores
from firth.neural.models.tokens.embedder import TokenEmbedder

CHUNK = 1 << 15  # pairs that are scored at once where nothing is learned


class PairModule(nn.Module):
    """Scores of pairs of mentions.

    Args:
        embedder: vectors of words.
        hidden: H, width of the hidden layers.
        dropout: rate of the inputs and of the hidden layers.
        ranks: whether mentions have a score of having no antecedent; otherwise it is 0.

    Attributes:
        embedder: as given.
        bias: () added to the scores of having no antecedent; chosen on held-out documents.
    """

    bias: torch.Tensor

    def __init__(self, embedder: TokenEmbedder, *, hidden: int, dropout: float, ranks: bool) -> None:
        super().__init__()
        self.embedder, self.dropout, self.ranks = embedder, Dropout(dropout), ranks
        width = (PLACES + 1) * embedder.width + mention_feature_count()
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
        read = torch.cat([words[inputs.places].flatten(1), means], dim=1)
        return torch.cat([self.dropout(read), inputs.mentions.to(words.dtype)], dim=1)

    def forward(self, inputs: PairInputs, *, hidden: bool = True) -> PairScores:
        """Return the scores of a document.

        Args:
            inputs: the document.
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
