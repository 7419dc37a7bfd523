"""Drawings of entities and chains: the text as it is, every span with its label."""

import re
from html import unescape

import pytest

from firth.documents.document import Document
from firth.errors import OptionError
from firth.plots import coreference_chains, dependency_arcs, entity_spans
from firth.readers.conllu import DependencySentence
from tests.unit.plots.in_browser import in_a_browser, in_browser

TEXT = "The Bank of <England> paid\n Ada & co.\n\nShe left it."
DOCUMENT = Document.from_text(TEXT, name="n & m")
ENTITIES = [(1, 6, "ORG"), (4, 5, "LOC"), (7, 8, "PER")]
CHAINS = [[(0, 6), (13, 14)], [(7, 8), (11, 12)], [(4, 5)], [(7, 10)]]


def paragraphs(drawing):
    """The text of each paragraph without labels."""
    found = re.findall(r'<p dir="auto">(.*?)</p>', drawing.body, re.DOTALL)
    return [unescape(re.sub(r"<[^>]*>", "", re.sub(r"<small.*?</small>", "", each))) for each in found]


def test_entities():
    drawing = entity_spans(DOCUMENT.annotated(entities=ENTITIES))
    assert str(drawing) == "The [Bank of <[England LOC]> ORG] paid\n [Ada PER] & co.\nShe left it.".replace("\n ", " ")
    assert paragraphs(drawing) == ["The Bank of <England> paid\n Ada & co.", "She left it."]
    assert re.findall(r"<small[^>]*>(\w+)</small>", drawing.body) == ["LOC", "ORG", "PER"]
    assert "ORG (1)" in drawing.body
    assert drawing.title == "n & m"


def test_chains():
    drawing = coreference_chains(DOCUMENT.annotated(clusters=CHAINS))
    assert str(drawing).splitlines() == ["[The Bank of <England> 1] paid [Ada 2] & co.", "[She 2] left [it 1]."]
    every = coreference_chains(DOCUMENT.annotated(clusters=CHAINS), singletons=True)
    assert str(every).splitlines()[0] == "[The Bank of <[England 2]> 1] paid [[Ada 4] & co 3]."
    assert paragraphs(every) == paragraphs(drawing) == ["The Bank of <England> paid\n Ada & co.", "She left it."]
    assert "2: Ada (2)" in drawing.body
    assert "firth-0:hover" in drawing.style


def test_spans_that_cross_have_lines_of_their_own():
    document = Document([DependencySentence.of([*"abcd"])], entities=[(0, 3, "X"), (1, 4, "Y"), (1, 2, "Z")])
    drawing = entity_spans(document)
    assert str(drawing) == "[a [[b Z] c X] d Y]"
    pieces = re.findall(r'class="([^"]*)" style="[^"]*background-position: ([^;]*);', drawing.body)
    lines = [len(places.split(",")) for _, places in pieces]
    assert max(lines) == 3
    assert all(len(set(places.split(", "))) == len(places.split(", ")) for _, places in pieces)
    assert paragraphs(drawing) == ["a b c d"]


def test_the_first_sentences():
    document = DOCUMENT.annotated(clusters=CHAINS)
    drawing = coreference_chains(document, number=1)
    assert drawing.notes == ("the first 1 of 2 sentences are drawn",)
    assert paragraphs(drawing) == ["The Bank of <England> paid\n Ada & co."]
    assert paragraphs(coreference_chains(Document(()))) == []
    with pytest.raises(OptionError, match=r"expected a firth\.Document"):
        entity_spans(["a"])


@in_a_browser
def test_a_browser_shows_the_labels_and_fetches_nothing(tmp_path):
    page = coreference_chains(DOCUMENT.annotated(clusters=CHAINS)).page
    answer = in_browser(page.replace("<small", '<small class="annotation-text"'), tmp_path)
    assert answer["fetched"] == []
    assert [box["text"] for box in answer["boxes"]] == ["1", "2", "2", "1"]
    assert all(right > left and bottom > top for left, top, right, bottom in (box["box"] for box in answer["boxes"]))


def test_numbers_of_sentences():
    document = Document([DependencySentence.of(["Ada"]).annotated(heads=[0], relations=["root"])])
    for draw in (entity_spans, coreference_chains, dependency_arcs):
        for number in (0, -1, "x"):
            with pytest.raises(OptionError, match=f"number={number!r}: expected at least 1 sentence"):
                draw(document, number=number)
