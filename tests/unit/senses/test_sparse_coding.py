"""Discourse atoms of a made-up language, and words of two topics at once."""

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError

TOPICS, EACH, DIM = 30, 20, 40


@pytest.fixture(scope="module")
def vectors():
    """Thirty topics of twenty words each, and thirty words of two topics, one twice as much as the other."""
    random = np.random.default_rng(0)
    topics = random.normal(size=(TOPICS, DIM)) / np.sqrt(DIM)
    plain = np.repeat(topics, EACH, axis=0) + 0.02 * random.normal(size=(TOPICS * EACH, DIM))
    mixed = 2 / 3 * topics + 1 / 3 * np.roll(topics, -1, axis=0)
    words = [f"t{i // EACH}w{i % EACH}" for i in range(TOPICS * EACH)] + [f"mixed{i}" for i in range(TOPICS)]
    return firth.WordVectors(words, np.concatenate([plain, mixed]).astype(np.float32) + 0.3)


@pytest.fixture(scope="module")
def atoms(vectors):
    return firth.DiscourseAtoms(atoms=40, sparsity=3, rounds=30).fit(vectors, threads=1, progress=False)


def topic_of(words):
    found = {word.split("w")[0] for word, _ in words}
    return found.pop() if len(found) == 1 else None


def test_a_word_of_two_topics_is_a_sum_of_both(atoms):
    """Both topics among the atoms of a mixed word, and the greater share with the topic that it has more of."""
    right = 0
    for i in range(TOPICS):
        found = [topic_of(each.words) for each in atoms.senses(f"mixed{i}", topn=5)]
        both = [f"t{i}", f"t{(i + 1) % TOPICS}"]
        right += set(both) <= set(found) and found.index(both[0]) < found.index(both[1])
    assert right >= 0.8 * TOPICS


def test_plain_words_keep_one_sense(atoms):
    """Forty atoms for thirty topics: ten topics have two, and words that stand between these have both."""
    senses = atoms.num_senses(0.25)
    assert (senses[: TOPICS * EACH] == 1).mean() > 0.66
    assert (senses[TOPICS * EACH :] > 1).mean() > 0.9


def test_what_is_coded_is_centred_and_of_length_one(atoms, vectors):
    coded = atoms.vectors.vectors
    np.testing.assert_allclose(np.linalg.norm(coded, axis=1), 1, rtol=1e-5)
    assert np.linalg.norm(coded.mean(axis=0)) < 0.1 < np.linalg.norm(vectors.vectors.mean(axis=0))
    assert (atoms.codes >= 0).mean() > 0.99


def test_seed_and_options_are_kept_and_decide(atoms, vectors):
    chosen = firth.DiscourseAtoms(atoms=40, sparsity=3, rounds=30)
    again, other = (chosen.fit(vectors, seed=seed, threads=2, progress=False) for seed in (0, 1))
    assert (again.atoms == atoms.atoms).all()
    assert (again.codes == atoms.codes).all()
    assert not np.allclose(other.atoms, atoms.atoms)
    facts = other.sense_vectors(floor=0.3).metadata["senses"]
    assert (facts["atoms"], facts["sparsity"], facts["seed"], facts["floor"]) == (40, 3, 1, 0.3)


def test_rare_words_are_coded_but_not_learned_from(vectors):
    found = firth.DiscourseAtoms(atoms=20, words=300).fit(vectors, progress=False)
    assert found.codes.shape == (len(vectors), 5)
    assert all(vectors.get_index(word) < 300 for word, _ in found.nearest(0, topn=50))


def test_the_signs_may_be_free(vectors):
    free = firth.DiscourseAtoms(atoms=40, sparsity=3, positive=False).fit(vectors, progress=False)
    assert (free.codes < 0).mean() > 0.05


def test_progress_is_told(vectors):
    told = []
    firth.DiscourseAtoms(atoms=20, rounds=3, words=200).fit(vectors, progress=told.append)
    rounds = [each for each in told if each.stage == "learning atoms"]
    assert [each.done for each in rounds] == [1, 2, 3]
    assert rounds[0].figures["error"] > rounds[-1].figures["error"]


def test_what_cannot_be_learned_from(vectors):
    with pytest.raises(OptionError, match="2,000 atoms from 630 words"):
        firth.DiscourseAtoms().fit(vectors)
    with pytest.raises(OptionError, match="sparsity=0"):
        firth.DiscourseAtoms(sparsity=0)
    rows = np.ones((3, 2), dtype=np.float32)
    rows[1, 0] = np.nan
    with pytest.raises(FormatError, match="two"):
        firth.DiscourseAtoms(atoms=2).fit(firth.WordVectors(["one", "two", "three"], rows))
