"""The classifier: what is planted is found, on words never seen; what is shuffled is not."""

import numpy as np
import pytest

from firth.errors import OptionError
from firth.relations.classifier import train_classifier
from firth.relations.features import PairFeatures
from firth.relations.labelled import LabelledPairs, lexical_split, read_labelled_pairs
from firth.relations.pair_evaluation import evaluate_pairs
from firth.relations.patterns import count_patterns
from firth.vectors.word_vectors import WordVectors


def accuracy(classifier, pairs):
    return evaluate_pairs(classifier.log_odds(pairs.pairs), pairs.antonyms, resamples=10)["accuracy"][0]


@pytest.mark.parametrize("families", [("vectors",), ("patterns",)])
def test_what_is_planted_is_found_on_words_never_seen(planted, contrasting, families):
    """Opposites differ along one direction, and stand in "either X or Y": either is enough."""
    space, labelled = planted
    train, test = lexical_split(labelled, 0.5, seed=1)
    assert len(test) >= 20
    assert (
        accuracy(train_classifier(PairFeatures(space, count_patterns(contrasting), families=families), train), test)
        > 0.9
    )


def test_one_word_says_nothing_where_each_has_both(planted):
    """Every word stands in a pair of either kind: the control is at chance, with a standard deviation of some 0.07."""
    space, labelled = planted
    train, test = lexical_split(labelled, 0.6, seed=2)
    assert abs(accuracy(train_classifier(PairFeatures(space, families=("word",)), train), test) - 0.5) < 0.2


def test_shuffled_labels_are_not_learned(planted, contrasting):
    """Mean over ten shuffles of some fifty pairs: one standard deviation of chance is 0.03."""
    space, labelled = planted
    features = PairFeatures(space, count_patterns(contrasting))
    found = []
    for seed in range(10):
        labels = np.random.default_rng(seed).permutation(labelled.antonyms)
        train, test = lexical_split(LabelledPairs(labelled.pairs, labels), 0.5, seed=seed)
        found.append(accuracy(train_classifier(features, train, penalties=(0.1,)), test))
    assert abs(np.mean(found) - 0.5) < 0.08


def test_evidence_sums_to_the_log_odds(planted, contrasting):
    space, labelled = planted
    classifier = train_classifier(PairFeatures(space, count_patterns(contrasting)), labelled)
    evidence = classifier.evidence(labelled.pairs)
    assert list(evidence) == ["vectors", "cosine", "spelling", "patterns", "prior"]
    assert sum(evidence.values()) == pytest.approx(classifier.log_odds(labelled.pairs))
    assert (classifier.predict(labelled.pairs) == (classifier.log_odds(labelled.pairs) > 0)).all()


def test_validation_chooses_the_penalty(planted):
    """Labels that contradict those of training are least wrong when least is learned: the strongest penalty."""
    space, labelled = planted
    train, test = lexical_split(labelled, 0.6, seed=3)
    features = PairFeatures(space, families=("vectors",))
    opposite = LabelledPairs(test.pairs, ~test.antonyms)
    assert train_classifier(features, train, opposite, penalties=(0.01, 10.0)).penalty == 10.0
    assert train_classifier(features, train, test, penalties=(0.01, 10.0)).penalty == 0.01
    assert train_classifier(features, train, penalties=(0.2,)).penalty == 0.2


def test_what_nothing_is_learned_from(planted):
    space, labelled = planted
    features = PairFeatures(space)
    with pytest.raises(OptionError, match="120 pairs of antonyms alone"):
        train_classifier(features, labelled.among(labelled.antonyms))
    with pytest.raises(OptionError, match="have both labels"):
        train_classifier(features, labelled + LabelledPairs([labelled.pairs[0]], np.array([True])))
    with pytest.raises(OptionError, match="no penalties"):
        train_classifier(features, labelled, penalties=())


def test_real_nouns_by_their_letters(shared_data):
    """Un-, in- and -less tell AntSynNET's nouns apart in seven cases of ten, on words never seen as well; shuffled
    labels leave chance, of which one standard deviation is 0.02."""
    nouns = read_labelled_pairs(*(shared_data / f"relations/antsyn/noun-pairs.{part}" for part in ("train", "test")))
    features = PairFeatures(WordVectors(["a"], np.ones((1, 1), dtype=np.float32)), families=("spelling",))
    train, test = lexical_split(nouns)
    figures = evaluate_pairs(train_classifier(features, train).log_odds(test.pairs), test.antonyms, resamples=200)
    assert figures["accuracy"][1] > max(test.antonyms.mean(), 1 - test.antonyms.mean())
    assert figures["average_precision"][1] > test.antonyms.mean() + 0.1
    random = np.random.default_rng(0)
    shuffled = LabelledPairs(train.pairs, random.permutation(train.antonyms))
    log_odds = train_classifier(features, shuffled).log_odds(test.pairs)
    found = evaluate_pairs(log_odds, test.antonyms, resamples=200)["average_precision"]
    assert found[0] < figures["average_precision"][1]
