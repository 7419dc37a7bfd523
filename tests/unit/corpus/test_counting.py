"""Empty sentences, kept where they are asked for; and columns of tables that hold lists of tokens."""

import gzip
import importlib
import json

import numpy as np
import pytest

import firth
from firth.corpus.counting import EmptySentences
from firth.corpus.storage import read_offsets
from firth.errors import CorpusError, OptionError

TEXTS = ["", "one two", "...", "", "two three one", ""]
LENGTHS = [0, 2, 0, 0, 3, 0]


def lengths(source, tmp_path, **options):
    corpus = firth.Corpus.build(source, min_count=1, keep_empty=True, cache=tmp_path / "cache", **options)
    assert read_offsets(corpus.path).tolist() == corpus.offsets.tolist()
    return np.diff(corpus.offsets).tolist()


@pytest.mark.parametrize("tokens", ["unicode", "whitespace", "text8", lambda text: text.replace(".", "").split()])
@pytest.mark.parametrize("sentences", ["line", "text"])
def test_texts_in_a_list(tokens, sentences, tmp_path):
    expected = [0, 2, 1, 0, 3, 0] if tokens == "whitespace" else LENGTHS
    assert lengths(TEXTS, tmp_path, tokens=tokens, sentences=sentences) == expected


def test_token_lists(tmp_path):
    assert lengths([text.replace(".", "").split() for text in TEXTS[1:]], tmp_path) == LENGTHS[1:]


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("tokens", ["unicode", str.split])
def test_lines_of_files(end, tokens, tmp_path):
    """A last line without a line feed is a line; a line feed at the end begins none."""
    for name in ("a", "b"):
        with gzip.open(tmp_path / f"{name}.txt.gz", "wt") as file:
            file.write("\n".join(["", "one two", "", "", "two"]) + end)
    files = [tmp_path / "a.txt.gz", tmp_path / "b.txt.gz"]
    assert lengths(files, tmp_path, tokens=tokens) == [0, 2, 0, 0, 1] * 2


def test_files_of_no_lines(tmp_path):
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "b.txt").write_text("one\n")
    assert lengths([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path) == [1]
    assert lengths([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path, sentences="text") == [0, 1]


@pytest.mark.parametrize("tokens", ["unicode", str.split])
def test_a_file_or_row_is_a_text(tokens, tmp_path):
    texts = ["one two\nthree\n\nfour", "\n\n", "five\r\nsix\n"]
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.txt").write_bytes(text.encode())
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts))
    assert lengths([tmp_path / f"{i}.txt" for i in range(3)], tmp_path, sentences="text", tokens=tokens) == [4, 0, 2]
    assert lengths(tmp_path / "rows.jsonl", tmp_path, sentences="text", tokens=tokens) == [4, 0, 2]
    assert lengths(texts, tmp_path, sentences="text", tokens=tokens) == [4, 0, 2]


@pytest.mark.parametrize("tokens", ["unicode", str.split])
def test_sentences_end_at_punctuation_and_documents_with_an_empty_one(tokens, tmp_path):
    """Lines are wrapped, blank lines end sentences, and the end of a text is an empty sentence."""
    texts = ["One two. Three\nfour five? \n\nSix", "", "Mr. Seven\r\neight."]
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.txt").write_bytes(text.encode())
    expected = [2, 3, 1, 0, 0, 3, 0]
    assert (
        lengths([tmp_path / f"{i}.txt" for i in range(3)], tmp_path, sentences="punctuation", tokens=tokens) == expected
    )
    assert lengths(texts, tmp_path, sentences="punctuation", tokens=tokens) == expected
    plain = firth.Corpus.build(texts, sentences="punctuation", tokens=tokens, min_count=1, cache=tmp_path)
    assert np.diff(plain.offsets).tolist() == [2, 3, 1, 3]


def test_a_long_text_is_one_sentence(tmp_path):
    (tmp_path / "long.txt").write_text("word\n" * 500_000)
    assert lengths(tmp_path / "long.txt", tmp_path, sentences="text") == [500_000]


def test_words_that_are_left_out_leave_empty_sentences(tmp_path):
    texts = ["rare", "common word", "common word"]
    corpus = firth.Corpus.build(texts, min_count=2, keep_empty=True, cache=tmp_path)
    assert np.diff(corpus.offsets).tolist() == [0, 2, 2]
    assert list(firth.Corpus.open(corpus.path)) == [[], ["common", "word"], ["common", "word"]]
    assert len(firth.Corpus.build(texts, min_count=2, cache=tmp_path)) == 2


def test_empty_paragraphs_are_none(tmp_path):
    with pytest.raises(OptionError, match="paragraphs end at blank lines"):
        firth.Corpus.build(TEXTS, keep_empty=True, sentences="paragraph", cache=tmp_path)


def test_ends_of_the_scanner_are_told_from_the_sources():
    """Two texts: [1, end, end, 2, end] with two more ends, and [end] with three."""
    seen = []
    ends = EmptySentences(lambda numbers: seen.extend(numbers.tolist()))
    for block in ([1, -1], [-1], [2, -1, -1, -1]):
        ends.write(np.array(block, dtype=np.int32))
    ends.settle(3)
    ends.write(np.array([-1, -1, -1, -1], dtype=np.int32))
    ends.settle(1)
    assert seen == [1, -1, -1, 2, -1, -1]


BASKETS = [["bread", "butter"], ["tea & milk", "bread"], [], ["bread", "tea & milk", "butter"]]


class TestListsInColumns:
    """Baskets, play lists, walks: a cell that is a list is a sentence, its items are words as they are."""

    def check(self, path, tmp_path, **how):
        corpus = firth.Corpus.build(path, min_count=1, cache=tmp_path / "cache", **how)
        assert list(corpus) == [basket for basket in BASKETS if basket]
        kept = firth.Corpus.build(path, min_count=1, cache=tmp_path / "cache", keep_empty=True, **how)
        assert list(kept) == BASKETS

    def test_jsonl(self, tmp_path):
        (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"id": 1, "items": basket}) for basket in BASKETS))
        self.check(tmp_path / "a.jsonl", tmp_path, column="items")

    def test_jsonl_of_bare_lists(self, tmp_path):
        (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(basket) for basket in BASKETS))
        self.check(tmp_path / "a.jsonl", tmp_path)

    def test_parquet(self, tmp_path):
        arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'firth[arrow]'")
        table = arrow.table({"id": range(4), "items": BASKETS})
        importlib.import_module("pyarrow.parquet").write_table(table, tmp_path / "a.parquet")
        self.check(tmp_path / "a.parquet", tmp_path, column="items")

    def test_two_files(self, tmp_path):
        for name, some in (("a", BASKETS[:2]), ("b", BASKETS[2:])):
            (tmp_path / f"{name}.jsonl").write_text("\n".join(json.dumps(basket) for basket in some))
        self.check([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path)

    def test_rows_in_memory(self, tmp_path):
        self.check([{"items": basket} for basket in BASKETS], tmp_path, column="items")

    def test_text_among_them(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('["bread", "butter"]\n')
        (tmp_path / "b.txt").write_text("bread and butter\n")
        with pytest.raises(CorpusError, match=r"b\.txt: text among tables of token lists"):
            firth.Corpus.build([tmp_path / "a.jsonl", tmp_path / "b.txt"], cache=tmp_path)
        (tmp_path / "c.jsonl").write_text('["bread", "butter"]\n"bread and butter"\n')
        with pytest.raises(CorpusError, match="item 1 is 'bread and butter' among token lists"):
            firth.Corpus.build(tmp_path / "c.jsonl", cache=tmp_path)

    def test_items_that_are_no_strings(self, tmp_path):
        (tmp_path / "a.jsonl").write_text("[1, 2]\n")
        with pytest.raises(CorpusError, match="the token 1 is int; expected strings"):
            firth.Corpus.build(tmp_path / "a.jsonl", min_count=1, cache=tmp_path)
