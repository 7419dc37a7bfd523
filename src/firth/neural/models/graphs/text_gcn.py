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

from typing import Any, ClassVar, Unpack

import numpy as np
import torch

from firth.arguments import explained
from firth.counts.word_document_graph import WINDOW, word_document_graph
from firth.neural.models.graphs.data import UNKNOWN, Graph, Ints, read_graph, read_labels
from firth.neural.models.graphs.graph_network import GCN, GraphModule, fitted, read_held_out
from firth.neural.models.graphs.text_predict import TextGraphModel, digests
from firth.neural.supervised import split_rows
from firth.neural.training.devices import no_subnormals
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.options import option, options_class
from firth.text.inputs import token_lists
from firth.text.tokenise import RULES, tokeniser
from firth.timing import running_clock


@explained
def train_text_network(
    options: Any, texts: Any, labels: Any, *, unlabelled: Any = (), held_out: Any = None, **run: Unpack[RunArguments]
) -> TextGraphModel:
    """Learn the labels of texts, of which some are known.

    Args:
        options: `firth.TextGCN`.
        texts: strings, or lists of tokens.
        labels: of the texts, strings or whole numbers; None or a negative number for a text without one.
        unlabelled: further texts without labels. Only texts given here can be labelled later.
        held_out: numbers of texts whose labels select the best epoch, by their loss, and are not learned. Without them,
            a tenth of the texts with labels is held out, at random.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model.

    Raises:
        ArgumentTypeError: the texts are no texts, or a label is neither a string nor a number.
        ShapeError: there are not as many labels as texts.
        CorpusError: no text has a label, all have the same, or no word is left.
        OptionError: an option is out of its range, or held-out texts have no labels.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    with running_clock():
        split = tokeniser(options.tokens)
        labelled = token_lists(texts, split)
        tokens = [*labelled, *token_lists(unlabelled, split, "unlabelled")]
        names, of_texts = read_labels(labels, len(labelled), what="text")
        validation = _held_out(held_out, of_texts, config.seed)
        # stop words and rare words are left out by the corpus
        corpus: dict[str, Any] = {"min_count": options.min_count, "stop_words": options.stop_words}
        graph = word_document_graph(tokens, window=options.window, progress=False, tokens="whitespace", **corpus)
        nodes = read_graph(graph.edges, None)
        numbers = np.append(of_texts, np.full(nodes.nodes - len(of_texts), UNKNOWN))
        module, facts = fitted(options, nodes, (names, numbers), validation, config, by_loss=True)
        vectors, probabilities = _outputs(module, nodes)
    result = digests(tokens), vectors, probabilities
    return TextGraphModel(names, graph.words, *result, options.tokens, {"training": facts})


def _held_out(held_out: Any, labels: Ints, seed: int) -> Ints:
    if held_out is not None:
        return read_held_out(held_out, labels)
    labelled = np.flatnonzero(labels != UNKNOWN)
    return labelled[split_rows(len(labelled), seed, f"texts: {len(labelled)} with a label")[1]]


@torch.no_grad()
def _outputs(module: Any, graph: Graph) -> tuple[Any, Any]:
    """Return (N, H) hidden vectors and (N, L) probabilities of all nodes, float32."""
    graph = graph.to(next(module.parameters()).device)
    with no_subnormals():
        module.eval()
        hidden = module.hidden(graph)
        scores = module.layers[-1](graph.edges, hidden)
        return hidden.float().cpu().numpy(), scores.float().softmax(1).cpu().numpy()


@options_class
class TextGCN:
    """Graph convolutional network over words and documents.

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

    def build(self, dim: int, labels: int) -> GraphModule:
        """Return a module with random parameters from torch's default generator, for D nodes and L labels."""
        network: Any = GCN(hidden=self.hidden, dropout=self.dropout)
        module: GraphModule = network.build(dim, labels)
        return module
