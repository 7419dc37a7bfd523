import csv
import gzip
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from firth.corpus.columns import cells, labelled_cells
from firth.errors import CorpusError, MissingExtraError

ROWS: list[dict[str, Any]] = [
    {"id": 1, "text": "one, two"},
    {"id": 2, "text": 'with "quotes"\nand a line'},
    {"id": 3, "text": "é"},
]
TEXTS = [row["text"] for row in ROWS]


def read(path: Path, column: str | None = None) -> list[Any]:
    return list(cells(path, column, lambda raw: None))


def write(path: Path) -> None:
    if ".jsonl" in path.suffixes:
        data = "\n".join(map(json.dumps, ROWS)).encode() + b"\n\n"
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        return
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, ["id", "text"], delimiter="," if path.suffix == ".csv" else "\t")
            table.writeheader()
            table.writerows(ROWS)
        return
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'firth[arrow]'")
    table = arrow.Table.from_pylist([*ROWS, {"id": 4, "text": None}])
    if path.suffix == ".parquet":
        importlib.import_module("pyarrow.parquet").write_table(table, path)
    else:
        new = arrow.ipc.new_stream if path.stem == "stream" else arrow.ipc.new_file
        with new(str(path), table.schema) as writer:
            writer.write_table(table)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.tsv", "a.parquet", "stream.arrow", "file.arrow"])
def test_every_kind_of_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write(path)
    missing = [""] * path.name.endswith(("parquet", "arrow"))  # the last row has no text there
    assert read(path) == TEXTS + missing
    assert read(path, "text") == TEXTS + missing
    assert [row for row in labelled_cells(path, None, "id") if row[0]] == [
        (text, str(row["id"]) if path.suffix in (".csv", ".tsv") else row["id"])
        for text, row in zip(TEXTS, ROWS, strict=True)
    ]
    if path.suffix in (".csv", ".tsv"):  # all is text there
        assert read(path, "id") == ["1", "2", "3"]
    else:
        with pytest.raises(CorpusError, match=r"column 'id' holds int.*expected text .*the columns of text are text"):
            read(path, "id")
    with pytest.raises(CorpusError, match="no column 'body'; expected one of id, text"):
        read(path, "body")


def test_json_lines_of_strings_and_token_lists(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('"one text"\n["a", "b"]\nnull\n')
    assert read(path) == ["one text", ["a", "b"], ""]


def test_the_only_column_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\ufeffbody\nhello\n", encoding="utf-8")
    assert read(path) == ["hello"]
    path.write_text("a,b\n1,2\n")
    with pytest.raises(CorpusError, match="the columns a, b; name the one to read with column="):
        read(path)


def test_the_only_column_of_text_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "body": "a b"}\n{"id": 2, "body": null}\n{"id": 3, "body": "c"}\n')
    assert read(path) == ["a b", "", "c"]
    path.write_text('{"id": 1, "body": "a b", "title": "c"}\n')
    with pytest.raises(CorpusError, match="the columns id, body, title; name the one to read"):
        read(path)


def test_a_long_cell(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "x " * 100_000 + "\n")
    assert [len(cell) for cell in read(path)] == [200_000]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b'{"text": "a"}\n{"text": \n', "line 2: not JSON"),
        ("a.csv", b"", "empty; expected a line of column names"),
        ("a.parquet", b"PAR1 not really", "not a Parquet file"),
        ("a.arrow", b"ARROW1 not really, not at all", "not an Arrow file"),
        ("a.arrow", b"nothing of the kind, really nothing", "not an Arrow file"),
        ("a.jsonl.gz", b'{"text": "a"}', "damaged or cut short"),
    ],
)
def test_damaged_tables(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    if name.endswith((".parquet", ".arrow")):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'firth[arrow]'")
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=message):
        read(path)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_arrow_that_is_not_installed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[arrow\]"):
        read(path)


@pytest.mark.parametrize("before", [0, 40])  # bytes of text, offsets of texts
def test_an_arrow_file_with_damage_inside_is_told(tmp_path, before):
    """Offsets of texts are the file's own: they are checked before anything is read by them."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'firth[arrow]'")
    feather = pytest.importorskip("pyarrow.feather", reason="pyarrow is not installed: pip install 'firth[arrow]'")
    path = tmp_path / "x.arrow"
    table = pyarrow.table({"text": ["one two", "three"] * 10})
    feather.write_feather(table, str(path), compression="uncompressed")
    content = bytearray(path.read_bytes())
    place = max(content.index(b"one two") - before, 16)
    content[place : place + 40] = b"\xff" * 40
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=r"x.arrow: (damaged|not an Arrow file)"):
        list(cells(path, "text", lambda raw: None))


def test_tabs_without_quoting(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    lines = ['1\t"He left, she said.', '2\tTo "x" and', '3\t"A" and "b"', '4\t"All ""said"" it"', "", '5\t"', '6\t"b']
    path.write_text("id\ttext\n" + "\r\n".join(lines) + "\n", encoding="utf-8")
    assert list(labelled_cells(path, "text", "id")) == [
        ('"He left, she said.', "1"),
        ('To "x" and', "2"),
        ('"A" and "b"', "3"),
        ('All "said" it', "4"),
        ('"', "5"),
        ('"b', "6"),
    ]
    path.write_text('n\tt\ta\n1\t"two\n\tlines"\tb\n2\t"a\tb"\tc\n3\td\te\n', encoding="utf-8")
    assert list(labelled_cells(path, "t", "a")) == [("two\n\tlines", "b"), ("a\tb", "c"), ("d", "e")]
