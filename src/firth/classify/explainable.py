"""A classifier's answer as a function of its input rows: what attribution methods need (`firth.explanation`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_softmax, softmax

from firth.classify.features import FeatureMap
from firth.classify.probabilities import LabelProbabilities
from firth.corpus.line_scanner import scan_texts
from firth.errors import OptionError, brief
from firth.explanation.explanation import Floats
from firth.kernels import labelled_text as kernels
from firth.kernels.trees import from_children
from firth.randomness import generator
from firth.vectors.quantise import QuantisedMatrix


@dataclass(frozen=True, eq=False)
class LinearText:
    """A text of a classifier that averages rows; implements `firth.explanation.explanation.ExplainableText`.

    Attributes:
        tokens: the T tokens, the last of which is the end of the text.
        target: the label.
        rows: (N, D) rows of words, character n-grams and word n-grams.
        shares: (T, N); an n-gram of words is shared equally by them.
        outputs: (K, D) rows of the label scores, or of the inner nodes on the label's path.
        signs: (K,) turns of the path; +1 for losses without a tree.
        number: the row of the label, for the loss "softmax".
        reread: returns the rows of another text.
    """

    tokens: Sequence[str]
    target: str
    rows: Floats
    shares: Floats
    outputs: Floats
    signs: Floats
    number: int | None
    reread: Callable[[str], Floats]

    def log_prob(self, rows: Floats) -> Floats:
        """See `ExplainableText.log_prob`."""
        scores = rows.mean(axis=1) @ self.outputs.T  # (S, K)
        if self.number is not None:
            return np.asarray(log_softmax(scores, axis=1)[:, self.number])
        return np.asarray(-np.logaddexp(0, -self.signs * scores).sum(axis=1))

    def gradient(self, rows: Floats) -> Floats:
        """See `ExplainableText.gradient`."""
        scores = rows.mean(axis=1) @ self.outputs.T
        if self.number is not None:
            by_score = -softmax(scores, axis=1)
            by_score[:, self.number] += 1
        else:
            by_score = self.signs * expit(-self.signs * scores)
        gradients = by_score @ self.outputs / rows.shape[1]  # (S, D), the same for every row
        return np.repeat(gradients[:, None], rows.shape[1], axis=1)

    def log_probs_without(self) -> Floats:
        """See `ExplainableText.log_probs_without`; a text without rows is answered as a row of zeros."""
        return np.array([self.log_prob(self._without(position)[None])[0] for position in range(len(self.tokens))])

    def _without(self, position: int) -> Floats:
        if position == len(self.tokens) - 1:  # the end of the text
            rows = self.rows[self.shares[position] == 0]
        else:
            rows = self.reread(" ".join([*self.tokens[:position], *self.tokens[position + 1 : -1]]))
        return rows if len(rows) else np.zeros_like(self.rows[:1])

    def attention(self) -> Floats:
        """See `ExplainableText.attention`.

        Raises:
            OptionError: always, for a classifier that averages has no attention.
        """
        raise OptionError(
            "method='attention': this classifier averages vectors and has no attention; use another method"
        )


def linear_text(
    text: str, map: FeatureMap, model: LabelProbabilities, prefix: str, labels: Sequence[str], target: str | None
) -> LinearText:
    """Return a text as the input rows of a classifier, for one label."""
    tokens, rows, shares = _rows(text, map, model, prefix)
    if not len(rows):
        raise OptionError(f"text={brief(text)}: expected at least one word that the classifier knows")
    if target is None:
        number = int(model.probabilities(map.features(scan_texts([text], prefix)))[0].argmax())
    elif target in labels:
        number = list(labels).index(target)
    else:
        raise OptionError(f"target={target!r}: expected a label of the classifier: {', '.join(labels[:10])}")
    outputs, signs = _outputs(model, number)
    return LinearText(
        tokens,
        labels[number],
        rows,
        shares,
        outputs,
        signs,
        number if model.loss == "softmax" else None,
        lambda other: _rows(other, map, model, prefix)[1],
    )


def _outputs(model: LabelProbabilities, number: int) -> tuple[Floats, Floats]:
    outputs = _float64(model.outputs)
    if model.loss == "softmax":
        return outputs, np.ones(len(outputs))
    if model.loss == "hierarchical":
        tree = from_children(model.children)
        path = slice(tree.starts[number], tree.starts[number + 1])
        return outputs[tree.nodes[path]], tree.signs[path].astype(np.float64)
    return outputs[[number]], np.ones(1)


def _rows(text: str, map: FeatureMap, model: LabelProbabilities, prefix: str) -> tuple[list[str], Floats, Floats]:
    """Return the T tokens with the end of the text, the (N, D) rows, and the (T, N) share of each token in each row."""
    every = replace(map, bucket_rows=len(map.words) + np.arange(map.buckets, dtype=np.int32))  # a row for each bucket
    alone = replace(every, word_ngrams=1)
    line = scan_texts([text], prefix)
    names = line.names()
    tokens = [names[token] for token in line.tokens.tolist() if not line.is_label[token]]
    end = int(alone.features(scan_texts([""], prefix)).sizes[0])
    sizes = alone.features(scan_texts(tokens[:-1], prefix)).sizes - end if len(tokens) > 1 else np.zeros(0, np.int64)
    owners = [[t] for t, size in enumerate([*sizes.tolist(), end]) for _ in range(size)]
    longest = map.word_ngrams if map.buckets else 1
    owners += [
        list(range(first, last + 1))
        for first in range(len(tokens))
        for last in range(first + 1, min(len(tokens), first + longest))
    ]
    buckets = every.features(line).rows
    if len(buckets) != len(owners):
        raise AssertionError(f"{len(buckets)} features, {len(owners)} owners")
    words_rows, columns = list[int](), list[Floats]()
    for feature, members in zip(buckets.tolist(), owners, strict=True):
        row = feature if feature < len(map.words) else int(map.bucket_rows[feature - len(map.words)])
        if row != kernels.REMOVED:
            words_rows.append(row)
            columns.append(np.isin(np.arange(len(tokens)), members) / len(members))
    if not words_rows:
        return tokens, np.zeros((0, model.inputs.shape[1])), np.zeros((len(tokens), 0))
    matrix = _float64(model.inputs, [max(row, 0) for row in words_rows])
    matrix[np.array(words_rows) < 0] = 0  # a bucket without a row
    return tokens, matrix, np.array(columns).T


def random_like(matrix: Any, seed: int, name: str) -> npt.NDArray[np.float32]:
    """Return normal random numbers with the mean and spread of a matrix."""
    rows = _float64(matrix)
    return generator(seed, f"random {name}").normal(rows.mean(), rows.std(), rows.shape).astype(np.float32)


def _float64(matrix: Any, rows: list[int] | None = None) -> Floats:
    if isinstance(matrix, QuantisedMatrix):
        return np.asarray(matrix.rows() if rows is None else matrix.rows(np.array(rows)), dtype=np.float64)
    return np.asarray(matrix if rows is None else matrix[rows], dtype=np.float64)
