"""The tree that hierarchical softmax trains with: built by name, or learned by a first training.

A learned tree needs vectors of all words. `train_with_tree` is a wrapper around a model's training that gets them from
`start` or from a first training, and then trains with the tree; the models themselves only take a tree.

A tree over words, learned from their vectors.

What: the words are split in two by their vectors, each part is split again, and so on down to single words, so that
similar words share long paths.

Objective: each part is fitted by a mixture of two Gaussians with equal spherical covariance and means a and b. Their
border is a hyperplane orthogonal to a - b, placed where the occurrences of the words on both sides are as equal as
possible:

    left(w)  iff  x_w . (a - b) < t,      t such that  sum_left count = sum_right count

Source: Mnih and Hinton 2008, "A scalable hierarchical distributed language model", section 4.1, which fits the mixture
by EM and assigns words by the two components' responsibilities.

Departures: responsibilities are hard, which makes EM the 2-means algorithm. Mnih and Hinton split in the middle of the
words ("balanced") or at equal responsibility ("adaptive"); splitting in the middle of the occurrences keeps frequent
words near the root, as a Huffman tree does. A word with more than half of the occurrences of its part is split off,
whatever its vector. Words are represented by their input vectors, scaled to length 1; Mnih and Hinton average the
predicted vectors of a word's contexts.

Cost: `ROUNDS` passes over the V x D vectors per level of the tree, about 20 levels; all parts of a level are split at
once.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.embeddings.trainer import TrainingArguments
from firth.embeddings.word_trees import WordTree
from firth.errors import OptionError
from firth.kernels.trees import Children, balanced_children, huffman_children
from firth.randomness import generator
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

ROUNDS = 4  # of 2-means; the order of the words along a - b hardly changes after that


def learned_children(
    vectors: npt.NDArray[np.float32], counts: npt.NDArray[np.int64], random: np.random.Generator
) -> Children:
    """Return a tree in the form of `firth.kernels.trees`, from (V, D) vectors and (V,) positive counts.

    `random` draws the initial directions of 2-means.
    """
    total = len(vectors)
    rows = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
    children = np.zeros((max(total - 1, 0), 2), dtype=np.int64)
    words, starts = np.arange(total), np.zeros(min(total - 1, 1), dtype=np.int64)  # parts, one after the other
    nodes = np.full(len(starts), total - 2)  # the node of each part; numbers descend from the root's
    free = total - 3  # the next node
    while len(starts):
        words, cuts = _cut(rows, counts, words, starts, random)
        bounds = np.append(starts, len(words))
        halves = np.stack([starts, cuts], 1).ravel()  # where each half begins
        sizes = np.diff(np.append(halves, bounds[-1]))
        single = sizes == 1
        numbers = free - (np.cumsum(~single) - 1)
        items = np.where(single, words[halves], total + numbers)
        children[nodes] = items.reshape(-1, 2)
        free -= int((~single).sum())
        keep = np.repeat(~single, sizes)
        nodes, sizes = numbers[~single], sizes[~single]
        words, starts = words[keep], np.cumsum(sizes) - sizes
    return children


def _cut(
    rows: npt.NDArray[np.float32],
    counts: npt.NDArray[np.int64],
    words: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    random: np.random.Generator,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sort the words of each part along its direction; return them and where each part is split."""
    sizes = np.diff(np.append(starts, len(words)))
    part = np.repeat(np.arange(len(starts)), sizes)
    directions = random.standard_normal((len(starts), rows.shape[1])).astype(np.float32)
    cuts = starts
    for _ in range(ROUNDS):
        x = rows[words]
        along = np.einsum("wd,wd->w", x, directions[part])
        order = np.lexsort((words, along, part))
        words, x = words[order], x[order]
        cuts = _middles(counts[words], starts, sizes)
        sums = np.add.reduceat(x, np.stack([starts, cuts], 1).ravel(), axis=0).reshape(len(starts), 2, -1)
        left = (cuts - starts)[:, None]
        directions = sums[:, 1] / (sizes[:, None] - left) - sums[:, 0] / left
    return _isolate_heavy_words(counts, words, starts, part, cuts)


def _isolate_heavy_words(
    counts: npt.NDArray[np.int64],
    words: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    part: npt.NDArray[np.int64],
    cuts: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Split off a word that outweighs all others of its part; else only a few of them would be split off at a time."""
    weights = counts[words]
    heavy = 2 * weights > np.add.reduceat(weights, starts)[part]
    words = words[np.lexsort((np.arange(len(words)), ~heavy, part))]
    return words, np.where(np.logical_or.reduceat(heavy, starts), starts + 1, cuts)


def _middles(
    counts: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return where the counts of each part are split most equally, with at least one word on both sides."""
    before = np.concatenate([[0], np.cumsum(counts)])
    middle = (before[starts] + before[starts + sizes]) / 2
    after = np.clip(np.searchsorted(before, middle), starts + 1, starts + sizes - 1)
    earlier = np.maximum(after - 1, starts + 1)
    nearer: npt.NDArray[np.int64] = np.where(middle - before[earlier] <= before[after] - middle, earlier, after)
    return nearer


Result = TypeVar("Result")
Arguments = TrainingArguments[WordVectors]


def train_with_tree(
    tree: str | WordTree,
    corpus: Corpus,
    arguments: Arguments,
    *,
    first: Callable[[Corpus, Arguments], WordVectors],
    train: Callable[[Corpus, Arguments, Children], Result],
    interrupted: Callable[[WordVectors], Result],
) -> Result:
    """Train with a tree over the words of a corpus.

    Args:
        tree: a tree, or one of `firth.embeddings.word_trees.NAMES`.
        first: trains the vectors that a learned tree is built from, unless `start` has a vector for every word.
        interrupted: makes the result if the first training is interrupted.
    """
    vectors = arguments.start
    if tree == "learned" and (vectors is None or any(word not in vectors for word in corpus.vocabulary.words)):
        vectors = first(corpus, arguments.with_subfolder("first"))
        if vectors.metadata["training"]["interrupted"]:
            return interrupted(vectors)
    return train(corpus, arguments, tree_children(tree, corpus.vocabulary, arguments.seed, vectors))


def tree_children(tree: str | WordTree, vocabulary: Vocabulary, seed: int, vectors: WordVectors | None) -> Children:
    """Return a tree by its name; `vectors` of all words are for a learned tree."""
    counts = np.asarray(vocabulary.counts, dtype=np.int64)
    if tree == "huffman":
        return huffman_children(counts)
    if tree == "random":
        return balanced_children(generator(seed, "random tree").permutation(len(vocabulary)))
    if tree == "learned":
        assert vectors is not None
        rows = vectors.vectors[vectors.get_index(list(vocabulary.words))]
        return learned_children(np.asarray(rows, np.float32), counts, generator(seed, "learned tree"))
    return (tree if isinstance(tree, WordTree) else _local_wordnet()).children(vocabulary)


def _local_wordnet() -> WordTree:
    folder = os.environ.get("FIRTH_DATA", "")
    path = Path(folder, "wordnet", "oewn_yaml.tar.gz")
    if not folder or not path.exists():
        raise OptionError(
            "tree='wordnet': expected the environment variable FIRTH_DATA to name a folder with "
            "wordnet/oewn_yaml.tar.gz, Open English WordNet in YAML (github.com/globalwordnet/english-wordnet, "
            "src/yaml); or pass tree=firth.WordTree.wordnet(path)"
        )
    return WordTree.wordnet(path)
