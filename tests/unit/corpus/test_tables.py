"""Every library's tables hold the same texts and give the same errors; pandas and polars come with firth[test]."""

import subprocess
import sys
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import firth
from firth.corpus.sources import Items, resolve
from firth.corpus.tables import filled, table_of
from firth.errors import CorpusError, MissingExtraError

COLUMNS: dict[str, Any] = {"id": [1, 2, 3], "text": ["the cat sat", None, "the dog"], "title": ["a", "b", "c"]}
TEXTS = ["the cat sat", "", "the dog"]
ARROW = pyarrow.table(COLUMNS)
TABLES = {
    "pandas": pandas.DataFrame(COLUMNS),
    "pandas with an index": pandas.DataFrame(COLUMNS, index=[5, 5, 7]),
    "pandas objects": pandas.DataFrame(COLUMNS, dtype=object),
    "polars": polars.DataFrame(COLUMNS),
    "polars lazy": polars.DataFrame(COLUMNS).lazy(),
    "pyarrow": ARROW,
    "pyarrow large": ARROW.cast(pyarrow.schema([("id", "int8"), ("text", "large_string"), ("title", "string")])),
    "pyarrow batch": ARROW.to_batches()[0],
    "pyarrow reader": lambda: ARROW.to_reader(max_chunksize=2),
    "columns": COLUMNS,
}


def table(name: str) -> Any:
    made = TABLES[name]
    return made() if callable(made) else made


def texts(source: Any, column: str | None = None) -> list[Any]:
    found = resolve(source, column)
    assert isinstance(found, Items)
    return list(found.items)


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table(name: str) -> None:
    assert texts(table(name), "title") == ["a", "b", "c"]
    assert texts(table(name), "text") == texts(table(name)) == TEXTS
    with pytest.raises(CorpusError, match="no column 'body'; expected one of id, text, title; name it with column="):
        resolve(table(name), "body")
    if name not in ("columns", "pandas objects"):  # whose values alone say what they are
        with pytest.raises(
            CorpusError, match=r"column 'id' holds .*; expected text .*the columns of text are text, titl"
        ):
            resolve(table(name), "id")


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_which_column_is_read_where_none_is_named(make: Any) -> None:
    assert texts(make({"id": [1], "body": ["a b"]})) == ["a b"]  # the only one that holds text
    assert texts(make({"body": ["a b"]})) == ["a b"]
    with pytest.raises(CorpusError, match="a table with the columns body, title; name the one to read with column="):
        resolve(make({"body": ["a"], "title": ["b"]}))
    with pytest.raises(CorpusError, match="a table with the columns id, size; name the one to read with column="):
        resolve(make({"id": [1], "size": [2]}))
    with pytest.raises(CorpusError, match="gave nothing"):
        resolve(make({"text": ["a"]})[:0], "text")


@pytest.mark.parametrize(
    "make", [pandas.Series, polars.Series, pyarrow.array, lambda some: pyarrow.chunked_array([some])]
)
def test_series(make: Any) -> None:
    assert texts(make(["the cat sat", None, "the dog"])) == TEXTS
    assert texts(make([["the", "cat"], ["the"]])) == [["the", "cat"], ["the"]]
    with pytest.raises(
        CorpusError, match=r"holds .*; expected text or lists of tokens; no column of the table holds te"
    ):
        resolve(make([1, 2]))


def test_a_named_series_has_one_column() -> None:
    assert texts(TABLES["pandas"]["text"], "text") == TEXTS
    with pytest.raises(CorpusError, match="the pandas Series: no column 'title'; expected one of text"):
        resolve(TABLES["pandas"]["text"], "title")


def test_categories_and_values_of_several_kinds() -> None:
    assert texts(pandas.Series(["a b", "c", "a b"], dtype="category")) == ["a b", "c", "a b"]
    assert texts(polars.Series(["a b", "c"], dtype=polars.Categorical)) == ["a b", "c"]
    assert texts(ARROW["text"].dictionary_encode()) == TEXTS
    mixed = pandas.DataFrame({"text": ["a b", 3.5, None]}, dtype=object)
    with pytest.raises(CorpusError, match=r"item 1 is float 3\.5 among texts"):
        firth.Corpus.build(mixed, column="text", min_count=1)


def test_a_table_of_many_pieces() -> None:
    many = [f"text {i}" if i % 7 else None for i in range(5000)]
    for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        assert texts(make({"text": many})) == ["" if text is None else text for text in many]


def test_a_missing_text_keeps_its_number(tmp_path: Any) -> None:
    for name in TABLES:
        corpus = firth.Corpus.build(table(name), column="text", min_count=1, keep_empty=True, cache=tmp_path)
        assert list(corpus) == [["the", "cat", "sat"], [], ["the", "dog"]], name


def test_two_columns_of_one_name() -> None:
    frame = pandas.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(CorpusError, match="the pandas DataFrame: not a table that can be read"):
        resolve(frame)


def test_missing_cells_are_empty() -> None:
    nan = float("nan")
    assert list(filled([None, "a", nan])) == ["", "a", ""]
    assert list(filled([None, nan, ["a"], None])) == [[], [], ["a"], []]
    assert list(filled([None, None])) == ["", ""]
    assert list(filled([])) == []


def test_what_is_no_table() -> None:
    for source in ("text", ["a"], ("a",), iter(["a"]), 3, None, object()):
        assert table_of(source) is None


def test_a_stream_of_something_else() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pyarrow.chunked_array([["a"]]).__arrow_c_stream__()

    with pytest.raises(CorpusError, match="the tests Stream: not a stream of record batches"):
        resolve(Stream())


def test_a_stream_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = ARROW.to_batches()[0]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[arrow\]"):
        resolve(batch)


def test_queries_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
    query = duckdb.sql("select * from (values (1, 'the cat sat'), (2, null), (3, 'the dog')) as t(id, body)")
    assert texts(query) == texts(query, "body") == TEXTS
    with pytest.raises(CorpusError, match="DuckDBPyRelation: no column 'text'; expected one of id, body"):
        resolve(query, "text")


def test_frames_need_no_pyarrow() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import pandas, polars\n"
        "from firth.corpus.sources import resolve\n"
        "for make in (pandas.DataFrame, polars.DataFrame):\n"
        "    print(list(resolve(make({'id': [1, 2], 'body': ['a b', None]}), 'body').items))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "['a b', '']\n" * 2, done.stderr


def test_columns_with_numbers_for_names_are_read_and_lists_refused():
    frame = pandas.DataFrame({0: ["the cat"], 1: ["a dog"]})
    assert list(table_of(frame).texts(1)) == ["a dog"]
    with pytest.raises(TypeError, match=r"column=\['text'\] is a list; expected the name of one column"):
        table_of(frame).texts(["text"])


def test_the_parts_of_a_data_set_are_no_columns() -> None:
    parts = {"train": TABLES["pandas"], "test": TABLES["pandas"]}
    with pytest.raises(
        CorpusError, match=r"the parts train, test of a data set; expected one of them, such as data\['train'\]"
    ):
        table_of(parts)
    assert table_of({"train": TEXTS}) is not None  # a column of that name
