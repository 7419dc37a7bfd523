import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firth.errors import OptionError
from firth.inference.constraints import Constraints, check_constraints, of_prompts
from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.sampling import greedy_search, sample
from firth.inference.search import BeamSearch, beam_search
from tests.unit.inference.toys import Table, random_table

WORDS = 9  # 7 ends, 8 is banned


def processor(**options):
    return LogitsProcessor(GenerationOptions(**{"max_length": 6, **options}), stop=(7,), banned=(8,))


def constraints(prefix=(), *phrases, max_length=None):
    return Constraints(prefix, phrases, max_length)


@pytest.mark.parametrize(
    ("wanted", "prompt", "options", "told"),
    [
        (constraints((1, 9)), (), {}, "prefix of ids 1, 9: id 9 is outside the vocabulary; expected 0 to 8"),
        (constraints((), (-1,)), (), {}, "forced phrase of ids -1: id -1 is outside the vocabulary"),
        (constraints((), ()), (), {}, "forced phrase of ids : it is empty"),
        (constraints((1, 7)), (), {}, "prefix of ids 1, 7: it has the end of the text"),
        (constraints((), (8, 1)), (), {}, "forced phrase of ids 8, 1: it has a word that is never generated"),
        (constraints(max_length=0), (), {}, "max_length=0: expected at least 1"),
        (constraints(max_length=3), (), {"min_length": 3}, "min_length=3: expected less than max_length=3"),
        (constraints((1, 2), (3, 4), (5, 6)), (), {}, "need up to 7 words with the end: expected at most max_length=6"),
        (constraints((1, 1)), (), {"no_repeat_ngram": 1}, r"prefix of ids 1, 1: it repeats 1 word\(s\) of the text"),
        (constraints((2,)), (1, 2, 1), {"no_repeat_ngram": 2}, "prefix of ids 2: it repeats 2 word"),
        (constraints((), (1, 2)), (1, 2), {"no_repeat_ngram": 2}, "forced phrase of ids 1, 2: it repeats 2 word"),
        (constraints((), (3,)), (3,), {"no_repeat_ngram": 1}, "forced phrase of ids 3: it repeats 1 word"),
        (constraints((), (1, 2), (1, 2)), (), {"no_repeat_ngram": 2}, "forced phrase of ids 1, 2: it repeats 2 word"),
        (constraints((), (1, 1, 1)), (), {"no_repeat_ngram": 2}, "forced phrase of ids 1, 1, 1: it repeats 2 word"),
        (constraints((1,), (1, 2)), (1, 2), {"no_repeat_ngram": 2}, "forced phrase of ids 1, 2: it repeats 2 word"),
    ],
)
def test_contradictions_are_told(wanted, prompt, options, told):
    with pytest.raises(OptionError, match=told):
        check_constraints(wanted, prompt, processor(**options), WORDS)


@pytest.mark.parametrize(
    ("wanted", "prompt", "options"),
    [
        (constraints((1, 2), (3, 4), (5,)), (), {}),
        (constraints((1, 2, 3), (1, 2), (2, 3, 4)), (), {}),  # the prefix has the first, and begins the second
        (constraints((1, 2), (1, 2)), (), {"no_repeat_ngram": 2}),  # met by the prefix
        (constraints((1,), (1, 2)), (2,), {"no_repeat_ngram": 2}),
        (constraints((), (1,)), (2, 1, 2), {"no_repeat_ngram": 2}),  # another word may come before 1
        (constraints((), (1,), (1,)), (), {"no_repeat_ngram": 2}),
        (constraints((), (0, 1), (1, 2)), (), {"no_repeat_ngram": 1}),  # 0 1 2 has both
    ],
)
def test_what_a_text_can_meet_is_allowed(wanted, prompt, options):
    check_constraints(wanted, prompt, processor(**options), WORDS)


def test_words_have_their_names_in_messages():
    with pytest.raises(OptionError, match=r"^forced phrase 'b j': id 9 is outside the vocabulary"):
        check_constraints(
            constraints((), (1, 9)),
            (),
            processor(),
            WORDS,
            name=lambda ids: repr(" ".join("abcdefghij"[i] for i in ids)),
        )


def test_every_prompt_has_its_own():
    given = [constraints((1,), (2,)), constraints(max_length=9), constraints(max_length=4)]
    found = of_prompts(given, [(), (), ()], processor(), WORDS)
    assert [each.max_length for each in found] == [6, 6, 4]
    assert (found[0].prefix, found[0].phrases) == ((1,), ((2,),))
    with pytest.raises(OptionError, match="prompt 1: prefix of ids 9"):
        of_prompts([constraints(), constraints((9,))], [(), ()], processor(), WORDS)
    with pytest.raises(OptionError, match="1 constraints for 2 prompts: expected one for each"):
        of_prompts([constraints()], [(), ()], processor(), WORDS)


def beams(model, prompts, options, **limits):
    return [each[0] for each in beam_search(model, prompts, options, BeamSearch(beams=4, groups=2), **limits)]


@pytest.mark.parametrize("search", [greedy_search, sample, beams])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_every_text_keeps_to_its_limits(search, data):
    """Lengths, blocked n-grams, banned words and prefixes; its log-probability is the model's own."""
    least, size = data.draw(st.integers(0, 3)), data.draw(st.sampled_from([None, 1, 2]))
    penalty = data.draw(st.sampled_from([1.0, 1.5]))
    options = GenerationOptions(max_length=7, min_length=least, no_repeat_ngram=size, repetition_penalty=penalty)
    prompts = data.draw(st.lists(st.lists(st.sampled_from([0, 1]), max_size=1), min_size=1, max_size=3))
    wanted = [
        Constraints(data.draw(st.sampled_from([(), (2,), (2, 3)])), (), data.draw(st.integers(4, 9))) for _ in prompts
    ]
    table = random_table(7, data.draw(st.integers(0, 999)))  # 5 ends, 6 is banned
    found = search(Table(table), prompts, options, stop=[5], banned=[6], constraints=wanted)
    for prompt, limits, text in zip(prompts, wanted, found, strict=True):
        assert text.ids[: len(limits.prefix)] == limits.prefix
        assert len(text.ids) + text.ended <= min(7, limits.max_length)
        assert not text.ended or len(text.ids) >= least
        assert not {5, 6} & set(text.ids)
        whole = [*prompt, *text.ids]
        grams = [tuple(whole[i : i + (size or 1)]) for i in range(len(whole) - (size or 1) + 1)]
        assert size is None or len(set(grams)) == len(grams)
        steps = [*([] if prompt else [7]), *whole, *[5] * text.ended]
        expected = sum(np.log(table[before, word]) for before, word in itertools.pairwise(steps))
        assert text.log_prob == pytest.approx(expected, abs=1e-9)
