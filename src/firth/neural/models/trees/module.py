"""The module of a model of trees: an encoder of nodes, and a head."""

import torch

from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.label_heads import LabelHead, PairHead
from firth.neural.layers.tree_lstm import TreeLstm
from firth.neural.models.trees.data import TreeInputs


class TreeEncoder(torch.nn.Module):
    """Nodes of trees to vectors.

    Args:
        embedding: vectors of words.
        layer: a Tree-LSTM over them.
        dropout: rate on the vectors of words.

    Attributes:
        embedding, layer: as given.
        width: H.
    """

    def __init__(self, embedding: WordEmbedding, layer: TreeLstm, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding, self.layer, self.dropout = embedding, layer, Dropout(dropout)
        self.width = layer.width

    def forward(self, inputs: TreeInputs) -> torch.Tensor:
        """Return the (R, H) states of the nodes that are wanted."""
        h, _ = self.layer(self.dropout(self.embedding(inputs.ids)), inputs.levels, inputs.words)
        return h.index_select(0, inputs.outputs)  # type: ignore[no-any-return]  # a module's result has no type


class TreeModule(torch.nn.Module):
    """An encoder and a head.

    Args:
        encoder: nodes to vectors.
        head: a vector, or the two vectors of a pair, to scores.

    Attributes:
        encoder, head: as given.
    """

    def __init__(self, encoder: TreeEncoder, head: LabelHead | PairHead) -> None:
        super().__init__()
        self.encoder, self.head = encoder, head

    def forward(self, inputs: TreeInputs) -> torch.Tensor:
        """Return (R, L) scores of the nodes that are wanted, or of pairs: the first trees, then the second ones."""
        vectors: torch.Tensor = self.encoder(inputs)
        scores: torch.Tensor = self.head(*vectors.chunk(2)) if isinstance(self.head, PairHead) else self.head(vectors)
        return scores
