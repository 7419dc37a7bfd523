"""The method `train` of models of trees with labels: read the trees, create a module, run the training loop."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.classify.labels import LabelSet
from firth.errors import CorpusError
from firth.neural.layers.label_heads import soft_labels
from firth.neural.models.texts.data import label_targets
from firth.neural.models.texts.examples import check_some_known, label_set
from firth.neural.models.texts.options import new_module
from firth.neural.models.texts.reader import TextReader
from firth.neural.models.texts.train import with_vectors, words_of
from firth.neural.models.trees.data import Floats, TreeItem, read_tree, tree_batches, word_of
from firth.neural.models.trees.examples import TreeExamples, read_examples
from firth.neural.models.trees.options import TreeOptions
from firth.neural.models.trees.task import TreeTask
from firth.neural.models.trees.tree_model import TreeModel
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.neural.training.row_updates import sparse_gradients
from firth.storage.skipping import STOP
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

EVAL_BATCH = 100  # examples per batch of an evaluation


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
    digest = hashlib.blake2b(digest_size=16)
    for item in items:
        for tree in item.trees:
            for part in (*tree.parents, tree.ids, tree.places):
                digest.update(part.tobytes())
        digest.update(item.nodes.tobytes())
        digest.update(item.targets.tobytes())
    digest.update("\n".join(reader.words).encode("utf-8", "surrogatepass"))
    if vectors is not None:
        digest.update(np.ascontiguousarray(vectors.vectors).tobytes())
    return digest.hexdigest()
