"""The encoder of a model of trees: nodes to vectors."""

import torch

from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.tree_lstm import TreeLstm
from firth.neural.models.texts.module import Encoder
from firth.neural.models.trees.data import TreeInputs


class TreeEncoder(Encoder):
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
