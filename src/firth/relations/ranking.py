"""Which words are the opposites of a word? Candidates, the likeliest first, each with what speaks for it.

What: candidates are the nearest neighbours of a word and the words that fill patterns with it. An antonym is near, and
it is an antonym rather than a synonym: the one is told by the cosine, the other by a classifier of pairs, or where none
was trained by patterns alone.

Objective:

    with a classifier       score = log p(antonym | pair) + 2 cos(word, candidate)
    with patterns alone     score = log(1 + sum_p association_p(word, candidate)) + 2 cos(word, candidate)

Source: the classifier's and the patterns' own (`firth.relations.classifier`, `firth.relations.patterns`).

Departures: the weight of the cosine was chosen among 0, 2, 5, 10 and 20 on antonyms of 300 words that the classifier
had not seen (docs/tasks/antonyms.md); it is a weight, not a probability.

Cost: 2 V D flops a word for its neighbours, a search through the patterns' table, and the features of some 150 pairs.
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

NEIGHBOURS = 100  # of a word, that are candidates
PARTNERS = 50  # of a word in patterns, that are candidates
WEIGHT = 2.0  # of the cosine


@dataclass(frozen=True)
class Candidate:
    """A word that may be an antonym.

    Attributes:
        word: the candidate.
        score: by which candidates are ranked; see the module's docstring.
        cosine: of the two words.
        association: in all patterns together, in nats; 0 without patterns.
        log_odds: that the pair are antonyms rather than synonyms, in nats; None without a classifier.
        patterns: how often the pair fills which pattern, the most often first.
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
    """Return the likeliest antonyms of a word, or of each of several.

    Args:
        vectors: of words.
        words: one word, or a list of them.
        patterns: counts of patterns in a corpus; by default those that the classifier reads.
        classifier: of pairs.
        topn: how many candidates to return at most; with patterns alone, those that fill one with the word.

    Returns:
        Candidates, best first; of several words, a list for each.

    Raises:
        OptionError: there are neither patterns nor a classifier, or `topn` is below 1.
        UnknownWordError: a word has no vector.
    """
    if patterns is None and classifier is not None:
        patterns = classifier.features.patterns
    if patterns is None and classifier is None:
        raise OptionError(
            "nothing to tell antonyms from synonyms by, which vectors put in one place: expected patterns "
            "(count_patterns(corpus)), a classifier (train_classifier), or both"
        )
    if topn < 1:
        raise OptionError(f"topn={topn!r}: expected a whole number of at least 1")
    asked = [words] if isinstance(words, str) else list(words)
    for word in asked:
        if word not in vectors:
            raise vectors.lexicon.unknown(word)
    near = vectors.similar_by_word(asked, topn=NEIGHBOURS) if asked else []
    found = [
        _ranked(vectors, word, [each for each, _ in close], (patterns, classifier))[:topn]
        for word, close in zip(asked, near, strict=True)
    ]
    return found[0] if is_key(words) else found


def _ranked(
    vectors: WordVectors | SubwordVectors,
    word: str,
    near: list[str],
    by: tuple[PatternCounts | None, AntonymClassifier | None],
) -> list[Candidate]:
    patterns, classifier = by
    partners = [] if patterns is None else [each for each in _partners(patterns, word) if each in vectors]
    candidates = [each for each in dict.fromkeys([*near, *partners]) if each != word]
    if not candidates:
        return []
    pairs = [(word, each) for each in candidates]
    cosines = np.asarray(vectors.similarity([word] * len(pairs), candidates), dtype=np.float64)
    times = np.zeros((len(pairs), 0)) if patterns is None else patterns.of_pairs(pairs)
    association = np.zeros(len(pairs)) if patterns is None else patterns.association(pairs).sum(axis=1)
    odds = None if classifier is None else classifier.log_odds(pairs)
    scores = (np.log1p(association) if odds is None else log_expit(odds)) + WEIGHT * cosines
    kept = np.flatnonzero(association > 0) if odds is None else np.arange(len(pairs))
    names = () if patterns is None else patterns.patterns
    return [
        Candidate(
            candidates[i], float(scores[i]), float(cosines[i]), float(association[i]),
            None if odds is None else float(odds[i]), _times(names, times[i]),
        )
        for i in kept[np.argsort(-scores[kept], kind="stable")].tolist()
    ]  # fmt: skip


def _partners(patterns: PatternCounts, word: str) -> list[str]:
    """The words that fill patterns with one most strongly."""
    words, association = patterns.partners(word)
    order = np.argsort(-association.sum(axis=1), kind="stable")[:PARTNERS]
    return [words[i] for i in order.tolist()]


def _times(names: Sequence[str], times: Floats) -> dict[str, int]:
    """How often each pattern is filled, the most often first."""
    order = np.argsort(-times, kind="stable").tolist()
    return {names[i]: int(times[i]) for i in order if times[i] > 0}
