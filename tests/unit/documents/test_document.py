"""Documents: tokens, spans, and annotation of the same words."""

import numpy as np
import pytest

import firth
from firth.documents.document import Document, Entity
from firth.documents.files import read_documents
from firth.errors import ArgumentTypeError, FormatError, OptionError, ShapeError, UnknownOptionError
from firth.readers.conllu import DependencySentence

ADA = DependencySentence.of(["Ada", "met", "Charles", "."])
SHE = DependencySentence.of(["She", "liked", "him", "."])


def test_tokens_are_numbered_in_the_document():
    document = firth.Document([ADA, SHE])
    assert document.sentences == (ADA, SHE)
    assert document.tokens == ("Ada", "met", "Charles", ".", "She", "liked", "him", ".")
    assert document.sentence_starts == (0, 4)
    assert len(document) == 8
    assert str(document) == "Ada met Charles .\nShe liked him ."
    assert (Document(()).tokens, Document(()).sentence_starts) == ((), ())


def test_the_text_of_a_span_is_as_it_was_written():
    text = "Ada  met\nCharles."
    offsets = [(0, 3), (5, 8), (9, 16), (16, 17)]
    assert Document([ADA], text=text, offsets=offsets).span_text(1, 4) == "met\nCharles."
    assert Document([ADA]).span_text(1, 4) == "met Charles ."


def test_annotation_has_one_order():
    """Documents that say the same are equal, in whichever order the parts were given."""
    document = Document([ADA, SHE]).annotated(
        entities=[Entity(2, 3, "PER"), (0, 1, "X"), (0, 3, "Y")], clusters=[[(6, 7), (2, 3)], [(4, 5), (0, 1)], []]
    )
    assert document.entities == (Entity(0, 3, "Y"), Entity(0, 1, "X"), Entity(2, 3, "PER"))
    assert document.clusters == (((0, 1), (4, 5)), ((2, 3), (6, 7)))
    assert document.mentions == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert document == document.annotated(clusters=[[(0, 1), (4, 5)], [(6, 7), (2, 3)]])
    assert hash(document)


def test_confidences_go_with_their_entities():
    """They are ordered as these are, and new entities have none of the old ones."""
    document = Document([ADA, SHE]).annotated(entities=[(2, 3, "PER"), (0, 1, "X")], confidences=[0.25, 1])
    assert (document.entities[0].label, document.confidences) == ("X", (1.0, 0.25))
    assert document.annotated(clusters=[[(0, 1)]]).confidences == (1.0, 0.25)
    assert document.annotated(entities=document.entities).confidences == ()
    for wrong in ([0.5], [0.5, 1.5], [0.5, float("nan")]):
        with pytest.raises(ShapeError, match=r"confidences .*of 2 entities: expected one each, from 0 to 1, or none"):
            document.annotated(confidences=wrong)


def test_stages_annotate_the_same_words():
    document = Document([ADA, SHE], name="d", entities=[(0, 1, "PER")])
    tagged = document.annotated(sentences=[ADA.annotated(tags=["X"] * 4), SHE])
    assert tagged.sentences[0].tags == ("X",) * 4
    assert (tagged.name, tagged.entities) == ("d", document.entities)
    with pytest.raises(ShapeError, match="sentence 2 has the words 'She'"):
        document.annotated(sentences=[ADA, DependencySentence.of(["She"])])
    with pytest.raises(ShapeError, match="1 sentences for a document of 2"):
        document.annotated(sentences=[ADA])


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"clusters": [[(0, 5)]]}, r"a span \(0, 5\) in the document d of 4 tokens"),
        ({"entities": [(2, 2, "X")]}, r"a span \(2, 2\)"),
        ({"clusters": [[(0, 1), (1, 2)], [(0, 1)]]}, r"the mention \(0, 1\) of the document d is in its chains twice"),
        ({"text": "Ada met Charles.", "offsets": [(0, 3)]}, "1 offsets for 4 tokens"),
        (
            {"text": "Ada", "offsets": [(0, 3), (4, 7), (8, 15), (15, 16)]},
            r"offsets \(4, 7\) of a token in a text of 3",
        ),
        ({"text": "Ada met Charles.", "offsets": [(4, 7), (0, 3), (8, 15), (15, 16)]}, "in the order of the tokens"),
    ],
)
def test_what_is_no_document(parts, problem):
    with pytest.raises(ShapeError, match=problem):
        Document([ADA], name="d", **parts)


def test_a_sentence_without_words_is_in_no_document():
    with pytest.raises(ShapeError, match="sentence 2 of the document has no words"):
        Document([ADA, DependencySentence.of([])])


def test_a_sentence_of_words_has_no_annotation():
    assert (ADA.words, ADA.tags, ADA.heads) == (("Ada", "met", "Charles", "."), ("_",) * 4, ())
    assert str(DependencySentence.of(["a b"])) == "1\ta b" + "\t_" * 8
    assert (DependencySentence.of([]).words, DependencySentence.of([]).heads) == ((), ())
    with pytest.raises(ArgumentTypeError, match="expected several words"):
        DependencySentence.of("Ada met")
    for word in ("", "a\tb", "a\nb"):
        with pytest.raises(FormatError, match="expected at least one character"):
            DependencySentence.of([word])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"clusters": [(0, 2)]}, r"clusters: found 0, expected \(start, end\).* a chain spans: \[\[\(0, 2\)"),
        ({"clusters": 3}, "clusters: found 3, expected a list"),
        ({"clusters": [[("a", "b")]]}, r"found \('a', 'b'\), expected \(start, end\), two whole numbers"),
        ({"clusters": [[(0.0, 1.5)]]}, "two whole numbers"),
        ({"entities": [(0, 2)]}, r"entities: found \(0, 2\), expected \(start, end, label\)"),
        ({"entities": [("PER", 0, 2)]}, "expected .start, end, label.*PER"),
        ({"entities": "PER"}, "entities: found 'PER', expected a list"),
        ({"sentences": ["Ada met Charles ."]}, "expected a DependencySentence; Document.from_text"),
        ({"sentences": 3}, "sentences: found 3"),
        ({"confidences": ["high"]}, "confidences: found 'high', expected numbers from 0 to 1"),
    ],
)
def test_values_of_other_kinds(values, message):
    with pytest.raises(ArgumentTypeError, match=message):
        Document([ADA]).annotated(**values)
    with pytest.raises(ArgumentTypeError, match=message):
        Document(**{"sentences": [ADA], **values})


def test_a_text_in_place_of_sentences():
    for text in ("Ada met Charles.", None):
        with pytest.raises(ArgumentTypeError, match=r"Document.from_text\(text\) splits a text"):
            Document(text)
    with pytest.raises(ArgumentTypeError, match="offsets: found 1"):
        Document([ADA], offsets=[1])
    with pytest.raises(UnknownOptionError, match="use entities"):
        Document([ADA]).annotated(ents=[])


def test_numbers_of_numpy_are_numbers():
    start, end = np.array([0, 2])
    document = Document([ADA], clusters=[[(start, end)]], entities=[(start, end, "PER")])
    assert document == Document([ADA], clusters=[[(0, 2)]], entities=[(0, 2, "PER")])
    assert type(document.clusters[0][0][0]) is int
    assert document.span_text(start, end) == "Ada met"


def test_the_text_of_a_span_outside_the_document():
    raw = Document.from_text("Ada met Charles.")
    for document in (raw, Document([ADA])):
        for span in ((0, 9), (-1, 2), (2, 1)):
            with pytest.raises(ShapeError, match="of 4 tokens; expected 0 <= start < end <= 4"):
                document.span_text(*span)
        with pytest.raises(ArgumentTypeError, match=r"span_text: found \('a', 1\)"):
            document.span_text("a", 1)


def test_words_of_other_kinds():
    for wrong, message in ((None, "None: expected several words"), (["a", 3], "a word 3: expected a string")):
        with pytest.raises(ArgumentTypeError, match=message):
            DependencySentence.of(wrong)


def test_names_of_other_libraries():
    for name, answer in (("ents", "use entities"), ("sents", "use sentences"), ("noun_chunks", "find_mentions")):
        with pytest.raises(AttributeError, match=f"'Document' object has no attribute '{name}'; .*{answer}"):
            getattr(Document([ADA]), name)
    assert not hasattr(Document([ADA]), "__array__")


def test_a_byte_order_mark_is_left_out_as_of_files(tmp_path):
    (tmp_path / "a.txt").write_text("\ufeffOh no.", "utf-8")
    document = Document.from_text("\ufeffOh no.", name="a")
    assert [document] == list(read_documents(tmp_path / "a.txt"))
    assert (document.tokens, document.offsets[0]) == (("Oh", "no", "."), (0, 2))


def test_abbreviations_and_ordinals_of_a_language(tmp_path):
    text = "Am 3. Tag z. B. Brot."
    (tmp_path / "a.txt").write_text(text, "utf-8")
    document = Document.from_text(text, name="a", language="de")
    assert [sentence.words for sentence in document.sentences] == [("Am", "3.", "Tag", "z.", "B.", "Brot", ".")]
    assert list(read_documents(tmp_path / "a.txt", language="de")) == [document]
    assert len(Document.from_text(text).sentences) == 2
    with pytest.raises(OptionError, match="language='German': expected a code of ISO 639"):
        Document.from_text(text, language="German")


def test_names_and_texts_of_other_kinds():
    for given in ({"name": 3}, {"text": b"a"}):
        with pytest.raises(ArgumentTypeError, match="expected a text"):
            Document([ADA], **given)
    with pytest.raises(ArgumentTypeError, match="name=3"):
        Document.from_text("a", name=3)
