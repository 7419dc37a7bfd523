"""The two judgements by hand; gensim's figures are compared in tests/golden/vectors."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors


@pytest.fixture
def vectors() -> WordVectors:
    angles = np.radians([0, 10, 40, 100])
    return WordVectors(["a", "b", "c", "d"], np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32))


def test_pairs_in_the_order_of_their_cosines(vectors, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("# comment\na\tb\t9\nA\tC\t5\na\td\t1\na\tnowhere\t4\nbroken\n")
    pearson, spearman, unknown = vectors.evaluate_word_pairs(path)
    assert spearman.statistic == pytest.approx(1)
    assert pearson.statistic > 0.9
    assert unknown == 25
    assert vectors.evaluate_word_pairs(path, case_insensitive=False)[2] == 50


def test_no_pair(vectors, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,9\n")
    with pytest.raises(FormatError, match=r"pairs\.csv: no pair of two known words and a score"):
        vectors.evaluate_word_pairs(path)


def test_analogies(vectors, tmp_path):
    path = tmp_path / "analogies.txt"
    path.write_text(": one\na b c d\n: two\nb a c d\na b c nowhere\nthree words only\n")
    accuracy, sections = vectors.evaluate_word_analogies(path)
    # Only d is left to answer either question.
    assert accuracy == 1
    assert [section["section"] for section in sections] == ["one", "two", "Total accuracy"]
    assert sections[1]["correct"] == [("B", "A", "C", "D")]
    assert vectors.evaluate_word_analogies(path, dummy4unknown=True)[0] == pytest.approx(2 / 3)
    assert vectors.evaluate_word_analogies(path, similarity_function="most_similar_cosmul")[0] == 1


@pytest.mark.parametrize(
    ("text", "told"), [("a b c d\n", "line 1: 'a b c d"), ("", "no analogy found"), (": s\na b\n", "no analogy found")]
)
def test_no_analogies(vectors, tmp_path, text, told):
    path = tmp_path / "analogies.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=told):
        vectors.evaluate_word_analogies(path)


def test_no_such_function(vectors, tmp_path):
    with pytest.raises(OptionError, match="expected one of most_similar, most_similar_cosmul"):
        vectors.evaluate_word_analogies(tmp_path, similarity_function="guess")
