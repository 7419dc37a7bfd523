"""Documents in JSONL: nothing is lost, and what is no document is named by its line."""

import pytest

from firth.documents.document import Document
from firth.documents.entity_files import read_jsonl_documents
from firth.documents.files import read_documents, write_documents
from firth.documents.jsonl import document_json
from firth.errors import FormatError
from firth.readers.conllu import DependencySentence

PLAIN = DependencySentence.of(["Ada", "left"]).annotated(
    tags=["PROPN", "VERB"], heads=[2, 0], relations=["nsubj", "root"]
)
RICH = DependencySentence(
    (("1-2", "al", *["_"] * 8), ("1", "a", *["_"] * 8), ("2", "el", *["_"] * 7, "X=y")), ("# sent_id = 2",)
)


def test_nothing_is_lost(tmp_path):
    documents = [
        Document([PLAIN, RICH], "d", entities=[(0, 1, "PER"), (0, 3, "X")], clusters=[[(0, 2), (1, 3)], [(3, 4)]]),
        Document([PLAIN], entities=[(0, 1, "PER"), (0, 2, "X")], confidences=[0.25, 1]),
        Document.from_text("É um café.\n\n☃ \t!", name="☃"),
        Document(()),
    ]
    write_documents(tmp_path / "a.jsonl", documents)
    assert list(read_jsonl_documents(tmp_path / "a.jsonl")) == documents


def test_what_is_not_there_is_left_out():
    assert document_json(Document([PLAIN])) == (
        b'{"sentences": [{"words": ["Ada", "left"], "tags": ["PROPN", "VERB"], "heads": [2, 0], '
        b'"relations": ["nsubj", "root"]}]}'
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "expected JSON, one document a line"),
        ("[1]", 'expected a document of firth with "sentences"'),
        ('{"sentences": [], "tokens": []}', "the field 'tokens'; expected name, text"),
        ('{"sentences": [{"words": ["a"], "tag": ["X"]}]}', "a sentence with the field 'tag'"),
        ('{"sentences": [{"words": ["a"], "tags": ["X", "Y"]}]}', "2 tags for 1 word:"),
        ('{"sentences": [{"words": ["a", "b"], "heads": [2, 1]}]}', "0 roots"),
        ('{"sentences": [{"words": "ab"}]}', "words are no list; expected lists of numbers and strings"),
        ('{"sentences": [{"words": ["a"], "others": [[0, ["1-2", "a"]]]}]}', "has not 10 columns"),
        ('{"sentences": [{"words": ["a"], "heads": ["x"]}]}', "'x' is no whole number"),
        ('{"sentences": [{"words": ["a"], "misc": ["a\\tb"]}]}', "holds a tab"),
        ('{"sentences": [{"words": ["a"], "comments": ["# a\\nb"]}]}', "a line break, or lacks #"),
        (
            '{"sentences": [{"words": ["a"], "others": [[0, ["2", "b", "_", "_", "_", "_", "_", "_", "_", "_"]]]}]}',
            "number '2'",
        ),
        ('{"sentences": [{"words": [1]}]}', "1 is no string"),
        (r'{"sentences": [], "text": "\ud800"}', r"a lone surrogate \\ud800, which is no character"),
        (r'{"sentences": [{"words": ["a\udc80"]}]}', r"a lone surrogate \\udc80"),
        ('{"sentences": [], "name": "a", "name": "b"}', "the field 'name' is there twice"),
        ('{"sentences": [{"words": ["a"], "tags": ["X"], "tags": ["Y"]}]}', "the field 'tags' is there twice"),
        ('{"sentences": [{"words": ["a"], "heads": [00]}]}', "expected JSON"),
        (r'{"sentences": [{"words": ["a"], "misc": ["X=y\r"]}]}', "a line break at the end"),
        ('{"sentences": [{"words": [""]}]}', "an empty form"),
        ('{"sentences": [{"words": []}]}', "sentence 1 of the document has no words"),
        ('{"sentences": [{"words": ["a"]}], "clusters": [[[0, 2]]]}', r"a span \(0, 2\)"),
        ('{"sentences": [{"words": ["a"]}], "entities": [[0, true, "X"]]}', "True is no whole number"),
        ('{"sentences": [{"words": ["a"]}], "entities": 3}', "expected lists"),
        ('{"sentences": [{"words": ["a"]}], "confidences": [0.5]}', "of 0 entities: expected one each"),
    ],
)
def test_what_is_no_document(tmp_path, line, problem):
    (tmp_path / "a.jsonl").write_text(f'{{"sentences": []}}\n\n{line}\n', "utf-8")
    with pytest.raises(FormatError, match=rf"a\.jsonl line 3: .*({problem})"):
        list(read_jsonl_documents(tmp_path / "a.jsonl"))


def test_pairs_of_surrogates_are_characters(tmp_path):
    (tmp_path / "a.jsonl").write_text(r'{"sentences": [{"words": ["\ud83d\ude00", "\\ud800"]}]}')
    (document,) = read_jsonl_documents(tmp_path / "a.jsonl")
    assert document.tokens == ("\N{GRINNING FACE}", r"\ud800")
    with pytest.raises(FormatError, match=r"the document 'd' holds a lone surrogate, '\\ud800'"):
        document_json(Document.from_text("a \ud800", name="d"))


def test_empty_columns_of_conllu_stay(tmp_path):
    rows = [["1-2", "", *"________"], ["1", "w", "", *"______", ""], ["2", "w", *"_______", ""]]
    (tmp_path / "a.conllu").write_text("\n".join(map("\t".join, rows)) + "\n\n")
    documents = list(read_documents(tmp_path / "a.conllu"))
    write_documents(tmp_path / "a.jsonl", documents)
    assert list(read_jsonl_documents(tmp_path / "a.jsonl")) == documents
    write_documents(tmp_path / "b.conllu", read_jsonl_documents(tmp_path / "a.jsonl"))
    assert (tmp_path / "b.conllu").read_bytes() == (tmp_path / "a.conllu").read_bytes()
    marked = documents[0].annotated(entities=[(0, 1, "X")])
    write_documents(tmp_path / "b.conllu", [marked])
    assert next(read_documents(tmp_path / "b.conllu")).entities == marked.entities


def test_an_empty_file(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n")
    with pytest.raises(FormatError, match="no documents"):
        list(read_jsonl_documents(tmp_path / "a.jsonl"))


def test_damaged_lines_are_skipped_and_counted(tmp_path):
    good = '{"sentences": [{"words": ["a"]}]}'
    (tmp_path / "a.jsonl").write_text(f"{good}\n[1\n{good}\n", "utf-8")
    with pytest.warns(UserWarning, match="a.jsonl: skipped 1 of 3 documents: line 2: .*expected JSON"):
        assert len(list(read_jsonl_documents(tmp_path / "a.jsonl", on_error="skip"))) == 2
