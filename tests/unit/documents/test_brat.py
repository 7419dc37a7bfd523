"""Files of brat: offsets, parts of spans, other annotation, and texts beside them.

The fixtures are our own, in the shape of the examples that brat comes with.
"""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.documents.document import Document, Entity
from firth.documents.entity_alignment import LeftOutSpans
from firth.errors import FormatError, MissingFileError, OptionError

TEXT = "Ada Byron met 👩🏽‍🚀 Zoë in New\r\nYork. North and South America are two.\n"


def line(number, label, *parts):
    written = " ".join(TEXT[start:end] for start, end in parts)
    return f"T{number}\t{label} {';'.join(f'{start} {end}' for start, end in parts)}\t{written}\n"


def place(part, start=0):
    return TEXT.index(part, start), TEXT.index(part, start) + len(part)


ANNOTATIONS = (
    line(1, "PER", place("Ada Byron")) + line(2, "PER", place("Zoë")) + line(7, "LOC", place("New"), place("York"))
)


def files(folder, annotations=ANNOTATIONS, text=TEXT, name="a"):
    (folder / f"{name}.txt").write_bytes(text.encode())
    (folder / f"{name}.ann").write_bytes(annotations.encode())
    return folder / f"{name}.ann"


def named(document):
    return [(document.span_text(start, end), label) for start, end, label in document.entities]


def test_spans_and_text(tmp_path):
    (found,) = firth.read_documents(files(tmp_path))
    assert (found.text, found.name) == (TEXT, "a")
    assert named(found) == [("Ada Byron", "PER"), ("Zoë", "PER"), ("New\r\nYork", "LOC")]


def test_written_and_read_again(tmp_path):
    """The same annotation, spans over a line break in two parts; the text is not touched where it is there."""
    (found,) = firth.read_documents(files(tmp_path))
    (tmp_path / "out").mkdir()
    firth.write_documents(tmp_path / "out" / "a.ann", [found])
    assert (tmp_path / "out" / "a.ann").read_text("utf-8") == ANNOTATIONS.replace("T7", "T3")
    assert (tmp_path / "out" / "a.txt").read_bytes() == TEXT.encode()
    assert list(firth.read_documents(tmp_path / "out" / "a.ann")) == [found]
    firth.write_documents(tmp_path / "a.ann", [found])  # beside the text that was read
    with pytest.raises(OptionError, match=r"a\.txt is there, and is not the text in UTF-8"):
        firth.write_documents(tmp_path / "a.ann", [Document.from_text("Other.")])
    assert (tmp_path / "a.txt").read_bytes() == TEXT.encode()


def test_spans_in_parts_and_other_annotation_are_left_out_and_counted(tmp_path):
    others = (
        "R1\tIn Arg1:T1 Arg2:T7\t\nE1\tMeet:T1 Who:T2\nA1\tOld T1\n*\tEquiv T1 T2\n#1\tAnnotatorNotes T1\tsure?\n\n"
    )
    parts = line(3, "LOC", place("North"), place("America"))
    nested = line(4, "LOC", place("South America")) + line(5, "DIR", place("South"))
    path = files(tmp_path, ANNOTATIONS + others + parts + nested)
    with (
        pytest.warns(UserWarning, match="1 relations, 1 events, 1 attributes, 1 equivalences, 1 notes"),
        pytest.warns(LeftOutSpans, match=r"left out 1 of 6 spans: 1 are in several parts \(a\.ann: 'North and South"),
    ):
        (found,) = firth.read_documents(path)
    assert named(found)[3:] == [("South America", "LOC"), ("South", "DIR")]  # spans that overlap are all there


def test_a_folder_of_files(tmp_path, recwarn):
    (tmp_path / "more").mkdir()
    for folder, name in ((tmp_path, "b"), (tmp_path, "a"), (tmp_path / "more", "c")):
        files(folder, "T1\tPER 0 3\tAda\n", "Ada came.", name)
    assert [found.name for found in firth.read_documents(tmp_path)] == ["a", "b", str(Path("more", "c"))]
    files(tmp_path, "T1\tPER 0 3\tAda\nT2 PER\n", "Ada came.", "b")
    with pytest.raises(FormatError, match="line 2: 'T2 PER'; expected a span, such as T1"):
        list(firth.read_documents(tmp_path))
    with pytest.warns(UserWarning, match="skipped 1 of 3 documents: file 2: line 2"):
        assert len(list(firth.read_documents(tmp_path, on_error="skip"))) == 2
    result = firth.annotate_files(tmp_path, tmp_path / "out.jsonl")
    assert (result.documents, result.entities) == (2, 2)


def test_what_is_missing_or_damaged(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"a folder without files named \.ann"):
        list(firth.read_documents(tmp_path / "empty"))
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAda\n")
    with pytest.raises(MissingFileError, match=r"a\.txt.* expected the text of a\.ann beside it"):
        list(firth.read_documents(tmp_path / "a.ann"))
    with pytest.raises(FormatError, match=r"a\.ann line 1: 'Ada B-PER'; expected an annotation of brat"):
        list(firth.read_documents(files(tmp_path, "Ada B-PER\n")))
    for label in ("", "A B"):
        with pytest.raises(FormatError, match=f"the label '{label}'; expected one without white space"):
            firth.write_documents(tmp_path / "b.ann", [Document.from_text("Ada.").annotated(entities=[(0, 1, label)])])
    assert not (tmp_path / "b.txt").exists()


def test_several_documents_become_one_text(tmp_path):
    documents = [Document.from_text(text).annotated(entities=[(0, 1, "PER")]) for text in ("Ada came", "Zoë left")]
    with pytest.warns(UserWarning, match="3 documents became one text, with an empty line between them"):
        firth.write_documents(tmp_path / "a.ann", [*documents, Document.from_text("Nobody.")])
    (found,) = firth.read_documents(tmp_path / "a.ann")
    assert found.text == "Ada came\n\nZoë left\n\nNobody."
    assert found.entities == (Entity(0, 1, "PER"), Entity(2, 3, "PER"))
    firth.write_documents(tmp_path / "none.ann", [])
    assert [each.sentences for each in firth.read_documents(tmp_path / "none.ann")] == [()]


def test_annotation_beside_the_text_that_was_read(tmp_path):
    """`firth annotate novel.txt -o novel.ann`, twice."""
    path = tmp_path / "novel.txt"
    path.write_text("Ada came.", "utf-8")
    for _ in range(2):
        result = firth.annotate_files(path, tmp_path / "novel.ann")
        assert (result.documents, path.read_text("utf-8")) == (1, "Ada came.")
        assert sorted(each.name for each in tmp_path.iterdir()) == ["novel.ann", "novel.txt"]


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_spans_of_tokens_are_found_again(tmp_path_factory, data):
    words = data.draw(st.lists(st.sampled_from(["Ada", "😀", "Zoë", "नमस्ते", "東"]), min_size=1, max_size=6))
    spaces = data.draw(st.lists(st.sampled_from([" ", "\r\n", "  ", "\n\n", "\u2028"]), min_size=6, max_size=6))
    document = Document.from_text("".join(word + space for word, space in zip(words, spaces, strict=False)), name="a")
    places = data.draw(st.lists(st.integers(0, len(document)), max_size=5, unique=True))
    document = document.annotated(entities=[(*sorted(pair), "X") for pair in pairwise(places)])
    path = tmp_path_factory.getbasetemp() / "a.ann"
    path.with_suffix(".txt").unlink(missing_ok=True)
    firth.write_documents(path, [document])
    (found,) = firth.read_documents(path)
    assert (found.text, found.offsets, found.entities) == (document.text, document.offsets, document.entities)


def test_offsets_that_count_a_line_end_as_one_character_are_converted(tmp_path):
    """A text that was copied to Windows after it was annotated: its lines end in CRLF, and the offsets do not know."""
    text = "Ada left.\nZoë saw Rome\nand Bo\n"
    spans = {"Ada": "PER", "Zoë": "PER", "Rome": "LOC", "Bo": "PER"}
    lines = [
        f"T{number}\t{label} {text.index(name)} {text.index(name) + len(name)}\t{name}\n"
        for number, (name, label) in enumerate(spans.items(), 1)
    ]
    (tmp_path / "a.ann").write_text("".join(lines), "utf-8")
    (tmp_path / "a.txt").write_bytes(text.replace("\n", "\r\n").encode())
    with pytest.warns(UserWarning, match="offsets of 1 text count a line end as one character and were") as told:
        (found,) = firth.read_documents(tmp_path / "a.ann")
    assert [found.span_text(start, end) for start, end, _ in found.entities] == list(spans)
    assert len(told) == 1
