"""Occurrences: context, sentences, order, counts."""

import warnings

import pytest

import firth
from firth.corpus import passages
from firth.errors import OptionError

TEXT = """The old sense of
“honour”, he said, was
lost. Honour had gone.

No man's HONOUR? Yes; an honour-
able man. What sense! Of honour.
"""


@pytest.fixture(scope="module")
def novel(tmp_path_factory):
    path = tmp_path_factory.mktemp("novels") / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_context_is_that_of_the_text(novel):
    found = list(firth.concordance(novel, "honour", window=2))
    assert [each.line for each in found] == [2, 3, 5, 6]
    assert {each.file for each in found} == {str(novel)}
    assert [(each.before, each.match, each.after) for each in found] == [
        ("sense of “", "honour", "”, he said,"),
        ("was lost. ", "Honour", " had gone."),
        ("No man's ", "HONOUR", "? Yes; an"),
        ("sense! Of ", "honour", "."),
    ]
    assert [each.sentence for each in found] == [
        "The old sense of “honour”, he said, was lost.", "Honour had gone.", "No man's HONOUR?", "Of honour."
    ]  # fmt: skip


def test_phrases_go_over_lines_and_not_over_sentences(novel):
    assert [each.match for each in firth.concordance(novel, "sense of honour")] == ["sense of “honour"]
    assert [each.match for each in firth.concordance(novel, "honourable man")] == ["honourable man"]
    assert list(firth.concordance(novel, "sense of honour", sentences="line")) == []


def test_order(novel):
    def lines(**how):
        return [each.line for each in firth.concordance(novel, "honour", **how)]

    assert lines(sort="left") == [3, 5, 2, 6]  # lost, man's, of sense old, of sense what
    assert lines(sort="right") == [6, 3, 2, 5]  # nothing, had, he, yes
    assert lines(sort="right", limit=2) == [6, 3]
    assert lines(limit=3) == [2, 3, 5]


def test_what_was_found_is_counted(novel):
    found = firth.concordance(novel, "honour*", limit=1)
    assert len(list(found.read())) == 1
    assert (found.total, dict(found.forms), found.files) == (5, {"honour": 4, "honourable": 1}, 1)
    assert len(list(found)) == 1  # again


def test_a_notebook_shows_a_table(novel):
    html = firth.concordance(novel, "honour*")._repr_html_()
    assert html.count("<tr>") == 6
    assert "sense of “" in html


def test_every_occurrence_of_a_long_passage_is_found_once(tmp_path, monkeypatch):
    monkeypatch.setattr(passages, "PIECE", 3000)
    path = tmp_path / "a.txt"
    path.write_text("".join(f"w{n} and\nb " for n in range(5000)), encoding="utf-8")
    found = list(firth.concordance(path, "and b", window=1))
    assert [each.before for each in found] == [f"w{n} " for n in range(5000)]
    assert [each.line for each in found] == list(range(1, 5001))


def test_a_text_of_a_million_occurrences_is_read_as_it_is_needed():
    texts = ("the " * 10 for _ in range(10**9))
    found = iter(firth.concordance(texts, "the", window=1))
    assert [next(found).line for _ in range(11)][-1] == 2


def test_counts_agree_with_the_vocabulary_or_the_reason_is_said(novel, tmp_path):
    for sentences in ("line", "punctuation"):
        corpus = firth.Corpus.build(novel, sentences=sentences, min_count=1, cache=tmp_path, progress=False)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = corpus.concordance("*")
            list(found)
        assert found.forms == dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True))
    corpus = firth.Corpus.build(novel, sentences="punctuation", min_count=2, cache=tmp_path, progress=False)
    with pytest.warns(UserWarning, match=r"count differently: 'honourable' 1 and 0; .*min_count=2"):
        list(corpus.concordance("honour*"))


def test_words_that_are_given_stay_as_they_are_unless_a_rule_is_given(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tHonour\t_\tN\t_\t_\t0\troot\t_\t_\n2\t's\t_\tN\t_\t_\t1\tx\t_\t_\n\n", encoding="utf-8")
    assert list(firth.concordance(path, "honour")) == []
    assert [each.sentence for each in firth.concordance(path, "Honour 's")] == ["Honour 's"]
    assert [each.match for each in firth.concordance(path, "honour", tokens="words")] == ["Honour"]


def test_mistakes(novel):
    for wrong in ({"window": 0}, {"limit": 0}, {"sort": "up"}):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            firth.concordance(novel, "honour", **wrong)


def test_a_text_shorter_than_the_phrase_holds_none():
    texts = ["the quick brown", "see the quick brown fox jumps over it"]
    found = list(firth.concordance(texts, "the quick brown fox jumps over"))
    assert [(each.line, each.match) for each in found] == [(2, "the quick brown fox jumps over")]
