"""Drawings of dependency trees: every word and label, none over another, arcs that do not cross."""

import random
import re
import xml.etree.ElementTree as ET

import pytest

from firth.documents.document import Document
from firth.errors import OptionError
from firth.plots import dependency_arcs
from firth.readers.conllu import DependencySentence
from tests.unit.plots.in_browser import in_a_browser, in_browser
from tests.unit.plots.test_arcs import random_heads

SVG = "{http://www.w3.org/2000/svg}"
PATH = re.compile(r"M([\d.]+) ([\d.]+)V([\d.]+)q0 -6 6 -6H([\d.]+)q6 0 6 6V[\d.]+")


def sentence(words, heads, relations=None, tags=None):
    relations = relations or ["dep" if head else "root" for head in heads]
    return DependencySentence.of(words).annotated(heads=heads, relations=relations, tags=tags)


def long_ones(rng):
    words = ["a", "internationalisation", "of", "&", "<b>", "東京都", "i"]
    labels = ["nsubj", "x", "compound:prt", "nmod:poss", "advcl:relcl"]
    for _ in range(20):
        heads = random_heads(rng, rng.randrange(1, 25))
        relations = [rng.choice(labels) if head else "root" for head in heads]
        yield sentence([rng.choice(words) for _ in heads], heads, relations, ["NOUN"] * len(heads))


def parts(svg):
    """Lines (x1, y1, x2, y2) and boxes of labels of an SVG."""
    tree = ET.fromstring(svg)
    lines, boxes = [], []
    for group in tree.iter(f"{SVG}g"):
        for path in group.iterfind(f"{SVG}path"):
            arc = PATH.fullmatch(path.get("d"))
            if arc:
                left, floor, top, right = map(float, arc.groups())
                level = (left, top - 6, right + 6, top - 6)
                lines.append([(left, top, left, floor), level, (right + 6, top, right + 6, floor)])
        for box in group.iterfind(f"{SVG}rect"):
            x, y, width, height = (float(box.get(name)) for name in ("x", "y", "width", "height"))
            boxes.append((x, y, x + width, y + height))
    return lines, boxes


def touch(a, b):
    """Whether two boxes, or lines as flat boxes, share a place."""
    return min(a[2], b[2]) - max(a[0], b[0]) >= 0 and min(a[3], b[3]) - max(a[1], b[1]) >= 0


def test_arcs_do_not_cross_and_no_line_goes_through_a_label():
    for each in long_ones(random.Random(0)):
        lines, boxes = parts(dependency_arcs(each).svg)
        assert len(lines) == len(boxes) == len(each) - 1
        for i, box in enumerate(boxes):
            assert not any(touch(box, other) for other in boxes[:i])
            assert not any(touch(box, line) for j, arc in enumerate(lines) if j != i for line in arc)
        for i, arc in enumerate(lines):
            for other in lines[:i]:
                assert not any(touch(a, b) for a in arc for b in other)


def test_arrows_stand_over_their_word():
    """Also over one with many arcs to one side."""
    for each in [sentence(["a", "b", *"cdefghi"], [0, 1, *[2] * 7]), *long_ones(random.Random(2))]:
        tree = ET.fromstring(dependency_arcs(each).svg)
        words = sorted(float(word.get("x")) for word in tree.iter(f"{SVG}text") if word.get("class") == "w")
        points = [tip.get("points").split() for tip in tree.iter(f"{SVG}polygon")]
        tips = sorted(float(point[-1].split(",")[0]) for point in points)
        assert tips == words


def test_wide_letters_have_room():
    """A letter of East Asian width takes an em: 15 pixels, and two cells of a terminal."""
    drawing = dependency_arcs(sentence(["東京都知事", "国際連合", "a"], [0, 1, 1]))
    tree = ET.fromstring(drawing.svg)
    first, second, _ = (float(word.get("x")) for word in tree.iter(f"{SVG}text") if word.get("class") == "w")
    assert second - first > 15 * (5 + 4) / 2
    assert [line.partition("─ ")[2] or line.partition("> ")[2] for line in str(drawing).splitlines()] == [
        "東京都知事  _  root",
        "国際連合    _  dep",
        "a           _  dep",
    ]


def test_a_label_finds_room_beside_an_arc_that_crosses():
    lines, boxes = parts(dependency_arcs(sentence([*"abcdef"], [3, 5, 0, 3, 3, 5])).svg)
    pairs = [(a, b) for i, a in enumerate(lines) for b in lines[:i]]
    assert any(touch(p, q) for a, b in pairs for p in a for q in b)
    for i, box in enumerate(boxes):
        assert not any(touch(box, line) for j, arc in enumerate(lines) if i != j for line in arc)


@in_a_browser
def test_labels_do_not_overlap_in_a_browser(tmp_path):
    """In letters as the browser draws them."""
    page = dependency_arcs(list(long_ones(random.Random(1)))).page
    page = page.replace('class="l"', 'class="l annotation-text"').replace('class="w"', 'class="w annotation-text"')
    answer = in_browser(page, tmp_path)
    boxes = [box["box"] for box in answer["boxes"]]
    assert len(boxes) > 200
    assert answer["fetched"] == []
    overlaps = [
        (a, b) for i, a in enumerate(boxes) for b in boxes[:i]
        if min(a[2], b[2]) - max(a[0], b[0]) > 0.5 and min(a[3], b[3]) - max(a[1], b[1]) > 0.5
    ]  # fmt: skip
    assert overlaps == []


def test_what_is_drawn(tmp_path):
    first = sentence(["Ada", "<met>"], [2, 0], ["nsubj", "root"], ["PROPN", "VERB"])
    document = Document([first, sentence(["Oh"], [0])], "d & e")
    drawing = dependency_arcs(document, number=1)
    assert drawing.notes == ("the first 1 of 2 sentences are drawn",)
    assert str(drawing) == "┌─> Ada    PROPN  nsubj\n└── <met>  VERB   root"
    assert drawing.title == "d & e"
    texts = [text.text for text in ET.fromstring(drawing.svg).iter(f"{SVG}text")]
    assert texts == ["nsubj", "root", "Ada", "PROPN", "<met>", "VERB"]
    assert "<title>d &amp; e</title>" in drawing.page
    assert dependency_arcs(first).title == "Ada <met>"
    assert len(list(ET.fromstring(dependency_arcs([document, first]).svg).iter(f"{SVG}polygon"))) == 5
    for ending in ("svg", "html", "txt"):
        drawing.save(tmp_path / f"a.{ending}")
        assert "Ada" in (tmp_path / f"a.{ending}").read_text("utf-8")
    assert "<svg" in drawing._repr_html_()


def test_long_sentences():
    long = sentence(["w"] * 2000, [0, *range(1, 2000)])
    drawing = dependency_arcs(long)
    assert drawing.svg.count("<path") == 2000
    assert len(str(drawing).splitlines()) == 2000


def test_what_cannot_be_drawn(tmp_path):
    with pytest.raises(OptionError, match="'a b' has no tree; parse it first"):
        dependency_arcs(DependencySentence.of(["a", "b"]))
    for nothing in ("a text", [], None, 3):
        with pytest.raises(OptionError, match="no sentence to draw"):
            dependency_arcs(nothing)
    with pytest.raises(OptionError, match=r"ends in \.html, \.svg, \.txt"):
        dependency_arcs(sentence(["a"], [0])).save(tmp_path / "a.png")
