from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firth.corpus.sources import Files, Items, StandardInput, resolve
from firth.errors import CorpusError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.txt.gz", "deep/c.text", "deep/d.csv", ".hidden/e.txt", ".f.txt", "g.png", "h"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    return tmp_path


def paths(source: Any) -> list[str]:
    found = resolve(source)
    assert isinstance(found, Files)
    return [path.name for path in found.paths]


LEFT_OUT = pytest.mark.filterwarnings("ignore:.* left out ")


def test_files_left_out_of_a_folder_are_counted(folder: Path) -> None:
    for name in ("a.html", "b.HTML", "c.docx", "LICENSE", ".hidden.pdf"):
        (folder / name).touch()
    with pytest.warns(UserWarning, match=r"4 files read, 6 left out \(2 \.html, 2 no suffix, 1 \.docx, 1 \.png\)"):
        paths(folder)


@LEFT_OUT
def test_files_globs_and_folders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths(folder / "h") == ["h"]
    assert paths(str(folder / "*.txt*")) == ["a.txt.gz", "b.txt"]
    assert paths(str(folder / "**" / "*.text")) == ["c.text"]
    assert paths(folder) == ["a.txt.gz", "b.txt", "c.text", "d.csv"]
    monkeypatch.chdir(folder)
    assert paths("**/*.text") == ["c.text"]
    assert paths("deep") == ["c.text", "d.csv"]


@LEFT_OUT
def test_lists_of_paths(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A file that is found twice is read once, where it was found first.
    assert paths([folder / "h", folder]) == ["h", "a.txt.gz", "b.txt", "c.text", "d.csv"]
    assert paths([str(folder / "b.txt"), str(folder / "*.txt")]) == ["b.txt"]
    assert paths(path for path in (folder / "h", folder / "b.txt")) == ["h", "b.txt"]
    monkeypatch.chdir(folder)
    assert paths(["b.txt", "deep"]) == ["b.txt", "c.text", "d.csv"]


def test_a_text_is_no_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for texts in (["deep", "h"], ["see b.txt for more", "b.txt"], ["either/or", "and"], ["one\ntwo.txt"]):
        found = resolve(texts)
        assert isinstance(found, Items)
        assert not found.tokenised
        assert list(found.items) == texts


def test_a_cell_of_a_table_is_no_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    texts = ["b.txt", "deep"]
    for table in ({"text": texts}, [{"text": text} for text in texts]):
        found = resolve(table)
        assert isinstance(found, Items)
        assert list(found.items) == texts


def test_standard_input() -> None:
    assert resolve("-") == StandardInput()


def test_items_are_gone_through_once() -> None:
    def stream() -> Iterator[list[str]]:
        yield from (["a", "b"], ["c"])

    found = resolve(stream())
    assert isinstance(found, Items)
    assert found.tokenised
    assert list(found.items) == [["a", "b"], ["c"]]
    assert list(found.items) == []


@pytest.mark.parametrize(
    ("source", "column", "items"),
    [
        ([{"text": "a b", "id": 1}, {"text": None, "id": 2}, {"text": "c d", "id": 3}], None, ["a b", "", "c d"]),
        ([{"body": "a b", "id": 1}], "body", ["a b"]),
        ([{"words": ["a", "b"]}], None, [["a", "b"]]),
        ({"body": ["a b", "c d"], "id": [1, 2]}, "body", ["a b", "c d"]),
    ],
)
def test_rows_and_columns(source: Any, column: str | None, items: list[Any]) -> None:
    found = resolve(source, column)
    assert isinstance(found, Items)
    assert list(found.items) == items


@pytest.mark.parametrize(
    ("source", "column", "message"),
    [
        ("", None, "is a built|expected"),
        (b"text", None, "found bytes b.text.; expected a path, .*: decode it$"),
        (3, None, "found int 3; expected a path, a glob"),
        (None, None, "found NoneType"),
        ([], None, "the list gave nothing"),
        (iter(()), None, "gone through before"),
        ([1, 2], None, "item 0 is int 1"),
        ([b"a b"], None, "item 0 is bytes"),
        ({"train": ["a"], "test": ["b"]}, None, "a mapping with the keys 'train', 'test'.*pass one of its values"),
        ([{"a": "x", "b": "y"}], None, "the columns a, b; name the one to read"),
        ([{"a": "x"}], "b", "no column 'b'; expected one of a"),
        (["a b"], "b", "item 0 is 'a b', which has no columns"),
        ([["a", "b"]], "b", "which has no columns"),
        ([{"id": 7}], None, "column 'id' holds int; expected text"),
        ("no such file.txt", None, "no such file or folder"),
        ("It was a dark and stormy night; the rain fell in torrents", None, "pass texts as a list of strings"),
        ("*.nothing", None, "no file matches"),
        ([Path("x.txt"), 3], None, "x.txt: no such file|3 stands among paths"),
    ],
)
def test_what_is_no_source(
    source: Any, column: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=message):
        resolve(source, column)


def test_a_row_among_others() -> None:
    for source, message in (
        ([{"a": "x"}, "y"], "row 1 is str 'y'"),
        ([{"a": "x"}, {"b": "y"}], "row 1: no column 'a'"),
    ):
        found = resolve(source)
        assert isinstance(found, Items)
        with pytest.raises(CorpusError, match=message):
            list(found.items)


def test_a_name_that_was_nearly_right(folder: Path) -> None:
    with pytest.raises(CorpusError, match=r"a\.txt\.g: no such file or folder; .*; did you mean .*a\.txt\.gz\?"):
        resolve(folder / "a.txt.g")


def test_a_folder_without_text(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"holds nothing; expected files ending in \.txt"):
        resolve(tmp_path)
    (tmp_path / "image.png").write_bytes(b"x")
    with pytest.raises(CorpusError, match=r"holds 1 files \(\.png\)"):
        resolve(tmp_path)


def test_a_folder_of_nothing_but_markup(tmp_path: Path) -> None:
    (tmp_path / "a.html").touch()
    with pytest.raises(CorpusError, match=r"holds 1 files \(\.html\); .* and markup=True Markdown, HTML and XML"):
        resolve(tmp_path)


def test_identity_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    before = resolve(path)
    assert isinstance(before, Files)
    first = before.identity()
    path.write_text("three")
    assert first != before.identity()
    assert Files((Path("/dev/null"),), None, ("x",)).identity() is None
