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


RAW = "  Ada\tByron  met Zoë 👩🏽‍🚀.\r\nShe left.\n\nOh \n"


def test_white_space_is_kept_if_asked_for():
    """A raw text comes out as it went in, with trees, entities and chains on the same words."""
    document = Document.from_text(RAW)
    trees = [
        each.annotated(heads=[0, *[1] * (len(each) - 1)], relations=["root", *["dep"] * (len(each) - 1)])
        for each in document.sentences
    ]
    she = document.tokens.index("She")
    document = document.annotated(
        sentences=trees, entities=[(0, 2, "PER"), (3, 4, "PER")], clusters=[[(0, 2), (she, she + 1)]]
    )
    doc = document.to_spacy(spacy.blank("en"), whitespace=True)
    assert doc.text == RAW
    assert [entity.text for entity in doc.ents] == ["Ada\tByron", "Zoë"]
    assert [len([token for token in sentence if not token.is_space]) for sentence in doc.sents] == [
        len(each) for each in document.sentences
    ]
    found = Document.from_spacy(doc)
    assert [each.heads for each in found.sentences] == [each.heads for each in document.sentences]
    assert (found.text, found.offsets, found.entities, found.clusters) == (
        RAW, document.offsets, document.entities, document.clusters,
    )  # fmt: skip


def test_files_of_docbin(tmp_path):
    import firth
    from firth.errors import FormatError

    documents = [
        Document.from_text(RAW, name="letters").annotated(entities=[(0, 3, "A"), (1, 2, "B")]),
        annotated(),
        Document(()),
        Document([DependencySentence.of(["only", "words"])], entities=[(1, 2, "X")]),
    ]
    firth.write_documents(tmp_path / "a.spacy", documents)
    found = list(firth.read_documents(tmp_path / "a.spacy"))
    for before, after in zip(documents, found, strict=True):
        assert (after.name, after.tokens, after.entities, after.clusters) == (
            before.name, before.tokens, before.entities, before.clusters,
        )  # fmt: skip
        assert [each.heads for each in after.sentences] == [each.heads for each in before.sentences]
    assert [each.text for each in found[:2]] == [RAW, TEXT]
    docs = list(spacy.tokens.DocBin().from_disk(tmp_path / "a.spacy").get_docs(spacy.blank("en").vocab))
    assert [(each.text, each.label_) for each in docs[1].ents] == [("Ada's", "PER"), ("dog", "ANIMAL")]
    (tmp_path / "in.txt").write_text(RAW, "utf-8")
    assert firth.annotate_files(tmp_path / "in.txt", tmp_path / "out.spacy").documents == 1
    assert [each.text for each in firth.read_documents(tmp_path / "out.spacy")] == [RAW]
    for content in (b"", b"nonsense", (tmp_path / "a.spacy").read_bytes()[:50]):
        (tmp_path / "b.spacy").write_bytes(content)
        with pytest.raises(FormatError, match="no DocBin of spaCy"):
            list(firth.read_documents(tmp_path / "b.spacy"))


def test_a_text_with_multiword_tokens_is_said_to_change(tmp_path):
    import firth

    words = DependencySentence.of(["à", "le", "marché"])
    document = Document([words], text="au marché", offsets=[(0, 2), (0, 2), (3, 9)])
    with pytest.warns(UserWarning, match="the text of 1 document is made of its words"):
        firth.write_documents(tmp_path / "a.spacy", [document])
    (found,) = firth.read_documents(tmp_path / "a.spacy")
    assert found.tokens == words.words


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
