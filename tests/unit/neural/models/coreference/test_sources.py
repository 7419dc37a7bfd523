"""Documents from files and lists."""

import pytest

import firth
from firth.documents.coreference_files import write_coreference
from firth.documents.files import write_documents
from firth.errors import CorpusError
from firth.neural.models.coreference.sources import documents_of, training_documents
from tests.unit.neural.models.coreference.toys import documents


def test_files_of_all_kinds(tmp_path):
    found = documents(2)
    write_coreference(tmp_path / "a.conll", found)
    write_documents(tmp_path / "a.conllu", found)
    write_documents(tmp_path / "a.jsonl", found)
    for name in ("a.conll", "a.conllu", "a.jsonl"):
        assert [each.clusters for each in documents_of(tmp_path / name)] == [each.clusters for each in found]
    assert len(documents_of([str(tmp_path / "a.conll"), found[0]])) == 3
    assert documents_of(found[0]) == [found[0]]


@pytest.mark.parametrize(
    ("source", "message"), [("none.conll", "no such file"), ([], "no documents"), ([3], "item 0 is 3"), (5, "found 5")]
)
def test_what_is_no_source(source, message):
    with pytest.raises(CorpusError, match=message):
        documents_of(source)


def test_documents_to_learn_from():
    singletons = [document.annotated(clusters=[[(0, 1)]]) for document in documents(2)]
    with pytest.raises(CorpusError, match="no chain of two mentions in 2 documents"):
        training_documents([*singletons, firth.Document(())], "the training documents")
    assert len(training_documents([*documents(1), *singletons, firth.Document(())], "x")) == 3


def test_a_text_is_no_source():
    with pytest.raises(CorpusError, match=r"no such file; .*Document.from_text\(text\)"):
        documents_of("He left. " * 1000)
