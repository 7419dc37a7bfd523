import sys

import pytest

import firth
from firth.corpus.markup import blocks
from firth.errors import CorpusError, MissingExtraError
from firth.storage.encodings import text_encoding

HTML = """<!doctype html><html><head><meta charset="windows-1250"><title>A page</title><style>p { x: y }</style></head>
<body><h1>Caf&eacute;</h1><p>One <b>bo</b>ld
word.<br>Next&nbsp;line <script>var no = "<p>";</script>here.<ul><li>a<li>b</ul></body>"""
MARKDOWN = """---
layout: post
---
# A *head*

Some [link](http://x.org) and `code`,
wrapped.

| a | b |
|---|---|
| 1 | 2 |
"""
TEI = """<?xml version="1.0" encoding="ISO-8859-1"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><title>no</title>
</teiHeader><text><body><head>Été</head><p>One <hi>it</hi>alic
word.</p><lg><l>first</l><l>second</l></lg></body></text></TEI>"""


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("a.html", HTML, ["A page", "Café", "One bold word.", "Next line here.", "a", "b"]),
        ("a.md", MARKDOWN, ["A head", "Some link and code, wrapped.", "a", "b", "1", "2"]),
        ("a.xml", TEI, ["Été", "One italic word.", "first", "second"]),
        ("b.xml", "<doc><p>x &lt; y</p>tail<q>z</q></doc>", ["x < y", "tail z".replace(" ", "")]),
        ("c.xml", '<html xmlns="http://www.w3.org/1999/xhtml"><p>a<script>no</script></p></html>', ["a"]),
    ],
)
def test_the_text_without_markup(tmp_path, name, content, lines):
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1" if name == "a.xml" else "utf-8"))
    assert blocks(path, path.suffix, None) == [line.replace("<br>", "") for line in lines]


def test_a_declared_encoding_comes_before_a_guess_and_after_a_named_one(tmp_path):
    path = tmp_path / "a.html"
    path.write_bytes('<meta charset="windows-1250"><p>\u0142\u0105ka'.encode("cp1250"))
    assert blocks(path, ".html", None) == ["łąka"]
    with text_encoding("cp1252"):
        assert blocks(path, ".html", None) == ["³¹ka"]


def test_entities_that_grow_and_damage_are_refused(tmp_path):
    path = tmp_path / "a.xml"
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    for content in (f'<!DOCTYPE d [<!ENTITY e0 "x">{levels}]><d>&e11;</d>', "<d><p></d>", ""):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(CorpusError, match=r"a\.xml: not XML"):
            blocks(path, ".xml", None)


def test_a_corpus_reads_them_when_asked(tmp_path):
    (tmp_path / "t").mkdir()
    for name, content in (("a.txt", "plain text"), ("b.html", HTML), ("c.md", MARKDOWN)):
        (tmp_path / "t" / name).write_text(content, encoding="utf-8")
    with pytest.warns(UserWarning, match=r"1 file read, 2 left out .*, and markup=True Markdown, HTML and XML"):
        plain = firth.Corpus.build(tmp_path / "t", cache=tmp_path / "c", min_count=1)
    whole = firth.Corpus.build(tmp_path / "t", cache=tmp_path / "c", min_count=1, markup=True)
    assert len(plain) == 1
    assert list(whole)[:3] == [["plain", "text"], ["a", "page"], ["café"]]
    assert len(whole) == 13


def test_markdown_that_is_not_installed(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    with pytest.raises(MissingExtraError, match=r"markdown-it-py is needed to .*\[markup\]"):
        blocks(tmp_path / "a.md", ".md", None)
