"""Metrics of bias: WEAT, SC-WEAT, RND, RNSB, RIPA, ECT and MAC. `firth.bias.measure` has the table of them.

Each metric takes vectors and a `Query` of target and attribute sets and returns a `BiasScore`.

Objective: with target sets X and Y, attribute sets A and B, and p(t) the probability that target t is negative,

    WEAT       s(w, A, B)    = mean_{a in A} cos(w, a) - mean_{b in B} cos(w, b)
               s(X, Y, A, B) = sum_{x in X} s(x, A, B) - sum_{y in Y} s(y, A, B)
               d             = (mean_{x in X} s(x, A, B) - mean_{y in Y} s(y, A, B)) / sd_{w in X u Y} s(w, A, B)
               p             = share of splits of X u Y into sets of the same sizes with a statistic of at least s
    SC-WEAT    d(w, A, B)    = s(w, A, B) / sd_{c in A u B} cos(w, c);  p over splits of A u B
    RND        1/|A| sum_{a in A} ( |a - m_1| - |a - m_2| )   for unit vectors, m_1 and m_2 the means of X and Y
    RNSB       f(t) = p(t) / sum_u p(u),  KL(f || uniform) = sum_t f(t) log( n f(t) )   in nats, over n targets
    RIPA       b_i = (x_i - y_i) / |x_i - y_i|,  mean over words a and pairs i of  a . b_i
    ECT        Spearman's correlation of cos(a, m_1) and cos(a, m_2) over the attribute words a
    MAC        mean over targets t and attribute sets A_j of  1/|A_j| sum_{a in A_j} (1 - cos(t, a))

WEAT (word embedding association test) measures whether words of X are more similar to A than to B, compared with words
of Y; d is positive if X goes with A, and lies between -2 and 2 for sets of one size. d is an effect size, divided by
the spread: s(X, Y, A, B) is the size of the difference itself. SC-WEAT (single-category WEAT) tests one word at a time.
RND (relative norm distance) is negative if the attribute words are nearer to X. RNSB (relative negative sentiment bias)
is the divergence of a sentiment classifier's predictions for target words; 0 means no difference. RIPA (relational
inner product association) projects words on the difference of pairs, and keeps the length of the word's vector. ECT
(embedding coherence test) is 1 without bias. MAC (mean average cosine) is about 1 without any relation, less the
more similar targets and attributes are.

Source: Caliskan, Bryson and Narayanan 2017, "Semantics derived automatically from language corpora contain human-like
biases", and its supplement (WEAT); Caliskan, Ajay, Charlesworth, Wolfe and Banaji 2022, "Gender bias in word
embeddings", section 3 (SC-WEAT); Garg, Schiebinger, Jurafsky and Zou 2018, "Word embeddings quantify 100 years of
gender and ethnic stereotypes", Materials and methods (RND); Sweeney and Najafian 2019, "A transparent framework for
evaluating unintended demographic bias in word embeddings", section 4 (RNSB); Ethayarajh, Duvenaud and Hirst 2019,
"Understanding undesirable word embedding associations", section 4.1 (RIPA); Dev and Phillips 2019, "Attenuating bias in
word vectors", section 4 (ECT); Manzini, Lim, Tsvetkov and Black 2019, "Black is to criminal as Caucasian is to police",
section 3 (MAC).

Departures:

- WEAT: the paper does not say whether its standard deviation divides by n or n - 1. Here it divides by n, which bounds
  d by 2 and is what wefe does; `ddof=1` divides by n - 1. The paper counts splits with a greater statistic; here equal
  ones count too, including the observed one, so that p is never 0 (Phipson and Smyth 2010). wefe's p draws words with
  replacement, which is not a permutation. Sets that differ in size after unknown words are removed are compared by
  means instead of sums, the same test for equal sizes. If all words have the same association, up to rounding, d is 0.
  The interval resamples words within X and within Y (Efron and Tibshirani 1993, section 13.3).
- RND: a mean over words instead of a sum, so that lists of different lengths are comparable; wefe does the same.
  `unit=False` keeps the vectors' lengths, which is wefe's default and not the paper's.
- RNSB: all attribute words train the classifier, and five folds measure its accuracy on unseen words; wefe and the
  authors' code train on a random four fifths. The penalty is 1/n per row, scikit-learn's C = 1; the intercept is not
  penalised, unlike in liblinear, which wefe uses.
- RIPA: the paper takes one pair, or the first principal component of many; the mean over pairs is wefe's, and equal for
  one pair. A pair with an unknown word is left out; wefe drops the word alone and misaligns the others.

Cost: one cosine per target and attribute word; for RNSB six logistic regressions of n rows of D numbers; for WEAT the
permutation test (`firth.bias.permutation`).
"""

import numpy as np

from firth.bias.permutation import DRAWS, MAX_EXACT, MAX_EXACT_PER_WORD, permutation_tests
from firth.bias.query import BiasScore, Floats, Query, QueryVectors, Vectors, cosines, lookup, rows_of, units
from firth.bias.word_pairs import KnownPairs
from firth.errors import OptionError
from firth.evaluation.linear import Ints, LogisticRegression, logistic_path
from firth.evaluation.selection import stratified_folds
from firth.evaluation.similarity import spearman
from firth.randomness import generator

RESAMPLES = 2000  # of WEAT's interval
FOLDS = 5  # of RNSB's accuracy
TOLERANCE = 1e-10  # of RNSB's gradient: probabilities to eight digits
MIN_RANKED = 3  # attribute words of ECT
_LEVEL = 0.95
_ROUNDING = 16  # times the precision of the vectors: a smaller spread counts as zero


def weat(
    vectors: Vectors, query: Query, *, ddof: int = 0, draws: int = DRAWS, resamples: int = RESAMPLES, seed: int = 0
) -> BiasScore:
    """Return WEAT: the effect size d of an association test, with its p-value.

    Args:
        vectors: the vectors.
        query: two target sets X, Y and two attribute sets A, B.
        ddof: 0 divides the variance by the number of target words n, 1 by n - 1.
        draws: number of random splits, if there are too many to count.
        resamples: resamples of the interval.
        seed: random seed.

    Returns:
        d; s(X, Y, A, B) as `facts["statistic"]`; `by_word` has s(w, A, B) of every target word.

    Raises:
        OptionError: the numbers of sets are wrong, a set has no known word, or an option is out of range.
        FormatError: the vector of a word is not finite.
    """
    _check(ddof, draws, resamples)
    sets = lookup(vectors, query, "weat", 2, 2)
    values = _associations(sets)
    size = len(sets.targets[0])
    first, second = values[:size], values[size:]
    flat = _is_flat(values, sets.rounding)
    test = permutation_tests(values[:, None], size, draws=draws, seed=seed, max_exact=MAX_EXACT)[0]
    low, high = (0.0, 0.0) if flat else _interval(first, second, ddof, resamples, seed)
    statistic = first.sum() - second.sum() if len(first) == len(second) else first.mean() - second.mean()
    words = [word for words in sets.target_words for word in words]
    return sets.score(
        "weat",
        0.0 if flat else float(_effects(first[None], second[None], ddof)[0]),
        p=1.0 if flat else test.p,
        low=low,
        high=high,
        by_word=dict(zip(words, values.tolist(), strict=True)),
        facts={"statistic": float(statistic), "ddof": ddof, **test.facts},
        notes=[*_unequal(sets), *(["all target words have the same association: no effect"] if flat else [])],
    )


def sc_weat(vectors: Vectors, query: Query, *, ddof: int = 0, draws: int = DRAWS, seed: int = 0) -> BiasScore:
    """Return SC-WEAT: the effect size of each target word, and their mean.

    Args:
        vectors: the vectors.
        query: one target set, the words to test, and two attribute sets A, B.
        ddof: 0 divides the variance by the number of attribute words n, 1 by n - 1.
        draws: number of random splits, if there are too many to count.
        seed: random seed.

    Returns:
        The mean of d(w, A, B); `by_word` has each, `facts["p_by_word"]` its p.

    Raises:
        OptionError: the numbers of sets are wrong, a set has no known word, or an option is out of range.
        FormatError: the vector of a word is not finite.
    """
    _check(ddof, draws, 1)
    sets = lookup(vectors, query, "sc-weat", 1, 2)
    similarities = cosines(sets.targets[0], np.concatenate(sets.attributes)).T  # (A + B, words)
    size = len(sets.attributes[0])
    deviation = similarities.std(axis=0, ddof=ddof)
    flat = deviation <= _ROUNDING * sets.rounding
    effects = (similarities[:size].mean(axis=0) - similarities[size:].mean(axis=0)) / np.where(flat, np.inf, deviation)
    tests = permutation_tests(similarities, size, draws=draws, seed=seed, max_exact=MAX_EXACT_PER_WORD)
    p = [1.0 if none else test.p for none, test in zip(flat, tests, strict=True)]
    words = sets.target_words[0]
    return sets.score(
        "sc-weat",
        float(effects.mean()),
        by_word=dict(zip(words, effects.tolist(), strict=True)),
        facts={"p_by_word": dict(zip(words, p, strict=True)), "p_exact": tests[0].exact, "ddof": ddof},
    )


def rnd(vectors: Vectors, query: Query, *, unit: bool = True) -> BiasScore:
    """Return RND: the relative norm distance of attribute words; negative means nearer to the first target set.

    Args:
        vectors: the vectors.
        query: two target sets and one attribute set.
        unit: whether vectors are first scaled to length 1.

    Returns:
        The mean; `by_word` has each attribute word's distance.

    Raises:
        OptionError: the numbers of sets are wrong, or a set has no known word.
        FormatError: the vector of a word is not finite.
    """
    sets = lookup(vectors, query, "rnd", 2, 1)
    first, second, words = (units(rows) if unit else rows for rows in (*sets.targets, *sets.attributes))
    distances = [np.linalg.norm(words - group.mean(axis=0), axis=1) for group in (first, second)]
    relative = distances[0] - distances[1]
    by_word = dict(zip(sets.attribute_words[0], relative.tolist(), strict=True))
    return sets.score("rnd", float(relative.mean()), by_word=by_word, facts={"unit": unit})


def rnsb(vectors: Vectors, query: Query, *, penalty: float | None = None, seed: int = 0) -> BiasScore:
    """Return RNSB: how unevenly a sentiment classifier assigns negative sentiment to target words.

    Args:
        vectors: the vectors, with their own lengths.
        query: one or more target sets, and two attribute sets: the positive one first.
        penalty: L2 penalty of the classifier; None is 1/n for n attribute words.
        seed: random seed of the folds.

    Returns:
        The divergence in nats; `by_word` has each target word's probability of being negative, `facts["accuracy"]` the
        cross-validated accuracy on attribute words.

    Raises:
        OptionError: the numbers of sets are wrong, a set has no known word, there are fewer than two target words, or
            `penalty` is not above 0.
        FormatError: the vector of a word is not finite.
    """
    if penalty is not None and not 0 < penalty < np.inf:
        raise OptionError(f"penalty={penalty}: expected a number above 0")
    sets = lookup(vectors, query, "rnsb", None, 2)
    words = [word for words in sets.target_words for word in words]
    if len(words) < 2:
        raise OptionError(f"rnsb of {query.name}: 1 target word with a vector, expected at least 2 to compare")
    rows = np.concatenate(sets.attributes)
    labels = np.repeat([0, 1], [len(words) for words in sets.attributes])
    negative = np.exp(_fit(rows, labels, penalty).log_probabilities(np.concatenate(sets.targets))[:, 1])
    shares = negative / negative.sum()
    divergence = float((shares * np.log(len(shares) * shares)).sum())
    return sets.score(
        "rnsb",
        divergence,
        by_word=dict(zip(words, negative.tolist(), strict=True)),
        facts={"accuracy": _accuracy(rows, labels, penalty, seed)},
    )


def ripa(vectors: Vectors, query: Query) -> BiasScore:
    """Return RIPA: the relational inner product association of attribute words; positive is towards the first set.

    Args:
        vectors: the vectors, with their own lengths.
        query: two target sets, whose words are pairs in their order, and one attribute set.

    Returns:
        The mean; `by_word` has each attribute word's, `facts["sd_by_word"]` its standard deviation over the pairs.

    Raises:
        OptionError: the numbers of sets are wrong, the target sets have different sizes, or no pair or attribute word
            is known.
        FormatError: the vector of a word is not finite.
    """
    sets = lookup(vectors, query, "ripa", 2, 1)
    first, second = query.targets.values()
    if len(first) != len(second):
        raise OptionError(f"ripa of {query.name}: target sets of {len(first)} and {len(second)} words, expected pairs")
    pairs = KnownPairs.of(vectors, zip(first, second, strict=True), "target pairs")
    x, y = (rows_of(vectors, side) for side in zip(*pairs.used, strict=True))
    lengths = np.linalg.norm(x - y, axis=1, keepdims=True)
    projections = sets.attributes[0] @ ((x - y) / np.where(lengths > 0, lengths, 1)).T  # (A, pairs)
    words = sets.attribute_words[0]
    return sets.score(
        "ripa",
        float(projections.mean()),
        by_word=dict(zip(words, projections.mean(axis=1).tolist(), strict=True)),
        facts={
            "pairs": len(pairs.used),
            "pairs_given": pairs.given,
            "sd_by_word": dict(zip(words, projections.std(axis=1).tolist(), strict=True)),
        },
    )


def ect(vectors: Vectors, query: Query) -> BiasScore:
    """Return ECT: the rank correlation of attribute words' similarities with two groups; 1 means no bias.

    Args:
        vectors: the vectors.
        query: two target sets and one attribute set.

    Returns:
        The correlation; `by_word` has each attribute word's cosine with the first group minus that with the second.

    Raises:
        OptionError: the numbers of sets are wrong, a set has no known word, or fewer than three attribute words are
            known.
        FormatError: the vector of a word is not finite.
    """
    sets = lookup(vectors, query, "ect", 2, 1)
    words = sets.attribute_words[0]
    if len(words) < MIN_RANKED:
        raise OptionError(
            f"ect of {query.name}: {len(words)} attribute words with vectors, expected {MIN_RANKED} or more"
        )
    means = np.stack([rows.mean(axis=0) for rows in sets.targets])
    similarities = cosines(sets.attributes[0], means)
    by_word = dict(zip(words, (similarities[:, 0] - similarities[:, 1]).tolist(), strict=True))
    return sets.score("ect", spearman(similarities[:, 0], similarities[:, 1]), by_word=by_word)


def mac(vectors: Vectors, query: Query) -> BiasScore:
    """Return MAC: the mean average cosine distance of target words from attribute sets.

    Args:
        vectors: the vectors.
        query: one or more target sets, and one or more attribute sets.

    Returns:
        The mean; `by_word` has each target word's.

    Raises:
        OptionError: the query has no sets, or a set has no known word.
        FormatError: the vector of a word is not finite.
    """
    sets = lookup(vectors, query, "mac", None, None)
    targets = np.concatenate(sets.targets)
    distances = np.stack([1 - cosines(targets, rows).mean(axis=1) for rows in sets.attributes]).mean(axis=0)
    words = [word for words in sets.target_words for word in words]
    return sets.score("mac", float(distances.mean()), by_word=dict(zip(words, distances.tolist(), strict=True)))


def _associations(sets: QueryVectors) -> Floats:
    """Return s(w, A, B) of every target word, those of X first."""
    means = [cosines(np.concatenate(sets.targets), rows).mean(axis=1) for rows in sets.attributes]
    return np.asarray(means[0] - means[1])


def _is_flat(values: Floats, rounding: float) -> bool:
    return bool(values.std() <= _ROUNDING * rounding)


def _effects(first: Floats, second: Floats, ddof: int) -> Floats:
    """Return d of rows of associations, (R, |X|) and (R, |Y|)."""
    deviation = np.concatenate([first, second], axis=1).std(axis=1, ddof=ddof)
    difference = first.mean(axis=1) - second.mean(axis=1)
    return np.asarray(difference / np.where(deviation > 0, deviation, np.inf))


def _interval(first: Floats, second: Floats, ddof: int, resamples: int, seed: int) -> tuple[float, float]:
    random = generator(seed, "words")
    samples = [values[random.integers(len(values), size=(resamples, len(values)))] for values in (first, second)]
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(_effects(samples[0], samples[1], ddof), [tail, 1 - tail])
    return float(low), float(high)


def _unequal(sets: QueryVectors) -> list[str]:
    sizes = [len(rows) for rows in sets.targets]
    if sizes[0] == sizes[1]:
        return []
    return [f"target sets of {sizes[0]} and {sizes[1]} words, where the test expects equal ones: means are compared"]


def _check(ddof: int, draws: int, resamples: int) -> None:
    if ddof not in (0, 1):
        raise OptionError(f"ddof={ddof!r}: expected 0 or 1")
    for name, value in (("draws", draws), ("resamples", resamples)):
        if value < 1:
            raise OptionError(f"{name}={value}: expected at least 1")


def _fit(rows: Floats, labels: Ints, penalty: float | None) -> LogisticRegression:
    strength = 1 / len(rows) if penalty is None else penalty
    return logistic_path(rows, labels, [strength], tolerance=TOLERANCE)[0]


def _accuracy(rows: Floats, labels: Ints, penalty: float | None, seed: int) -> float:
    fold = stratified_folds(labels, min(FOLDS, len(labels)), seed=seed)
    correct = 0
    for held_out in range(fold.max() + 1):
        test = fold == held_out
        model = _fit(rows[~test], labels[~test], penalty)
        correct += int((model.predict(rows[test]) == labels[test]).sum())
    return correct / len(labels)
