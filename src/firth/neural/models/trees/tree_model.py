"""A trained model of trees, or of pairs of trees, with labels: predictions for roots and nodes, scores, vectors."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

import firth
from firth.arguments import explained
from firth.classify.classifier import Prediction, check_k
from firth.classify.features import Features
from firth.classify.labels import LabelSet
from firth.classify.scores import LabelScores, label_scores
from firth.errors import OptionError
from firth.neural.models.texts.examples import label_counts
from firth.neural.models.texts.reader import TextReader
from firth.neural.models.trees.data import ReadTree, collate, read_tree
from firth.neural.models.trees.examples import one_pair, one_tree, read_examples
from firth.neural.models.trees.module import TreeModule
from firth.neural.models.trees.options import TreeOptions
from firth.neural.module_files import module_arrays, module_facts
from firth.neural.training.devices import no_subnormals, torch_threads
from firth.progress import Progress, Status, reporting
from firth.readers.tree import Tree
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.inputs import check_items
from firth.training_facts import with_training_facts
from firth.vectors.cosine import Matrix

KIND, COUNTS = "firth-tree-model", "label_counts"
BATCH = 100  # trees that are read together
CARD = """# A model of trees with labels

{kind}: {labels:,} labels, {words:,} words, trained by firth {version}.

```json
{options}
```

```python
import firth

model = firth.load("this folder")
```
"""


class TreeModel:
    """A trained model, as `firth.TreeLSTMClassifier(...).train` returns it.

    Trees are `firth.readers.tree.Tree`, or strings of brackets such as "(x (x very) (x good))", whose labels do not
    matter for predictions.

    Args:
        module: with trained parameters.
        options: of the model.
        reader: how it reads words.
        labels: the labels, with their counts in training.
        metadata: JSON values to save with the model: how it was trained.

    Attributes:
        module: in evaluation mode.
        options: as given.
        reader: as given.
        metadata: as given.
    """

    def __init__(
        self,
        module: TreeModule,
        options: TreeOptions,
        reader: TextReader,
        labels: LabelSet,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.module, self.options, self.reader = module.eval(), options, reader
        self._labels = labels
        self.metadata: dict[str, Any] = with_training_facts(metadata)

    def __repr__(self) -> str:
        pairs = f", {self.options.pairs} of pairs" if self.options.pairs else ""
        what = f"{len(self.labels):,} labels, {len(self.reader.words):,} words"
        return f"<TreeModel: {type(self.options).__name__}{pairs}, {what}>"

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def labels(self) -> list[str]:
        """The L labels, most frequent first; of related pairs the whole numbers of the scale."""
        return self._labels.names

    @property
    def label_counts(self) -> npt.NDArray[np.int64]:
        """(L,) counts of the labels in the training examples."""
        return self._labels.counts

    @property
    def words(self) -> Sequence[str]:
        """The V words that the model knows."""
        return self.reader.words

    @property
    def unit(self) -> str:
        """What trees are read in: "words"."""
        return "words"

    @property
    def dim(self) -> int:
        """H, the width of the vectors of trees."""
        return self.module.encoder.width

    @explained
    def predict(self, trees: Any, k: int = 1, threshold: float = 0.0, *, threads: int | None = None) -> Any:
        """Return the most probable labels of one tree, or one pair, or of several.

        Args:
            trees: a tree or several; of a model of pairs, a tuple of two trees or several.
            k: largest number of labels per tree.
            threshold: smallest probability of a returned label.
            threads: number of threads; None for 1.

        Returns:
            Pairs of label and probability, most probable first; for several trees, a list of such lists.

        Raises:
            OptionError: `k` is below 1, or `threshold` is not a probability.
            CorpusError: an item is not a tree, or not a pair of trees.
        """
        if self._is_single(trees):
            return self.predict([trees], k, threshold, threads=threads)[0]
        k = check_k(k, threshold, len(self.labels))
        return self._named(self.probabilities(trees, threads=threads), k, threshold)

    @explained
    def predict_nodes(
        self, tree: Tree | str, k: int = 1, threshold: float = 0.0, *, threads: int | None = None
    ) -> list[Prediction]:
        """Return the most probable labels of every node of a tree, in the order of its nodes.

        Args:
            tree: a tree.
            k: largest number of labels per node.
            threshold: smallest probability of a returned label.
            threads: number of threads; None for 1.

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
            threads: number of threads; None for 1.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            CorpusError: an item is not a tree, or not a pair of trees.
        """
        if self._is_single(trees):
            return np.asarray(self.probabilities([trees], threads=threads)[0])
        if self.options.pairs:
            items = [
                one_pair(item, f"item {number}") for number, item in enumerate(check_items(trees, "trees", "pair"))
            ]
        else:
            items = [(tree,) for tree in _trees(trees)]
        return np.concatenate(self._scores(items, False, threads, progress))

    @explained
    def node_probabilities(
        self, trees: Any, *, threads: int | None = None, progress: Progress = False
    ) -> list[npt.NDArray[np.float64]]:
        """Return the probabilities of every label at every node: for each tree (nodes, L) float64.

        Args:
            trees: N trees.
            threads: number of threads; None for 1.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            OptionError: the model is one of pairs.
            CorpusError: an item is not a tree.
        """
        if self.options.pairs:
            raise OptionError(f"{self!r} labels pairs, not nodes; expected a model of single trees")
        return self._scores([(tree,) for tree in _trees(trees)], True, threads, progress)

    @explained
    def relatedness(self, pairs: Any, *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return the scores of pairs, (N,) float64: the means of their distributions over the scale.

        Args:
            pairs: N tuples of two trees.
            threads: number of threads; None for 1.

        Raises:
            OptionError: the model was not trained with pairs="relatedness".
        """
        if self.options.pairs != "relatedness":
            raise OptionError(f"{self!r} gives labels, no scores: train with pairs='relatedness'")
        scale = np.arange(self.options.lowest, self.options.highest + 1, dtype=np.float64)
        return np.asarray(self.probabilities(pairs, threads=threads) @ scale)

    @torch.no_grad()
    def encode(self, texts: Any, *, batch_size: int | None = None, progress: Progress = None) -> Matrix:
        """Return the vectors of trees, the states of their roots: (N, H) float32.

        Args:
            texts: N trees; not pairs, whose trees are encoded one by one.
            batch_size: trees that are encoded at once; None for 100.
            progress: how to show progress; see `firth.progress`.

        Raises:
            CorpusError: an item is not a tree.
            OptionError: `batch_size` is below 1.
        """
        size = BATCH if batch_size is None else batch_size
        if size < 1:
            raise OptionError(f"batch_size={batch_size}: expected a whole number of at least 1")
        trees = [self._read(tree) for tree in _trees(texts)]
        result = np.zeros((len(trees), self.dim), dtype=np.float32)
        with reporting(progress) as report, torch_threads(None), no_subnormals():
            for start in range(0, len(trees), size):
                inputs = collate(trees[start : start + size]).to(self._device)
                result[start : start + size] = self.module.encoder(inputs).cpu().numpy()
                report(Status(stage="encoding", done=min(start + size, len(trees)), total=len(trees), unit="trees"))
        return result

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
    ) -> LabelScores:
        """Compute precision, recall and F1 of the labels of roots, or of all nodes, as `firth.Classifier.test` does.

        Nodes without a label are left out. A label that the model does not know lowers recall.

        Args:
            source: the trees, as for `train`.
            labels: their labels, likewise.
            nodes: whether all nodes count, not only the roots.
            k: number of labels predicted per node.
            threshold: smallest probability of a predicted label.
            threads: number of threads; None for 1.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            CorpusError: the source is missing or holds no tree, or no node has a label.
            FormatError: a file of trees is damaged.
            OptionError: an option is out of its range, there are not as many labels as trees, or the model gives
                scores (`relatedness`).
        """
        if self.options.pairs == "relatedness":
            raise OptionError(f"{self!r} gives scores, no labels: compare relatedness(pairs) with the true scores")
        k = check_k(k, threshold, len(self.labels))
        data = read_examples(source, labels, pairs=self.options.pairs is not None, merged=self.options.merged)
        probabilities = np.concatenate(self._scores(data.trees, nodes, threads, progress))
        if nodes:
            true = [[label] if label else [] for each in data.labels for label in each]
        else:
            at = [0 if self.options.pairs else trees[0].root for trees in data.trees]
            true = [[each[node]] if each[node] else [] for each, node in zip(data.labels, at, strict=True)]
        names = [*self.labels, *(name for name in label_counts(true).names if name not in self._labels.ids)]
        numbers, ends = LabelSet(names, np.zeros(len(names), np.int64)).encode(true)
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        return label_scores(
            names,
            Features(np.empty(0, np.int32), np.zeros(len(true), np.int64), numbers, ends),
            best.astype(np.int32),
            np.take_along_axis(probabilities, best, 1) >= threshold,
        )

    @property
    def _device(self) -> torch.device:
        return next(self.module.parameters()).device

    def _is_single(self, trees: Any) -> bool:
        if not self.options.pairs:
            return isinstance(trees, Tree) or (isinstance(trees, str) and trees.lstrip().startswith("("))
        return isinstance(trees, tuple) and len(trees) == 2 and all(isinstance(tree, str | Tree) for tree in trees)

    def _read(self, tree: Tree) -> ReadTree:
        return read_tree(tree, self.reader, chains=self.options.reads_chains, lowercase=self.options.lowercase)

    @torch.no_grad()
    def _scores(
        self, items: Sequence[tuple[Tree, ...]], nodes: bool, threads: int | None, progress: Progress
    ) -> list[npt.NDArray[np.float64]]:
        """Return (1, L) probabilities of each item's root, or (nodes, L) of all its nodes."""
        result: list[npt.NDArray[np.float64]] = []
        with reporting(progress) as report, torch_threads(threads), no_subnormals():
            for start in range(0, len(items), BATCH):
                batch = items[start : start + BATCH]
                trees = [self._read(item[side]) for side in range(len(batch[0])) for item in batch]
                wanted = [np.arange(len(item[0])) for item in batch] if nodes else None
                scores = self.module(collate(trees, wanted).to(self._device)).double().softmax(1).cpu().numpy()
                sizes = [len(item[0]) for item in batch] if nodes else [1] * len(batch)
                result += np.split(scores, np.cumsum(sizes)[:-1])
                report(Status(stage="predicting", done=start + len(batch), total=len(items), unit="trees"))
        return result

    def _named(self, probabilities: npt.NDArray[np.float64], k: int, threshold: float) -> list[Prediction]:
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        return [
            [(self.labels[i], float(values[i])) for i in row if values[i] >= threshold]
            for row, values in zip(best, probabilities, strict=True)
        ]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a folder that `firth.load` opens; see `firth.neural.models.trees.files`.

        Args:
            path: of the folder; a firth folder at the path is replaced.

        Raises:
            OptionError: the path is a folder of something else, which is never replaced, or JSON cannot represent the
                metadata.
            OSError: the folder cannot be written.
        """
        facts = module_facts(self.options)
        content = ModelFolder(
            kind=KIND,
            arrays={**module_arrays(self.module), COUNTS: self.label_counts},
            texts={"vocab": list(self.reader.words), "labels": self.labels},
            config={**facts, "min_count": self.reader.min_count, "counted": self.reader.counted},
            metadata=self.metadata,
            card=CARD.format(
                kind=type(self.options).__name__,
                labels=len(self.labels),
                words=len(self.reader.words),
                version=firth.__version__,
                options=json.dumps(facts["options"], indent=2),
            ),
        )
        model_folder.write(path, content)


def _trees(items: Any) -> list[Tree]:
    return [one_tree(item, f"item {number}") for number, item in enumerate(check_items(items, "trees", "tree"))]
