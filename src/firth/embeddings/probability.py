"""The output rows of trained vectors: which can be trained further, and the probability of a word.

The output rows of most objectives belong to words. Those of hierarchical softmax belong to the inner nodes of a tree,
row i to node i. The tree is stored as two attributes of the words, `tree_left` and `tree_right`: the children of node
i, a word if below V and a node from V on, or -1 if there is no node i.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.embeddings.matrices import Matrices, initial_matrices
from firth.errors import OptionError
from firth.kernels.trees import Children, from_children
from firth.vectors.word_vectors import WordVectors

LEFT, RIGHT = "tree_left", "tree_right"
Numbers = npt.NDArray[np.float64]


class _Options(Protocol):
    """The options of Word2Vec that decide a probability."""

    @property
    def architecture(self) -> str: ...
    @property
    def objective(self) -> str: ...
    @property
    def combine(self) -> str: ...
    @property
    def score(self) -> str: ...
    @property
    def dim(self) -> int: ...


def tree_attributes(children: Children | None, rows: int) -> Mapping[str, npt.NDArray[np.int64]]:
    """Return a tree as attributes of words; None gives no attributes.

    `rows` is the number of words; it is above that of the tree if `start` had further words.
    """
    if children is None:
        return {}
    columns = np.full((2, rows), -1, dtype=np.int64)
    columns[:, : len(children)] = children.T
    return {LEFT: columns[0], RIGHT: columns[1]}


def stored_tree(vectors: WordVectors) -> Children | None:
    """Return the tree with which vectors were trained, or None."""
    if LEFT not in vectors.attributes or RIGHT not in vectors.attributes:
        return None
    columns = np.stack([vectors.attributes[LEFT], vectors.attributes[RIGHT]], axis=1)
    return columns[columns[:, 0] >= 0]


def starting_matrices(
    corpus: Corpus, dim: int, *, seed: int, start: WordVectors | None, objective: str, tree: Children | None
) -> Matrices:
    """Return initial matrices; output rows begin at 0 if `start` has another objective or another tree."""
    before = None if start is None else stored_tree(start)
    by_word = start is None or (tree is None and before is None and _objective(start) in (None, objective))
    if by_word or start is None:
        return initial_matrices(corpus, dim, seed=seed, start=start)
    inputs = WordVectors(start.lexicon, start.vectors, counts=start.counts)
    matrices = initial_matrices(corpus, dim, seed=seed, start=inputs)
    same_words = start.words[: len(corpus.vocabulary)] == list(corpus.vocabulary.words)
    if (
        start.output_vectors is not None
        and tree is not None
        and before is not None
        and same_words
        and np.array_equal(tree, before)
    ):
        matrices.outputs[: len(tree), :dim] = start.output_vectors[: len(tree)]
    return matrices


def log_prob(vectors: WordVectors, centre: Any, context: Any, model: _Options) -> Any:
    """Return log P(centre | context); see `firth.Word2Vec.log_prob`."""
    rows, outputs = _checked(vectors, model)
    words_of_one = [context] if model.architecture == "skipgram" else list(context)
    single = not words_of_one or isinstance(words_of_one[0], str)
    contexts = [context] if single else list(context)
    hidden = np.stack([_hidden(vectors, context, model) for context in contexts])
    if centre is None:
        log_probs = _all_log_probs(hidden, outputs, vectors, rows)
        return log_probs[0] if single else log_probs
    centres = [centre] if isinstance(centre, str) else list(centre)
    if len(centres) != len(contexts):
        raise OptionError(f"{len(centres)} centre words for {len(contexts)} contexts: expected equal numbers")
    words = np.array(vectors.get_index(centres), dtype=np.int64)
    if (unknown := words >= rows).any():
        raise vectors.lexicon.unknown(centres[int(np.argmax(unknown))])
    tree = stored_tree(vectors)
    if tree is None:
        log_probs = _all_log_probs(hidden, outputs, vectors, rows)[np.arange(len(words)), words]
    else:
        log_probs = _path_log_probs(hidden, outputs, tree, words)
    return float(log_probs[0]) if single else log_probs


def _checked(vectors: WordVectors, model: _Options) -> tuple[int, Numbers]:
    """Return the number of words in the training corpus, and their output rows."""
    if model.objective == "negative":
        raise OptionError(
            "objective='negative' defines no probability; train with objective="
            "'softmax', 'hierarchical', 'nce' or 'importance'"
        )
    if _objective(vectors) != model.objective or vectors.output_vectors is None:
        side = "" if vectors.output_vectors is not None else " without output vectors"
        raise OptionError(
            f"vectors{side} trained with objective={_objective(vectors)!r}: expected output vectors trained with "
            f"objective={model.objective!r}"
        )
    rows = vectors.metadata["training"].get("vocabulary", len(vectors))
    if model.objective == "hierarchical" and stored_tree(vectors) is None:
        raise OptionError(f"vectors without a tree: expected the attributes {LEFT} and {RIGHT}")
    return rows, np.asarray(vectors.output_vectors[:rows], dtype=np.float64)


def _objective(vectors: WordVectors) -> str | None:
    training = vectors.metadata.get("training", {})
    objective: str | None = training.get("options", {}).get("objective")
    return objective


def _hidden(vectors: WordVectors, context: Any, model: _Options) -> Numbers:
    """Return the hidden vector of one context."""
    if model.architecture == "skipgram":
        return np.asarray(vectors.get_vector(context), dtype=np.float64)
    if not len(context):
        raise OptionError("an empty context: expected at least one word")
    rows = np.asarray(vectors.get_vector(list(context)), dtype=np.float64)
    combined = rows.mean(0) if model.combine == "mean" else rows.sum(0)
    return np.asarray(combined / model.dim if model.score == "scaled" else combined)


def _all_log_probs(hidden: Numbers, outputs: Numbers, vectors: WordVectors, rows: int) -> Numbers:
    tree = stored_tree(vectors)
    if tree is not None:
        return np.stack([_path_log_probs(np.repeat(x[None], rows, 0), outputs, tree, np.arange(rows)) for x in hidden])
    scores = hidden @ outputs.T
    scores -= scores.max(axis=1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


def _path_log_probs(hidden: Numbers, outputs: Numbers, tree: Children, words: npt.NDArray[np.int64]) -> Numbers:
    """Return the log-probability of each word given the hidden vector of the same row."""
    paths = from_children(tree)
    lengths = paths.lengths[words]
    # All paths one after another: row of each entry, and its index in `paths`.
    row = np.repeat(np.arange(len(words)), lengths)
    step = (
        np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(paths.starts[words], lengths)
    )
    scores = np.einsum("pd,pd->p", hidden[row], outputs[paths.nodes[step]]) * paths.signs[step]
    # log P(w | h) = sum over the path of log sigma(sign u_node . h)
    return np.asarray(np.bincount(row, weights=-np.logaddexp(0, -scores), minlength=len(words)), dtype=np.float64)
