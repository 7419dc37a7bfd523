"""Noun phrases of dependency trees as mentions."""

import pytest

from firth.coreference.detection import find_mentions
from firth.documents.document import Document
from firth.errors import ArgumentTypeError, OptionError
from firth.readers.conllu import DependencySentence


def phrases(words, tags, heads, relations):
    features = ["PronType=Rel" if word == "who" else "_" for word in words.split()]
    sentence = DependencySentence.of(words.split()).annotated(
        features=features, tags=tags.split(), heads=[int(head) for head in heads.split()], relations=relations.split()
    )
    document = Document((sentence, sentence))
    found = find_mentions(document)
    half = len(found) // 2
    assert [(start + len(sentence), end + len(sentence)) for start, end in found[:half]] == found[half:]
    return [" ".join(document.tokens[start:end]) for start, end in found[:half]]


@pytest.mark.parametrize(
    ("words", "tags", "heads", "relations", "expected"),
    [
        ("The man of the sea saw her dog .", "DET NOUN ADP DET NOUN VERB PRON NOUN PUNCT", "2 6 5 5 2 0 8 6 6",
         "det nsubj case det nmod root nmod:poss obj punct", ["The man of the sea", "the sea", "her dog", "her"]),
        ("Ann Lee and Bob , who sang , left", "PROPN PROPN CCONJ PROPN PUNCT PRON VERB PUNCT VERB", "9 1 4 1 7 7 4 7 0",
         "nsubj flat cc conj punct nsubj acl:relcl punct root", ["Ann Lee", "Bob , who sang"]),
        ("in a \" big \" house", "ADP DET PUNCT ADJ PUNCT NOUN", "6 6 4 6 4 0", "case det punct amod punct root",
         ["a \" big \" house"]),
    ],
)  # fmt: skip
def test_phrases(words, tags, heads, relations, expected):
    assert phrases(words, tags, heads, relations) == expected


def test_texts_are_no_documents():
    with pytest.raises(ArgumentTypeError, match=r"'Ada left': expected a firth.Document; Document.from_text"):
        find_mentions("Ada left")


def test_documents_without_trees_are_refused():
    with pytest.raises(OptionError, match="sentence 1 of the document has no tree or no tags"):
        find_mentions(Document((DependencySentence.of(["Hm"]),)))
    assert find_mentions(Document(())) == []
