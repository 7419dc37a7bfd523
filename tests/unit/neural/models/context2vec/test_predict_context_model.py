"""Scores of substitutes by hand."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.language.text import TextRules
from firth.neural.models.context2vec.predict import ContextModel
from firth.readers.words_in_context import Occurrence
from firth.vocabulary import Vocabulary

WORDS = ["the", "dog", "cat", "bone", "<unk>", "</s>"]


@pytest.fixture(scope="module")
def model():
    """Random vectors."""
    torch.manual_seed(2)
    vocabulary = Vocabulary(WORDS, np.array([9, 5, 4, 3, 2, 4]), 27)
    options = firth.Context2Vec(dim=5, hidden=4, max_length=5)
    module = options.build(vocabulary)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return ContextModel(module, options, vocabulary, TextRules(tokens="unicode", sentences="line", eos=True))


def context(model, ids, position):
    with torch.no_grad():
        vectors = model.module(torch.tensor([ids]), torch.tensor([len(ids)]))
    return vectors[0, position].numpy()


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_scores_of_occurrences_by_hand(model):
    """A candidate that is not known has no score, and no candidate has one where the word itself is not known."""
    table = model.module.targets.detach().numpy()
    found = model._ranked(
        [
            Occurrence(word="dog", tokens=("The", "DOG", "eats", "the", "bone"), position=1),
            Occurrence(word="zebra", tokens=("the", "zebra"), position=1),
        ],
        ["Cat", "bone", "lion"],
    )
    place = context(model, [0, 1, 4, 0, 3], 1)
    for name in ("context", "mult"):
        assert found[name].shape == (2, 3)
        assert np.isnan(found[name]).tolist() == [[False, False, True], [True] * 3]
    for column, row in enumerate((2, 3)):
        fits, like = cosine(table[row], place), cosine(table[row], table[1])
        assert found["context"][0, column] == pytest.approx(fits, abs=1e-5)
        assert found["mult"][0, column] == pytest.approx((1 + fits) / 2 * (1 + like) / 2, abs=1e-5)


def test_substitutes_by_hand(model):
    table = model.module.targets.detach().numpy()
    place = context(model, [0, 1, 4, 3], 1)
    for measure in ("context", "mult"):
        found = dict(model.substitutes("the dog eats bone", 1, measure=measure))
        expected = {}
        for row in (0, 2, 3):
            fits, like = cosine(table[row], place), cosine(table[row], table[1])
            expected[WORDS[row]] = fits if measure == "context" else (1 + fits) / 2 * (1 + like) / 2
        assert found == pytest.approx(expected, abs=1e-5)
        assert list(found) == sorted(expected, key=expected.get, reverse=True)


@pytest.mark.parametrize(("position", "read", "at"), [(0, slice(5), 0), (3, slice(1, 6), 2), (7, slice(3, 8), 4)])
def test_a_long_sentence_is_read_around_its_place(model, position, read, at):
    """5 words of 8."""
    ids = [0, 1, 2, 3, 1, 0, 2, 3]
    found = model.context_vector([WORDS[number] for number in ids], position)
    np.testing.assert_allclose(found, context(model, ids[read], at), atol=1e-5)
