"""Relative negative sentiment bias (RNSB): does a classifier of sentiment hold some groups to be more negative?

What: a logistic regression learns to tell positive attribute words from negative ones by their vectors. Asked about
target words, such as nationalities or religions, which have no sentiment of their own, it should hold all to be alike.

Objective: with p(t) the probability that target t is negative, over all targets t of all sets,

    f(t) = p(t) / sum_u p(u),    rnsb = KL(f || uniform) = sum_t f(t) log( n f(t) )    in nats

0 is no difference between targets; the figure has no sign.

Source: Sweeney and Najafian 2019, "A transparent framework for evaluating unintended demographic bias in word
embeddings", section 4.

Departures: all attribute words train the classifier, and five folds say how well it tells unseen ones; wefe and the
authors' code hold out a fifth by chance and train on the rest, which gives another figure each time. The penalty is 1/n
a row, which is scikit-learn's C = 1; the intercept is free, whereas liblinear, which wefe uses, draws it to zero.

Cost: six logistic regressions of n rows of D numbers.
"""

import numpy as np

from firth.bias.query import Floats, Measured, Query, Vectors, find
from firth.errors import OptionError
from firth.evaluation.linear import Ints, LogisticRegression, logistic_path, stratified_folds

FOLDS = 5
TOLERANCE = 1e-10  # of the gradient: probabilities to eight digits


def rnsb(vectors: Vectors, query: Query, *, penalty: float | None = None, seed: int = 0) -> Measured:
    """Return how unevenly a classifier of sentiment spreads the negative over target words.

    Args:
        vectors: of words, in their own lengths.
        query: one or more target sets, and two attribute sets: the positive one first.
        penalty: on the classifier's weights; None is 1/n for n attribute words.
        seed: of the folds.

    Returns:
        The divergence in nats; `by_word` has each target word's probability of being negative, `facts["accuracy"]` the
        share of attribute words that folds without them told rightly.

    Raises:
        OptionError: the query has other sets, one has no word with a vector, there is one target word or none, or
            `penalty` is not above 0.
        FormatError: the vector of a word is not finite.
    """
    if penalty is not None and not 0 < penalty < np.inf:
        raise OptionError(f"penalty={penalty}: expected a number above 0")
    found = find(vectors, query, "rnsb", None, 2)
    words = [word for words in found.target_words for word in words]
    if len(words) < 2:
        raise OptionError(f"rnsb of {query.name}: 1 target word with a vector, expected at least 2 to compare")
    rows = np.concatenate(found.attributes)
    labels = np.repeat([0, 1], [len(each) for each in found.attributes])
    model = _fitted(rows, labels, penalty)
    negative = np.exp(model.log_probabilities(np.concatenate(found.targets))[:, 1])
    shares = negative / negative.sum()
    divergence = float((shares * np.log(len(shares) * shares)).sum())
    return found.measured(
        "rnsb",
        divergence,
        by_word=dict(zip(words, negative.tolist(), strict=True)),
        facts={"accuracy": _accuracy(rows, labels, penalty, seed)},
    )


def _fitted(rows: Floats, labels: Ints, penalty: float | None) -> LogisticRegression:
    strength = 1 / len(rows) if penalty is None else penalty
    return logistic_path(rows, labels, [strength], tolerance=TOLERANCE)[0]


def _accuracy(rows: Floats, labels: Ints, penalty: float | None, seed: int) -> float:
    fold = stratified_folds(labels, min(FOLDS, len(labels)), seed=seed)
    right = 0
    for held in range(fold.max() + 1):
        inside = fold == held
        model = _fitted(rows[~inside], labels[~inside], penalty)
        right += int((model.predict(rows[inside]) == labels[inside]).sum())
    return right / len(labels)
