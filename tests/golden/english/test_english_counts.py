"""What is counted in a small English text is exact: tokens, pieces, associations and their components."""

import json

import numpy as np
import pytest

import firth
from firth.senses.dictionary import learn_dictionary
from firth.text.byte_pairs import BytePairEncoding
from tests.golden.english.make import ATOMS, COMPONENTS, FILE, PIECES, ROUNDS, SMOOTHING, SPARSITY, WINDOW
from tests.golden.english.text import TEXT, sentences
from tests.golden.likeness import cosines

FROZEN = json.loads(FILE.read_text(encoding="ascii"))


@pytest.fixture(scope="module")
def associations(corpus):
    model = firth.AssociationVectors(dim=COMPONENTS, window=WINDOW, weights="flat", smoothing=SMOOTHING, exponent=0.5)
    return model.train(corpus, threads=1, progress=False)


def test_tokens_are_those_of_the_rule_in_plain_letters(tmp_path):
    """Every word of every sentence, in order."""
    corpus = firth.Corpus.build(TEXT, min_count=1, cache=tmp_path, progress=False)
    assert list(corpus) == sentences()


def test_byte_pairs_are_merge_for_merge_those_of_the_library():
    ours = BytePairEncoding.train(TEXT.read_text(encoding="ascii").splitlines(keepends=True), PIECES)
    assert [list(pair) for pair in ours.merges] == FROZEN["merges"]


def test_singular_values_of_ppmi_are_those_of_scikit_learn(associations):
    told = associations.metadata["training"]
    assert told["cells"] == FROZEN["ppmi"]["cells"]
    np.testing.assert_allclose(told["singular_values"], FROZEN["ppmi"]["values"][:COMPONENTS], rtol=1e-9)


def test_cosines_of_components_of_ppmi_are_those_of_scikit_learn(associations):
    """The search for components ends at an error of 1e-6 of the first one's square: measured, cosines are 2e-6 off."""
    found = cosines(associations[FROZEN["words"]].astype(np.float64))
    np.testing.assert_allclose(found, FROZEN["ppmi"]["cosines"], rtol=0, atol=1e-5)


def test_atoms_leave_less_than_those_of_scikit_learn(associations):
    """Of the same vectors, by as many atoms, as many a word, and the same pursuit. Measured: 0.121, beside 0.127."""
    rows = associations.vectors - associations.vectors.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    ours = learn_dictionary(rows, ATOMS, SPARSITY, rounds=ROUNDS, random=np.random.default_rng(0))
    print(ours.errors[-1], FROZEN["ppmi"]["left by atoms"])
    assert ours.errors[-1] < FROZEN["ppmi"]["left by atoms"]
    assert ours.errors[-1] < 0.9 * ours.errors[0]
