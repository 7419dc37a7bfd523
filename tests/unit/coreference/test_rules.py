"""Equal strings and groups of pronouns."""

import pytest

from firth.coreference.rules import link_by_string
from firth.documents.coreference_files import read_coreference
from firth.documents.document import Document
from firth.errors import ArgumentTypeError
from firth.evaluation.coreference import score_coreference
from firth.readers.conllu import DependencySentence


def test_strings_and_pronouns():
    text = "The cat saw her and she saw the cat and Ann herself"
    document = Document((DependencySentence.of(text.split()),))
    spans = [(0, 2), (3, 4), (5, 6), (7, 9), (10, 11), (11, 12)]
    linked = link_by_string(document, spans)
    assert linked.clusters == (((0, 2), (7, 9)), ((3, 4), (5, 6), (11, 12)), ((10, 11),))
    assert link_by_string(document).clusters == ()


def test_texts_are_no_documents():
    with pytest.raises(ArgumentTypeError, match=r"'Ada left': expected a firth.Document; Document.from_text"):
        link_by_string("Ada left")


def test_litbank(shared_data):
    """The figure of the rule on every fifth document, with gold mentions."""
    path = shared_data / "coreference/litbank-coref/litbank_coref_conll.tar.gz"
    if not path.is_file():
        pytest.skip(f"{path} is missing: FIRTH_DATA names a folder without it")
    documents = list(read_coreference(path))[::5]
    found = [link_by_string(document).clusters for document in documents]
    scores = score_coreference([document.clusters for document in documents], found)
    assert 100 * scores.b_cubed.f1 == pytest.approx(68.14, abs=0.01)
    assert scores.mentions.f1 == 1
