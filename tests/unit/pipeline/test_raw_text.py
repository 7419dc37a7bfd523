"""The raw text of a treebank, and where its tokens are."""

from dataclasses import replace

from firth.pipeline.raw_text import raw_text
from tests.unit.pipeline.treebanks import treebank


def test_tokens_stand_where_their_places_say():
    raw = raw_text(treebank(5))
    words = [raw.text[start:end] for spans in raw.tokens for start, end in spans]
    assert words == [token for sentence in treebank(5) for token in sentence.tokens]
    assert [len(rows) for rows in raw.rows[0]] == [1, 1, 1, 1, 1, 2, 1, 1]
    assert not raw.text.endswith((" .", " !", " ?"))


def test_paragraphs_have_an_empty_line_between_them():
    first, second = treebank(2)
    second = replace(second, comment_lines=("# newpar id = p2",))
    assert raw_text([first, second]).text.count("\n\n") == 1
    assert "\n" not in raw_text([first, first]).text
