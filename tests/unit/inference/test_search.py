import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firth.errors import OptionError
from firth.inference.constraints import Constraints
from firth.inference.ensemble import Ensemble
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import greedy_search
from firth.inference.search import BeamSearch, beam_search
from tests.unit.inference.toys import Sources, Table, every_continuation, occurrences, random_sources, random_table

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


NORMALISATIONS = ["none", "mean", "power", "wu", "reward"]


@given(
    st.integers(0, 10_000),
    st.sampled_from(NORMALISATIONS),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from(["wu", "summary"]),
    st.lists(st.integers(0, 1), max_size=1),
    st.sampled_from([(), ((0,),), ((1, 0),), ((0,), (1,)), ((0, 1), (1, 0)), ((1, 1),), ((1,), (1,))]),
)
@settings(max_examples=50, deadline=None)
def test_beams_for_everything_are_exhaustive(seed, normalisation, penalty, coverage, prefix, phrases):
    """Up to five steps over three words, the last of which ends: with a beam a text, all are found in their order."""
    model, none = random_sources(3, [4], seed), 3
    how = BeamSearch(beams=90, length_normalisation=normalisation, coverage_penalty=penalty, coverage=coverage)

    def score(text):
        length, last = len(text.ids) + text.ended, [none, *text.ids]
        received = sum(model.weights[0][last[t]] for t in range(length))
        divided = {"mean": length, "power": length**0.6, "wu": ((5 + length) / 6) ** 0.6}.get(normalisation, 1)
        reward = 0.5 * length * (normalisation == "reward")
        covered = np.log(np.minimum(received, 1)) if coverage == "wu" else 1 - np.maximum(received, 1)
        return text.log_prob / divided + reward + penalty * covered.sum()

    def meets(text):
        return text.ids[: len(prefix)] == tuple(prefix) and all(
            occurrences(phrase, text.ids) >= phrases.count(phrase) for phrase in phrases
        )

    limits = [Constraints(tuple(prefix), phrases)]
    options = GenerationOptions(max_length=5)
    (found,) = beam_search(model, [[]], options, how, n=90, stop=[2], constraints=limits, attention=model.attention)
    texts = every_continuation(np.exp(model.models[0].logs), [], 5, {2})
    expected = {(text.ids, text.ended): text for text in texts if meets(text)}
    assert [text.score for text in found] == sorted((text.score for text in found), reverse=True)
    assert {(text.ids, text.ended) for text in found} == expected.keys()
    assert all(text.met for text in found)
    for text in found:
        assert text.score == pytest.approx(score(text), abs=1e-9)
        assert text.log_prob == pytest.approx(expected[text.ids, text.ended].log_prob, abs=1e-12)


@given(st.integers(0, 10_000), st.sampled_from(NORMALISATIONS))
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
    """To the bit, with constraints and with sources of different lengths."""
    model = random_sources(5, [3, 1, 4, 3], seed)
    how = BeamSearch(beams=6, groups=groups, coverage_penalty=0.2)
    options, prompts = GenerationOptions(max_length=6, no_repeat_ngram=2, min_length=1), [[], [1], [2, 0], []]
    limits = [Constraints((1,)), Constraints(phrases=((2, 3),)), Constraints(max_length=3), Constraints()]
    together = beam_search(model, prompts, options, how, n=3, stop=[4], constraints=limits, attention=model.attention)
    for number, (prompt, limit, texts) in enumerate(zip(prompts, limits, together, strict=True)):
        one = model.one(number)
        (alone,) = beam_search(one, [prompt], options, how, n=3, stop=[4], constraints=[limit], attention=one.attention)
        assert texts == alone
        for text, same in zip(texts, alone, strict=True):
            assert text.attention.shape == (len(text.ids) + text.ended, len(model.weights[number][0]))
            np.testing.assert_array_equal(text.attention, same.attention)


@given(st.integers(0, 10_000), st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=3), min_size=1, max_size=2))
@settings(max_examples=40, deadline=None)
def test_a_few_beams_write_every_forced_phrase(seed, phrases):
    """However improbable: the end, 5, has most of the probability."""
    table = random_table(6, seed, peak=3.0)
    table[:, 5] += 1
    forced = [Constraints(phrases=tuple(map(tuple, phrases)))]
    found = beam_search(
        Table(table), [[]], GenerationOptions(max_length=7), BeamSearch(beams=4), stop=[5], constraints=forced
    )
    (text,) = found[0]
    assert text.met
    assert all(occurrences(phrase, text.ids) >= phrases.count(phrase) for phrase in phrases)


def test_a_forced_phrase_by_hand():
    """1 has .1 after nothing, .4 after 0 and .05 after 1, and the end, 2, is equally likely after either.

    Two beams: the best text with 1 is 0 1, with .55 x .4 x .5; the beam that starts with 1 is worse.
    """
    table = [[0.1, 0.4, 0.5], [0.45, 0.05, 0.5], [1, 0, 0], [0.55, 0.1, 0.35]]
    how = BeamSearch(beams=2, length_normalisation="none")
    forced = [Constraints(phrases=((1,),))]
    (plain,) = beam_search(Table(table), [[]], beams=how, stop=[2])[0]
    (found,) = beam_search(Table(table), [[]], beams=how, stop=[2], constraints=forced)[0]
    assert (plain.ids, found.ids, found.ended) == ((), (0, 1), True)
    assert found.log_prob == pytest.approx(np.log(0.55 * 0.4 * 0.5))


def test_texts_that_are_forced_too_early_do_not_end_the_search():
    """1 is forced, improbable at first and after 3 and 4, and certain after 5.

    Two beams: "1" (.05) and "3 1" (.018) have ended when "3 4 5" (.86) has still to write it.
    """
    table = np.zeros((7, 6))
    table[6, [3, 1]], table[3, [4, 1]], table[4, [5, 1]] = [0.9, 0.05], [0.98, 0.02], [0.98, 0.01]
    table[5, 1] = table[1, 2] = 1
    forced = [Constraints(phrases=((1,),))]
    ((text,),) = beam_search(Table(table), [[]], beams=BeamSearch(beams=2), stop=[2], constraints=forced)
    assert text.ids == (3, 4, 5, 1)


def test_a_text_that_ends_is_among_the_best_of_its_step():
    """Two beams; 2 ends. Second step: 0 end .3, 0 0 .2, and 1 end .16, the third best, which is not kept.

    Then 0 0 ends, with .12.
    """
    table = [[0.4, 0, 0.6, 0], [0.24, 0.2, 0.32, 0.24], [1, 0, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0, 0]]
    how = BeamSearch(beams=2, length_normalisation="none")
    (found,) = beam_search(Table(table), [[]], beams=how, n=2, stop=[2])
    assert [text.ids for text in found] == [(0,), (0, 0)]


def test_a_phrase_that_the_model_cannot_write_is_reported():
    """Nothing leads to 1: the best text without it is returned, and says so."""
    table = [[0.5, 0.0, 0.5]] * 3 + [[0.6, 0.0, 0.4]]
    forced = [Constraints(phrases=((1,),)), Constraints(phrases=((0,),))]
    (without,), (text,) = beam_search(
        Table(table), [[], []], GenerationOptions(max_length=4), stop=[2], constraints=forced
    )
    assert (without.met, without.ids, without.ended) == (False, (0, 0, 0, 0), False)
    assert (text.met, text.ids) == (True, (0,))
    with pytest.raises(OptionError, match="prompt 1: word 2 of the prefix, id 1, has probability 0"):
        beam_search(Table(table), [[], []], stop=[2], constraints=[Constraints(), Constraints((0, 1))])


def test_coverage_by_hand():
    """Two source words. The text 0 attends to the first alone, 1 to both; 0 is likelier, .6 to .4.

    Then both end. With a penalty of .1, 0 has log .6 + .1 log 1e-10 = -2.81, and 1 has log .4 = -.92.
    """
    table = Table([[0, 0, 1], [0, 0, 1], [0, 0, 1], [0.6, 0.4, 0]])
    model = Sources([table], [np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])])
    for penalty, expected, score in ((0.0, (0,), np.log(0.6)), (0.1, (1,), np.log(0.4))):
        how = BeamSearch(beams=2, length_normalisation="none", coverage_penalty=penalty)
        ((found,),) = beam_search(model, [[]], beams=how, stop=[2], attention=model.attention)
        assert (found.ids, found.score) == (expected, pytest.approx(score))
        assert found.attention.tolist() == [[1, 0], [1, 0] if expected == (0,) else [0, 1]]
    with pytest.raises(OptionError, match=r"coverage_penalty=0\.1: expected a model with attention"):
        beam_search(model, [[]], beams=how)


def test_texts_that_end_leave_the_batch():
    """The text of the second source ends at once; that of the third is limited to two words."""
    goes_on, ends = Table([[0.9, 0.1]] * 3), Table([[0.0, 1.0]] * 3)
    model = Sources([goes_on, ends, goes_on], [])
    limits = [Constraints(), Constraints(), Constraints(max_length=2)]
    options, how = GenerationOptions(max_length=4), BeamSearch(beams=1)
    found = beam_search(model, [[]] * 3, options, how, stop=[1], constraints=limits)
    assert [len(text.ids) for (text,) in found] == [4, 0, 2]
    assert model.calls == [3, 2, 1, 1]


@given(st.integers(0, 10_000), st.sampled_from(NORMALISATIONS), st.sampled_from([0.0, 0.2]))
@settings(max_examples=40, deadline=None)
def test_a_search_that_stops_early_loses_nothing(seed, normalisation, penalty):
    """Asked for one answer, a search may end as soon as no beginning can win; the answer is that of the full search."""
    model = random_sources(4, [3], seed)
    how = BeamSearch(beams=64, length_normalisation=normalisation, coverage_penalty=penalty)
    limits = {"stop": [3], "attention": model.attention}
    (one,) = beam_search(model, [[]], GenerationOptions(max_length=5), how, n=1, **limits)
    (all_of_them,) = beam_search(model, [[]], GenerationOptions(max_length=5), how, n=64, **limits)
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
    assert BeamSearch(length_normalisation="power", length_power=0.5).normaliser(9) == pytest.approx(3)
    assert BeamSearch(length_normalisation="reward", word_reward=0.2).score(-3.0, 5) == pytest.approx(-2)


def test_texts_that_end_leave_room_for_those_that_go_on():
    """First words: the end .55, 0 .25, 1 .2. Of two beams both 0 and 1 go on, though the end is among the best two.

    Then 0 ends with .4 and 1 surely: .25 x .4 = .1 and .2, of which the latter is the second-best text.
    """
    table = [[0.3, 0.3, 0.4], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.25, 0.2, 0.55]]
    (found,) = beam_search(Table(table), [[]], GenerationOptions(max_length=3), BeamSearch(beams=2), n=2, stop=[2])
    assert [text.ids for text in found] == [(), (1,)]
    assert [text.ended for text in found] == [True, True]


def test_of_two_ends_of_a_text_the_likelier_is_returned():
    """After 0, which is certain, the ends 1 and 2 have .7 and .3: one text, whose probability is .7."""
    table = [[0.0, 0.7, 0.3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    (found,) = beam_search(Table(table), [[]], GenerationOptions(max_length=2), BeamSearch(beams=2), n=2, stop=[1, 2])
    assert [text.ids for text in found] == [(0,)]
    assert found[0].log_prob == pytest.approx(np.log(0.7))


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
    same = Ensemble((Table(one), Table(one)), np.array([0.3, 0.7]))  # with itself
    found += beam_search(same, [[], [1]], options, how, n=3, stop=[3])
    mean += beam_search(Table(one), [[], [1]], options, how, n=3, stop=[3])
    for ours, theirs in zip(found, mean, strict=True):
        assert [text.ids for text in ours] == [text.ids for text in theirs]
        assert [text.log_prob for text in ours] == pytest.approx([text.log_prob for text in theirs], abs=1e-12)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_groups_without_a_penalty_are_plain_beams(seed):
    table, options = Table(random_table(5, seed)), GenerationOptions(max_length=6)
    groups = BeamSearch(beams=6, groups=3, diversity_penalty=0.0)
    found = beam_search(table, [[], [1]], options, groups, n=2, stop=[4])
    assert found == beam_search(table, [[], [1]], options, BeamSearch(beams=2), n=2, stop=[4])


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
