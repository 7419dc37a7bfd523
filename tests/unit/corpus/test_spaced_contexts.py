"""Keyword in context: places, spacing, words on either side."""

import pytest

import firth
from firth.corpus import spaced_contexts as module
from firth.corpus.spaced_contexts import spaced_contexts
from firth.errors import OptionError, UnknownWordError


@pytest.fixture(scope="module")
def corpus():
    lines = [f"a{number % 3} b the cat sat on the mat c{number % 2}" for number in range(40)] + ["mat"]
    return firth.Corpus.build(lines, min_count=1, progress=False)


def test_words_around(corpus):
    found, count = spaced_contexts(corpus, "cat", n=100, width=2)
    assert count == len(found) == 40
    assert [each.sentence for each in found] == list(range(40))
    assert {(each.before, each.after) for each in found} == {(("b", "the"), ("sat", "on"))}
    first, last = spaced_contexts(corpus, "mat", n=2, width=20)[0]
    assert first.before == ("a0", "b", "the", "cat", "sat", "on", "the")
    assert first.after == ("c0",)
    assert (last.sentence, last.before, last.after) == (40, (), ())


def test_a_few_are_evenly_spaced(corpus, monkeypatch):
    found, count = spaced_contexts(corpus, "the", n=5)
    assert count == 80
    assert [each.sentence for each in found] == [0, 9, 19, 29, 39]
    monkeypatch.setattr(module, "PART", 7)
    assert spaced_contexts(corpus, "the", n=5) == (found, count)


def test_mistakes(corpus):
    with pytest.raises(UnknownWordError, match="dog"):
        spaced_contexts(corpus, "dog")
    with pytest.raises(OptionError, match="n=0"):
        spaced_contexts(corpus, "cat", n=0)
