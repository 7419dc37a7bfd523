"""TF-IDF rows, against the definition and against scikit-learn where it is installed."""

import numpy as np
import pytest

from firth.classify.terms import TermWeights, character_ngrams

TEXTS = [["red", "apple", "red"], ["green", "apple"], [], ["red", "pear"]]


def test_weights_by_hand():
    """Of three words and two pairs: "red" stands in two of four texts, twice in the first."""
    terms, rows = TermWeights.learn(TEXTS, word_ngrams=2, min_n=2, max_n=0)
    assert terms.words == ["apple", "red", "green", "pear"]
    assert [[terms.words[i] for i in pair] for pair in terms.pairs.tolist()] == [
        ["apple", "red"], ["red", "apple"], ["red", "pear"], ["green", "apple"]
    ]  # fmt: skip
    np.testing.assert_array_equal(rows.toarray(), terms.rows(TEXTS).toarray())
    rare, frequent = 1 + np.log(5 / 2), 1 + np.log(5 / 3)
    row = np.array([frequent, (1 + np.log(2)) * frequent, 0, 0, rare, rare, 0, 0])
    np.testing.assert_allclose(terms.rows(TEXTS).toarray()[0], row / np.linalg.norm(row), rtol=1e-6)
    assert terms.rows(TEXTS).toarray()[2].tolist() == [0] * 8


def test_unknown_words_have_their_character_ngrams():
    terms, _ = TermWeights.learn(TEXTS, word_ngrams=1, min_n=2, max_n=3)
    row = terms.rows([["apples"]]).toarray()[0]
    known = {terms.ngrams[i - len(terms.words)] for i in np.flatnonzero(row)}
    assert known == {" a", "ap", "pp", "pl", "le", " ap", "app", "ppl", "ple"}
    assert np.linalg.norm(row) == pytest.approx(1)


def test_occurrences_are_those_that_rows_count():
    terms, _ = TermWeights.learn(TEXTS, word_ngrams=2, min_n=2, max_n=4)
    text = ["red", "apple", "unknown", "red", "apple"]
    occurrences = terms.terms_of(text)
    assert {term for term, _ in occurrences} == set(np.flatnonzero(terms.rows([text]).toarray()[0]))
    positions = [positions for _, positions in occurrences]
    assert [0, 1] in positions
    assert [3, 4] in positions


@pytest.mark.peer
def test_rows_are_those_of_scikit_learn():
    text = pytest.importorskip(
        "sklearn.feature_extraction.text", reason="scikit-learn is not installed: pip install scikit-learn"
    )
    strings = [" ".join(words) for words in TEXTS]
    terms, _ = TermWeights.learn(TEXTS, word_ngrams=2, min_n=2, max_n=4)
    rows = terms.rows([*TEXTS, ["a", "green", "pea"]]).toarray()
    own = len(terms.words) + len(terms.pairs)
    options = {"sublinear_tf": True, "lowercase": False}
    words = text.TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), **options).fit(strings)
    characters = text.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), **options).fit(strings)
    named = [*terms.words, *(" ".join(terms.words[i] for i in pair) for pair in terms.pairs.tolist())]
    columns = [words.vocabulary_[name] for name in named]
    np.testing.assert_allclose(
        rows[:, :own], words.transform([*strings, "a green pea"]).toarray()[:, columns], atol=1e-6
    )
    columns = [characters.vocabulary_[name] for name in terms.ngrams]
    expected = characters.transform([*strings, "a green pea"]).toarray()[:, columns]
    np.testing.assert_allclose(rows[:, own:], expected, atol=1e-6)


def test_character_ngrams_of_a_short_word():
    assert character_ngrams("a", 4, 5) == [" a "]
