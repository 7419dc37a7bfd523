"""Probabilities of labels, computed from the feature rows of texts.

A label's score is linear in the mean of a text's rows. With few labels, each row's scores are therefore computed once,
on first use, and averaged: an R x L table fits the caches where the R x D rows do not.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.classify.features import Features
from firth.classify.labels import label_children
from firth.errors import FormatError
from firth.kernels import labelled_text as kernels
from firth.kernels.compiled import read_only
from firth.vectors.quantise import QuantisedMatrix

BLOCK = 4096  # rows scored at once
Floats = npt.NDArray[np.float32]
Rows = Floats | QuantisedMatrix


@dataclass(frozen=True, eq=False)
class LabelProbabilities:
    """The part of a classifier that computes probabilities.

    Attributes:
        inputs: (R, D) rows of features.
        outputs: (L, D) rows of labels; with loss "hierarchical" those of inner nodes.
        loss: "softmax", "hierarchical", "negative" or "ova".
        label_counts: (L,) int64.
    """

    inputs: Rows
    outputs: Rows
    loss: str
    label_counts: npt.NDArray[np.int64]

    def hidden(self, features: Features) -> Floats:
        """Return the mean row of each text, (texts, D); zeros for a text without rows."""
        hidden = np.zeros((len(features.ends), self.inputs.shape[1]), dtype=np.float32)
        if isinstance(self.inputs, QuantisedMatrix):
            q, codes = self.inputs.quantiser, self.inputs.codes
            arrays = read_only(codes), read_only(q.centroids), q.width, read_only(self._lengths), hidden
            kernels.mean_codes(features.rows, features.ends, *arrays)
        else:
            kernels.mean_rows(features.rows, features.ends, self.inputs, hidden)
        return hidden

    def probabilities(self, features: Features) -> npt.NDArray[np.float64]:
        """Return the probability of every label for each text, (texts, L); no text affects another's result.

        Raises:
            FormatError: the classifier holds NaN, infinity, or numbers too large to sum.
        """
        labels = len(self.label_counts)
        probabilities = np.empty((len(features.ends), labels), dtype=np.float64)
        kind = {"softmax": kernels.SHARES, "hierarchical": kernels.PATHS}.get(self.loss, kernels.EACH)
        kernels.label_probabilities(
            self._scores(features), kind, self.children, np.empty(2 * labels - 1), probabilities
        )
        if not np.isfinite(probabilities).all():
            raise FormatError(
                "the classifier holds NaN, infinity, or numbers too large to sum: train it again, or copy it again"
            )
        probabilities[~has_known_feature(features)] = self.label_counts / max(int(self.label_counts.sum()), 1)
        return probabilities

    @cached_property
    def children(self) -> npt.NDArray[np.int64]:
        """(L - 1, 2) the tree over the labels in the form of `firth.kernels.trees`; empty with other losses."""
        return label_children(self.label_counts) if self.loss == "hierarchical" else np.zeros((0, 2), dtype=np.int64)

    def _scores(self, features: Features) -> npt.NDArray[np.float64]:
        scores = np.zeros((len(features.ends), len(self.label_counts)), dtype=np.float64)
        # The choice depends on the classifier alone, because the two ways differ in the last digit.
        if 2 * len(self.label_counts) <= self.inputs.shape[1]:
            kernels.mean_scores(features.rows, features.ends, self._row_scores, scores)
        else:
            kernels.label_scores(self.hidden(features), self._columns, scores)
        return scores

    @cached_property
    def _row_scores(self) -> Floats:
        """(R, L) the scores of each row alone."""
        scores = np.empty((self.inputs.shape[0], len(self.label_counts)), dtype=np.float32)
        for start in range(0, len(scores), BLOCK):
            block = slice(start, min(start + BLOCK, len(scores)))
            rows = self.inputs.rows(block) if isinstance(self.inputs, QuantisedMatrix) else self.inputs[block]
            with np.errstate(over="ignore", invalid="ignore"):  # `probabilities` rejects values that are not finite
                scores[block] = np.ascontiguousarray(rows, dtype=np.float32) @ self._columns
        return scores

    @cached_property
    def _columns(self) -> Floats:
        outputs = self.outputs.rows() if isinstance(self.outputs, QuantisedMatrix) else self.outputs
        return np.ascontiguousarray(outputs.T, dtype=np.float32)

    @cached_property
    def _lengths(self) -> Floats:
        q = self.inputs
        if not isinstance(q, QuantisedMatrix) or q.lengths is None or q.length_codes is None:
            return np.zeros(0, dtype=np.float32)
        return np.ascontiguousarray(q.lengths.decode(q.length_codes[:, None])[:, 0])


def has_known_feature(features: Features) -> npt.NDArray[np.bool_]:
    """Return for each text whether one of its features has a row."""
    rows = np.concatenate([[0], np.cumsum(features.rows >= 0)])
    return np.asarray(np.diff(rows[np.concatenate([[0], features.ends])]) > 0)
