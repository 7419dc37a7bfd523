"""Phrases: which pairs are counted, how they are scored, and how they are joined."""

import json
import math

import pytest

import firth
from firth.errors import FormatError, OptionError
from firth.storage.checksums import with_checksum

LINES = ["new york is big", "i love new york", "new york new jersey", "the bank of america is big", "bank of america"]


@pytest.fixture
def built(tmp_path):
    return lambda lines: firth.Corpus.build([line.split() for line in lines], min_count=1, cache=tmp_path / "corpora")


def test_scores_by_hand(built):
    """LINES has 21 words; new stands 4 times, york 3, new york 3: (3 - 1) 21 / (4 3) = 3.5; npmi log(5.25) / log(7)."""
    corpus = built(LINES)
    assert corpus.num_tokens == 21
    (found,) = firth.Phrases(min_count=1, threshold=3.0).learn(corpus).passes
    assert found[("new", "york")] == (3, pytest.approx(3.5))
    (found,) = firth.Phrases(min_count=3, threshold=0.5, scoring="npmi").learn(corpus).passes
    assert found == {("new", "york"): (3, pytest.approx(math.log(5.25) / math.log(7)))}
    (found,) = firth.Phrases(min_count=3, threshold=0.0, scoring="pmi").learn(corpus).passes
    assert found[("new", "york")][1] == pytest.approx(math.log(5.25))


def test_connectors_stand_inside(built):
    table = firth.Phrases(min_count=2, scoring="npmi", connectors=("of", "the")).learn(built(LINES))
    assert "bank_of_america" in table
    assert not any(phrase.startswith(("of_", "the_")) or phrase.endswith(("_of", "_the")) for phrase, _, _ in table)
    assert table.join(["the", "bank", "of", "america", "of", "new", "york", "of"]) == [
        "the",
        "bank_of_america",
        "of",
        "new_york",
        "of",
    ]


def test_no_phrase_goes_over_the_end_of_a_sentence(built):
    table = firth.Phrases(min_count=1, threshold=-1e6).learn(built(["a b", "c d", "a b"]))
    assert sorted(phrase for phrase, _, _ in table) == ["a_b", "c_d"]


def test_passes_make_longer_phrases(built):
    corpus = built(["new york times sells", "the new york times", "new york times", "x y z"] * 5)
    one, two = (firth.Phrases(min_count=3, scoring="npmi", passes=passes).learn(corpus) for passes in (1, 2))
    assert "new_york_times" not in one
    assert "new_york_times" in two
    assert two.join(["read", "new", "york", "times"]) == ["read", "new_york_times"]


@pytest.mark.parametrize("passes", [1, 2, 3])
@pytest.mark.parametrize("connectors", [(), ("w1", "w4")])
def test_the_corpus_is_joined_as_sentences_are(english, tmp_path, passes, connectors):
    table = firth.Phrases(min_count=2, threshold=0.2, scoring="npmi", passes=passes, connectors=connectors).learn(
        english
    )
    assert len(table) > 20
    joined = table.apply(english, min_count=1, cache=tmp_path)
    assert list(joined) == [table.join(sentence) for sentence in english]
    assert joined.vocabulary.counts.sum() == joined.num_tokens
    assert sum(word in table for word in joined.vocabulary.words) > 10


def test_threads_change_nothing(english):
    how = firth.Phrases(min_count=2, threshold=0.1, scoring="npmi", connectors=("w2",))
    one, three = (how.learn(english, threads=threads) for threads in (1, 3))
    assert one == three


def test_rare_words_go_after_phrases_are_made(built, tmp_path):
    corpus = built(LINES)
    joined = firth.Phrases(min_count=1, threshold=3.4).learn(corpus).apply(corpus, min_count=3, cache=tmp_path)
    assert list(joined.vocabulary.words) == ["new_york"]


def test_saved_and_opened(built, tmp_path):
    table = firth.Phrases(min_count=1, threshold=1.0, passes=2, connectors=("of",), delimiter=" ").learn(built(LINES))
    table.save(tmp_path / "phrases.json")
    assert firth.PhraseTable.open(tmp_path / "phrases.json") == table
    (tmp_path / "other.json").write_text('{"format": "x"}')
    with pytest.raises(FormatError, match="not a file of phrases"):
        firth.PhraseTable.open(tmp_path / "other.json")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"scoring": "best"}, "scoring='best'"),
        ({"min_count": 0}, "min_count=0"),
        ({"passes": 0}, "passes=0"),
        ({"connectors": "of"}, "expected a list of words"),
        ({"delimiter": ""}, "expected a non-empty string"),
        ({"threshold": float("nan")}, "threshold=nan"),
    ],
)
def test_options_out_of_range(wrong, said):
    with pytest.raises(OptionError, match=said):
        firth.Phrases(**wrong)


@pytest.mark.parametrize(
    "change",
    [
        {"delimiter": 3}, {"connectors": [1]}, {"connectors": None}, {"passes": [[[["a"], "b", 1, 2.0]]]},
        {"passes": [[["a", 1, 2.0]]]}, {"passes": [[["a", "b", float("inf"), 2.0]]]}, {"passes": 3}, {"passes": [[[]]]},
    ],
)  # fmt: skip
def test_a_file_of_other_phrases(tmp_path, change):
    table = firth.PhraseTable([{("a", "b"): (3, 2.0)}], ("of",), "_")
    table.save(tmp_path / "phrases.json")
    told = {
        name: value
        for name, value in json.loads((tmp_path / "phrases.json").read_bytes()).items()
        if name != "checksum"
    }
    assert firth.PhraseTable.open(tmp_path / "phrases.json") == table
    (tmp_path / "phrases.json").write_text(json.dumps(with_checksum(told | change)))
    with pytest.raises(FormatError, match="not a file of phrases"):
        firth.PhraseTable.open(tmp_path / "phrases.json")


def test_a_table_of_phrases_is_shown_in_one_line():
    passes = [
        {("new", "york"): (9, 5.0), ("los", "angeles"): (8, 4.0), ("san", "jose"): (7, 3.0), ("a", "b"): (6, 2.0)}
    ]
    table = firth.PhraseTable(passes, (), "_")
    assert repr(table) == "<PhraseTable: 4 phrases: 'new_york', 'los_angeles', 'san_jose' ...>"
    assert repr(firth.PhraseTable([], (), "_")) == "<PhraseTable: 0 phrases>"
