"""The tree that hierarchical softmax trains with: built by name, or learned by a first training.

A learned tree needs vectors of all words. `train_with_tree` is a wrapper around a model's training that gets them from
`start` or from a first training, and then trains with the tree; the models themselves only take a tree.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from firth.corpus.encoded import Corpus
from firth.embeddings.learned_tree import learned_children
from firth.embeddings.trainer import TrainingArguments
from firth.embeddings.word_trees import WordTree
from firth.errors import OptionError
from firth.kernels.trees import Children, balanced_children, huffman_children
from firth.randomness import generator
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

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
