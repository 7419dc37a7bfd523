"""Sentences in columns."""

import pytest

from firth.errors import FormatError
from firth.readers.columns import read_columns

TEXT = """-DOCSTART- -X- O

EU NNP I-ORG
rejects VBZ O

-DOCSTART- -X- O

German JJ I-MISC
"""


def read(tmp_path, text):
    path = tmp_path / "a.conll"
    path.write_bytes(text.encode())
    return list(read_columns(path))


def test_sentences_with_documents_and_lines(tmp_path):
    first, second = read(tmp_path, TEXT)
    assert first.columns == (("EU", "rejects"), ("NNP", "VBZ"), ("I-ORG", "O"))
    assert (first.words, len(first), first.document, first.line) == (("EU", "rejects"), 2, 0, 3)
    assert (second.words, second.document, second.line) == (("German",), 1, 8)


@pytest.mark.parametrize(
    "text", ["a B-X\r\nb O\r\n\r\nc O", "\n\na\tB-X\nb\tO\n\n\nc\tO\n", "a  B-X \nb O\n \nc O\n\n"]
)
def test_ends_of_lines_tabs_and_spaces(tmp_path, text):
    assert [sentence.columns for sentence in read(tmp_path, text)] == [(("a", "b"), ("B-X", "O")), (("c",), ("O",))]


def test_a_word_between_tabs_may_hold_spaces(tmp_path):
    (sentence,) = read(tmp_path, "New York\tB-X\nno\u00a0break\tO\n")
    assert sentence.words == ("New York", "no\u00a0break")


def test_other_files_are_refused(tmp_path):
    for text, message in (
        ("word\tner\nAnn\tB-PER\n", r"line 1: 'word\\tner' names the columns; .* delete this line"),
        ("TOKEN POS TAG\nAnn NNP O\n", "line 1: 'TOKEN POS TAG' names the columns"),
        ('{"sentences": [{"words": ["Ann"]}]}\n', "line 1: JSON .*; documents of firth are files named .jsonl"),
        ("T1\tPER 0 3\tAnn\nT2\tLOC 12 16\tRome\n", "line 1: annotation of brat"),
    ):
        with pytest.raises(FormatError, match=message):
            read(tmp_path, text)
    (sentence,) = read(tmp_path, "{ -LRB-\nword NN\nT1 NN\n")
    assert sentence.words == ("{", "word", "T1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a O\nb\n", "line 2: 1 column, expected 2 as in the lines before"),
        ("a O\n\nb NN O\n", "line 3: 3 columns, expected 2"),
        ("a\nb\n", "line 1: 1 column, expected a word and a tag at least"),
        ("a\t\n", "line 1: 1 column"),
        ("\n \n", "no sentences"),
        ("-DOCSTART- O\n", "no sentences"),
    ],
)
def test_damaged_files_are_refused_with_the_line(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)
