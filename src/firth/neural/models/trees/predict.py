"""A trained model of trees, or of pairs of trees, with labels: predictions for roots and nodes, scores, vectors."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.classify.classifier import Prediction, check_k
from firth.classify.scores import LabelScores
from firth.errors import OptionError
from firth.finite import check_finite
from firth.neural.models.classification.labelled_model import LabelledModel
from firth.neural.models.trees.data import ReadTree, collate, one_pair, one_tree, read_examples, read_tree
from firth.neural.prediction import in_batches
from firth.progress import Progress
from firth.readers.tree import Tree
from firth.storage.skipping import STOP
from firth.text.batches import check_batch_size
from firth.text.inputs import check_items
from firth.vectors.cosine import Matrix

BATCH = 100  # trees that are read together


class TreeModel(LabelledModel):
    """A trained model, as `firth.TreeLSTMClassifier(...).train` returns it.

    Trees are `firth.readers.tree.Tree`, or strings of brackets such as "(x (x very) (x good))", whose labels do not
    matter for predictions. Vectors are the states of roots, of width H. Arguments and attributes are those of
    `firth.neural.models.classification.labelled_model.LabelledModel`.
    """

    kind: ClassVar = "firth-tree-model"
    what: ClassVar = "a model of trees"
    inputs: ClassVar = "trees"

    @explained
    def predict(self, trees: Any, k: int = 1, threshold: float = 0.0, *, threads: int | None = None) -> Any:
        """Return the most probable labels of one tree, or one pair, or of several, as `firth.Classifier.predict` does.

        Args:
            trees: a tree or several; of a model of pairs, a tuple of two trees or several.
            k: largest number of labels per tree.
            threshold: smallest probability of a returned label.

        Raises:
            CorpusError: an item is not a tree, or not a pair of trees.
        """
        return self._predicted(trees, k, threshold, threads)

    @explained
    def predict_nodes(
        self, tree: Tree | str, k: int = 1, threshold: float = 0.0, *, threads: int | None = None
    ) -> list[Prediction]:
        """Return the most probable labels of every node of a tree, in the order of its nodes.

        Args:
            tree: a tree.
            k: largest number of labels per node.
            threshold: smallest probability of a returned label.

        Raises:
            OptionError: `k` is below 1, `threshold` is not a probability, or the model is one of pairs.
            CorpusError: it is not a tree.
        """
        k = check_k(k, threshold, len(self.labels))
        return self._named(self.node_probabilities([tree], threads=threads)[0], k, threshold)

    @explained
    def probabilities(
        self, trees: Any, *, threads: int | None = None, progress: Progress = False
    ) -> npt.NDArray[np.float64]:
        """Return the probability of every label, in the order of `labels`: (L,), or (N, L) float64, summing to 1.

        Args:
            trees: as for `predict`.

        Raises:
            CorpusError: an item is not a tree, or not a pair of trees.
        """
        if self._is_single(trees):
            return np.asarray(self.probabilities([trees], threads=threads)[0])
        if not self.options.pairs:
            items: list[tuple[Tree, ...]] = [(tree,) for tree in _trees(trees)]
        else:
            pairs = enumerate(check_items(trees, "trees", "pair"))
            items = [one_pair(pair, f"item {number}") for number, pair in pairs]
        return np.concatenate(self._by_item(items, False, threads, progress))

    @explained
    def node_probabilities(
        self, trees: Any, *, threads: int | None = None, progress: Progress = False
    ) -> list[npt.NDArray[np.float64]]:
        """Return the probabilities of every label at every node: for each tree (nodes, L) float64.

        Args:
            trees: N trees.

        Raises:
            OptionError: the model is one of pairs.
            CorpusError: an item is not a tree.
        """
        if self.options.pairs:
            raise OptionError(f"{self!r} labels pairs, not nodes; expected a model of single trees")
        return self._by_item([(tree,) for tree in _trees(trees)], True, threads, progress)

    @explained
    def encode(self, texts: Any, *, batch_size: int | None = None, progress: Progress = None) -> Matrix:
        """Return the vectors of trees, the states of their roots: (N, H) float32.

        Args:
            texts: N trees; not pairs, whose trees are encoded one by one.
            batch_size: trees that are encoded at once; None for 100.

        Raises:
            CorpusError: an item is not a tree.
            OptionError: `batch_size` is below 1.
        """
        size = BATCH if batch_size is None else batch_size
        check_batch_size(size)
        trees = _trees(texts)

        def vectors(rows: list[int]) -> list[Matrix]:
            batch = trees[rows[0] : rows[-1] + 1]
            states: Matrix = self.module.encoder(collate(list(map(self._read, batch))).to(self.device)).cpu().numpy()
            check_finite(states, self, batch, "tree", first=rows[0])
            return list(states)

        shown: dict[str, Any] = {"stage": "encoding", "unit": "trees", "progress": progress}
        result = in_batches(range(len(trees)), vectors, size=size, by_length=False, **shown)
        return np.array(result, np.float32).reshape(len(trees), self.dim)

    @explained
    def test(
        self,
        source: Any,
        labels: Any = None,
        *,
        nodes: bool = False,
        k: int = 1,
        threshold: float = 0.0,
        threads: int | None = None,
        progress: Progress = None,
        on_error: str = STOP,
    ) -> LabelScores:
        """Compute precision, recall and F1 of the labels of roots, or of all nodes, as `firth.Classifier.test` does.

        Nodes without a label are left out. A label that the model does not know lowers recall.

        Args:
            source: the trees, as for `train`.
            labels: their labels, likewise.
            nodes: whether all nodes count, not only the roots.
            k: number of labels predicted per node.
            threshold: smallest probability of a predicted label.
            on_error: "stop" at the first damaged sentence of CoNLL-U, or "skip" such sentences.

        Raises:
            CorpusError: the source is missing or holds no tree, or no node has a label.
            FormatError: a file of trees is damaged.
            OptionError: an option is out of its range, there are not as many labels as trees, or the model gives
                scores (`relatedness`).
        """
        if self.options.gives_scores:
            raise OptionError(f"{self!r} gives scores, no labels: compare relatedness(pairs) with the true scores")
        k = check_k(k, threshold, len(self.labels))
        pairs = self.options.pairs is not None
        data = read_examples(source, labels, pairs=pairs, merged=self.options.merged, on_error=on_error)
        probabilities = np.concatenate(self._by_item(data.trees, nodes, threads, progress))
        if nodes:
            names = [label for labels in data.labels for label in labels]
        else:
            roots = [0 if pairs else trees[0].root for trees in data.trees]
            names = [labels[root] for labels, root in zip(data.labels, roots, strict=True)]
        true = [[name] if name else [] for name in names]
        return self._scores(true, probabilities, k, threshold)

    def _is_single(self, trees: Any) -> bool:
        if not self.options.pairs:
            return isinstance(trees, Tree) or (isinstance(trees, str) and trees.lstrip().startswith("("))
        return isinstance(trees, tuple) and len(trees) == 2 and all(isinstance(tree, str | Tree) for tree in trees)

    def _read(self, tree: Tree) -> ReadTree:
        return read_tree(tree, self.reader, chains=self.options.reads_chains, lowercase=self.options.lowercase)

    def _by_item(
        self, items: Sequence[tuple[Tree, ...]], nodes: bool, threads: int | None, progress: Progress
    ) -> list[npt.NDArray[np.float64]]:
        """Return (1, L) probabilities of each item's root, or (nodes, L) of all its nodes."""

        def answers(rows: list[int]) -> list[npt.NDArray[np.float64]]:
            batch = items[rows[0] : rows[-1] + 1]
            trees = [self._read(item[side]) for side in range(len(batch[0])) for item in batch]
            wanted = [np.arange(len(item[0])) for item in batch] if nodes else None
            scores = self.module(collate(trees, wanted).to(self.device)).double().softmax(1).cpu().numpy()
            sizes = [len(item[0]) for item in batch] if nodes else [1] * len(batch)
            by_item = np.split(scores, np.cumsum(sizes)[:-1])
            check_finite([scores.sum() for scores in by_item], self, batch, "item", first=rows[0])
            return by_item

        shown: dict[str, Any] = {"stage": "predicting", "unit": "trees", "threads": threads, "progress": progress}
        return in_batches(range(len(items)), answers, size=BATCH, by_length=False, **shown)


def _trees(items: Any) -> list[Tree]:
    return [one_tree(item, f"item {number}") for number, item in enumerate(check_items(items, "trees", "tree"))]
