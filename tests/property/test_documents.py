"""Documents that were written come back, from CoNLL-U and from JSONL, whatever their words, names and spans are."""

import tempfile
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from firth.documents.coreference_files import read_coreference, write_coreference
from firth.documents.document import Document
from firth.documents.files import read_documents, write_documents
from firth.readers.conllu import DependencySentence

# What a reader of columns, brackets, attributes or comments can stumble over is likelier than chance would have it.
ODD = "\N{NO-BREAK SPACE} _#\"'()[]|=\\-*/:;1\x0b\x85\u2028\N{ZERO WIDTH NO-BREAK SPACE}é☃"
CHARACTER = st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"))
WORD = st.text(CHARACTER, min_size=1, max_size=4)
SPACE = st.text(st.sampled_from(" \n\t\r|\\\N{NO-BREAK SPACE}s="), max_size=3)
NAME = st.text(CHARACTER, max_size=6).map(lambda name: " ".join(name.split()))


@st.composite
def sentences(draw):
    words = draw(st.lists(WORD, min_size=1, max_size=5))
    sentence = DependencySentence.of(words)
    if draw(st.booleans()):
        column = st.lists(WORD, min_size=len(words), max_size=len(words))
        heads = [draw(st.integers(0 if i == 0 else 1, i)) for i in range(len(words))]
        sentence = sentence.annotated(tags=draw(column), features=draw(column), heads=heads, relations=draw(column))
    rows = list(sentence.rows)
    if len(words) > 1 and draw(st.booleans()):
        rows.insert(0, ("1-2", draw(WORD), *["_"] * 8))
    if draw(st.booleans()):
        rows.append((f"{len(words)}.1", draw(WORD), *["_"] * 7, draw(st.sampled_from(["_", "", "X=y|Z"]))))
    comments = draw(
        st.lists(st.sampled_from(["# newdocfoo", "# text = #", "#", "# newdoc id=a", "# x\N{NO-BREAK SPACE}"]))
    )
    return DependencySentence(tuple(rows), tuple(comments))


def spans(length, most):
    span = st.tuples(st.integers(0, length - 1), st.integers(0, length - 1)).map(
        lambda ends: (min(ends), max(ends) + 1)
    )
    return st.lists(span, unique=True, max_size=most)


@st.composite
def documents(draw):
    found = draw(st.lists(sentences(), max_size=3))
    tokens = [word for sentence in found for word in sentence.words]
    if not tokens:
        return Document((), draw(NAME))
    text, offsets = "", []
    if draw(st.booleans()):
        text = draw(SPACE)
        for token in tokens:
            offsets.append((len(text), len(text) + len(token)))
            text += token + draw(SPACE)
    entities = []
    for start, sentence in zip(accumulate((len(each) for each in found), initial=0), found, strict=False):
        cuts = sorted(draw(st.sets(st.integers(start, start + len(sentence)), max_size=4)))
        entities += [(a, b, draw(WORD).replace("|", "")) for a, b in pairwise(cuts) if draw(st.booleans())]
    mentions = draw(spans(len(tokens), 8))
    chain = [draw(st.integers(0, 2)) for _ in mentions]
    clusters = [[span for span, number in zip(mentions, chain, strict=True) if number == each] for each in range(3)]
    return Document(tuple(found), draw(NAME), text, tuple(offsets), tuple(entities), clusters)


def facts(document):
    columns = [[row[:9] for row in sentence.rows] for sentence in document.sentences]
    return document.name, document.text, document.offsets, document.entities, document.clusters, columns


@settings(max_examples=25, deadline=None)
@given(st.lists(documents(), min_size=1, max_size=3))
def test_documents_come_back(made):
    with tempfile.TemporaryDirectory() as folder:
        conllu, jsonl, again = (Path(folder) / name for name in ("a.conllu", "a.jsonl", "b.conllu"))
        write_documents(jsonl, made)
        assert list(read_documents(jsonl)) == made
        write_documents(conllu, read_documents(jsonl))
        found = list(read_documents(conllu))
        assert list(map(facts, found)) == list(map(facts, made))
        write_documents(jsonl, found)
        assert list(read_documents(jsonl)) == found
        write_documents(again, found)
        assert again.read_bytes() == conllu.read_bytes()


@settings(max_examples=15, deadline=None)
@given(st.lists(documents(), min_size=1, max_size=2), WORD)
def test_documents_in_columns_come_back(made, tag):
    """In those of CoNLL-2012: names, words, tags and chains whose mentions do not cross."""
    made = [each for each in made if each.tokens]
    tagged = [
        replace(
            each,
            name=each.name or "none",
            sentences=[
                one.annotated(language_tags=["-", tag][: len(one)] + ["_"] * (len(one) - 2)) for one in each.sentences
            ],
            clusters=[[(place, place + 1) for place in range(0, len(each), 2)], [(0, len(each))][len(each) == 1 :]],
        )
        for each in made
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.conll"
        write_coreference(path, tagged)
        found = list(read_coreference(path)) if made else []
    assert [(each.name, each.tokens, each.clusters) for each in found] == [
        (each.name, each.tokens, each.clusters) for each in tagged
    ]
    for each, other in zip(found, tagged, strict=True):
        tags = [one.language_tags for one in other.sentences]
        if any({*of_one} - {"-", "_"} for of_one in tags):
            assert [one.language_tags for one in each.sentences] == tags
