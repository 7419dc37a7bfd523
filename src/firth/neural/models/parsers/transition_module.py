"""The network of a transition parser, with its first layer as tables of products."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import embedding_bag, relu

from firth.finite import not_finite
from firth.kernels.transition_states import CUBE, LABELLED, NODES, RELU, TANH, Ints, Labels, Tables
from firth.kernels.transitions import EAGER, LEFT, STANDARD
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.models.parsers.data import NumberedTree, ParserModule, Sentences
from firth.neural.models.parsers.transition_data import (
    NAMED,
    UNKNOWN,
    ParserBatch,
    ParserItem,
    TransitionVocabulary,
    collate,
    read_item,
)
from firth.parsing.feature_sums import add_gradients, sum_rows
from firth.parsing.search import parse, parse_with_beam

SYSTEMS = {"arc-standard": STANDARD, "arc-eager": EAGER}


def _cube(x: torch.Tensor) -> torch.Tensor:  # no lambda: parsers are pickled
    return x * x * x


ACTIVATIONS: dict[str, tuple[int, Callable[[torch.Tensor], torch.Tensor]]] = {
    "cube": (CUBE, _cube),
    "relu": (RELU, relu),
    "tanh": (TANH, torch.tanh),
}
BATCH = 100  # sentences that are parsed with one table of words


def _sums(table: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Return the (U, D) sums of rows of a table, given (U, .) numbers, of which 0 fills all columns but the first."""
    weights = (rows > 0).to(table.dtype)
    weights[:, 0] = 1
    return embedding_bag(rows, table, mode="sum", per_sample_weights=weights)


class FirstLayer(NamedTuple):
    """Tables of products: `firth.kernels.transition_states.Tables.words`, `.tags` and `.labels`."""

    words: torch.Tensor
    tags: torch.Tensor
    labels: torch.Tensor


class _FeatureSum(torch.autograd.Function):
    """Sums of table rows; `firth.parsing.feature_sums`."""

    @staticmethod
    def forward(ctx: Any, features: Ints, *tables: torch.Tensor) -> torch.Tensor:
        ctx.features, ctx.shapes = features, [table.shape for table in tables]
        sums = tables[0].new_empty(len(features), tables[0].shape[-1])
        sum_rows(features, *(table.detach().numpy() for table in tables), sums.numpy())
        return sums

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        tables = [gradients[0].new_zeros(shape) for shape in ctx.shapes]
        add_gradients(ctx.features, gradients[0].contiguous().numpy(), *(table.numpy() for table in tables))
        return None, *tables


class TransitionModule(ParserModule):
    """A network with one hidden layer over the features of a state.

    Args:
        vocabulary: words, tags and relations.
        words: (V + 3, D) vectors of words.
        system: "arc-standard" or "arc-eager".
        tag_dim: width of the vectors of tags and labels.
        hidden: H.
        activation: a name of `ACTIVATIONS`.
        dropout: rate on the hidden layer.
        word_dropout: a; a word of count n is read as unknown in a batch with probability a / (a + n).
        beam: K, sequences of actions that parsing keeps; 1 for greedy search.

    Attributes:
        system: its number.
        activation: its number.
        actions: A, the number of actions.
        labels_known: the relations, as the kernels of `firth.parsing` take them.
    """

    def __init__(
        self,
        vocabulary: TransitionVocabulary,
        words: WordEmbedding,
        *,
        system: str,
        tag_dim: int,
        hidden: int,
        activation: str,
        dropout: float,
        beam: int = 1,
        word_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.vocabulary, self.system, self.beam = vocabulary, SYSTEMS[system], beam
        self.activation, self.activate = ACTIVATIONS[activation]
        labels = len(vocabulary.relations)
        self.actions = LEFT + 2 * labels
        self.labels_known = Labels(labels, vocabulary.root)
        self.words = words
        self.tags = WordEmbedding(NAMED + len(vocabulary.tags), tag_dim)
        if vocabulary.pieces:
            self.pieces = WordEmbedding(1 + len(vocabulary.pieces), words.width)
        self.labels = WordEmbedding(labels + 1, tag_dim)
        inputs = NODES * (words.width + tag_dim) + LABELLED * tag_dim
        bound = (6 / (inputs + hidden)) ** 0.5

        def weights(width: int, nodes: int) -> torch.nn.Parameter:
            return torch.nn.Parameter(torch.empty(width, nodes * hidden).uniform_(-bound, bound))

        self.word_weights, self.tag_weights = weights(words.width, NODES), weights(tag_dim, NODES)
        self.label_weights = weights(tag_dim, LABELLED)
        self.bias = torch.nn.Parameter(torch.zeros(hidden))
        self.output = torch.nn.Linear(hidden, self.actions)
        self.dropout = Dropout(dropout)
        counts = np.concatenate([np.full(NAMED, np.inf), np.maximum(vocabulary.counts, 1e-9)])
        rates = torch.from_numpy(word_dropout / (word_dropout + counts)).float()
        rates[NAMED:][torch.from_numpy(vocabulary.counts == 0)] = 0.0  # known by its vector only
        self.register_buffer("rates", rates, persistent=False)

    def first_layer(self, batch: ParserBatch) -> FirstLayer:
        """Return the tables for the words and tags of a batch."""
        hidden = len(self.bias)
        tags = _sums(self.tags.weight, torch.from_numpy(batch.tags))
        return FirstLayer(
            (self._words(torch.from_numpy(batch.words)) @ self.word_weights).view(-1, NODES, hidden),
            (tags @ self.tag_weights).view(-1, NODES, hidden),
            (self.labels.weight @ self.label_weights).view(-1, LABELLED, hidden),
        )

    def _words(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return the (U, D) vectors of words, given (U, .) numbers of each and of its pieces."""
        words = numbers[:, 0]
        if self.training:
            rates = self.get_buffer("rates")[words]
            words = torch.where(torch.rand_like(rates) < rates, UNKNOWN, words)
        vectors: torch.Tensor = self.words(words)
        return vectors + _sums(self.pieces.weight, numbers[:, 1:]) if numbers.shape[1] > 1 else vectors

    def forward(self, features: Ints, tables: FirstLayer) -> torch.Tensor:
        """Return the (M, A) scores of actions in M states, given their (M, 48) features."""
        single = [table.to(torch.promote_types(table.dtype, torch.float32)) for table in tables]  # of half precision
        with torch.autocast("cpu", enabled=False):
            sums: torch.Tensor = _FeatureSum.apply(features, *single)  # type: ignore[no-untyped-call]  # torch gives no types
        scores: torch.Tensor = self.output(self.dropout(self.activate(sums + self.bias)))
        return scores

    def tables(self, first_layer: FirstLayer) -> Tables:
        """Return the network as the kernels of `firth.parsing` take it."""
        parts = (*first_layer, self.bias, self.output.weight.T, self.output.bias)
        return Tables(*(part.detach().float().contiguous().numpy() for part in parts))

    def parse(self, sentences: Sentences, *, beam: int | None = None) -> list[NumberedTree]:
        """Return the tree of each sentence; see `ParserModule.parse`."""
        items = [read_item(sentence, self.vocabulary, tree=False) for sentence in sentences]
        return self.parse_items(items, self.beam if beam is None else beam)

    def _check(self, tables: Tables, sentences: int) -> None:
        """Refuse weights with which a score could be too large for single precision."""
        words, tags, labels, bias, output, last = (np.abs(part).max(initial=0.0).astype(np.float64) for part in tables)
        largest = max(1.0, NODES * (words + tags) + LABELLED * labels + bias) ** 3  # of the activations, the cube
        if not len(self.bias) * output * largest + last < np.finfo(np.float32).max:
            raise not_finite(f"a batch of {sentences:,} sentences", "the parser")

    def parse_items(self, items: Sequence[ParserItem], beam: int) -> list[NumberedTree]:
        """Return the trees of sentences that are numbers already."""
        trees: list[NumberedTree] = []
        for start in range(0, len(items), BATCH):
            batch = collate(items[start : start + BATCH], len(self.vocabulary.relations))
            heads, relations = self._parse_batch(batch, beam)
            borders = batch.sentences.starts[1:-1]
            pairs = zip(np.split(heads, borders), np.split(relations, borders), strict=True)
            trees += [(of_sentence[1:], names[1:]) for of_sentence, names in pairs]
        return trees

    @torch.no_grad()
    def _parse_batch(self, batch: ParserBatch, beam: int) -> tuple[Ints, Ints]:
        tables = self.tables(self.first_layer(batch))
        self._check(tables, len(batch.sentences.starts) - 1)
        heads, relations = (np.empty(len(batch.sentences.words), np.int32) for _ in range(2))
        given = (self.system, batch.sentences, self.labels_known, tables, self.activation)
        if beam == 1:
            parse(*given, heads, relations)
        else:
            parse_with_beam(*given, beam, heads, relations)
        return heads, relations
