"""A classifier that distinguishes antonyms from synonyms.

What: in vectors learned from text, antonyms are as near to each other as synonyms. A logistic regression on features of
a pair, `PairFeatures`, learns the difference from labelled pairs.

Objective: with z the standardised features of a pair (mean 0, variance 1),

    log-odds = w . z + b,    minimise  mean -log p(label) + (penalty / 2) ||w||^2

The penalty is the one with the smallest loss on validation pairs: the given ones, or else a split without words of the
training pairs. The evidence of a family of features is its part of w . z, in nats.

Source: Cox 1958 for the model; Nguyen, Schulte im Walde and Vu 2017, "Distinguishing antonyms and synonyms in a
pattern-based neural network", for the task and its pairs; Levy, Remus, Biemann and Dagan 2015, "Do supervised
distributional methods really learn lexical inference relations?", section 3, for lexical memorisation: the penalty
is therefore chosen on unseen words.

Departures: in the paper a network reads the syntactic paths between the words of a pair; here patterns of words are
counted. A radial kernel on the same features fits the published test better, but unseen words hardly better
(docs/tasks/antonyms.md).

Cost: the features, and one fit of n rows of about 3 D + 80 numbers per penalty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.evaluation.linear import LogisticRegression, Scale, logistic_path
from firth.postprocess.word_pairs import Pair
from firth.relations.features import PairFeatures
from firth.relations.labelled import LabelledPairs, lexical_split

Floats = npt.NDArray[np.float64]

PENALTIES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
_SHARE = 0.7  # share of the words to train on when no validation pairs are given
_FEW = 20  # pairs per class below which no penalty is selected


@dataclass(frozen=True, eq=False)
class AntonymClassifier:
    """A trained classifier of antonyms and synonyms, returned by `train_classifier`.

    Attributes:
        features: the features of a pair.
        scale: standardisation of the features, from the training pairs.
        model: the logistic regression; its second class is "antonyms".
        penalty: the selected penalty.
    """

    features: PairFeatures
    scale: Scale
    model: LogisticRegression
    penalty: float

    def log_odds(self, pairs: Sequence[Pair]) -> Floats:
        """Return the log-odds of antonyms against synonyms, (n,), in nats.

        Args:
            pairs: n pairs; if a word has no vector, the other features decide.
        """
        rows = self.scale(self.features.rows(pairs))
        return np.asarray(rows @ self.model.coefficients[0] + self.model.intercepts[0])

    def predict(self, pairs: Sequence[Pair]) -> npt.NDArray[np.bool_]:
        """Return whether pairs are predicted to be antonyms, (n,); arguments as in `log_odds`."""
        return np.asarray(self.log_odds(pairs) > 0)

    def evidence(self, pairs: Sequence[Pair]) -> Mapping[str, Floats]:
        """Return the contribution of each family of features and of the "prior" to the log-odds, (n,) nats each.

        Args:
            pairs: n pairs.
        """
        evidence: dict[str, Floats] = {}
        start = 0
        rows = self.features.of(pairs)
        weights = self.model.coefficients[0]
        for name, columns in rows.items():
            part = slice(start, start + columns.shape[1])
            z = (columns - self.scale.mean[part]) * self.scale.factor[part]
            evidence[name] = np.asarray(z @ weights[part])
            start = part.stop
        return {**evidence, "prior": np.full(len(pairs), self.model.intercepts[0])}


def train_classifier(
    features: PairFeatures,
    pairs: LabelledPairs,
    validation: LabelledPairs | None = None,
    *,
    penalties: Sequence[float] = PENALTIES,
    seed: int = 0,
) -> AntonymClassifier:
    """Train a classifier of antonyms and synonyms.

    Args:
        features: the features of a pair.
        pairs: training pairs.
        validation: pairs to select the penalty; by default a lexical split of the training pairs.
        penalties: candidate penalties.
        seed: seed of the split.

    Raises:
        OptionError: there are no penalties, pairs of one class only, or a pair with both labels.
        FormatError: a vector is not finite.
    """
    if not penalties:
        raise OptionError("no penalties: expected at least one, such as 0.1")
    penalty = _select_penalty(features, pairs.checked(), validation, penalties, seed)
    (model,), scale = _path(features, pairs, [penalty])
    return AntonymClassifier(features, scale, model, penalty)


def _select_penalty(
    features: PairFeatures,
    pairs: LabelledPairs,
    validation: LabelledPairs | None,
    penalties: Sequence[float],
    seed: int,
) -> float:
    train, test = (pairs, validation) if validation is not None else lexical_split(pairs, _SHARE, seed=seed)
    sizes = [train.antonyms.sum(), (~train.antonyms).sum(), test.antonyms.sum(), (~test.antonyms).sum()]
    if len(penalties) == 1 or (validation is None and min(sizes) < _FEW):
        return max(penalties) if len(penalties) == 1 else sorted(penalties)[len(penalties) // 2]
    models, scale = _path(features, train, sorted(penalties, reverse=True))
    rows, labels = scale(features.rows(test.pairs)), test.antonyms.astype(np.int64)
    losses = [model.loss(rows, labels) for model in models]
    return sorted(penalties, reverse=True)[int(np.argmin(losses))]


def _path(
    features: PairFeatures, pairs: LabelledPairs, penalties: Sequence[float]
) -> tuple[list[LogisticRegression], Scale]:
    rows = features.rows(pairs.pairs)
    scale = Scale.of(rows)
    return logistic_path(scale(rows).astype(np.float32), pairs.antonyms.astype(np.int64), penalties), scale
