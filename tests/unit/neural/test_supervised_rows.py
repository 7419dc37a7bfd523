"""The tenth that selects a model: at random, the same for a seed, never all."""

import pytest

from firth.errors import CorpusError
from firth.neural.supervised import split_rows


@pytest.mark.parametrize(("count", "held_out"), [(2, 1), (14, 1), (16, 2), (30, 3), (1000, 100)])
def test_a_tenth_is_held_out(count, held_out):
    train, judged = split_rows(count, 0, "examples")
    assert (len(train), len(judged)) == (count - held_out, held_out)
    assert sorted(train + judged) == list(range(count))
    assert train == sorted(train)
    assert judged == sorted(judged)


def test_the_seed_decides():
    assert split_rows(100, 1, "examples") == split_rows(100, 1, "examples")
    assert split_rows(100, 1, "examples")[1] != split_rows(100, 2, "examples")[1]


@pytest.mark.parametrize("count", [0, 1])
def test_too_few(count):
    with pytest.raises(CorpusError, match=f"^a.conllu: {count} sentence; expected at least two, one of them to select"):
        split_rows(count, 0, f"a.conllu: {count} sentence")
