import time

import pytest

from firth.text.markup import known_markup, with_whole_tags, without_markup


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


def test_tags_and_comments_over_several_lines():
    lines = ["a <a", ' href="x">b</a>', "<!-- not", "this", "--> c", "x <y and", "z", "<!-- no end"]
    whole = list(with_whole_tags(lines))
    assert whole[:2] == ["\n".join(lines[:2]), "\n".join(lines[2:5])]
    assert [line.split() for line in map(without_markup, whole[:2])] == [["a", "b"], ["c"]]
    assert "\n".join(whole) == "\n".join(lines)
    assert list(with_whole_tags(["a < b", "c", "<b>d", "e</b>"])) == ["a < b", "c", "<b>d", "e</b>"]


def test_comments_without_an_end_take_no_longer_than_others():
    """Each beginning was searched for an end to the end of the text: 20 seconds here."""
    start = time.process_time()
    assert "".join(without_markup("<!-- a -->" + "<!--" * 20_000).split()) == "<!--" * 20_000
    assert time.process_time() - start < 2
