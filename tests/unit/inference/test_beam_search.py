import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firth.errors import OptionError
from firth.inference.beam_search import BeamSearch, beam_search
from firth.inference.ensemble import Ensemble
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import greedy_search
from tests.unit.inference.toys import Table, every_continuation, random_table

# Greedy takes 0 (.6) and then has nothing better than .4; 1 (.4) goes on with .9.
GARDEN_PATH = [[0.4, 0.3, 0.3], [0.05, 0.05, 0.9], [1.0, 0.0, 0.0], [0.6, 0.4, 0.0]]


def test_two_beams_see_past_the_garden_path():
    """Two words: 0 0 has .6 x .4 = .24, which greedy search finds; 1 2 has .4 x .9 = .36."""
    (best, next_best) = beam_search(
        Table(GARDEN_PATH), [[]], GenerationOptions(max_length=2), BeamSearch(beams=2), n=2
    )[0]
    assert (best.ids, next_best.ids) == ((1, 2), (0, 0))
    assert best.log_prob == pytest.approx(np.log(0.36), abs=1e-12)
    assert best.score == pytest.approx(np.log(0.36) / 2, abs=1e-12)
    assert greedy_search(Table(GARDEN_PATH), [[]], GenerationOptions(max_length=2))[0].ids == (0, 0)


@pytest.mark.parametrize("normalisation", ["none", "mean", "wu"])
@pytest.mark.parametrize("prompt", [[], [1]])
@pytest.mark.parametrize("seed", range(5))
def test_beams_for_everything_are_exhaustive(normalisation, prompt, seed):
    """Three steps over three words, the last of which ends: with a beam a text, all are found in their order."""
    how = BeamSearch(beams=30, length_normalisation=normalisation)
    table = random_table(3, seed)
    (found,) = beam_search(Table(table), [prompt], GenerationOptions(max_length=3), how, n=30, stop=[2])
    expected = every_continuation(table, prompt, 3, {2})

    def rank(text):  # 1 0 1 1 and 1 1 0 1 hold the same pairs: equal but for rounding
        return -round(text.log_prob / how.normaliser(len(text.ids) + text.ended), 9), text.ids

    assert [text.score for text in found] == sorted((text.score for text in found), reverse=True)
    found.sort(key=rank)
    expected.sort(key=rank)
    assert [(text.ids, text.ended) for text in found] == [(text.ids, text.ended) for text in expected]
    assert [text.log_prob for text in found] == pytest.approx([text.log_prob for text in expected], abs=1e-12)


@given(st.integers(0, 10_000), st.sampled_from(["none", "mean", "wu"]))
@settings(max_examples=40, deadline=None)
def test_one_beam_is_greedy(seed, normalisation):
    table, prompts = Table(random_table(5, seed)), [[], [1], [2, 0]]
    options = GenerationOptions(max_length=7, repetition_penalty=1.3, no_repeat_ngram=2, min_length=1)
    expected = greedy_search(table, prompts, options, stop=[4], banned=[3])
    how = BeamSearch(beams=1, length_normalisation=normalisation)
    found = beam_search(table, prompts, options, how, stop=[4], banned=[3])
    assert [(text.ids, text.ended) for (text,) in found] == [(text.ids, text.ended) for text in expected]
    assert [text.log_prob for (text,) in found] == pytest.approx([text.log_prob for text in expected], abs=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_batched_is_single(seed, groups):
    table, prompts = Table(random_table(5, seed)), [[], [1], [2, 0], []]
    how = BeamSearch(beams=6, groups=groups)
    together = beam_search(table, prompts, GenerationOptions(max_length=6), how, n=3, stop=[4])
    assert together == [
        beam_search(table, [one], GenerationOptions(max_length=6), how, n=3, stop=[4])[0] for one in prompts
    ]
    assert together[0] == together[3]


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_search_that_stops_early_loses_nothing(seed):
    """Asked for one answer, a search may end as soon as no beginning can win; the answer is that of the full search."""
    table, how = Table(random_table(4, seed, peak=2.0)), BeamSearch(beams=64)
    (one,) = beam_search(table, [[]], GenerationOptions(max_length=6), how, n=1, stop=[3])
    (all_of_them,) = beam_search(table, [[]], GenerationOptions(max_length=6), how, n=64, stop=[3])
    assert one == all_of_them[:1]


@given(st.integers(0, 10_000), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_no_ngram_is_written_twice(seed, n):
    table = Table(random_table(3, seed, peak=3.0))
    for text in beam_search(
        table, [[0]], GenerationOptions(max_length=20, no_repeat_ngram=n), BeamSearch(beams=4), n=4
    )[0]:
        whole = (0, *text.ids)
        grams = [whole[i : i + n] for i in range(len(whole) - n + 1)]
        assert len(grams) == len(set(grams))


def test_lengths_by_hand():
    """Ended at once: .3, one word. Going on: .7 x .5 = .35 for two words.

    Sums: log .3 = -1.204 and log .35 = -1.050, so that the second wins anyway; with .4 for its second step it has .28
    and -1.273, loses by sums, and wins by means: -1.204 against -0.636. Wu's n(2) with a = 1 is 7/6: -1.091, it wins.
    """
    table = [[0.6, 0.4], [0.5, 0.5], [0.7, 0.3]]  # 1 ends
    how = {"max_length": 2, "no_repeat_ngram": 1}  # so that 0 is not written twice
    answers = {
        name: beam_search(Table(table), [[]], GenerationOptions(**how), BeamSearch(beams=2, **beams), n=2, stop=[1])[0][
            0
        ].ids
        for name, beams in {
            "none": {"length_normalisation": "none"},
            "mean": {"length_normalisation": "mean"},
            "wu": {"length_normalisation": "wu", "length_power": 1.0},
        }.items()
    }
    assert answers == {"none": (), "mean": (0,), "wu": (0,)}
    assert BeamSearch(length_normalisation="wu", length_power=1.0).normaliser(2) == pytest.approx(7 / 6)


def test_texts_that_end_leave_room_for_those_that_go_on():
    """First words: the end .55, 0 .25, 1 .2. Of two beams both 0 and 1 go on, though the end is among the best two.

    Then 0 ends with .4 and 1 surely: .25 x .4 = .1 and .2, of which the latter is the second-best text.
    """
    table = [[0.3, 0.3, 0.4], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.25, 0.2, 0.55]]
    (found,) = beam_search(Table(table), [[]], GenerationOptions(max_length=3), BeamSearch(beams=2), n=2, stop=[2])
    assert [text.ids for text in found] == [(), (1,)]
    assert [text.ended for text in found] == [True, True]


def test_beginnings_with_nowhere_to_go_are_answers():
    """Two words, none written twice, and no end: after two words nothing may come."""
    (found,) = beam_search(
        Table([[0.5, 0.5], [0.5, 0.5], [0.4, 0.6]]),
        [[]],
        GenerationOptions(no_repeat_ngram=1),
        BeamSearch(beams=2),
        n=2,
    )
    assert [(text.ids, text.ended) for text in found] == [((1, 0), False), ((0, 1), False)]
    assert found[0].log_prob == pytest.approx(np.log(0.3))


def test_groups_give_different_first_words():
    """First words .5 .3 .2, a word costs 1 nat once another group took it: log .5 - 1 = -1.69 < log .3 = -1.20."""
    table = Table(np.tile([0.5, 0.3, 0.2], (4, 1)))
    for diversity, expected in ((1.0, [(0,), (1,)]), (0.0, [(0,)])):
        how = BeamSearch(beams=2, groups=2, diversity_penalty=diversity)
        found = beam_search(table, [[]], GenerationOptions(max_length=1), how, n=2)[0]
        assert [text.ids for text in found] == expected
    assert found[0].log_prob == pytest.approx(np.log(0.5))


def test_an_ensemble_is_searched_like_a_model():
    """Half of each: the mean of the tables, searched to the end."""
    one, two = random_table(4, 0), random_table(4, 1)
    both = Ensemble((Table(one), Table(two)), np.array([0.5, 0.5]))
    options, how = GenerationOptions(max_length=5), BeamSearch(beams=3)
    mean = beam_search(Table((one + two) / 2), [[], [1]], options, how, n=3, stop=[3])
    found = beam_search(both, [[], [1]], options, how, n=3, stop=[3])
    for ours, theirs in zip(found, mean, strict=True):
        assert [text.ids for text in ours] == [text.ids for text in theirs]
        assert [text.log_prob for text in ours] == pytest.approx([text.log_prob for text in theirs], abs=1e-12)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"beams": 0}, "beams=0"), ({"beams": 5, "groups": 2}, "groups=2: expected a divisor of beams=5")],
)
def test_beams_that_cannot_be(wrong, told):
    with pytest.raises(OptionError, match=told):
        BeamSearch(**wrong)


@pytest.mark.parametrize("n", [0, 6])
def test_more_answers_than_beams_are_refused(n):
    with pytest.raises(OptionError, match=f"n={n}: expected from 1 to beams=5"):
        beam_search(Table(GARDEN_PATH), [[]], n=n)


def test_no_prompts_no_texts():
    assert beam_search(Table(GARDEN_PATH), []) == []
