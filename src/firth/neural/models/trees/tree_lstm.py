"""Tree-LSTM classifiers: labels of phrases and sentences from their trees, and labels or scores of pairs.

What: a Tree-LSTM gives each node of a tree a state; a linear layer predicts the label of each labelled node, or a
    hidden layer over the states of two roots the label or score of a pair. N-ary for trees of constituents, child-sum
    for trees of dependencies, and for comparison an LSTM that reads each labelled phrase word by word.
Objective: with h_j the state of node j and y_j its label, the mean over the labelled nodes of a batch of

    -log softmax(W dropout(h_j) + b)[y_j]

    and for pairs that of `firth.neural.layers.label_heads.PairHead` over both roots.
Source: Tai, Socher and Manning 2015, "Improved semantic representations from tree-structured long short-term memory
    networks", sections 3 to 5; Socher et al. 2013 for the Stanford Sentiment Treebank.
Departures:
- Dropout in place of L2 regularisation, so that only word vectors that occur are updated.
- One learning rate; the authors give word vectors one of their own.
- The learning rate rises over the first 100 updates: the first steps of Adagrad move every weight by the whole rate.
- Words are read in lower case, unless `lowercase=False`.
Cost: `firth.neural.layers.tree_lstm`; three times that in training. `python -m benchmarks.tree_lstm` measures
    nodes per second.
"""

from typing import ClassVar

from firth.neural.layers.tree_lstm import TreeLstm
from firth.neural.models.texts.options import word_table
from firth.neural.models.texts.reader import TextReader
from firth.neural.models.trees.module import TreeEncoder
from firth.neural.models.trees.options import TreeOptions
from firth.neural.models.trees.train import train_tree_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors

KINDS = ("n-ary", "child-sum", "lstm")


@options_class
class TreeLSTMClassifier(TreeOptions):
    """Tree-LSTM classifier of trees or pairs of trees.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Tai, Socher and Manning 2015; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"tree-lstm": Preset("Tree-LSTM over trees in brackets or CoNLL-U (Tai et al. 2015).")}
    common_options: ClassVar = ("kind", "dim", "hidden", "dropout", "merge", "pairs")
    train = train_tree_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=15, batch_size=25, optimiser="adagrad", lr=0.05, warmup=100, patience=4
    )

    kind: str = option(
        "n-ary",
        "n-ary: for trees of constituents; child-sum: for trees of dependencies; lstm: reads words in order",
        choices=KINDS,
    )
    hidden: int = option(150, "width of the states of nodes", minimum=1)
    max_children: int = option(2, "children of a node, with kind=n-ary", minimum=1)
    pair_hidden: int = option(50, "width of the hidden layer over pairs", minimum=1)
    dropout: float = option(0.5, "dropout before the last layer", minimum=0, maximum=0.99)
    input_dropout: float = option(0.0, "dropout of word vectors", minimum=0, maximum=0.99)

    @property
    def reads_chains(self) -> bool:
        """Whether phrases are read word by word; see `TreeOptions.reads_chains`."""
        return self.kind == "lstm"

    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> TreeEncoder:
        """Return an encoder with random parameters; see `LabelledOptions.build_encoder`."""
        embedding = word_table(reader, self.dim, vectors, frozen=self.embedding == "static")
        kind = "n-ary" if self.kind == "n-ary" else "child-sum"  # on a chain, a child-sum cell is an LSTM's
        layer = TreeLstm(kind, self.dim, self.hidden, max_children=self.max_children)
        return TreeEncoder(embedding, layer, dropout=self.input_dropout)
