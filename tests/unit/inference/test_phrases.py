import itertools
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.inference.phrases import Phrases, allocate
from tests.unit.inference.toys import occurrences

WORDS = st.integers(0, 2)


def test_by_hand():
    """0 1 and 1 2 are forced. After 0 1 the first is whole and the second is begun: three words of four."""
    phrases = Phrases([(0, 1), (1, 2)])
    progress = reduce(phrases.advance, (0,), phrases.start)
    assert (phrases.bank(progress), phrases.next_words(progress)) == (1, [1])
    progress = phrases.advance(progress, 1)
    assert (phrases.bank(progress), phrases.next_words(progress), phrases.met(progress)) == (3, [2], False)
    assert phrases.bank(phrases.advance(progress, 0)) == 2
    progress = phrases.advance(progress, 2)
    assert (phrases.bank(progress), phrases.next_words(progress), phrases.met(progress)) == (4, [], True)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=3), st.lists(WORDS, max_size=12))
def test_what_a_text_has_is_what_a_count_of_its_phrases_finds(forced, text):
    phrases = Phrases(forced)
    progress = reduce(phrases.advance, text, phrases.start)
    for phrase, (count, matched) in zip(phrases.needed, progress, strict=True):
        assert count == occurrences(phrase, text)
        ends = [m for m in range(len(phrase)) if m <= len(text) and tuple(text[len(text) - m :]) == phrase[:m]]
        assert matched == max(ends)
    assert phrases.met(progress) == all(occurrences(one, text) >= forced.count(one) for one in forced)
    assert phrases.met(progress) == (phrases.bank(progress) == phrases.total)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=3), st.lists(WORDS, max_size=6))
def test_a_next_word_always_leads_to_a_higher_bank(forced, text):
    """So that as many steps as there are forced words write all phrases."""
    phrases = Phrases(forced)
    progress = reduce(phrases.advance, text, phrases.start)
    banks = [phrases.bank(phrases.advance(progress, word)) for word in phrases.next_words(progress)]
    assert phrases.met(progress) or max(banks) > phrases.bank(progress)


@pytest.mark.parametrize(
    ("available", "slots", "expected"),
    [
        ({0: 9, 1: 9, 2: 9}, 6, {0: 2, 1: 2, 2: 2}),
        ({0: 9, 1: 9, 2: 9}, 8, {0: 2, 1: 2, 2: 4}),  # the remainder goes to the last bank
        ({0: 9, 1: 1}, 6, {0: 5, 1: 1}),
        ({0: 9, 1: 3, 2: 1}, 6, {0: 2, 1: 3, 2: 1}),  # the free slot goes to the highest bank with more candidates
        ({0: 1, 1: 1}, 6, {0: 1, 1: 1}),
        ({0: 9, 1: 9}, 2, {0: 0, 1: 2}),  # fewer slots than banks: those that have most
    ],
)
def test_slots_by_hand(available, slots, expected):
    assert allocate(available, slots, 2) == expected


def test_no_slot_is_lost_and_the_highest_bank_has_one():
    for counts in itertools.product(range(4), repeat=3):
        available = {bank: count for bank, count in enumerate(counts) if count}
        for slots in range(1, 8):
            taken = allocate(available, slots, 2)
            assert sum(taken.values()) == min(slots, sum(counts))
            assert all(taken[bank] <= available[bank] for bank in available)
            assert not available or taken[max(available)] >= 1
