import numpy as np
import pytest

from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor, completions

NEVER = -np.inf


def test_by_hand():
    """Text 0 1 0: the penalty doubles the scores of 0 and 1; after "0" stood 1, so that 1 would write "0 1" again.

    3 is banned, 2 ends, and no end may come before a word is written.
    """
    wishes = GenerationOptions(repetition_penalty=2.0, no_repeat_ngram=2, min_length=1)
    rules, scores = LogitsProcessor(wishes, stop=(2,), banned=(3,)), np.array([[-1.0, -2.0, -3.0, -4.0, -5.0]])
    scores.setflags(write=False)
    assert rules.process(scores, [(0, 1, 0)], 0).tolist() == [[-2.0, NEVER, NEVER, NEVER, -5.0]]
    assert rules.process(scores, [(0, 1, 0)], 1).tolist() == [[-2.0, NEVER, -3.0, NEVER, -5.0]]
    assert rules.process(scores, [()], 1).tolist() == [[-1.0, -2.0, -3.0, NEVER, -5.0]]


def test_an_end_may_come_again():
    """No word twice: 0 is forbidden, and 2, which stands in the prompt as well, still ends."""
    rules = LogitsProcessor(GenerationOptions(no_repeat_ngram=1), stop=(2,))
    assert rules.process(np.array([[-1.0, -2.0, -3.0]]), [(2, 0)], 0).tolist() == [[NEVER, -2.0, -3.0]]


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        ([], 1, set()),
        ([4, 7, 4], 1, {4, 7}),
        ([1, 2, 3, 1, 2], 3, {3}),
        ([1, 2, 3, 1, 2, 4, 1, 2], 3, {3, 4}),
        ([1, 2], 3, set()),
        ([5, 5, 5], 3, {5}),  # the n-gram 5 5 5 stands there; another 5 writes it again
        ([5, 5], 3, set()),
    ],
)
def test_completions_of_ngrams(text, n, expected):
    assert set(completions(text, n)) == set(completions(tuple(text), n)) == expected


def test_completions_are_what_a_search_for_each_word_finds():
    random = np.random.default_rng(0)
    for _ in range(200):
        text, n = random.integers(0, 3, random.integers(0, 12)).tolist(), int(random.integers(1, 5))
        grams = {tuple(text[i : i + n]) for i in range(len(text) - n + 1)}
        last = tuple(text[len(text) - n + 1 :]) if n > 1 else ()
        expected = {word for word in range(3) if (*last, word) in grams}
        assert set(completions(text, n)) == expected


def test_single_precision_is_summed_in_double():
    assert LogitsProcessor(GenerationOptions()).process(np.zeros((1, 3), dtype=np.float32), [()], 0).dtype == np.float64


def test_lowered_words_by_hand():
    """3 is banned and 2 may not end; of two texts the first repeats two words, and "0 1" would come again."""
    texts = [(0, 1, 0), (4,)]
    for options, expected in (({}, 2), ({"no_repeat_ngram": 2}, 3), ({"no_repeat_ngram": 1}, 4)):
        rules = LogitsProcessor(GenerationOptions(min_length=1, **options), stop=(2,), banned=(3,))
        assert (rules.max_lowered(texts, 0), rules.max_lowered(texts, 1)) == (expected, expected - 1)
    rules = LogitsProcessor(GenerationOptions(repetition_penalty=2.0, no_repeat_ngram=2))
    assert rules.max_lowered(texts, 0) == 2
