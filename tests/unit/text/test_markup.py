import time

import pytest

from firth.text.markup import known_markup, without_markup


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<doc id="12" url="x" title="A < B">', []),
        ("a<br/>b<br>c", ["a", "b", "c"]),
        ("caf&eacute; &#233; &#xE9; &amp; AT&T R&D", ["café", "é", "é", "&", "AT&T", "R&D"]),
        ("&lt;s&gt; is a marker", ["<s>", "is", "a", "marker"]),
        ("x < y and y > z; 1<2", ["x", "<", "y", "and", "y", ">", "z;", "1<2"]),
        ("<p class='a'>one</p><!-- not this --><b>two</b>three", ["one", "two", "three"]),
        ("a <unk> b", ["a", "b"]),
    ],
)
def test_without_markup(text, words):
    assert without_markup(text).split() == words


def test_what_ends_a_line_ends_it():
    assert [line.split() for line in without_markup("<s> a b </s> <s> c </s>").split("\n") if line.strip()] == [
        ["a", "b"],
        ["c"],
    ]


def test_a_few_marks_may_be_quoted():
    assert not known_markup("The tag <br/> breaks a line; &amp; is an ampersand. " * 2)
    assert known_markup("<s> a line </s>\n" * 9).total() == 18
    assert not known_markup("if x < y and y > z: print(a & b)\n" * 100)


def test_comments_without_an_end_take_no_longer_than_others():
    """Each beginning was searched for an end to the end of the text: 20 seconds here."""
    start = time.process_time()
    assert "".join(without_markup("<!-- a -->" + "<!--" * 20_000).split()) == "<!--" * 20_000
    assert time.process_time() - start < 2
