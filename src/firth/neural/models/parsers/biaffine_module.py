"""The network of a biaffine parser: sentences to scores of arcs and of labels, and to trees."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn.functional import leaky_relu

from firth.finite import check_finite
from firth.neural.layers.biaffine import Biaffine
from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.dropout import Dropout, PartDropout
from firth.neural.models.parsers.biaffine_data import BiaffineVocabulary
from firth.neural.models.parsers.data import NumberedTree, ParserModule, root_number
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import MIDDLE, OUTPUT
from firth.neural.models.tokens.features import joined
from firth.neural.models.tokens.reader import ReadSentence, TokenInputs
from firth.neural.structs.best_trees import best_trees
from firth.neural.training.batching import Buckets
from firth.readers.conllu import DependencySentence

PARSED = 5000  # words of a batch that is parsed
SLOPE = 0.1  # of the rectifier below 0


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of the arcs of B sentences of up to n words, and what the labels of arcs are scored by.

    Attributes:
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent, 0 the root; of no meaning at padding.
        label_heads: (B, n + 1, W) vectors of heads.
        label_dependents: (B, n + 1, W) vectors of dependents.
        real: (B, n) whether there is a word.
    """

    arcs: torch.Tensor
    label_heads: torch.Tensor
    label_dependents: torch.Tensor
    real: torch.Tensor


class BiaffineModule(ParserModule):
    """A biaffine parser."""

    def __init__(
        self,
        vocabulary: BiaffineVocabulary,
        words: TokenEmbedder,
        *,
        hidden: int,
        layers: int,
        arc_width: int,
        label_width: int,
        dropout: float,
        part_dropout: float,
        projective: bool,
    ) -> None:
        super().__init__()
        self.vocabulary, self._projective = vocabulary, projective
        self.words, self.part_dropout = words, PartDropout(part_dropout)
        self.encoder = BiLSTM(words.width, hidden, layers, dropout=dropout, locked=True, joins=words.joins(MIDDLE))
        width = self.encoder.width + words.joins(OUTPUT)
        self.root = nn.Parameter(torch.zeros(width))
        self._widths = [arc_width, arc_width, label_width, label_width]
        self.projections = nn.Linear(width, sum(self._widths))
        self.dropout = Dropout(dropout, locked=True)
        self.arcs = Biaffine(arc_width, arc_width, dependent_bias=False)
        self.labels = Biaffine(label_width, label_width, len(vocabulary.relations))

    def forward(self, inputs: TokenInputs) -> PairScores:
        """Return the scores of a batch."""
        context = self.words.context(inputs)
        x = self.part_dropout(self.words.parts(inputs, context))
        h = self.encoder(self.dropout(x), inputs.lengths, context.get(MIDDLE))  # (B, n, 2 H)
        y = self.dropout(joined(h, context, OUTPUT))
        with_root = torch.cat([self.root.to(y.dtype).expand(len(y), 1, -1), y], 1)
        projected = self.dropout(leaky_relu(self.projections(with_root), SLOPE))
        heads, dependents, label_heads, label_dependents = projected.split(self._widths, 2)
        real = torch.arange(y.shape[1], device=y.device) < inputs.lengths.to(y.device).unsqueeze(1)
        return PairScores(self.arcs(heads, dependents)[:, 0].float(), label_heads, label_dependents, real)

    def label_scores(self, scores: PairScores, heads: torch.Tensor) -> torch.Tensor:
        """Return (N, L) scores of the labels of the N arcs to all words, sentence by sentence.

        Args:
            scores: of a batch.
            heads: (B, n) head of each word.
        """
        rows, words = scores.real.nonzero(as_tuple=True)
        chosen = scores.label_heads[rows, heads[rows, words]]
        return self.labels.pairs(chosen, scores.label_dependents[rows, words + 1]).float()

    def parse(self, sentences: Sequence[DependencySentence], *, beam: int | None = None) -> list[NumberedTree]:
        """Return the tree of each sentence; see `ParserModule.parse`."""
        words = [" ".join(sentence.words) for sentence in sentences]
        return self.parse_read([self.vocabulary.reader.read(sentence) for sentence in sentences], words)

    @torch.no_grad()
    def parse_read(self, sentences: Sequence[ReadSentence], words: Sequence[str] = ()) -> list[NumberedTree]:
        """Return the trees of sentences that are ids already, and whose words an error shows."""
        if not sentences:
            return []
        batches = Buckets(
            items=sentences,
            lengths=np.array([len(sentence) for sentence in sentences], dtype=np.int64),
            collate=self.vocabulary.reader.collate,
            batch_size=PARSED,
            tokens=True,
            shuffle=False,
        )
        device = self.root.device
        trees = []
        for rows, inputs in zip(batches.plan(0), batches.epoch(0), strict=True):
            scores = self(inputs.to(device))
            some = [words[row] for row in rows.tolist()] if words else rows.tolist()
            check_finite(scores.arcs.cpu(), "the parser", some, "sentence of the batch")
            trees.append(self.trees_of(scores, inputs.lengths))
        found: list[NumberedTree] = batches.in_item_order(trees)
        return found

    def trees_of(self, scores: PairScores, lengths: torch.Tensor) -> list[NumberedTree]:
        """Return the best tree of each sentence of a batch, with the best label of each of its arcs."""
        found = best_trees(scores.arcs, lengths.to(scores.arcs.device), projective=self._projective)
        heads = torch.zeros(scores.real.shape, dtype=torch.int64)
        for row, tree in zip(heads, found, strict=True):
            row[: len(tree)] = torch.from_numpy(tree)
        by_label = self.label_scores(scores, heads.to(scores.real.device)).cpu()
        root = root_number(self.vocabulary.relations)
        if root >= 0:
            below_root = torch.from_numpy(np.concatenate(found)) == 0
            by_label[:, root] = torch.where(below_root, torch.inf, -torch.inf)
        return list(zip(found, np.split(by_label.argmax(1).numpy(), np.cumsum(lengths.numpy())[:-1]), strict=True))
