"""Candidates for antonyms, and what speaks for them."""

import numpy as np
import pytest
from scipy.special import log_expit

from firth.errors import OptionError, UnknownWordError
from firth.relations.classifier import train_classifier
from firth.relations.features import PairFeatures
from firth.relations.patterns import count_patterns
from firth.relations.ranking import antonyms


@pytest.fixture(scope="module")
def counts(contrasting):
    return count_patterns(contrasting)


@pytest.mark.parametrize("with_classifier", [False, True])
def test_opposites_come_first(planted, counts, with_classifier):
    """Of 239 other words; low0 is the antonym of high0, and little0 its synonym, which cosine alone prefers."""
    space, labelled = planted
    features = PairFeatures(space, counts)
    classifier = train_classifier(features, labelled) if with_classifier else None
    words = [f"low{i}" for i in range(20)]
    found = antonyms(space, words, patterns=counts, classifier=classifier)
    hits = [candidates[0].word == f"high{i}" for i, candidates in enumerate(found)]
    nearest = [near[0][0] == f"high{i}" for i, near in enumerate(space.similar_by_word(words, topn=1))]
    assert np.mean(hits) >= 0.9
    assert np.mean(nearest) <= 0.1


def test_what_speaks_for_a_candidate(planted, counts):
    space, labelled = planted
    classifier = train_classifier(PairFeatures(space, counts), labelled)
    (first, *_) = antonyms(space, "low3", classifier=classifier)
    assert first.word == "high3"
    assert first.patterns["either X or Y"] == 3
    pair = [("low3", "high3")]
    assert first.cosine == pytest.approx(float(space.similarity("low3", "high3")))
    assert first.association == pytest.approx(counts.association(pair).sum())
    assert first.log_odds == pytest.approx(classifier.log_odds(pair)[0])
    assert first.score == pytest.approx(log_expit(first.log_odds) + 2 * first.cosine)


def test_patterns_alone(planted, counts):
    space, _ = planted
    found = antonyms(space, "low3", patterns=counts)
    assert {one.log_odds for one in found} == {None}
    assert all(one.association > 0 for one in found)
    assert found[0].score == pytest.approx(np.log1p(found[0].association) + 2 * found[0].cosine)


def test_number_and_batches(planted, counts):
    space, _ = planted
    assert len(antonyms(space, "low3", patterns=counts, topn=1)) == 1
    assert antonyms(space, ["low3"], patterns=counts) == [antonyms(space, "low3", patterns=counts)]
    assert antonyms(space, [], patterns=counts) == []


def test_what_cannot_be_asked(planted, counts):
    space, _ = planted
    with pytest.raises(OptionError, match="vectors alone do not distinguish"):
        antonyms(space, "low3")
    with pytest.raises(OptionError, match="topn=0"):
        antonyms(space, "low3", patterns=counts, topn=0)
    with pytest.raises(UnknownWordError, match="'lwo3'"):
        antonyms(space, ["low3", "lwo3"], patterns=counts)
