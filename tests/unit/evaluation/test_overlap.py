import numpy as np
import pytest

from firth.evaluation.overlap import FEATURES, _common_subsequence, overlap_features, tfidf_cosines


def features(one, other, **how):
    return dict(zip(FEATURES, overlap_features([one], [other], **how)[0].tolist(), strict=True))


def test_a_pair_by_hand():
    """A = the dog ran 5 miles; B = a dog ran miles. In common: dog, ran, miles of 6 words; "dog ran" of 6 word pairs.

    The longest common subsequence is "dog ran miles", 3 of 5 words.
    """
    found = features("The dog ran 5 miles.", "A dog ran miles")
    assert found["words"] == 3 / 6
    assert found["word pairs"] == 1 / 6
    assert found["order"] == 3 / 5
    assert found["length ratio"] == 4 / 5
    assert found["length difference"] == pytest.approx(np.log(2))
    assert found["numbers"] == 0.5


def test_weights_of_rare_words():
    """Of two sentences "a b" and "a c", "a" is in both: idf 1; "b" and "c" in one: 1 + ln(3/2) = 1.40547."""
    found = features("a b", "a c")
    assert found["weighted words"] == pytest.approx(1 / (1 + 2 * 1.40547), abs=1e-5)
    assert found["TF-IDF"] == pytest.approx(1 / (1 + 1.40547**2), abs=1e-5)
    assert tfidf_cosines(["a b"], ["a c"])[0] == pytest.approx(found["TF-IDF"])


def test_frequencies_are_those_of_training_sentences():
    first, second = ["a b", "a c", "a d"], ["a b", "a d", "a e"]
    train = np.array([True, False, False])
    alone = overlap_features(first[:1] + first[1:2], second[:1] + second[1:2], train[:2])
    with_more = overlap_features(first, second, train)
    assert with_more[:2].tolist() == alone.tolist()


@pytest.mark.parametrize(
    ("one", "other", "share"), [("in 1990", "in 1990", 1), ("x", "y", 1), ("1 2", "2", 0.5), ("1", "2", 0)]
)
def test_numbers(one, other, share):
    assert features(one, other)["numbers"] == share


def test_exchanged_sentences_have_equal_features():
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(list("abcdefgh123"), size=random.integers(0, 9))) for _ in range(200)]
    assert (overlap_features(texts[:100], texts[100:]) == overlap_features(texts[100:], texts[:100])).all()


def test_equal_and_empty_sentences():
    equal = features("one two", "one two")
    assert {name: value for name, value in equal.items() if name != "length difference"} == {
        name: pytest.approx(1) for name in FEATURES if name != "length difference"
    }
    assert features("", "a") == dict.fromkeys(FEATURES, 0) | {
        "3-grams": pytest.approx(0),
        "length difference": pytest.approx(np.log(2)),
        "word pairs": 1,  # neither has any
        "numbers": 1,
    }
    assert tfidf_cosines(["", "", "a"], ["", "a", "a"]).tolist() == [1, 0, pytest.approx(1)]
    assert overlap_features([], []).shape == (0, len(FEATURES))


def longest_common_subsequence(one, other):
    table = np.zeros((len(one) + 1, len(other) + 1), dtype=int)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1, j + 1] = table[i, j] + 1 if a == b else max(table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


def test_the_longest_common_subsequence_is_that_of_the_table():
    random = np.random.default_rng(1)
    for _ in range(200):
        one, other = (random.choice(list("abcd"), size=random.integers(0, 12)).tolist() for _ in range(2))
        assert _common_subsequence(one, other) == longest_common_subsequence(one, other)
