"""Senses by clusters of contexts: on a text whose words of two senses are known."""

from itertools import pairwise

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.evaluation.sense_induction import adjusted_rand
from firth.senses.clustering import SenseClusters, _ContextSpace, _idf
from firth.senses.occurrences import contexts_at
from firth.vectors.sense_readers import Centroids

QUICK = {"dim": 30, "sample": 0, "epochs": 3, "max_contexts": 400, "min_contexts": 50}


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """4,000 sentences of twenty topics of twenty words; "both" stands in the place of a0 and of b0, one in three of it
    a0's, and "rare" ten times among the words of a."""
    random = np.random.default_rng(0)
    lines = []
    for topic in random.choice(list("abcdefghijklmnopqrst"), size=4000):
        line = [f"{topic}{i}" for i in random.integers(0, 20, size=10)]
        lines.append(["both" if word in ("a0", "b0") else word for word in line])
    lines += [[f"a{i}" for i in random.integers(1, 20, size=4)] + ["rare"] for _ in range(10)]
    return firth.Corpus.build(lines, min_count=1, cache=tmp_path_factory.mktemp("corpora"), progress=False)


@pytest.fixture(scope="session")
def senses(corpus):
    return SenseClusters(**QUICK).train(corpus, threads=1, progress=False)


def truth(corpus):
    """The places of "both", and the topic of each by a word beside it."""
    places = np.flatnonzero(corpus.ids == corpus.vocabulary.ids["both"])
    contexts = contexts_at(corpus, places, 10)
    first = np.array([word[0] if word != "both" else "" for word in corpus.vocabulary.words])
    return contexts, ["a" in first[contexts.ids[start:end]] for start, end in pairwise(contexts.offsets)]


def test_the_word_of_two_senses_has_two_and_others_one(senses):
    assert len(senses.senses("both")) == 2
    assert senses.num_senses.sum() == len(senses) + 1
    assert senses.num_senses[senses.lexicon.row_of("rare")] == 1


def test_occurrences_are_told_apart(corpus, senses):
    contexts, topics = truth(corpus)
    found = senses.probabilities("both", contexts).argmax(axis=1)
    assert adjusted_rand(topics, found) > 0.98  # a sentence that has nothing but "both" tells nothing


def test_priors_are_shares_of_the_relabelled_text(corpus, senses):
    contexts, _ = truth(corpus)
    found = senses.probabilities("both", contexts).argmax(axis=1)
    first, second = senses.senses("both")
    assert first.prior > second.prior
    assert first.prior == pytest.approx(1 - found.mean(), abs=0.01)


def test_senses_are_near_the_words_of_their_topic(senses):
    near = [{word[0] for (word, _), _ in senses.sense_neighbours("both", number, 10)} for number in (0, 1)]
    assert sorted(map(sorted, near)) == [["a"], ["b"]]
    assert senses.disambiguate("both", "a1 a2 a3").argmax() == near.index({"a"})
    assert senses.disambiguate("both", "both b7 b8 b9", place=0).argmax() == near.index({"b"})


def test_facts_of_the_training(corpus, senses):
    facts = senses.metadata["training"]
    assert facts["clusters"] == {"words": 399, "several_senses": 1, "too_few_contexts": 1}
    assert (facts["options"]["model"], facts["options"]["senses"]) == ("sense-clusters", "adaptive")
    assert facts["corpus"] == corpus.fingerprint
    assert facts["words"] == 3 * corpus.num_tokens


def test_a_seed_decides_every_bit(corpus, senses):
    again = SenseClusters(**QUICK).train(corpus, threads=1, progress=False)
    other = SenseClusters(**QUICK).train(corpus, seed=1, threads=1, progress=False)
    assert again.vectors.tobytes() == senses.vectors.tobytes() != other.vectors.tobytes()
    assert again.priors.tobytes() == senses.priors.tobytes()


def test_a_fixed_number(corpus):
    how = SenseClusters(**{**QUICK, "epochs": 1}, senses="fixed", max_senses=3, sense_words=100)
    found = how.train(corpus, threads=2, progress=False)
    assert sorted(set(found.num_senses.tolist())) == [1, 3]
    assert (found.num_senses[:100] == 3).all()
    assert found.num_senses[found.lexicon.row_of("rare")] == 1


def test_no_word_may_have_several(corpus):
    for how in ({"max_senses": 1}, {"sense_words": 0}, {"min_contexts": 10**6}):
        found = SenseClusters(**{**QUICK, "epochs": 1, **how}).train(corpus, threads=1, progress=False)
        assert (found.num_senses == 1).all()
        assert found.disambiguate("both", ["a1"]).tolist() == [1]


def test_ready_vectors(corpus, senses):
    """Vectors of any width make the contexts; words they lack do not count there."""
    known = [word for word in corpus.vocabulary.words if word != "a1"]
    random = np.random.default_rng(0)
    topics = {topic: random.normal(size=8) for topic in "abcdefghijklmnopqrst"}
    rows = [topics.get(word[0], np.zeros(8)) if word not in ("both", "rare") else np.zeros(8) for word in known]
    start = firth.WordVectors(known, np.array(rows, dtype=np.float32))
    found = SenseClusters(**QUICK).train(corpus, threads=1, start=start, progress=False)
    assert found.dim == 30
    assert len(found.senses("both")) == 2
    assert isinstance(found.reader, Centroids)
    assert found.reader.weights[found.lexicon.row_of("a1")] == 0
    assert found.disambiguate("both", ["a1"]).tolist() == [one.prior for one in found.senses("both")]
    with pytest.raises(OptionError, match="start has no word of the corpus"):
        SenseClusters(**QUICK).train(corpus, start=firth.WordVectors(["?"], np.ones((1, 8))), progress=False)


def test_the_weight_of_a_word_by_hand(tmp_path):
    """Three sentences: "the" in all, twice in one; "cat" in two; "dog" in one: log 4/3, log 4/2 and log 4/1."""
    lines = [["the", "cat", "the"], ["the", "cat"], ["the", "dog"]]
    corpus = firth.Corpus.build(lines, min_count=1, cache=tmp_path, progress=False)
    found = dict(zip(corpus.vocabulary.words, _idf(corpus), strict=True))
    assert found == pytest.approx({"the": np.log(4 / 3), "cat": np.log(2), "dog": np.log(4)})


def test_contexts_have_no_common_direction(corpus):
    """Centred and half-whitened: contexts of random places have the mean 0, and the spread of their directions is
    nearer to even than that of the plain ones."""
    vectors = firth.Word2Vec(dim=30, sample=0, epochs=3).train(corpus, threads=1, progress=False)
    places = np.arange(0, corpus.num_tokens, 3)
    space = _ContextSpace.of(corpus, vectors, 10, seed=0)
    rows, plain = space.at(places), contexts_at(corpus, places, 10).sums(space.weights, vectors.vectors)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.linalg.norm(rows.mean(axis=0)) < 0.05 < np.linalg.norm(plain.mean(axis=0))
    first, second = (np.linalg.eigvalsh(np.cov(some.T)) for some in (rows, plain))
    assert first[-1] / first.sum() < second[-1] / second.sum()


def test_options_out_of_range():
    with pytest.raises(OptionError, match="merge_above=2: expected"):
        SenseClusters(merge_above=2)
    with pytest.raises(OptionError, match="senses='many': expected one of adaptive, fixed"):
        SenseClusters(senses="many")
    with pytest.raises(OptionError, match="min_contexts=2: expected at least max_senses=4"):
        SenseClusters(senses="fixed", min_contexts=2)


def test_goes_on_from_a_checkpoint(corpus, tmp_path):
    how = SenseClusters(**{**QUICK, "epochs": 1})
    whole = how.train(corpus, threads=1, progress=False, checkpoint=tmp_path / "state")
    again = how.train(corpus, threads=1, progress=False, checkpoint=tmp_path / "state")
    assert again.vectors.tobytes() == whole.vectors.tobytes()
