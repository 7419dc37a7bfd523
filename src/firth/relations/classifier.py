"""Antonyms or synonyms? A classifier of pairs of words.

What: vectors learned from text put opposites as near to each other as synonyms. A logistic regression on what can be
seen of a pair, `PairFeatures`, learns from labelled pairs which of the two it is.

Objective: with z the features x of a pair, each brought to mean 0 and variance 1,

    log-odds = w . z + b,    minimise  mean -log p(label) + (penalty / 2) ||w||^2

The penalty is the one with the least loss on pairs that were kept apart: those given for it, or else pairs of words
that stand in no pair of training. What a family of features says is its part of w . z, in nats.

Source: Cox 1958 for the model; Nguyen, Schulte im Walde and Vu 2017, "Distinguishing antonyms and synonyms in a
pattern-based neural network", for the task and its pairs; Levy, Remus, Biemann and Dagan 2015, "Do supervised
distributional methods really learn lexical inference relations?", section 3, for lexical memorisation, which is why
the penalty is chosen on words that training did not see.

Departures: a network reads the syntactic paths between the words of a pair in the paper; here patterns of words are
counted. A radial kernel on the same features fits the published test better, and words that it never saw hardly any
better (docs/tasks/antonyms.md).

Cost: that of the features, and a fit of n rows of some 3 D + 80 numbers to one output for each penalty.
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
_SHARE = 0.7  # of the words that penalties are tried on, where no pairs are given to choose with
_FEW = 20  # pairs of either kind, below which a choice says nothing


@dataclass(frozen=True, eq=False)
class AntonymClassifier:
    """What tells antonyms from synonyms: made by `train_classifier`.

    Attributes:
        features: what is looked at.
        scale: of the features of training.
        model: the logistic regression; its second class is that of antonyms.
        penalty: that was chosen.
    """

    features: PairFeatures
    scale: Scale
    model: LogisticRegression
    penalty: float

    def log_odds(self, pairs: Sequence[Pair]) -> Floats:
        """Return how much likelier pairs are antonyms than synonyms, (n,), in nats.

        Args:
            pairs: n pairs; one with a word that has no vector is judged by what else is known of it.
        """
        rows = self.scale(self.features.rows(pairs))
        return np.asarray(rows @ self.model.coefficients[0] + self.model.intercepts[0])

    def predict(self, pairs: Sequence[Pair]) -> npt.NDArray[np.bool_]:
        """Return which pairs are rather antonyms, (n,); arguments of `log_odds`."""
        return np.asarray(self.log_odds(pairs) > 0)

    def evidence(self, pairs: Sequence[Pair]) -> Mapping[str, Floats]:
        """Return what each family of features adds to the log-odds, (n,) nats each, and the "prior"; they sum to it.

        Args:
            pairs: n pairs.
        """
        found: dict[str, Floats] = {}
        start = 0
        rows = self.features.of(pairs)
        weights = self.model.coefficients[0]
        for name, some in rows.items():
            part = slice(start, start + some.shape[1])
            z = (some - self.scale.mean[part]) * self.scale.factor[part]
            found[name] = np.asarray(z @ weights[part])
            start = part.stop
        return {**found, "prior": np.full(len(pairs), self.model.intercepts[0])}


def train_classifier(
    features: PairFeatures,
    pairs: LabelledPairs,
    validation: LabelledPairs | None = None,
    *,
    penalties: Sequence[float] = PENALTIES,
    seed: int = 0,
) -> AntonymClassifier:
    """Learn to tell antonyms from synonyms.

    Args:
        features: what is looked at in a pair.
        pairs: to learn from.
        validation: to choose the penalty with; by default some of the pairs, whose words the others do not have.
        penalties: to choose from.
        seed: of which words these are.

    Raises:
        OptionError: there are no penalties, pairs of one kind only, or a pair of both kinds.
        FormatError: a vector is not finite.
    """
    if not penalties:
        raise OptionError("no penalties to choose from: expected some, such as 0.1")
    penalty = _chosen(features, pairs.checked(), validation, penalties, seed)
    (model,), scale = _path(features, pairs, [penalty])
    return AntonymClassifier(features, scale, model, penalty)


def _chosen(
    features: PairFeatures,
    pairs: LabelledPairs,
    validation: LabelledPairs | None,
    penalties: Sequence[float],
    seed: int,
) -> float:
    tried, judged = (pairs, validation) if validation is not None else lexical_split(pairs, _SHARE, seed=seed)
    kinds = [tried.antonyms.sum(), (~tried.antonyms).sum(), judged.antonyms.sum(), (~judged.antonyms).sum()]
    if len(penalties) == 1 or (validation is None and min(kinds) < _FEW):
        return max(penalties) if len(penalties) == 1 else sorted(penalties)[len(penalties) // 2]
    models, scale = _path(features, tried, sorted(penalties, reverse=True))
    rows, labels = scale(features.rows(judged.pairs)), judged.antonyms.astype(np.int64)
    losses = [model.loss(rows, labels) for model in models]
    return sorted(penalties, reverse=True)[int(np.argmin(losses))]


def _path(
    features: PairFeatures, pairs: LabelledPairs, penalties: Sequence[float]
) -> tuple[list[LogisticRegression], Scale]:
    rows = features.rows(pairs.pairs)
    scale = Scale.of(rows)
    return logistic_path(scale(rows).astype(np.float32), pairs.antonyms.astype(np.int64), penalties), scale
