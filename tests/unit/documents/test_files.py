"""Files of documents by their names."""

import gzip

import pytest

from firth.documents.document import Document
from firth.documents.files import format_of, read_documents, stem_of, write_documents
from firth.errors import ArgumentTypeError, FormatError, MissingFileError, OptionError


def test_names_tell_formats(tmp_path):
    assert [format_of(name) for name in ("a.conllu", "a.conllu.gz", "a.b.jsonl", "a.txt", "a", "a.xz")] == [
        ".conllu", ".conllu", ".jsonl", ".txt", ".txt", ".txt",
    ]  # fmt: skip
    assert stem_of("books/a.b.txt.gz") == "a.b"
    with pytest.raises(OptionError, match=r"a\.txt: expected a name that ends in \.conllu or \.jsonl"):
        write_documents(tmp_path / "a.txt", [])


@pytest.mark.parametrize("ending", ["conllu", "jsonl"])
def test_documents_are_read_from_all_formats(tmp_path, ending):
    (tmp_path / "novel.txt.gz").write_bytes(gzip.compress(b"Ada came.\n\nShe left."))
    (raw,) = read_documents(tmp_path / "novel.txt.gz")
    assert (raw.name, len(raw.sentences)) == ("novel", 2)
    entities = [(0, 1, "PER")]
    documents = [raw.annotated(entities=entities), Document.from_text("Oh!"), Document.from_text("Ah.", name="x")]
    write_documents(tmp_path / f"all.{ending}", documents)
    found = list(read_documents(tmp_path / f"all.{ending}"))
    assert [each.tokens for each in found] == [each.tokens for each in documents]
    assert [each.name for each in found] == ["novel", "", "x"]
    assert found[0].entities == documents[0].entities
    assert [each.text for each in found] == [each.text for each in documents]


@pytest.mark.parametrize("name", ["missing.conllu", "missing.jsonl", "missing.txt"])
def test_missing_files_are_named(tmp_path, name):
    with pytest.raises(MissingFileError, match="expected a file of documents: CoNLL-U, JSONL or raw text"):
        list(read_documents(tmp_path / name))


def test_damaged_files_are_named(tmp_path):
    (tmp_path / "a.conllu").write_bytes(b"1\tw" + b"\t_" * 8 + b"\n\n1\t\xff" + b"\t_" * 8 + b"\n")
    with pytest.raises(FormatError, match=r"a\.conllu line 3: not UTF-8"):
        list(read_documents(tmp_path / "a.conllu"))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"sentences": []}\n' * 2000)[:60])
    with pytest.raises(FormatError, match=r"b\.jsonl\.gz: damaged packed data"):
        list(read_documents(tmp_path / "b.jsonl.gz"))


def test_names_of_files_that_are_no_utf8():
    assert stem_of("a\udcff.txt") == "a\N{REPLACEMENT CHARACTER}"


def test_what_is_no_path_and_what_are_no_documents(tmp_path):
    document, path = Document.from_text("Oh."), tmp_path / "a.jsonl"
    for documents, problem in (
        (document, "documents: found one document, expected several; put it into a list"),
        (3, "documents=3 is an int; expected a list of documents"),
        ("text", "documents='text': expected a list of documents"),
        (["a"], r"'a': expected a firth\.Document; Document\.from_text"),
    ):
        with pytest.raises(ArgumentTypeError, match=problem):
            write_documents(path, documents)
    with pytest.raises(
        ArgumentTypeError, match=r"path: found \[Document.* ends in \.conllu or \.jsonl, before the documents"
    ):
        write_documents([document], path)
    with pytest.raises(ArgumentTypeError, match=r"path: found Document.*, expected the path of a file of documents"):
        next(read_documents(document))
    assert not path.exists()
