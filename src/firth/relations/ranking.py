"""Antonyms of a word: candidates ranked by likelihood, with their evidence.

What: candidates are a word's nearest neighbours and the words that fill patterns with it. An antonym is near, which the
cosine shows, and it is not a synonym, which a classifier of pairs shows, or the patterns alone without a classifier.

Objective:

    with a classifier       score = log p(antonym | pair) + 2 cos(word, candidate)
    with patterns alone     score = log(1 + sum_p association_p(word, candidate)) + 2 cos(word, candidate)

Source: as in the classifier and the patterns (`firth.relations.classifier`, `firth.relations.patterns`).

Departures: the weight of the cosine was selected from 0, 2, 5, 10 and 20 on antonyms of 300 words unseen by the
classifier (docs/tasks/antonyms.md).

Cost: 2 V D flops per word for its neighbours, a search in the table of patterns, and the features of about 150 pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit

from firth.errors import OptionError
from firth.relations.classifier import AntonymClassifier
from firth.relations.patterns import PatternCounts
from firth.vectors.queries import is_key
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Floats = npt.NDArray[np.float64]

NEIGHBOURS = 100  # candidates from a word's nearest neighbours
PARTNERS = 50  # candidates from a word's patterns
WEIGHT = 2.0  # weight of the cosine in the score


@dataclass(frozen=True)
class Candidate:
    """A candidate antonym.

    Attributes:
        word: the candidate.
        score: the ranking score; see the module's docstring.
        cosine: cosine of the two words.
        association: sum over all patterns, in nats; 0 without patterns.
        log_odds: log-odds of antonyms against synonyms, in nats; None without a classifier.
        patterns: count of the pair in each pattern, in descending order.
    """

    word: str
    score: float
    cosine: float
    association: float
    log_odds: float | None
    patterns: Mapping[str, int]


def antonyms(
    vectors: WordVectors | SubwordVectors,
    words: str | Sequence[str],
    *,
    patterns: PatternCounts | None = None,
    classifier: AntonymClassifier | None = None,
    topn: int = 10,
) -> list[Candidate] | list[list[Candidate]]:
    """Return the most probable antonyms of one or several words.

    Args:
        vectors: word vectors.
        words: a word, or a list of words.
        patterns: pattern counts of a corpus; by default the classifier's.
        classifier: classifier of antonyms and synonyms.
        topn: maximum number of candidates; without a classifier, only words that fill a pattern with the word.

    Returns:
        Candidates, best first; for a list of words a list of such lists.

    Raises:
        OptionError: there are neither patterns nor a classifier, or `topn` is below 1.
        UnknownWordError: a word has no vector.
    """
    if patterns is None and classifier is not None:
        patterns = classifier.features.patterns
    if patterns is None and classifier is None:
        raise OptionError(
            "vectors alone do not distinguish antonyms from synonyms: expected patterns (count_patterns(corpus)), a "
            "classifier (train_classifier), or both"
        )
    if topn < 1:
        raise OptionError(f"topn={topn!r}: expected a whole number of at least 1")
    queries = [words] if isinstance(words, str) else list(words)
    for word in queries:
        if word not in vectors:
            raise vectors.lexicon.unknown(word)
    near = vectors.similar_by_word(queries, topn=NEIGHBOURS) if queries else []
    results = [
        _rank(vectors, word, [neighbour for neighbour, _ in close], (patterns, classifier))[:topn]
        for word, close in zip(queries, near, strict=True)
    ]
    return results[0] if is_key(words) else results


def _rank(
    vectors: WordVectors | SubwordVectors,
    word: str,
    near: list[str],
    scorers: tuple[PatternCounts | None, AntonymClassifier | None],
) -> list[Candidate]:
    patterns, classifier = scorers
    partners = [] if patterns is None else [partner for partner in _partners(patterns, word) if partner in vectors]
    candidates = [candidate for candidate in dict.fromkeys([*near, *partners]) if candidate != word]
    if not candidates:
        return []
    pairs = [(word, candidate) for candidate in candidates]
    cosines = np.asarray(vectors.similarity([word] * len(pairs), candidates), dtype=np.float64)
    times = np.zeros((len(pairs), 0)) if patterns is None else patterns.of_pairs(pairs)
    association = np.zeros(len(pairs)) if patterns is None else patterns.association(pairs).sum(axis=1)
    odds = None if classifier is None else classifier.log_odds(pairs)
    scores = (np.log1p(association) if odds is None else log_expit(odds)) + WEIGHT * cosines
    rows = np.flatnonzero(association > 0) if odds is None else np.arange(len(pairs))
    names = () if patterns is None else patterns.patterns
    return [
        Candidate(
            candidates[i], float(scores[i]), float(cosines[i]), float(association[i]),
            None if odds is None else float(odds[i]), _times(names, times[i]),
        )
        for i in rows[np.argsort(-scores[rows], kind="stable")].tolist()
    ]  # fmt: skip


def _partners(patterns: PatternCounts, word: str) -> list[str]:
    """Return the words with the strongest association to a word in patterns."""
    words, association = patterns.partners(word)
    order = np.argsort(-association.sum(axis=1), kind="stable")[:PARTNERS]
    return [words[i] for i in order.tolist()]


def _times(names: Sequence[str], times: Floats) -> dict[str, int]:
    """Return the count of each pattern in descending order."""
    order = np.argsort(-times, kind="stable").tolist()
    return {names[i]: int(times[i]) for i in order if times[i] > 0}
