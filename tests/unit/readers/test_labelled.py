import csv
import gzip
import json

import pytest

from firth.corpus.line_scanner import scan_texts
from firth.corpus.table_options import TableOptions
from firth.errors import CorpusError, OptionError
from firth.readers.labelled import read_labelled


def silent(status):
    pass


def read(source, labels=None, column=None):
    return read_labelled(source, labels, column, "__label__", silent)


def words(lines):
    names, starts = lines.names(), [0, *lines.ends.tolist()]
    return [[names[t] for t in lines.tokens[a:b]] for a, b in zip(starts, lines.ends.tolist(), strict=False)]


def test_a_file_in_fasttexts_form(tmp_path):
    """A carriage return and a tab are white space, an empty line has its end alone, the last line may lack its own."""
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbf__label__x one\ttwo\r\n\n__label__y __label__z two")
    found = read(tmp_path / "a.txt")
    expected = [["__label__x", "one", "two", "</s>"], ["</s>"], ["__label__y", "__label__z", "two"]]
    assert words(found.lines) == expected
    assert found.labels is None
    flagged = {name for name, label in zip(found.lines.names(), found.lines.is_label, strict=True) if label}
    assert flagged == {"__label__x", "__label__y", "__label__z"}


def test_an_end_inside_a_line_ends_it_in_a_file_and_hides_the_rest_of_a_text(tmp_path):
    (tmp_path / "a.txt").write_text("one </s> two\n", encoding="utf-8")
    assert words(read(tmp_path / "a.txt").lines) == [["one", "</s>"], ["two", "</s>"]]
    assert words(scan_texts(["one </s> two", "three"], "")) == [["one", "</s>"], ["three", "</s>"]]


def test_several_files_one_of_them_packed(tmp_path):
    (tmp_path / "a.txt").write_text("__label__x one", encoding="utf-8")
    with gzip.open(tmp_path / "b.txt.gz", "wt", encoding="utf-8") as file:
        file.write("__label__y two\n" * 3)
    found = read([tmp_path / "a.txt", tmp_path / "b.txt.gz"])
    assert len(found.lines.ends) == 4
    assert words(found.lines) == words(read(str(tmp_path / "*")).lines)


def test_a_file_larger_than_a_block(tmp_path, monkeypatch):
    from firth.readers import labelled

    text = "".join(f"__label__{i % 3} word{i} {'long' * (i % 50)}\n" for i in range(3000))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    whole = read(tmp_path / "a.txt").lines
    monkeypatch.setattr(labelled, "BLOCK", 64)
    pieces = read(tmp_path / "a.txt").lines
    assert words(whole) == words(pieces) == [[*line.split(), "</s>"] for line in text.splitlines()]
    assert whole.counts.tolist() == pieces.counts.tolist()


def rows():
    return [{"text": "one two", "kind": "x"}, {"text": "two\nthree", "kind": "y"}, {"text": "", "kind": "x"}]


def sources(tmp_path):
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["text", "kind"])
        table.writeheader()
        table.writerows(rows())
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps(row) for row in rows()), encoding="utf-8")
    columns = {name: [row[name] for row in rows()] for name in ("text", "kind")}
    return {
        "csv": (tmp_path / "t.csv", "kind"),
        "jsonl": (str(tmp_path / "t.jsonl"), "kind"),
        "rows": (rows(), "kind"),
        "a generator of rows": (iter(rows()), "kind"),
        "columns": (columns, "kind"),
        "lists": (columns["text"], columns["kind"]),
        "generators": (iter(columns["text"]), iter(columns["kind"])),
    }


def test_every_kind_of_source_holds_the_same(tmp_path):
    for name, (source, labels) in sources(tmp_path).items():
        found = read(source, labels)
        assert words(found.lines) == [["one", "two", "</s>"], ["two", "three", "</s>"], ["</s>"]], name
        assert found.labels == [["x"], ["y"], ["x"]], name


def test_labels_may_be_several_numbers_or_none():
    assert read(["a", "b", "c", "d"], ["x", ["x", "y"], 7, None]).labels == [["x"], ["x", "y"], ["7"], []]


@pytest.mark.parametrize("form", ["list", "pairs", "frame", "csv", "parquet"])
def test_an_empty_label_is_no_class(tmp_path, form):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install 'firth[test]'")
    texts, labels = ["red apple", "ripe plum", "green pear"], ["a", " ", "b"]
    frame = pandas.DataFrame({"text": texts, "label": labels})
    given = {"list": (texts, labels), "pairs": (list(zip(texts, labels, strict=True)),), "frame": (frame, "label")}
    if form in ("csv", "parquet"):
        getattr(frame, f"to_{form}")(tmp_path / f"a.{form}")
        given[form] = (tmp_path / f"a.{form}", "label")
    arguments = [*given[form], *[None] * (2 - len(given[form])), "text" if form not in ("list", "pairs") else None]
    place = "line 3" if form == "csv" else "row 2"
    with pytest.raises(CorpusError, match=f"{place}: .*on_error='skip'"):
        read_labelled(*arguments, "__label__", silent)
    with pytest.warns(UserWarning, match="skipped 1 of 3 rows"):
        found = read_labelled(*arguments, "__label__", silent, TableOptions(on_error="skip"))
    assert found.labels == [["a"], ["b"]]
    assert len(found.lines.ends) == 2


def test_pairs_of_text_and_label():
    found = read([("one two", "x"), ("two", ["x", "y"]), (None, "x"), ("three", None)])
    assert words(found.lines) == [["one", "two", "</s>"], ["two", "</s>"], ["three", "</s>"]]
    assert found.labels == [["x"], ["x", "y"], []]
    assert read(pair for pair in [("one", 1), ("two", 2)]).labels == [["1"], ["2"]]
    with pytest.raises(CorpusError, match="item 1 is 'b'; expected a tuple"):
        read([("a", "x"), "b"])


def test_a_tuple_of_tokens_with_a_label_among_them_is_no_pair():
    assert words(read([("__label__x", "a"), ("b", "__label__y")]).lines) == [
        ["__label__x", "a", "</s>"],
        ["b", "__label__y", "</s>"],
    ]


def frames():
    import pandas
    import polars
    import pyarrow

    columns = {"id": [1, 2, 3], "kind": ["x", None, "y"], "text": ["one two", "three", None]}
    return [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]


def test_data_frames():
    for frame in frames():
        for found in (read(frame, "kind", "text"), read(frame, "kind"), read(frame, frame["kind"], "text")):
            assert words(found.lines)[:2] == [["one", "two", "</s>"], ["three", "</s>"]]
            assert found.labels[:2] == [["x"], []], type(frame)
        assert len(read(frame, "kind").labels) == 2  # a row without a text is left out
        with pytest.raises(CorpusError, match="no column 'sort'; expected one of id, kind, text; name it with labels="):
            read(frame, "sort")
        with pytest.raises(CorpusError, match="no column 'body'; expected one of id, kind, text; name it with column="):
            read(frame, "kind", "body")
        with pytest.raises(CorpusError, match="the columns id, kind, text; name the label column with labels="):
            read(frame)
        with pytest.raises(OptionError, match="has 3 columns; expected a series or a list"):
            read(frame["text"], frame)


def test_lists_of_tokens_and_lines_in_fasttexts_form():
    assert words(read([["__label__x", "a"], ["b"]]).lines) == [["__label__x", "a", "</s>"], ["b", "</s>"]]
    assert words(read(["__label__x a\nb"]).lines) == [["__label__x", "a", "b", "</s>"]]


def test_bytes_that_are_no_utf8_are_counted(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 caf\xc3\xa9\n")
    with pytest.warns(UserWarning, match=r"a\.txt: 1 byte sequences are not valid utf-8"):
        assert read(tmp_path / "a.txt").lines.names() == ["</s>", "caf\ufffd", "café"]
    assert len(scan_texts(["lone \ud800"], "").ends) == 1


def test_as_many_labels_as_texts():
    with pytest.raises(OptionError, match="1 labels for 2 texts"):
        read(["a", "b"], ["x"])


def test_labels_beside_a_file(tmp_path):
    with pytest.raises(OptionError, match="expected a list of texts"):
        read(tmp_path / "a.txt", ["x"])


def test_a_table_without_a_column_of_labels(tmp_path):
    sources(tmp_path)
    with pytest.raises(CorpusError, match="name the label column"):
        read(tmp_path / "t.csv")
    with pytest.raises(CorpusError, match="no column 'sort'"):
        read(tmp_path / "t.csv", "sort")
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    with pytest.raises(CorpusError, match="expected a table"):
        read(tmp_path / "a.txt", "kind")


def test_an_item_that_is_no_text():
    with pytest.raises(CorpusError, match="item 1 is int 3"):
        scan_texts(["a", 3], "")
