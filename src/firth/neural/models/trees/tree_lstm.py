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

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
import torch

from firth.arguments import explained
from firth.classify.labels import LabelSet
from firth.errors import CorpusError, OptionError
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.label_heads import soft_labels
from firth.neural.layers.state import State
from firth.neural.layers.tree_lstm import TreeLstm
from firth.neural.models.classification.classifier import (
    PAIRS,
    Encoder,
    LabelledOptions,
    best_labels,
    cross_entropy,
    new_module,
    word_table,
)
from firth.neural.models.classification.data import LabelBatch, check_some_known, label_set, label_targets
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.classification.train import with_vectors, words_of
from firth.neural.models.trees.data import (
    Floats,
    TreeExamples,
    TreeInputs,
    TreeItem,
    read_examples,
    read_tree,
    tree_batches,
    word_of,
)
from firth.neural.models.trees.predict import TreeModel
from firth.neural.supervised import digest
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.row_updates import sparse_gradients
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import Preset, option, options_class
from firth.storage.skipping import STOP
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

EMBEDDINGS = ("tuned", "static")
NO_LIMIT = 2**62  # words of a tree
EVAL_BATCH = 100  # examples per batch of an evaluation
KINDS = ("n-ary", "child-sum", "lstm")


class TreeEncoder(Encoder):
    """Nodes of trees to vectors.

    Attributes:
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


@options_class
class TreeOptions(LabelledOptions):
    """Options of a model of trees with labels: what all of them have.

    Raises:
        OptionError: an option is out of its range.
    """

    dim: int = option(300, "width of word vectors; given vectors decide it", minimum=1)
    embedding: str = option("tuned", "word vectors: tuned, or static (given and kept)", choices=EMBEDDINGS)
    lowercase: bool = option(True, "read words in lower case")
    merge: str = option("", "labels that count as one; nodes with other labels have none: 'negative=0,1 positive=3,4'")
    pairs: str | None = option(
        None,
        "what is asked of pairs of trees: entailment (a label, the order matters), paraphrase (a label, it does not), "
        "relatedness (a score); default: single trees with labels",
        choices=PAIRS,
    )
    lowest: int = option(1, "lowest score of pairs, with pairs=relatedness")
    highest: int = option(5, "highest score of pairs, with pairs=relatedness")
    min_count: int | None = option(
        None, "minimum count of a word; rarer ones are unknown; default: by the size of the text", minimum=1
    )
    extra_words: int = option(
        50_000,
        "most frequent words of given vectors that are known, too, besides those of the training trees",
        minimum=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.merge and self.pairs:
            raise OptionError(f"merge={self.merge!r} with pairs={self.pairs!r}: only labels of nodes are merged")
        _ = self.merged

    @property
    def merged(self) -> dict[str, str]:
        """Label of a node: label to learn; empty if labels are not merged."""
        merged: dict[str, str] = {}
        for group in self.merge.split():
            name, _, members = group.partition("=")
            if not name or not all(members.split(",")):
                raise OptionError(f"merge={self.merge!r}: expected NAME=LABEL,LABEL ..., such as 'bad=0,1 good=3,4'")
            merged |= dict.fromkeys(members.split(","), name)
        if self.merge and len(set(merged.values())) < 2:
            raise OptionError(f"merge={self.merge!r}: one label is left, expected two or more")
        return merged

    @property
    def reads(self) -> tuple[str, int]:
        """Words as they are, without a limit; see `LabelledOptions.reads`."""
        return "whitespace", NO_LIMIT

    @property
    @abc.abstractmethod
    def reads_chains(self) -> bool:
        """Whether phrases are read word by word, as chains, whatever their trees are."""


class TreeTask:
    """A module with its trees; implements `firth.neural.training.task.Task`.

    Attributes:
        unit: "nodes".
    """

    def __init__(
        self, module: torch.nn.Module, batches: Batches, held_out: Batches, *, predictions: int, by_error: bool = True
    ) -> None:
        self.module, self.batches, self.unit = module, batches, "nodes"
        self._held_out, self.eval_predictions, self._by_error = held_out, predictions, by_error

    def step(self, batch: LabelBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean cross entropy of the labelled nodes of a batch; see `Task.step`."""
        losses = cross_entropy(self.module(batch.inputs), batch.targets)  # (R,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per node, and the shares of nodes and of roots whose label is missed.

        The roots select the model, as in Tai et al. 2015; all nodes where no root has a label.
        """
        device = next(self.module.parameters()).device
        loss, right, right_roots, count, roots = 0.0, 0, 0, 0, 0
        for batch in self._held_out.epoch(0):
            on_device = batch.to(device)
            scores, targets = self.module(on_device.inputs).float(), on_device.targets
            at = torch.nonzero(on_device.inputs.is_root[: len(targets)]).flatten()  # second trees of pairs follow
            loss += cross_entropy(scores, targets).sum(dtype=torch.float64).item()
            right += best_labels(scores, targets)
            right_roots += best_labels(scores[at], targets[at])
            count, roots = count + len(targets), roots + len(at)
        if not self._by_error:
            return {"loss": loss / count}
        of_nodes = 1 - right / count
        return {"loss": loss / count, "error": 1 - right_roots / roots if roots else of_nodes, "node_error": of_nodes}


@explained
def train_tree_model(
    options: TreeOptions,
    source: Any,
    labels: Any = None,
    *,
    held_out: Any = None,
    held_out_labels: Any = None,
    vectors: WordVectors | None = None,
    on_error: str = STOP,
    **run: Unpack[RunArguments],
) -> TreeModel:
    """Train a model on trees, or pairs of trees, with labels.

    Args:
        options: of the model.
        source: trees in brackets with a label at any node, `(4 (2 very) (3 good))`: a path or several, or a list of
            strings or `firth.readers.tree.Tree`. With `labels`, also CoNLL-U (`.conllu`). With `pairs`: pairs of trees,
            or tuples ((first, second), label).
        labels: None where the labels are in `source`; else one for the root of each tree, or one per pair.
        held_out: examples that select the best epoch, in any form of `source`. Without them a tenth of the training
            examples is held out; test data never select a model.
        held_out_labels: labels of `held_out`, if they are not in it.
        vectors: word vectors to start from; words without one begin at random.
        on_error: "stop" at the first damaged sentence of CoNLL-U, or "skip" such sentences.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out examples.

    Raises:
        CorpusError: the source is missing or holds no tree; no node has a label, or all have the same; a score is out
            of its range.
        FormatError: a file of trees is damaged; the message names the line.
        OptionError: an option is out of its range, the number of labels differs from that of the trees, or the
            checkpoint is of another run.
        DivergenceError: training diverged.
    """
    options = with_vectors(options, vectors)
    config = RunConfig.of(options.training, run)
    with running_clock():
        how: dict[str, Any] = {"pairs": options.pairs is not None, "merged": options.merged, "on_error": on_error}
        examples = read_examples(source, labels, **how)
        if held_out is None:
            rows = split_rows(len(examples), config.seed, f"{examples.name}: {len(examples)} example")
            examples, judged = (examples.rows(some) for some in rows)
        else:
            judged = read_examples(held_out, held_out_labels, **how)
        return _trained(options, examples, judged, config, vectors)


def _trained(
    options: TreeOptions, examples: TreeExamples, judged: TreeExamples, config: RunConfig, vectors: WordVectors | None
) -> TreeModel:
    known, targets_of = _targets_by(options, examples)
    trees = (tree for each in examples.trees for tree in each)
    texts = ([word_of(word, options.lowercase) for word in tree.sentence] for tree in trees)
    reader = words_of(options, texts, vectors)
    if options.pairs != "relatedness":
        check_some_known((label for each in judged.labels for label in each if label), known.names, "held_out")
    items, held_out = (_items(options, reader, each, targets_of) for each in (examples, judged))
    module = new_module(options, reader, len(known.names), config.seed, vectors, copies=2)
    task = TreeTask(
        module,
        tree_batches(items, batch_size=config.training.batch_size, seed=config.seed),
        tree_batches(held_out, batch_size=EVAL_BATCH, shuffle=False),
        predictions=sum(len(item.targets) for item in held_out),
        by_error=options.pairs != "relatedness",
    )
    digest = _digest([*items, *held_out], reader, vectors)
    with sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, {"examples": digest, "texts": len(items)})
    facts |= {
        "held_out_texts": len(held_out),
        "texts_left_out": len(examples) - len(items) + len(judged) - len(held_out),
        "texts_truncated": 0,
    }
    return TreeModel(module, options, reader, known, {"training": facts})


Targets = Callable[[Sequence[str]], Floats]


def _targets_by(options: TreeOptions, examples: TreeExamples) -> tuple[LabelSet, Targets]:
    """Return the labels of a model, and the function that gives labels their targets."""
    if options.pairs != "relatedness":
        known = label_set([[label for label in each if label] for each in examples.labels], examples.name)
        return known, lambda labels: label_targets([[label] for label in labels], known)
    names = [str(score) for score in range(options.lowest, options.highest + 1)]

    def of_scores(labels: Sequence[str]) -> Floats:
        try:
            return soft_labels([float(label) for label in labels], options.lowest, options.highest)
        except ValueError as error:
            raise CorpusError(f"{examples.name}: {error}; expected a score per pair, such as 3.6") from error

    return LabelSet(names, np.zeros(len(names), np.int64)), of_scores


def _items(options: TreeOptions, reader: TextReader, examples: TreeExamples, targets_of: Targets) -> list[TreeItem]:
    items = []
    for trees, labels in zip(examples.trees, examples.labels, strict=True):
        nodes = np.array([node for node, label in enumerate(labels) if label], dtype=np.int64)
        targets = targets_of([label for label in labels if label])
        learned = targets.any(1) if len(nodes) else np.zeros(0, dtype=bool)
        if learned.any():
            read = tuple(
                read_tree(tree, reader, chains=options.reads_chains, lowercase=options.lowercase) for tree in trees
            )
            items.append(TreeItem(read, nodes[learned], targets[learned]))
    if not items:
        raise CorpusError(f"{examples.name}: no tree with a known label; expected at least one")
    return items


def _digest(items: Iterable[TreeItem], reader: TextReader, vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    trees = (
        ([(*tree.parents, tree.ids, tree.places) for tree in item.trees], item.nodes, item.targets) for item in items
    )
    return digest(trees, "\n".join(reader.words), vectors)


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
