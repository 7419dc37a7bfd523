"""Senses: what there is, which one is meant, likeness."""

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError, ShapeError, UnknownWordError
from firth.vectors.sense_readers import Centroids, Contexts, Likelihood
from firth.vectors.sense_vectors import SenseVectors

WORDS = ["bank", "money", "river"]
VECTORS = np.array([[1, 0], [0, 1], [1, 0.1], [0.1, 1]], dtype=np.float32)


def bank(**how):
    """A bank where money lies, three times in four, or a river: the centres are the words themselves."""
    contexts = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
    reader = Centroids(contexts, np.ones(3, np.float32), VECTORS, temperature=0.5)
    how = {"priors": [0.75, 0.25, 1, 1], "reader": reader, "counts": [8, 5, 3], **how}
    return SenseVectors(WORDS, [0, 2, 3, 4], VECTORS, **how)


def test_what_there_is():
    senses = bank(labels=["bank.1", "bank.2", "money.1", "river.1"])
    assert repr(senses) == "<SenseVectors: 3 words, 4 senses x 2 float32>"
    assert (len(senses), senses.dim, senses.num_senses.tolist()) == (3, 2, [2, 1, 1])
    assert "bank" in senses
    assert "shore" not in senses
    assert 0 not in senses
    one, two = senses.senses("bank")
    assert (one.word, one.number, one.prior, one.label, one.vector.tolist()) == ("bank", 0, 0.75, "bank.1", [1, 0])
    assert (two.number, two.label) == (1, "bank.2")
    assert [senses.sense_at(row) for row in range(4)] == [("bank", 0), ("bank", 1), ("money", 0), ("river", 0)]
    with pytest.raises(UnknownWordError, match="'bnak' is not in the vocabulary; did you mean bank"):
        senses.senses("bnak")


class TestDisambiguate:
    def test_prior_and_score_by_hand(self):
        """Beside "river" the cosines with the centres are 0 and 1, over 0.5 the scores 0 and 2: the probabilities are
        as 0.75 to 0.25 e^2, the first 0.75 / (0.75 + 1.847264) = 0.288765."""
        assert bank().disambiguate("bank", ["river"])[0] == pytest.approx(0.288765, abs=1e-6)
        assert bank().disambiguate("bank", "The River!")[0] == pytest.approx(0.288765, abs=1e-6)
        assert bank().disambiguate("bank", ["money"]).argmax() == 0

    def test_nothing_known_is_the_prior(self):
        for context in ([], "", ["unheard", "of"], ["bank"]):
            assert bank().disambiguate("bank", context).tolist() == [0.75, 0.25]
        assert bank(reader=None).disambiguate("bank", []).tolist() == [0.75, 0.25]

    def test_a_batch(self):
        found = bank().disambiguate("bank", [["river"], [], ["unheard", "money"]])
        assert found.tolist() == [bank().disambiguate("bank", one).tolist() for one in (["river"], [], ["money"])]
        assert bank().disambiguate("money", [["river"], []]).tolist() == [[1], [1]]

    def test_the_word_in_its_place(self):
        """From "bank" the word "river" is 1 off and "money" 2: with decay 1 the context is (1/2, 1), its cosines with
        the centres are 1 / sqrt 5 and 2 / sqrt 5, and the scores, over 0.5, differ by 2 / sqrt 5 = 0.894427: the first
        has 0.75 / (0.75 + 0.25 * 2.445934) = 0.550870."""
        contexts = np.array([[9, 9], [1, 0], [0, 1]], dtype=np.float32)
        senses = bank(reader=Centroids(contexts, np.ones(3), VECTORS, temperature=0.5, decay=1.0))
        found = senses.disambiguate("bank", "the bank, river money", place=1)
        assert found[0] == pytest.approx(0.550870, abs=1e-6)
        batch = senses.disambiguate("bank", [["bank", "river", "money"], ["river", "bank"]], place=[0, 1])
        assert batch[0].tolist() == found.tolist()
        with pytest.raises(OptionError, match=r"place=\[3\], contexts of \[2\] tokens"):
            senses.disambiguate("bank", "bank river", place=3)

    def test_likelihoods(self):
        """Rows (1, 0) and (0, 2) of negative sampling beside the senses (1, 0) and (0, 1): the word "river" scores 0
        and 2, as above."""
        senses = bank(reader=Likelihood(np.array([[0, 0], [1, 0], [0, 2]], dtype=np.float32)))
        assert senses.disambiguate("bank", ["river"])[0] == pytest.approx(0.288765, abs=1e-6)

    def test_extreme_scores_stay_finite(self):
        senses = bank(reader=Likelihood(np.array([[0, 0], [-9e3, 0], [0, 9e3]], dtype=np.float32)))
        assert senses.disambiguate("bank", ["river", "money"]).tolist() == [0, 1]

    def test_a_sense_that_is_never_meant(self):
        assert bank(priors=[1, 0, 1, 1]).disambiguate("bank", ["river"]).tolist() == [1, 0]

    def test_mistakes(self):
        with pytest.raises(UnknownWordError, match="'shore' is not in the vocabulary"):
            bank().disambiguate("shore", ["river"])
        with pytest.raises(OptionError, match="made without contexts: they cannot be disambiguated"):
            bank(reader=None).disambiguate("bank", ["river"])
        broken = Centroids(np.full((3, 2), np.nan, np.float32), np.ones(3), VECTORS)
        with pytest.raises(FormatError, match="the senses of 'bank' hold NaN or infinity"):
            bank(reader=broken).disambiguate("bank", ["river"])

    def test_contexts_by_number(self):
        found = bank().probabilities("bank", Contexts.of([[2], [1]]))
        assert found.tolist() == bank().disambiguate("bank", [["river"], ["money"]]).tolist()


class TestLikeness:
    def test_neighbours(self):
        cosine = 1 / 1.01**0.5
        (first, close), (second, _), (third, far) = bank().sense_neighbours("bank", 0)
        assert (first, second, third) == (("money", 0), ("river", 0), ("bank", 1))
        assert (close, far) == pytest.approx((cosine, 0), abs=1e-6)
        assert len(bank().sense_neighbours("bank", 1, topn=1)) == 1

    def test_neighbours_that_there_are_not(self):
        with pytest.raises(OptionError, match="sense 2 of 'bank': expected 0 to 1"):
            bank().sense_neighbours("bank", 2)
        with pytest.raises(OptionError, match="topn=0: expected at least 1"):
            bank().sense_neighbours("bank", 0, topn=0)
        with pytest.raises(FormatError, match="vector 1 has the length nan"):
            SenseVectors(
                WORDS, [0, 2, 3, 4], VECTORS * [[1], [np.nan], [1], [1]], priors=[1, 0, 1, 1]
            ).sense_neighbours("bank", 0)

    def test_similarities_by_hand(self):
        """The senses of bank have the cosines c = 1 / sqrt 1.01 and 0.1 c with "money". AvgSim is their mean; MaxSim c.
        With "river" around, the first counts 0.288765 and the second the rest; the likeliest is then the second."""
        c, p = 1 / 1.01**0.5, 0.288765
        ask = bank().similarity
        assert ask("bank", "money") == pytest.approx(0.55 * c, abs=1e-6)
        assert ask("bank", "money", how="max") == pytest.approx(c, abs=1e-6)
        assert ask("bank", "money", ["river"], how="avgc") == pytest.approx(p * c + (1 - p) * 0.1 * c, abs=1e-6)
        assert ask("bank", "money", how="avgc") == pytest.approx(0.75 * c + 0.025 * c, abs=1e-6)
        assert ask("money", "bank", None, "a river", how="maxc") == pytest.approx(0.1 * c, abs=1e-6)

    def test_similarities_that_there_are_not(self):
        with pytest.raises(OptionError, match="how='mean': expected one of avg, avgc, max, maxc"):
            bank().similarity("bank", "money", how="mean")
        with pytest.raises(OptionError, match="a context with how='avg'"):
            bank().similarity("bank", "money", ["river"])


def test_as_ordinary_vectors():
    single, apart = bank().single(), bank().apart()
    assert single["bank"].tolist() == [0.75, 0.25]
    assert single.counts.tolist() == [8, 5, 3]
    assert apart.words == ["bank#0", "bank#1", "money#0", "river#0"]
    assert apart.counts.tolist() == [6, 2, 5, 3]
    assert apart["bank#1"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"offsets": [0, 2, 3]}, ShapeError, r"offsets of shape \(3,\) for 3 words of 4 senses"),
        ({"offsets": [0, 2, 3, 5]}, ShapeError, "expected 4 numbers from 0 to 4"),
        ({"offsets": [0, 2, 2, 4]}, FormatError, "'money' has no sense: expected at least one per word"),
        ({"priors": [0.5, 0.4, 1, 1]}, FormatError, r"the priors of 'bank' are \[0.5 0.4\]: expected probabilities"),
        ({"priors": [1, 0, np.nan, 1]}, FormatError, "the priors of 'money' are"),
        ({"priors": [2, -1, 1, 1]}, FormatError, "the priors of 'bank' are"),
        ({"priors": [1, 1]}, ShapeError, "expected one per sense"),
        ({"labels": ["a"]}, ShapeError, "expected one per sense"),
        ({"counts": [1, 2]}, ShapeError, "counts and global vectors one per word"),
        ({"words": ["a", "b", "a"]}, FormatError, "'a' is word 0 and word 2"),
        ({"reader": Likelihood(np.zeros((3, 9)))}, ShapeError, "output vectors"),
    ],
)
def test_what_does_not_fit(how, error, message):
    given = {"words": WORDS, "offsets": [0, 2, 3, 4], "vectors": VECTORS, "priors": [0.75, 0.25, 1, 1], **how}
    with pytest.raises(error, match=message):
        SenseVectors(given.pop("words"), given.pop("offsets"), given.pop("vectors"), **given)


def test_no_words():
    empty = SenseVectors([], [0], np.zeros((0, 3)), priors=[])
    assert (len(empty), empty.single().words) == (0, [])


def test_is_a_public_name():
    assert firth.SenseVectors is SenseVectors
