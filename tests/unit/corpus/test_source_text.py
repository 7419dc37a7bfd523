"""The text behind a corpus: files that are known, have changed or went; corpora without files."""

import pytest

import firth
from firth.corpus.sources import Files
from firth.errors import CorpusError, OptionError


@pytest.fixture
def built(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Of HONOUR, said he.\nhonour!\n", encoding="utf-8")
    return path, firth.Corpus.build(path, min_count=1, cache=tmp_path / "c", progress=False)


def test_a_corpus_opened_again_knows_its_files(built):
    _, corpus = built
    again = firth.Corpus.open(corpus.path)
    assert [each.match for each in again.concordance("honour")] == ["HONOUR", "honour"]
    assert [each.match for each in firth.concordance(again, "honour")] == ["HONOUR", "honour"]
    with pytest.raises(OptionError, match="tokens given with a corpus"):
        firth.concordance(again, "honour", tokens="cased")


def test_files_that_changed_or_went(built):
    path, corpus = built
    path.write_text("honour\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="not what it was"):
        found = corpus.concordance("honour")
    with pytest.warns(UserWarning, match=r"count differently: 'honour' 1 and 2; .*not what it was"):
        assert len(list(found)) == 1
    path.unlink()
    with pytest.raises(CorpusError, match="no such file"):
        corpus.concordance("honour")


def test_encoding_and_column_are_those_of_the_building(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("n,words\n1,Die Häuser\n2,häuser\n".encode("cp1252"))
    corpus = firth.Corpus.build(path, column="words", encoding="cp1252", min_count=1, cache=tmp_path, progress=False)
    found = [(each.line, each.match) for each in firth.Corpus.open(corpus.path).concordance("häuser")]
    assert found == [(1, "Häuser"), (2, "häuser")]


def test_corpora_without_files_show_their_words(built, tmp_path, monkeypatch):
    path, _ = built
    corpus = firth.Corpus.build(["Of HONOUR, said he.", "No."], min_count=1, cache=tmp_path, progress=False)
    with pytest.warns(UserWarning, match="its files are not known"):
        found = list(corpus.concordance("Honour"))
    assert [(each.line, each.sentence) for each in found] == [(1, "of honour said he")]
    monkeypatch.setattr(Files, "described", lambda self: {})  # as an earlier version wrote a corpus
    folder = firth.Corpus.build(path, min_count=1, cache=tmp_path / "d", progress=False).path
    corpus = firth.Corpus.open(folder)
    with pytest.warns(UserWarning, match="its files are not known"):
        assert len(list(corpus.concordance("honour"))) == 2


def test_a_corpus_of_an_earlier_version_knows_its_files_where_it_is_built_again(built, tmp_path, monkeypatch):
    path, _ = built
    with monkeypatch.context() as earlier:
        earlier.setattr(Files, "described", lambda self: {})
        old = firth.Corpus.build(path, min_count=1, cache=tmp_path / "d", progress=False)
    again = firth.Corpus.build(path, min_count=1, cache=tmp_path / "d", progress=False)
    assert again.path == old.path
    assert [each.match for each in again.concordance("honour")] == ["HONOUR", "honour"]


def test_pieces_are_no_words(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Of HONOUR, said he. " * 50, encoding="utf-8")
    corpus = firth.Corpus.build(path, tokens="characters", cache=tmp_path / "c", progress=False)
    assert len(list(corpus.concordance("honour"))) == 50
