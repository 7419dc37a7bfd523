"""Co-occurrence counts: what is counted, in which memory, by how many threads."""

import numpy as np
import pytest

import firth
from firth.counts import counting
from firth.counts.counting import Plan
from firth.errors import CorpusError, OptionError
from tests.unit.counts.conftest import counted_slowly


def test_pairs_by_hand(corpus, tmp_path):
    """the cat sat on the mat | the dog sat | a cat and a dog | mat, window 2:

    the: cat (1, and 1/2 before the second), sat (1/2, 1/2, and 1/2 before dog's), on (1), mat (1), dog (1)
    """
    matrix = firth.Cooccurrence(window=2).count(corpus, cache=tmp_path)
    assert matrix["the", "cat"] == matrix["cat", "the"] == 1
    assert matrix["the", "sat"] == 0.5 + 0.5 + 0.5
    assert matrix["the", "on"] == 1
    assert matrix["a", "a"] == 0
    assert matrix["cat", "a"] == 1 + 0.5
    assert matrix["mat", "dog"] == 0
    assert matrix.contexts("on", 3) == [("the", 1.0), ("sat", 1.0), ("cat", 0.5)]


HOWS = [
    {"window": 3},
    {"window": 1, "weights": "flat"},
    {"window": 5, "weights": "ramped", "sides": "left"},
    {"window": 40, "sides": "left", "max_words": 20},
    {"window": 4, "max_words": 50},
]


@pytest.mark.parametrize("how", HOWS, ids=str)
def test_counts_are_those_of_a_loop_over_pairs(english, tmp_path, how):
    options = firth.Cooccurrence(**how)
    matrix = options.count(english, cache=tmp_path)
    slow = counted_slowly(english, options)
    np.testing.assert_allclose(matrix.to_scipy().toarray(), slow, rtol=1e-6)
    np.testing.assert_allclose(matrix.totals(), slow.sum(1), rtol=1e-6)
    assert (np.diff(matrix.columns) > 0)[np.setdiff1d(np.arange(len(matrix.columns) - 1), matrix.rows[1:-1] - 1)].all()
    kept = matrix.half * np.tril(slow > 0).sum() + (not matrix.half) * (slow > 0).sum()
    assert len(matrix.columns) == kept


@pytest.mark.parametrize("sides", ["both", "left"])
def test_memory_and_threads_change_no_bit(english, tmp_path, monkeypatch, sides):
    how = firth.Cooccurrence(window=6, sides=sides)
    whole = how.count(english, cache=tmp_path / "whole", threads=1)
    make, passes = Plan.make.__func__, []

    def small(*arguments, **named):
        plan = make(*arguments, **named)
        object.__setattr__(plan, "positions", 500)
        passes.extend(plan.blocks())
        return plan

    monkeypatch.setattr(Plan, "make", classmethod(small))
    monkeypatch.setattr(counting, "CELLS", 300)
    parts = how.count(english, cache=tmp_path / "parts", threads=3)
    assert len(passes) > 5
    for name in ("rows", "columns", "values"):
        assert getattr(whole, name).tobytes() == getattr(parts, name).tobytes()


def test_counts_are_found_again(english, tmp_path, monkeypatch):
    how = firth.Cooccurrence(window=2)
    first = how.count(english, cache=tmp_path)
    monkeypatch.setattr(Plan, "make", None)  # counting again would fail
    again = how.count(english, cache=tmp_path, threads=2, memory=2000)
    assert again.fingerprint == first.fingerprint
    with pytest.raises(TypeError):
        firth.Cooccurrence(window=3).count(english, cache=tmp_path)


def test_too_little_memory_says_how_much_is_needed(english, tmp_path):
    with pytest.raises(OptionError, match=r"memory=1: expected at least \d+ MiB to count 273 words in 2 threads"):
        firth.Cooccurrence().count(english, cache=tmp_path, memory=1, threads=2)


def test_what_the_caller_holds_besides_is_no_reason_to_refuse(english, tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "_resident", lambda: 5 << 30)
    assert firth.Cooccurrence().count(english, cache=tmp_path, memory=1024, threads=2).values.size > 0


def test_words_that_stand_alone_leave_nothing_to_count(tmp_path):
    corpus = firth.Corpus.build([["a"], ["b"], ["a"]], min_count=1, cache=tmp_path)
    with pytest.raises(CorpusError, match="no two of the 2 words stand within a window of 10"):
        firth.Cooccurrence().count(corpus, cache=tmp_path)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    "wrong", [{"window": 0}, {"window": 5000}, {"weights": "cubic"}, {"sides": "right"}, {"max_words": -1}]
)
def test_options_out_of_range(wrong):
    with pytest.raises(OptionError, match=next(iter(wrong))):
        firth.Cooccurrence(**wrong)


def test_progress_ends_where_the_words_do(english, tmp_path):
    seen = []
    firth.Cooccurrence().count(english, cache=tmp_path, progress=seen.append)
    last = seen[-1]
    assert last.stage == "counting co-occurrences"
    assert last.done == last.total == english.num_tokens
