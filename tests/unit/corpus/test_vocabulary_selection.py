import numpy as np
import pytest

from firth.corpus.options import CorpusOptions
from firth.corpus.vocabulary_selection import select_vocabulary
from firth.errors import CorpusError


def test_order_is_by_count_then_by_code_points() -> None:
    # With equal counts, words that share their first eight bytes are told apart by what follows.
    words = ["prefix-long-b", "b", "prefix-long-a", "é", "z", "prefix-l", "a", "\U0001f600", "\uffee"]
    counts = np.array([2, 2, 2, 2, 2, 2, 9, 2, 2])
    vocabulary, ids = select_vocabulary(words, counts, CorpusOptions(min_count=1))
    assert vocabulary.words == sorted(words, key=lambda word: (word != "a", word))
    assert [vocabulary.words[i] for i in ids.tolist()] == words
    assert vocabulary.counts.tolist() == [9] + [2] * 8
    assert vocabulary.total == 25


def test_order_equals_python_sorting_on_many_ties() -> None:
    random = np.random.default_rng(3)
    words = list({"".join(random.choice(list("abé"), size=random.integers(1, 14))) for _ in range(3000)})
    counts = random.integers(1, 4, size=len(words))
    vocabulary, _ = select_vocabulary(words, counts, CorpusOptions(min_count=1))
    assert vocabulary.words == [word for _, word in sorted(zip((-counts).tolist(), words, strict=True))]


def test_min_count_max_size_and_stop_words() -> None:
    words, counts = ["the", "cat", "sat", "on", "mat"], np.array([9, 5, 4, 3, 1])
    vocabulary, ids = select_vocabulary(
        words, counts, CorpusOptions(min_count=3, max_size=2, stop_words=("The", "nowhere"))
    )
    assert vocabulary.words == ["cat", "sat"]
    assert ids.tolist() == [-1, 0, 1, -1, -1]
    assert vocabulary.total == 22
    assert vocabulary.oov_share == pytest.approx(13 / 22)


def test_stop_words_are_taken_as_they_are_by_a_tokeniser_that_folds_nothing() -> None:
    words, counts = ["The", "the"], np.array([2, 2])
    vocabulary, _ = select_vocabulary(
        words, counts, CorpusOptions(min_count=1, stop_words=("The",), tokens="whitespace")
    )
    assert vocabulary.words == ["the"]


def test_words_that_became_equal_are_counted_together() -> None:
    words, counts = ["a\ufffd", "b", "a\ufffd"], np.array([2, 4, 3])
    vocabulary, ids = select_vocabulary(words, counts, CorpusOptions(min_count=5))
    assert vocabulary.words == ["a\ufffd"]
    assert ids.tolist() == [0, -1, 0]
    assert vocabulary.counts.tolist() == [5]


@pytest.mark.parametrize(
    ("words", "counts", "options", "message"),
    [
        (
            ["a", "b"],
            [2, 7],
            {"min_count": 8},
            "min_count=8 removes all 2 words: the most frequent, 'b', occurs 7 times",
        ),
        (["a"], [2], {"stop_words": ("a",)}, "stop_words removes all 1 words"),
        ([], [], {}, "holds no words"),
    ],
)
def test_nothing_left(words: list[str], counts: list[int], options: dict[str, object], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        select_vocabulary(words, np.array(counts, dtype=np.int64), CorpusOptions(**options))  # type: ignore[arg-type]
