import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from firth.errors import OptionError
from firth.inference.constraints import Constraints
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import draw, greedy_search, largest, nucleus, sample, sampling_distribution, softmax
from tests.unit.inference.toys import Table, random_sources, random_table

CYCLE = [[0.1, 0.8, 0.1], [0.2, 0.1, 0.7], [0.6, 0.3, 0.1], [0.3, 0.4, 0.3]]  # after 0, 1, 2, nothing


def test_greedy_by_hand():
    """From nothing 1 (.4), then 2 (.7), the end: .4 x .7. From 2 first 0 (.6), then 1 (.8), then the end (.7)."""
    first, second = greedy_search(Table(CYCLE), [[], [2]], stop=[2])
    assert (first.ids, second.ids) == ((1,), (0, 1))
    assert (first.ended, second.ended) == (True, True)
    assert first.log_prob == first.score == pytest.approx(np.log(0.4 * 0.7), abs=1e-15)
    assert second.log_prob == pytest.approx(np.log(0.6 * 0.8 * 0.7), abs=1e-15)


def test_lengths_are_kept():
    (longest,) = greedy_search(Table(CYCLE), [[]], GenerationOptions(max_length=4))
    assert (longest.ids, longest.ended) == ((1, 2, 0, 1), False)
    (longer,) = greedy_search(Table(CYCLE), [[]], GenerationOptions(min_length=2), stop=[2])
    assert len(longer.ids) >= 2
    (cut,) = greedy_search(Table(CYCLE), [[]], GenerationOptions(max_length=1), stop=[2])
    assert (cut.ids, cut.ended) == ((1,), False)


def test_the_model_is_asked_once_a_word_and_never_for_texts_that_ended():
    table = Table(CYCLE)
    greedy_search(table, [[], [2], [2]], GenerationOptions(max_length=3), stop=[2])
    # 3 prompts, 1 advances them; the first ends and 2 are chosen out, and advanced; the third word needs no call more.
    assert table.calls == [3, 3, 2, 2]


def test_a_text_with_nowhere_to_go_ends():
    """Two words, none written twice: 1 0, and then nothing may come."""
    (text,) = greedy_search(Table([[0.5, 0.5], [0.5, 0.5], [0.4, 0.6]]), [[]], GenerationOptions(no_repeat_ngram=1))
    assert (text.ids, text.ended) == ((1, 0), False)


def test_banned_words_are_never_written():
    texts = sample(Table(CYCLE), [[]] * 20, GenerationOptions(max_length=30), banned=[1])
    assert {word for text in texts for word in text.ids} == {0, 2}


def test_no_prompts_no_texts():
    assert greedy_search(Table(CYCLE), []) == sample(Table(CYCLE), []) == []


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_no_ngram_is_written_twice(seed, words, n):
    """Blocking acts before a word is taken: neither the likeliest nor a drawn text repeats, prompt included."""
    table, options = Table(random_table(words, seed, peak=3.0)), GenerationOptions(no_repeat_ngram=n, max_length=40)
    for search in (greedy_search, sample):
        for prompt, text in zip(([], [0, 1]), search(table, [[], [0, 1]], options), strict=True):
            whole = (*prompt, *text.ids)
            grams = [whole[i : i + n] for i in range(len(whole) - n + 1)]
            assert len(grams) == len(set(grams))


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_temperature_near_zero_and_one_candidate_are_greedy(seed):
    table, prompts = Table(random_table(5, seed)), [[], [1], [2, 3]]
    expected = greedy_search(table, prompts, GenerationOptions(max_length=8), stop=[4])
    for wish in ({"temperature": 1e-5}, {"top_k": 1}, {"top_p": 1e-9}, {"min_p": 1.0}):
        assert sample(table, prompts, GenerationOptions(max_length=8, **wish), stop=[4], seed=seed) == expected


def test_a_text_does_not_depend_on_those_beside_it():
    table = Table(random_table(6, 1))
    together = sample(table, [[], [1], [2, 3]], GenerationOptions(max_length=9), stop=[5], seed=7)
    assert together == sample(table, [[], [1], [2, 3]], GenerationOptions(max_length=9), stop=[5], seed=7)
    assert together[:1] == sample(table, [[]], GenerationOptions(max_length=9), stop=[5], seed=7)
    assert together[2] == sample(table, [[4], [4], [2, 3]], GenerationOptions(max_length=9), stop=[5], seed=7)[2]
    assert together != sample(table, [[], [1], [2, 3]], GenerationOptions(max_length=9), stop=[5], seed=8)
    parts = [sample(table, [each], GenerationOptions(max_length=9), stop=[5], seed=7, numbers=[i])[0]
             for i, each in enumerate([[], [1], [2, 3]])]  # fmt: skip
    assert together == parts
    alone = [greedy_search(table, [prompt], stop=[5])[0] for prompt in ([], [1], [2, 3])]
    assert greedy_search(table, [[], [1], [2, 3]], stop=[5]) == alone


def test_words_come_as_often_as_their_probabilities_say():
    """20,000 first words and, after the word 1, second ones: chi-square tests of both, with the seed fixed."""
    table = random_table(4, 3)
    texts = sample(Table(table), [[]] * 20_000, GenerationOptions(max_length=2), seed=0)
    first = np.bincount([text.ids[0] for text in texts], minlength=4)
    second = np.bincount([text.ids[1] for text in texts if text.ids[0] == 1], minlength=4)
    assert stats.chisquare(first, table[4] * first.sum()).pvalue > 0.01
    assert stats.chisquare(second, table[1] * second.sum()).pvalue > 0.01
    assert stats.chisquare(first, table[3] * first.sum()).pvalue < 1e-6  # the test can fail


def test_a_draw_by_hand():
    """Sums 0, .25, .25, 1: below .25 falls word 1, from there on word 3; words of probability 0 never come."""
    found = np.repeat([[0.0, 0.25, 0.0, 0.75]], 5, axis=0)
    assert draw(found, np.array([0.0, 0.2499, 0.25, 0.9, np.nextafter(1, 0)])).tolist() == [1, 1, 3, 3, 3]
    assert draw(np.array([[0.9, 0.1, 0.0]]), np.array([np.nextafter(1, 0)])).tolist() == [1]


@pytest.mark.parametrize("search", [greedy_search, sample])
def test_constraints_of_each_text(search):
    """A prefix is written whatever its probability; a text at its maximum length leaves the batch."""
    model = random_sources(5, [2, 3, 1], 4)
    limits = [Constraints((3, 3)), Constraints((1,), max_length=3), Constraints()]
    options = GenerationOptions(max_length=6, min_length=2)
    found = search(model, [[], [1], [2]], options, stop=[4], constraints=limits)
    assert found[0].ids[:2] == (3, 3)
    assert (found[1].ids[0], len(found[1].ids) <= 3) == (1, True)
    for number, text in enumerate(found):
        last = [*([5] if number == 0 else [number]), *text.ids, *([4] if text.ended else [])]
        logs = model.models[number].logs
        assert text.log_prob == pytest.approx(sum(logs[a, b] for a, b in itertools.pairwise(last)))
    (plain,) = search(model.one(2), [[2]], options, stop=[4])
    if search is greedy_search:
        assert plain == found[2]


def test_attention_is_returned_with_each_text():
    """A row for each word and for the end, over the positions of the text's own source."""
    model = random_sources(5, [2, 3, 1], 4)
    for text, weights, prompt in zip(
        greedy_search(model, [[], [1], [2]], stop=[4], attention=model.attention), model.weights, (5, 1, 2), strict=True
    ):
        last = [prompt, *text.ids][: len(text.ids) + text.ended]
        np.testing.assert_array_equal(text.attention, weights[last])
    assert greedy_search(model, [[]] * 3, stop=[4])[0].attention is None


def test_what_these_searches_cannot_do_is_refused():
    table = Table(CYCLE)
    with pytest.raises(OptionError, match="forced phrases with greedy search or sampling: expected beam search"):
        greedy_search(table, [[]], constraints=[Constraints(phrases=((1,),))])
    with pytest.raises(OptionError, match="temperature=0: expected above 0 for sampling; greedy search"):
        sample(table, [[]], GenerationOptions(temperature=0))
    with pytest.raises(OptionError, match="prompt 1: word 1 of the prefix, id 0, has probability 0"):
        greedy_search(Table([[0.0, 1.0]] * 3), [[], []], constraints=[Constraints(), Constraints((0,))])


LOGS = np.log(np.array([[0.5, 0.1, 0.25, 0.15]]))
ROWS = arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 7)), elements=st.integers(-4, 4).map(float))


def shape(**options):
    return sampling_distribution(LOGS, GenerationOptions(**options)).tolist()[0]


def test_by_hand():
    """Probabilities .5 .1 .25 .15.

    Temperature 1/2 squares them: .25 .01 .0625 .0225, sum .345. The two likeliest: .5 and .25 of .75. A nucleus of .7
    needs .5 and .25, one of .75 no more, one of .76 also .15. At least .3 of the likeliest: .15 and above, sum .9.
    """
    assert shape() == pytest.approx([0.5, 0.1, 0.25, 0.15], abs=1e-15)
    assert shape(temperature=0.5) == pytest.approx([0.25 / 0.345, 0.01 / 0.345, 0.0625 / 0.345, 0.0225 / 0.345])
    assert shape(top_k=2) == pytest.approx([2 / 3, 0, 1 / 3, 0])
    assert shape(top_p=0.7) == shape(top_p=0.75) == shape(top_k=2)
    assert shape(top_p=0.76) == pytest.approx([0.5 / 0.9, 0, 0.25 / 0.9, 0.15 / 0.9])
    assert shape(min_p=0.3) == shape(top_p=0.76)
    assert shape(min_p=0.31) == shape(top_k=2)
    assert shape(temperature=1e-300) == [1, 0, 0, 0]


def test_rounding_adds_no_word_to_the_nucleus():
    """Eight times .1 add up to .7999999999999999, which is .8 for all that matters."""
    assert np.cumsum(np.full(8, 0.1))[-1] < 0.8
    assert nucleus(np.full((1, 10), 0.1), 0.8).tolist() == [[True] * 8 + [False] * 2]


def test_each_rule_looks_at_what_the_one_before_left():
    """Of .5 .25 .15 .1 the two likeliest become 2/3 and 1/3; a nucleus of .6 is then the first alone."""
    assert shape(top_k=2, top_p=0.6) == [1, 0, 0, 0]
    assert shape(top_p=0.6) == shape(top_k=2)


@given(ROWS, st.integers(1, 7))
def test_top_k_leaves_exactly_k_and_none_better_out(values, k):
    k = min(k, values.shape[1])
    kept = largest(values, k)
    assert (kept.sum(axis=1) == k).all()
    for row, chosen in zip(values, kept, strict=True):
        assert np.flatnonzero(chosen).tolist() == sorted(np.argsort(-row, kind="stable")[:k].tolist())


@given(ROWS, st.floats(0.01, 0.99))
def test_the_nucleus_is_the_smallest_set(values, total):
    """Of all sets with as many words less one, the likeliest does not reach the sum; the kept set does."""
    found = softmax(values)
    for row, kept in zip(found, nucleus(found, total), strict=True):
        assert row[kept].sum() >= total - 1e-9
        assert np.sort(row)[::-1][: kept.sum() - 1].sum() < total
        assert row[kept].min() >= row[~kept].max(initial=0)


@given(ROWS)
def test_rows_sum_to_one_and_do_not_touch_each_other(values):
    options = GenerationOptions(temperature=0.7, top_k=3, top_p=0.8, min_p=0.2)
    found = sampling_distribution(values, options)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(values)), abs=1e-12)
    for i, row in enumerate(values):
        np.testing.assert_array_equal(sampling_distribution(row[None], options)[0], found[i])


def test_words_that_may_not_come_stay_out():
    scores = np.array([[-np.inf, -1.0, -np.inf, -2.0]])
    for options in (
        GenerationOptions(),
        GenerationOptions(top_k=3),
        GenerationOptions(top_p=0.999),
        GenerationOptions(temperature=5.0),
    ):
        found = sampling_distribution(scores, options)
        assert (found[0, [0, 2]] == 0).all()
        assert (found[0, [1, 3]] > 0).all()
