"""Where words stand and what is around them, beside loops over sentences."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.senses.occurrences import contexts_at, find_occurrences


@pytest.fixture
def corpus(tmp_path):
    random = np.random.default_rng(0)
    lines = [random.choice(list("abcdefgh"), size=n).tolist() for n in random.integers(1, 12, size=300)]
    return firth.Corpus.build(lines, min_count=1, cache=tmp_path, progress=False)


def test_every_place_where_there_is_room(corpus):
    ids = [3, 0, 7]
    found = find_occurrences(corpus, ids, 10_000)
    for number, word in enumerate(ids):
        assert found.of(number).tolist() == np.flatnonzero(corpus.ids == word).tolist()


def test_a_sample_is_of_the_word_and_by_its_seed(corpus):
    found, same, other = (find_occurrences(corpus, [2, 5], 20, seed=seed) for seed in (0, 0, 1))
    assert found.positions.tolist() == same.positions.tolist() != other.positions.tolist()
    for number, word in enumerate([2, 5]):
        places = found.of(number)
        assert len(set(places.tolist())) == 20
        assert (corpus.ids[places] == word).all()


def test_every_place_is_as_likely(corpus):
    """Of n places 10 are kept: over 2,000 seeds each place is kept 2,000 * 10 / n times, within five deviations of a
    binomial, wherever it stands."""
    places = np.flatnonzero(corpus.ids == 0)
    kept = np.concatenate([find_occurrences(corpus, [0], 10, seed=seed).positions for seed in range(2000)])
    times, share = np.array([(kept == place).sum() for place in places]), 10 / len(places)
    assert np.abs(times - 2000 * share).max() < 5 * (2000 * share * (1 - share)) ** 0.5


def test_contexts_stay_in_their_sentences(corpus):
    places = find_occurrences(corpus, [1], 10_000).positions
    contexts = contexts_at(corpus, places, 3)
    for place, start, end in zip(places, contexts.offsets[:-1], contexts.offsets[1:], strict=True):
        sentence = np.searchsorted(corpus.offsets, place, side="right") - 1
        first, last = corpus.offsets[sentence], corpus.offsets[sentence + 1]
        expected = [*corpus.ids[max(first, place - 3) : place], *corpus.ids[place + 1 : min(last, place + 4)]]
        assert contexts.ids[start:end].tolist() == expected
        before, after = place - max(first, place - 3), min(last, place + 4) - place - 1
        assert contexts.distances[start:end].tolist() == [*range(before, 0, -1), *range(1, after + 1)]


def test_numbers_out_of_range(corpus):
    with pytest.raises(OptionError, match="max_per_word=0: expected at least 1 occurrence"):
        find_occurrences(corpus, [0], 0)
    with pytest.raises(OptionError, match="window=0: expected at least 1 word on each side"):
        contexts_at(corpus, np.zeros(1, np.int64), 0)
