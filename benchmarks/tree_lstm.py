"""Speed of Tree-LSTM training in nodes per second, on one thread.

    python -m benchmarks.tree_lstm SST UD                 measure, and write results/trees/speed.jsonl and speed.md
    python -m benchmarks.tree_lstm SST UD --peer FOLDER   with treelstm.pytorch (dasguptar) from that folder
    python -m benchmarks.tree_lstm --table                write the table again from the runs on disk

SST is a file of trees in brackets with labels, UD one in CoNLL-U. Contenders take turns in each round. All train the
same models: vectors of 300, states of 150, batches of 25, an update with Adagrad per batch.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, embedding

from benchmarks.turns import Contender, Job, SpeedTable
from firth.neural.models.classification.classifier import LabelModule, new_module
from firth.neural.models.classification.reader import TextReader, learn_reader
from firth.neural.models.trees.data import NO_WORD, ReadTree, TreeItem, read_tree, tree_batches
from firth.neural.models.trees.tree_lstm import TreeLSTMClassifier, tree_task
from firth.neural.training.optimisers import make_optimiser
from firth.neural.training.schedules import TrainingProgress
from firth.readers.brackets import read_bracketed
from firth.readers.conllu import read_conllu
from firth.readers.tree import Tree

RESULTS = Path(__file__).parent / "results" / "trees"
BATCH, BATCHES, ROUNDS = 25, 4, 5
OURS, PHRASES, PAIRS = "firth, level by level", "labelled constituents, N-ary", "pairs of dependencies, child-sum"
LEGEND = """Forward, backward and update, {batch} trees or pairs to an update, one thread, float32, in processor time.
Contenders take turns; a figure is the median of {rounds} rounds (least - greatest). "Ratio" is firth
to the contender, the median over rounds. Written by `python -m benchmarks.tree_lstm`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Tree-LSTM training: nodes a second",
    legend=LEGEND,
    unit="nodes",
    columns={"data": "data and model", "contender": "contender"},
    other=lambda names: (names[0], OURS),
    inverse=True,
)


def labelled(path: Path, count: int) -> tuple[list[TreeItem], TextReader]:
    """Trees with a target at each node."""
    trees = [tree for tree, _ in zip(read_bracketed(path), range(count), strict=False)]
    reader = reader_of(trees)
    labels = sorted({label for tree in trees for label in tree.labels})
    eye = np.eye(len(labels), dtype=np.float32)
    items = [
        TreeItem(
            (read_tree(tree, reader, chains=False, lowercase=True),),
            np.arange(len(tree)),
            eye[[labels.index(label) for label in tree.labels]],
        )
        for tree in trees
    ]
    return items, reader


def pairs_of(path: Path, count: int) -> tuple[list[TreeItem], TextReader]:
    """Pairs of sentences, one after the other, with scores by chance."""
    trees = [sentence.tree for sentence, _ in zip(read_conllu(path), range(2 * count), strict=False)]
    reader, random = reader_of(trees), np.random.default_rng(0)
    read = [read_tree(tree, reader, chains=False, lowercase=True) for tree in trees]
    eye = np.eye(5, dtype=np.float32)
    items = [
        TreeItem((read[i], read[i + 1]), np.array([0]), eye[[random.integers(5)]]) for i in range(0, len(read) - 1, 2)
    ]
    return items, reader


def reader_of(trees: Sequence[Tree]) -> TextReader:
    """The vocabulary of trees."""
    words = ([word.lower() for word in tree.sentence] for tree in trees)
    return learn_reader(words, "whitespace", min_count=1, max_length=2**31)


def by_level(items: list[TreeItem], reader: TextReader, options: TreeLSTMClassifier, labels: int) -> Job:
    """Training as firth does it."""
    module = new_module(options, reader, labels, 0).train()
    training = options.training
    module.encoder.embedding.sparse = True
    optimiser = make_optimiser(module, training.optimiser, lr=training.lr)
    batches = tree_batches(items, batch_size=BATCH)
    task = tree_task(module, batches, batches, predictions=0)

    def run() -> int:
        nodes = 0
        for batch in batches.epoch(0):
            output = task.step(batch, None, TrainingProgress(0, 1, 0.0, 0.0))
            optimiser.zero_grad(set_to_none=True)
            output.loss.backward()
            optimiser.step()
            nodes += len(batch.inputs.levels)
        return nodes

    return run


def by_node(items: list[TreeItem], reader: TextReader, options: TreeLSTMClassifier, labels: int) -> Job:
    """The same model by recursion over the nodes of one tree at a time; the trees of a batch share an update."""
    module = new_module(options, reader, labels, 0).train()
    module.encoder.embedding.sparse = True
    optimiser = make_optimiser(module, options.training.optimiser, lr=options.training.lr)

    def run() -> int:
        nodes = 0
        for item in items[:BATCH]:
            tree = item.trees[0]
            scores = module.head(recursive(module, tree))
            loss = cross_entropy(scores, torch.from_numpy(item.targets.argmax(1)), reduction="sum")
            (loss / BATCH).backward()
            nodes += len(tree.ids)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return nodes

    return run


def recursive(module: LabelModule, tree: ReadTree) -> torch.Tensor:
    """The hidden states of a binary tree, node by node."""
    layer, parents = module.encoder.layer, tree.parents[0]
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents.tolist()):
        if parent >= 0:
            children[parent].append(node)
    H = layer.width
    table, states = module.encoder.embedding, dict[int, tuple[torch.Tensor, torch.Tensor]]()

    def visit(node: int) -> None:
        for child in children[node]:
            visit(child)
        x = layer.bias
        if tree.ids[node] != NO_WORD:
            word = embedding(torch.tensor([int(tree.ids[node])]), table.weight, sparse=table.sparse)[0]
            x = torch.addmv(x, layer.weight_ih, word)
        if not children[node]:
            u, i, o, _ = x.split(H)
            c = i.sigmoid() * u.tanh()
        else:
            hidden = torch.cat([states[child][0] for child in children[node]])
            p = torch.addmv(torch.cat([x, x[3 * H :]]), layer.weight_hh, hidden)
            u, i, o, left, right = p.split(H)
            c = i.sigmoid() * u.tanh()
            for gate, child in zip((left, right), children[node], strict=True):
                c = c + gate.sigmoid() * states[child][1]
        states[node] = o.sigmoid() * c.tanh(), c

    visit(tree.root)
    return torch.stack([states[node][0] for node in range(len(parents))])


class PlainTree(nn.Module):
    """The N-ary Tree-LSTM as a page of PyTorch: linear layers for the gates, a call per node."""

    def __init__(self, words: int, labels: int, width: int = 300, hidden: int = 150) -> None:
        super().__init__()
        self.hidden, self.words = hidden, nn.Embedding(words, width)
        self.x_gates, self.x_forget = nn.Linear(width, 3 * hidden), nn.Linear(width, hidden)
        self.h_gates, self.h_forget = nn.Linear(2 * hidden, 3 * hidden), nn.Linear(2 * hidden, 2 * hidden)
        self.output = nn.Linear(hidden, labels)

    def forward(self, tree: ReadTree) -> torch.Tensor:
        """Scores of the labels of all nodes."""
        children: list[list[int]] = [[] for _ in tree.ids]
        for node, parent in enumerate(tree.parents[0].tolist()):
            if parent >= 0:
                children[parent].append(node)
        states = dict[int, tuple[torch.Tensor, torch.Tensor]]()
        self.visit(tree.root, tree, children, states)
        return self.output(torch.cat([states[node][0] for node in range(len(children))]))  # type: ignore[no-any-return]

    def visit(
        self, node: int, tree: ReadTree, children: list[list[int]], states: dict[int, tuple[torch.Tensor, torch.Tensor]]
    ) -> None:
        """Compute the states of a node and of all below it."""
        for child in children[node]:
            self.visit(child, tree, children, states)
        if not children[node]:
            i, o, u = self.x_gates(self.words(torch.tensor([int(tree.ids[node])]))).chunk(3, 1)
            c = torch.sigmoid(i) * torch.tanh(u)
        else:
            h = torch.cat([states[child][0] for child in children[node]], 1)
            i, o, u = (self.h_gates(h) + self.x_gates.bias).chunk(3, 1)
            f = torch.sigmoid(self.h_forget(h) + self.x_forget.bias.repeat(2))
            c = torch.sigmoid(i) * torch.tanh(u)
            c = c + (f * torch.cat([states[child][1] for child in children[node]], 1)).view(2, -1).sum(0, keepdim=True)
        states[node] = torch.sigmoid(o) * torch.tanh(c), c


def plain(items: list[TreeItem], reader: TextReader, labels: int) -> Job:
    """A page of PyTorch: a tree at a time, an update for each batch."""
    module = PlainTree(len(reader), labels)
    optimiser = torch.optim.Adagrad(module.parameters(), lr=0.05)

    def run() -> int:
        nodes = 0
        for item in items[:BATCH]:
            scores = module(item.trees[0])
            loss = cross_entropy(scores, torch.from_numpy(item.targets.argmax(1)), reduction="sum")
            (loss / BATCH).backward()
            nodes += len(scores)
        optimiser.step()
        optimiser.zero_grad()
        return nodes

    return run


def peer(items: list[TreeItem], reader: TextReader, folder: Path) -> Job:
    """The loop of treelstm.pytorch over its own trees and its own model of pairs."""
    sys.path.insert(0, str(folder))
    from treelstm.model import SimilarityTreeLSTM  # type: ignore[import-not-found]  # treelstm.pytorch has no package
    from treelstm.trainer import Trainer  # type: ignore[import-not-found]  # likewise
    from treelstm.tree import Tree as PeerTree  # type: ignore[import-not-found]  # likewise

    def tree_of(tree: ReadTree) -> Any:
        nodes = [PeerTree() for _ in tree.ids]
        for number, (node, parent) in enumerate(zip(nodes, tree.parents[0].tolist(), strict=True)):
            node.idx = number
            if parent >= 0:
                nodes[parent].add_child(node)
        return nodes[tree.root]

    class Data(list[Any]):
        num_classes = 5

    data = Data(
        (
            tree_of(item.trees[0]), torch.from_numpy(item.trees[0].ids), tree_of(item.trees[1]),
            torch.from_numpy(item.trees[1].ids), float(item.targets.argmax()) + 1,
        )
        for item in items
    )  # fmt: skip
    model = SimilarityTreeLSTM(len(reader), 300, 150, 50, 5, False, False)
    optimiser = torch.optim.Adagrad(model.parameters(), lr=0.05)
    settings = argparse.Namespace(batchsize=BATCH)
    trainer = Trainer(settings, model, nn.KLDivLoss(reduction="sum"), optimiser, torch.device("cpu"))
    trainer.epoch = 0

    def run() -> int:
        trainer.train(Data(data[: 2 * BATCH]))
        return sum(len(tree.ids) for item in items[: 2 * BATCH] for tree in item.trees)

    return run


def contenders(sst: Path, ud: Path, folder: Path | None) -> Iterator[Contender]:
    """What runs, by kind of data."""
    items, reader = labelled(sst, BATCH * BATCHES)
    classifier = TreeLSTMClassifier()
    labels = items[0].targets.shape[1]
    yield Contender((PHRASES, OURS), by_level(items, reader, classifier, labels))
    yield Contender((PHRASES, "recursion, one product per node"), by_node(items, reader, classifier, labels))
    yield Contender((PHRASES, "recursion, linear layers of PyTorch"), plain(items, reader, labels))
    pairs, reader = pairs_of(ud, BATCH * BATCHES)
    relatedness = TreeLSTMClassifier(kind="child-sum", pairs="relatedness")
    yield Contender((PAIRS, OURS), by_level(pairs, reader, relatedness, 5))
    if folder is not None:
        yield Contender((PAIRS, "treelstm.pytorch"), peer(pairs, reader, folder))


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="nodes a second of Tree-LSTM training")
    parser.add_argument("sst", type=Path, nargs="?", help="trees in brackets, with labels")
    parser.add_argument("ud", type=Path, nargs="?", help="trees in CoNLL-U")
    parser.add_argument("--peer", type=Path, help="folder of treelstm.pytorch")
    parser.add_argument("--table", action="store_true", help="write the table from the runs on disk alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    file = options.out / "speed.jsonl"
    if not options.table:
        if options.sst is None or options.ud is None:
            parser.error("two files of trees are needed, unless --table is given")
        torch.set_num_threads(1)
        torch.manual_seed(1)
        options.out.mkdir(parents=True, exist_ok=True)
        TABLE.begin(file, {"batch": BATCH, "rounds": options.rounds}, torch=torch.__version__)
        TABLE.measure(contenders(options.sst, options.ud, options.peer), options.rounds, file)
    (options.out / "speed.md").write_text(TABLE.markdown(file), encoding="utf-8")


if __name__ == "__main__":
    main()
