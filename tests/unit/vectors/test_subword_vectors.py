"""Vectors with subwords: known words answer as `WordVectors` does, unseen ones take part by their n-grams."""

import numpy as np
import pytest

from firth.errors import OptionError, ShapeError, UnknownWordError
from firth.vectors.character_ngrams import Hashing, NgramRows
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

WORDS = ["walk", "walking", "talk", "talking", "house", "</s>"]
HOW = Hashing(3, 4, 100_000)
UNSEEN = "walks"


@pytest.fixture
def vectors() -> SubwordVectors:
    random = np.random.default_rng(0)
    _, buckets = HOW.buckets_of(WORDS)
    used = np.unique(buckets)
    ngrams = NgramRows(HOW, random.normal(size=(len(used), 5)).astype(np.float32), used)
    own = random.normal(size=(len(WORDS), 5)).astype(np.float32)
    return SubwordVectors.composed(WORDS, own, ngrams, counts=[9, 8, 7, 6, 5, 4], metadata={"name": "test"})


def mean_of_rows(vectors: SubwordVectors, word: str, own: bool) -> np.ndarray:
    _, buckets = HOW.buckets_of([word])
    table = dict(zip(vectors.ngrams.used.tolist(), vectors.ngrams.rows(), strict=True))
    rows = [table.get(bucket, np.zeros(5)) for bucket in buckets.tolist()]
    return np.mean([vectors.own[WORDS.index(word)], *rows] if own else rows, axis=0)


@pytest.mark.parametrize("word", WORDS)
def test_a_known_word_is_the_mean_of_its_rows(vectors, word):
    assert vectors[word] == pytest.approx(mean_of_rows(vectors, word, own=True), abs=1e-6)


def test_the_end_of_a_line_has_no_n_grams(vectors):
    assert vectors["</s>"] == pytest.approx(vectors.own[-1], abs=1e-6)


def test_an_unseen_word_is_the_mean_of_its_n_grams(vectors):
    assert vectors[UNSEEN] == pytest.approx(mean_of_rows(vectors, UNSEEN, own=False), abs=1e-6)
    assert UNSEEN in vectors
    assert UNSEEN not in vectors.key_to_index


def test_a_word_of_unknown_n_grams_is_unknown(vectors):
    assert "xyz" not in vectors
    with pytest.raises(UnknownWordError, match="'xyz' is not in the vocabulary"):
        vectors["xyz"]
    with pytest.raises(UnknownWordError):
        vectors.most_similar("xyz")
    assert vectors.most_similar("xyz", unknown="skip") == []
    assert np.isnan(vectors.similarity("walk", "xyz", unknown="skip"))


def reference(vectors: SubwordVectors) -> WordVectors:
    """The same words and the unseen one as plain word vectors."""
    return WordVectors([*WORDS, UNSEEN], np.concatenate([vectors.vectors, vectors[[UNSEEN]]]))


QUESTIONS = {
    "most_similar": lambda v: v.most_similar(UNSEEN, topn=3),
    "most_similar, terms": lambda v: v.most_similar([UNSEEN, "talking"], [("talk", -0.5)], topn=3),
    "most_similar, batch": lambda v: v.most_similar([[UNSEEN], ["house", UNSEEN]], topn=2),
    "most_similar, all": lambda v: v.most_similar(UNSEEN, topn=None)[: len(WORDS)].tolist(),
    "most_similar_cosmul": lambda v: v.most_similar_cosmul([UNSEEN, "talking"], ["talk"], topn=3),
    "analogy": lambda v: v.analogy("talk", "talking", UNSEEN, n=2),
    "similar_by_word": lambda v: v.similar_by_word([UNSEEN], topn=2),
    "similarity": lambda v: v.similarity(UNSEEN, "talk"),
    "similarity, batch": lambda v: v.similarity([UNSEEN, "walk"], ["walking", UNSEEN]).tolist(),
    "distance": lambda v: v.distance("house", UNSEEN),
    "distances": lambda v: v.distances(UNSEEN, ["walk", UNSEEN, "house"]).tolist(),
    "n_similarity": lambda v: v.n_similarity([UNSEEN, "walk"], ["house"]),
    "doesnt_match": lambda v: v.doesnt_match(["walk", UNSEEN, "house"]),
    "most_similar_to_given": lambda v: v.most_similar_to_given(UNSEEN, ["house", "walk"]),
    "wmdistance": lambda v: v.wmdistance([UNSEEN, "house"], ["walk"]),
    "get_mean_vector": lambda v: v.get_mean_vector([UNSEEN, "walk"]).tolist(),
    "get_vector, normed": lambda v: v.get_vector(UNSEEN, norm=True).tolist(),
    "vectors_for_all": lambda v: v.vectors_for_all([UNSEEN, "walk", "xyz"]).vectors.tolist(),
}


def flat(answer: object) -> list[object]:
    return [part for one in answer for part in flat(one)] if isinstance(answer, list | tuple) else [answer]


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_those_of_word_vectors_that_know_the_word(vectors, question):
    expected = flat(QUESTIONS[question](reference(vectors)))
    assert UNSEEN not in expected  # which is no answer of ours
    for got, wanted in zip(flat(QUESTIONS[question](vectors)), expected, strict=True):
        assert got == (wanted if isinstance(wanted, str) else pytest.approx(wanted, abs=1e-6))


def test_rank_and_closer_than(vectors):
    order = [word for word, _ in vectors.most_similar(UNSEEN, topn=10)]
    assert [vectors.rank(UNSEEN, word) for word in order] == [1, 2, 3, 4, 5, 6]
    assert vectors.closer_than(UNSEEN, order[2]) == [word for word in WORDS if word in order[:2]]
    closer = [word for word in WORDS if vectors.similarity("walk", word) > vectors.similarity("walk", UNSEEN)]
    assert vectors.closer_than("walk", UNSEEN) == [word for word in closer if word != "walk"]


def test_attributes_of_unseen_words_are_blank(vectors):
    some = vectors.vectors_for_all([UNSEEN, "walk"], copy_vecattrs=True)
    assert some.counts.tolist() == [0, 9]
    assert vectors.vectors_for_all([UNSEEN, "walk"], allow_inference=False).words == ["walk"]


def test_what_would_part_vectors_from_their_rows_is_not_there(vectors):
    with pytest.raises(AttributeError, match=r"use it on vectors\.known"):
        vectors.add_vectors(["new"], np.zeros((1, 5)))
    with pytest.raises(AttributeError):
        vectors.vectors = np.zeros((6, 5))
    assert "add_vectors" not in dir(vectors)
    assert "most_similar" in dir(vectors)


def test_a_name_that_is_none(vectors):
    with pytest.raises(AttributeError, match="no_such_question"):
        _ = vectors.no_such_question


def test_other_words(vectors):
    """Known words keep their vectors; fresh ones have those of their n-grams; the rows fit."""
    other = vectors.with_words(["talking", UNSEEN])
    assert other.words == ["talking", UNSEEN]
    assert other.vectors == pytest.approx(np.stack([vectors["talking"], vectors[UNSEEN]]), abs=1e-6)
    assert other.most_similar("walk", topn=1)[0][0] in (UNSEEN, "talking")


def test_quantised_rows(vectors):
    """Fewer rows than 256 are their own centroids: only a sign of zero or the last bit may differ."""
    codes = vectors.quantise(lengths=False)
    assert codes.codes.codes.dtype == np.uint8
    assert codes.vectors == pytest.approx(vectors.vectors * scale(vectors, codes), abs=1e-5)
    assert codes.similarity(UNSEEN, "walk") == pytest.approx(vectors.similarity(UNSEEN, "walk"), abs=1e-5)
    assert codes.counts.tolist() == vectors.counts.tolist()
    with pytest.raises(OptionError, match="width=9"):
        vectors.quantise(width=9)


def scale(vectors: SubwordVectors, other: SubwordVectors) -> np.ndarray:
    return np.linalg.norm(other.vectors, axis=1, keepdims=True) / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)


def test_how_it_looks(vectors):
    assert repr(vectors).startswith("<SubwordVectors: 6 words x 5, ")
    assert "test" in vectors._repr_html_()
    assert (len(vectors), list(vectors), vectors.dim) == (6, WORDS, 5)


def test_rows_that_do_not_fit(vectors):
    with pytest.raises(ShapeError, match="expected one own row per word"):
        SubwordVectors(vectors.known, vectors.own[:-1], vectors.ngrams)
