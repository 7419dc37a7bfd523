"""TextGCN: labels of documents from a graph of words and documents.

What
    A graph convolutional network over the documents and words of a corpus. Documents without labels are nodes as well:
    the network is transductive, and labels only what it was trained with.
Objective
    Z = A~ relu(A~ W_1 + b_1) W_2 + b_2   over the graph of `firth.word_document_graph`: no features but a unit per node
    L = - mean over documents i with a label y_i of log softmax(Z_i)[y_i]
Source
    Yao, Mao and Luo 2019, "Graph Convolutional Networks for Text Classification", sections 3.2 and 4.1.
Departures
    Training stops after `patience` epochs in which the loss of held-out documents is not below its lowest, and keeps
    the epoch of the lowest; the authors' program stops when it exceeds its mean over ten epochs, and keeps the last.
Cost
    2 E H multiplications per epoch for E edges, and as many for the gradients.
"""

from typing import Any, ClassVar

from firth.counts.word_document_graph import WINDOW
from firth.neural.models.graphs.graph_network import GCN, GraphModule
from firth.neural.models.graphs.text_train import train_text_network
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class
from firth.text.tokenise import RULES


@options_class
class TextGCN:
    """Graph convolutional network over words and documents.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Yao, Mao and Luo 2019; the module's docstring has the formula and every departure.
    """

    train = train_text_network
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=200, batch_size=1, optimiser="adam", lr=0.02, patience=10
    )

    hidden: int = option(200, "width of the layer between words and labels", minimum=1)
    dropout: float = option(0.5, "dropout of the inputs of each layer", minimum=0, maximum=0.99)
    window: int = option(WINDOW, "words per sliding window in which words occur together", minimum=2)
    min_count: int | None = option(
        None, "minimum count of a word; by default chosen from the size of the text", minimum=1
    )
    stop_words: tuple[str, ...] = option((), "stop words, which are left out")
    tokens: str = option("words", "how texts are split into words", choices=tuple(RULES))

    def __post_init__(self) -> None:
        check(self)

    def build(self, dim: int, labels: int) -> GraphModule:
        """Return a module with random parameters from torch's default generator, for D nodes and L labels."""
        network: Any = GCN(hidden=self.hidden, dropout=self.dropout)
        module: GraphModule = network.build(dim, labels)
        return module
