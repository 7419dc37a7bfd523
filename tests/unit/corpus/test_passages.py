"""Passages: lines with their numbers, hyphens, and long passages in pieces that overlap."""

import gzip

import pytest

import firth
from firth.corpus import passages as module
from firth.corpus.options import CorpusOptions
from firth.corpus.passages import Reading, passages
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.sources import resolve


def read(source, margin=8, by_line=False, **options):
    chosen = CorpusOptions(**{"sentences": "punctuation", **options})
    meter = ReadingProgress(lambda status: None, None)
    return list(passages(resolve(source, markup=chosen.markup), meter, Reading(chosen, margin, by_line)))


def test_lines_between_blank_lines(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("One\r\ntwo \u00a0\n  \n\t\n\nthree-\n four\n five-\nSix".encode()))
    first, second = read(path)
    assert first.text == "One\r\ntwo \u00a0\n"
    assert [first.line(first.text.index(word)) for word in ("One", "two")] == [1, 2]
    assert second.text == "threefour\n five-\nSix\n"
    assert [second.line(second.text.index(word)) for word in ("three", "four", "five", "Six")] == [6, 7, 8, 9]
    assert [each.text for each in read(path, by_line=True, sentences="line")][:2] == ["One\r\n", "two \u00a0\n"]


def test_hyphens_are_joined_as_a_corpus_joins_them(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a hon-\nour x-\ny-\nz Hon-\nOur 3-\na end-\n\nnext no\u00ad\n  more\n", encoding="utf-8")
    corpus = firth.Corpus.build(path, sentences="punctuation", min_count=1, cache=tmp_path, progress=False)
    words = [word for each in read(path) for word in firth.text.tokenise.words_of(each.text)]
    assert sorted(words) == sorted(word for sentence in corpus for word in sentence)


@pytest.mark.parametrize("line_ends", ["\n", " "])
def test_each_place_of_a_long_passage_belongs_to_one_piece(tmp_path, monkeypatch, line_ends):
    monkeypatch.setattr(module, "PIECE", 100)
    monkeypatch.setattr(module, "_LINE", 30)
    path = tmp_path / "a.txt"
    words = [f"w{number}" for number in range(400)]
    path.write_text(line_ends.join(words), encoding="utf-8")
    pieces = read(path, margin=20)
    assert max(len(each.text) for each in pieces) < 300
    assert "".join(each.text[each.begin : each.end] for each in pieces).split() == words
    for each in pieces[1:-1]:
        assert each.begin >= 20
        assert len(each.text) - each.end >= 20
        place = each.begin + 1
        assert each.line(place) == (words.index(each.text[each.begin :].split()[0]) + 1 if line_ends == "\n" else 1)


def test_rows_texts_markup_and_token_lists(tmp_path):
    table = tmp_path / "a.csv"
    table.write_text('text,n\n"one\n\ntwo",1\nthree,2\n', encoding="utf-8")
    assert [(each.text, each.numbers[0]) for each in read(table)] == [("one\n", 1), ("two\n", 1), ("three\n", 2)]
    lists = read([["a", "b"], ["c"]])
    assert [(each.text, each.numbers[0], each.tokens) for each in lists] == [("a b", 1, True), ("c", 2, True)]
    page = tmp_path / "a.txt"
    page.write_text("<p>one <b\n>two</b></p>\nthree\n", encoding="utf-8")
    found = [(each.text.split(), each.numbers[0]) for each in read(page, markup=True)]
    assert found == [(["one", "two"], 1), (["three"], 3)] or found == [(["one", "two", "three"], 1)]
