"""Documents to spaCy's Doc and back, in spaCy itself."""

import pytest

from firth.documents.document import Document
from firth.errors import ArgumentTypeError
from firth.readers.conllu import DependencySentence

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'firth[spacy]'")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

TEXT = "Ada's dog left.\nShe saw it."
COLUMNS = [
    {
        "tags": ["PROPN", "PART", "NOUN", "VERB", "PUNCT"],
        "language_tags": ["NNP", "POS", "NN", "VBD", "."],
        "lemmas": ["Ada", "'s", "dog", "leave", "."],
        "features": ["Number=Sing", "_", "Number=Sing", "Mood=Ind|Tense=Past", "_"],
        "heads": [3, 1, 4, 0, 4],
        "relations": ["nmod:poss", "case", "nsubj", "root", "punct"],
    },
    {"tags": ["PRON", "VERB", "PRON", "PUNCT"], "heads": [2, 0, 2, 2], "relations": ["nsubj", "root", "obj", "punct"]},
]


def annotated():
    document = Document.from_text(TEXT, name="d")
    sentences = [sentence.annotated(**each) for sentence, each in zip(document.sentences, COLUMNS, strict=True)]
    return document.annotated(
        sentences=sentences, entities=[(0, 2, "PER"), (2, 3, "ANIMAL")], clusters=[[(0, 1), (5, 6)], [(0, 3), (7, 8)]]
    )


def test_what_spacy_sees():
    doc = annotated().to_spacy(spacy.blank("en"))
    assert doc.text == TEXT.replace("\n", " ")
    assert [len(sentence) for sentence in doc.sents] == [5, 4]
    assert [(entity.text, entity.label_) for entity in doc.ents] == [("Ada's", "PER"), ("dog", "ANIMAL")]
    assert [[span.text for span in doc.spans[f"coref_clusters_{i}"]] for i in (1, 2)] == [
        ["Ada's dog", "it"],
        ["Ada", "She"],
    ]
    left = doc[3]
    assert (left.pos_, left.tag_, left.lemma_, left.dep_, str(left.morph)) == (
        "VERB", "VBD", "leave", "ROOT", "Mood=Ind|Tense=Past",
    )  # fmt: skip
    assert [child.text for child in left.children] == ["dog", "."]
    assert doc[2].head.text == "left"
    assert spacy.tokens.Doc(doc.vocab).from_bytes(doc.to_bytes()).to_json() == doc.to_json()


def test_a_document_comes_back():
    document = annotated()
    found = Document.from_spacy(document.to_spacy(spacy.blank("en")), name="d")
    for name in ("words", "tags", "lemmas", "language_tags", "features", "heads", "relations"):
        columns = [[getattr(each, name) for each in which.sentences] for which in (found, document)]
        assert columns[0] == columns[1], name
    assert (found.entities, found.clusters, found.offsets) == (document.entities, document.clusters, document.offsets)
    overlapping = document.annotated(entities=[(0, 3, "A"), (1, 2, "B")])
    assert Document.from_spacy(overlapping.to_spacy(spacy.blank("en").vocab)).entities == overlapping.entities


def test_a_doc_of_spacys_own():
    """Its tokens of white space are left out, its sentences kept."""
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    document = Document.from_spacy(pipeline("Ada  came.\n\nShe left.  "))
    assert [sentence.words for sentence in document.sentences] == [("Ada", "came", "."), ("She", "left", ".")]
    assert document.span_text(0, 2) == "Ada  came"
    assert document.sentences[0].heads == ()
    again = document.to_spacy(pipeline)
    assert [len(sentence) for sentence in again.sents] == [3, 3]
    one = Document.from_spacy(spacy.blank("en")("Ada came. She left."))
    assert len(one.sentences) == 1


def test_sentences_of_a_treebank(shared_data):
    from firth.readers.conllu import read_conllu

    (path,) = (shared_data / "dependencies").glob("UD_*/en_ewt-ud-dev.conllu.gz")
    sentences = list(read_conllu(path))[:300]
    document = Document(sentences)
    doc = document.to_spacy(spacy.blank("en"))
    found = Document.from_spacy(doc)
    assert [each.heads for each in found.sentences] == [each.heads for each in sentences]
    assert [each.features for each in found.sentences] == [each.features for each in sentences]
    assert "President Bush on Tuesday nominated two individuals to replace" in doc.text
    assert "Washington area." in doc.text  # SpaceAfter=No


def test_what_is_no_doc():
    with pytest.raises(ArgumentTypeError, match="expected a Doc"):
        Document.from_spacy("text")
    with pytest.raises(ArgumentTypeError, match="expected a pipeline"):
        Document([DependencySentence.of(["a"])]).to_spacy("en")
