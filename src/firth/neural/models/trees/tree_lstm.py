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
import functools
import itertools
from collections.abc import Iterable
from typing import Any, ClassVar, Unpack

import numpy as np
import torch

from firth.arguments import explained
from firth.errors import CorpusError, OptionError
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.tree_lstm import TreeLstm
from firth.neural.models.classification.classifier import (
    Encoder,
    LabelledOptions,
    extra_words_option,
    label_task,
    min_count_option,
    new_module,
    pair_hidden_option,
    pairs_option,
    word_table,
)
from firth.neural.models.classification.data import LabelBatch, check_held_out_labels
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.classification.train import Targets, learned_labels, with_vectors, words_of
from firth.neural.models.trees.data import (
    TreeExamples,
    TreeInputs,
    TreeItem,
    read_examples,
    read_tree,
    tree_batches,
    word_of,
)
from firth.neural.models.trees.predict import TreeModel
from firth.neural.supervised import SupervisedTask, digest, split_examples
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.row_updates import sparse_gradients
from firth.neural.training.task import Batches
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
        OptionError: an option is out of its range, or `merge` names no labels.
    """

    dim: int = option(300, "width of word vectors; given vectors decide it", minimum=1)
    embedding: str = option("tuned", "word vectors: tuned, or static (given and kept)", choices=EMBEDDINGS)
    lowercase: bool = option(True, "read words in lower case")
    merge: str = option("", "labels that count as one; nodes with other labels have none: 'negative=0,1 positive=3,4'")
    pairs: str | None = pairs_option("trees")
    lowest: int = option(1, "lowest score of pairs, with pairs=relatedness")
    highest: int = option(5, "highest score of pairs, with pairs=relatedness")
    min_count: int | None = min_count_option()
    extra_words: int = extra_words_option("trees")

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


def tree_task(
    module: torch.nn.Module, batches: Batches, held_out: Batches, *, predictions: int, by_error: bool = True
) -> SupervisedTask:
    """Return a module to train on the labelled nodes of trees; see `label_task`."""

    def roots(batch: LabelBatch) -> torch.Tensor:
        return torch.nonzero(batch.inputs.is_root[: len(batch.targets)]).flatten()  # second trees of pairs follow

    return label_task(module, batches, held_out, predictions=predictions, by_error=by_error, unit="nodes", roots=roots)


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
        read: Any = functools.partial(
            read_examples, pairs=options.pairs is not None, merged=options.merged, on_error=on_error
        )
        examples = read(source, labels)
        if held_out is None:
            examples, validation = split_examples(examples, config.seed, f"{examples.name}: {len(examples)} example")
        else:
            validation = read(held_out, held_out_labels)
        return _trained(options, examples, validation, config, vectors)


def _trained(
    options: TreeOptions,
    examples: TreeExamples,
    validation: TreeExamples,
    config: RunConfig,
    vectors: WordVectors | None,
) -> TreeModel:
    named = [[label] for labels in examples.labels for label in labels if label]  # a node has one label
    labels, targets_of = learned_labels(options, named, examples.name)
    trees = (tree for sides in examples.trees for tree in sides)
    texts = ([word_of(word, options.lowercase) for word in tree.sentence] for tree in trees)
    reader = words_of(options, texts, vectors)
    if not options.gives_scores:
        check_held_out_labels(filter(None, itertools.chain.from_iterable(validation.labels)), labels.names)
    items, held_out = (_items(options, reader, part, targets_of) for part in (examples, validation))
    module = new_module(options, reader, len(labels.names), config.seed, vectors, copies=2)
    task = tree_task(
        module,
        tree_batches(items, batch_size=config.training.batch_size, seed=config.seed),
        tree_batches(held_out, batch_size=EVAL_BATCH, shuffle=False),
        predictions=sum(len(item.targets) for item in held_out),
        by_error=not options.gives_scores,
    )
    digest = _digest([*items, *held_out], reader, vectors)
    with sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, {"examples": digest, "texts": len(items)})
    facts |= {
        "held_out_texts": len(held_out),
        "texts_left_out": len(examples) - len(items) + len(validation) - len(held_out),
        "texts_truncated": 0,
    }
    return TreeModel(module, options, reader, labels, {"training": facts})


def _items(options: TreeOptions, reader: TextReader, examples: TreeExamples, targets_of: Targets) -> list[TreeItem]:
    items = []
    for trees, labels in zip(examples.trees, examples.labels, strict=True):
        nodes = np.array([node for node, label in enumerate(labels) if label], dtype=np.int64)
        targets = targets_of([[label] for label in labels if label], examples.name)
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
        ([(*tree.parents, tree.ids, tree.positions) for tree in item.trees], item.nodes, item.targets) for item in items
    )
    return digest(trees, "\n".join(reader.words), vectors)


@options_class
class TreeLSTMClassifier(TreeOptions):
    """Tree-LSTM classifier of trees or pairs of trees.

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
    pair_hidden: int = pair_hidden_option()
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
