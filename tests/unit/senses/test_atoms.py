"""What a word is made of, by hand; its senses' mean is the word; a context finds the sense."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError, UnknownWordError
from firth.senses.atoms import Atoms


@pytest.fixture
def atoms():
    """Three atoms along the axes. bank = .8 (1, 0, 0) + .6 (0, 1, 0); loan and river are the atoms; "of" is nothing;
    shore leans on the third a little."""
    words = ["of", "bank", "loan", "river", "shore"]
    rows = np.array([[0, 0, 0], [0.8, 0.6, 0], [1, 0, 0], [0, 1, 0], [0, 0.96, 0.28]], dtype=np.float32)
    chosen = np.array([[-1, -1], [0, 1], [0, -1], [1, -1], [1, 2]], dtype=np.int32)
    codes = np.array([[0, 0], [0.8, 0.6], [1, 0], [1, 0], [0.96, 0.28]], dtype=np.float32)
    vectors = firth.WordVectors(words, rows, counts=[1000, 50, 40, 30, 20])
    return Atoms(np.eye(3, dtype=np.float32), chosen, codes, vectors, 4)


def test_shares_by_hand(atoms):
    """.8 / 1.4 and .6 / 1.4."""
    one, other = atoms.senses("bank", topn=1)
    assert (one.atom, other.atom) == (0, 1)
    assert (one.share, other.share) == (pytest.approx(4 / 7), pytest.approx(3 / 7))
    assert one.words == [("loan", 1.0)]
    assert other.words == [("river", 1.0)]
    assert atoms.senses("of") == []


def test_neighbours_are_words_that_atoms_were_learned_from(atoms):
    """shore is nearest to the second atom but for river, and was not learned from."""
    assert [word for word, _ in atoms.nearest(1, topn=3)] == ["river", "bank", "of"]


def test_a_floor_leaves_the_greatest(atoms):
    """shore is .96 / 1.24 = .77 the second atom and .23 the third."""
    assert atoms.num_senses(0.2).tolist() == [1, 2, 1, 1, 2]
    assert atoms.num_senses(0.3).tolist() == [1, 2, 1, 1, 1]
    assert atoms.num_senses(1.0).tolist() == [1, 1, 1, 1, 1]
    assert [each.share for each in atoms.senses("shore", floor=0.3)] == [1.0]


def test_vectors_of_senses_by_hand(atoms):
    """C = 1.4 and nothing is left of bank, so its senses are 1.4 times the atoms; the floor .3 gives shore one sense,
    itself."""
    senses = atoms.sense_vectors(floor=0.3)
    np.testing.assert_allclose([each.vector for each in senses.senses("bank")], [[1.4, 0, 0], [0, 1.4, 0]], atol=1e-6)
    assert [each.label for each in senses.senses("bank")] == ["atom 0", "atom 1"]
    np.testing.assert_allclose(senses.senses("shore")[0].vector, [0, 0.96, 0.28], atol=1e-6)
    assert [(each.prior, each.label) for each in senses.senses("of")] == [(1.0, "")]
    np.testing.assert_allclose(senses.single().vectors, atoms.vectors.vectors, atol=1e-6)


def test_a_context_finds_the_sense(atoms):
    """The context's cosines with the atoms are 1 and 0: odds of 4/7 e^10 to 3/7."""
    senses = atoms.sense_vectors()
    odds = 4 / 3 * np.exp(10)
    np.testing.assert_allclose(senses.disambiguate("bank", ["loan"]), [odds / (1 + odds), 1 / (1 + odds)], rtol=1e-5)
    assert senses.disambiguate("bank", ["of", "river"]).argmax() == 1
    np.testing.assert_allclose(senses.disambiguate("bank", ["unheard"]), [4 / 7, 3 / 7], rtol=1e-6)


def test_what_is_asked_wrongly(atoms):
    with pytest.raises(UnknownWordError, match="bunk"):
        atoms.senses("bunk")
    with pytest.raises(OptionError, match="atom 3: expected 0 to 2"):
        atoms.nearest(3)
    with pytest.raises(OptionError, match="topn=0"):
        atoms.senses("bank", topn=0)
    with pytest.raises(OptionError, match=r"floor=1\.5"):
        atoms.sense_vectors(floor=1.5)
