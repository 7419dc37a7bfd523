"""Tables in text files, as spreadsheets, databases and scripts write them: read exactly, or refused by line."""

import csv
import io
import random
import warnings
from pathlib import Path
from typing import Any

import pytest

from firth.corpus.columns import cells, labelled_cells
from firth.corpus.dialects import MIXED, Dialect
from firth.corpus.separated import SAMPLE, Separated
from firth.corpus.table_options import TableOptions
from firth.errors import CorpusError, OptionError


def read(path: Path, content: str, *columns: Any, **options: Any) -> list[Any]:
    """Return the cells of one column, or the texts and labels, of a file with this content."""
    path.write_bytes(content.encode())
    how = TableOptions(**options)
    if len(columns) < 2:
        return list(cells(path, columns[0] if columns else None, lambda raw: None, how))
    return list(labelled_cells(path, columns[0], columns[1], how))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.csv"


@pytest.fixture
def tsv(tmp_path: Path) -> Path:
    return tmp_path / "a.tsv"


SIXTY = "label,text\n" + "".join(f"{'abc'[i % 3]},text number {i}\n" for i in range(60))
LONE = SIXTY.replace("text number 29", '"text number 29')
FAULTS = {  # content: what is wrong, and the rows that are left
    LONE: (r"a\.csv line 31: the quotation mark that opens a cell here is not closed; .*quoting='none'", 59),
    LONE.replace("text number 40", '"forty"'): ("line 31: .* followed by one 11 lines further, which does not end", 59),
    "label,text\na,b\nc\nd,e\n": "line 3: 1 cell, expected 2 as in the first row",
    "label,text\na,b\nc,d, and more\nd,e\n": "line 3: 3 cells, expected 2 as .*between quotation marks",
    "label,text\na,b\n,ripe plum\nd,e\n": "line 3: no label in column 'label'",
    'label,text\na,"b\nmore"\n," "\nd,e\n': "line 4: no label in column 'label'",
    'label,text\na,b\nc,"d" e\nd,e\n': "line 3: the quotation mark that opens a cell here is followed by one there",
    'text,label\na,b\n"c,d\n5",e\nf,g\n': ("line 3: a quotation mark joins it with the next line, though each is", 3),
}  # fmt: skip


@pytest.mark.parametrize("content", FAULTS)
def test_a_row_that_cannot_be_read_is_an_error_with_its_line(path, content):
    found: Any = FAULTS[content]
    message, rows = found if isinstance(found, tuple) else (found, 2)
    with pytest.raises(CorpusError, match=f"{message}.*on_error='skip'"):
        read(path, content, "text", "label")
    with pytest.warns(UserWarning, match=r"a\.csv: skipped \d+ of \d+ rows: line \d+: "):
        left = read(path, content, "text", "label", on_error="skip")
    assert len(left) == rows


def test_rows_that_are_skipped_are_counted(path):
    content = "text\n" + "a\nb,c\n" * 1000
    with pytest.warns(
        UserWarning, match=r"skipped 1,000 of 2,000 rows: line 3: 2 cells, .*; line 5: .*; line 7: [^;]*; \.\.\.$"
    ):
        assert read(path, content, on_error="skip") == ["a"] * 1000


def test_empty_cells_beyond_the_last_column_are_no_fault(path):
    assert read(path, "a,b\n1,2,,\n3,4\n", "b") == ["2", "4"]
    assert read(path, "a,b,,\n1,2,,\n3,4,,\n", "b") == ["2", "4"]


def test_columns_of_one_name(path):
    content = "text,label,text\na,b,c\n"
    for column in ("text", None):
        with pytest.raises(CorpusError, match=r"columns 1 and 3 are both called 'text'; .*column=1 with header=True"):
            read(path, content, column, "label")
    assert read(path, content, 3, "label") == [("c", "b")]
    assert read(path, "text,x,x\na,b,c\n", "text") == ["a"]  # those that are not read do not matter


WRITTEN = {  # content of a CSV file: what is said
    "label;text\na;b, c\nd;\"e; f\"\n": "semicolons between its cells",
    "label\ttext\na\tb, c\nd\te; f\n": "tabs between its cells",
    "label|text\na|b, c\nd|e; f\n": r"pipes between its cells, not commas; said by separator='\|'",
    "sep=;\r\nlabel;text\r\na;b, c\r\nd;e\r\n": "",
    '\ufeff"sep=|"\nlabel|text\na|b, c\nd|e; f\n': "",
    'label,text\na,"b, c"\nd,"e ""; f"\n': "",
    'label, text\na, "b, c"\nd, "e; f"\n': "",
    'label,text\na,"b, \\"c"\nd,"e; \\\\ f"\n': r"quotation marks after backslashes; said by quoting='backslash'",
    "label;text\na;'b; c'\nd;'e''; f'\n": "semicolons .*, and cells between apostrophes; said by .* and quoting=",
    'label,text\na,"b\nd,"e\n': r"no quoted cells; said by quoting='none'",
}  # fmt: skip
TEXTS = {'"b, \\"c"': ['b, "c', "e; \\ f"], '""; f': ["b, c", 'e "; f'], "''; f": ["b; c", "e'; f"],
         ',"b\n': ['"b', '"e'], "\nd;e\r": ["b, c", "e"]}  # fmt: skip


@pytest.mark.parametrize("content", WRITTEN)
def test_how_a_table_is_written_is_found_and_said(path, content):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = read(path, content, "text", "label")
    expected = next((texts for part, texts in TEXTS.items() if part in content), ["b, c", "e; f"])
    assert rows == list(zip(expected, "ad", strict=True))
    said = WRITTEN[content]
    assert len(caught) == bool(said)
    if said:
        with pytest.warns(UserWarning, match=said):
            read(path, content, "text", "label")


@pytest.mark.filterwarnings("error")
def test_what_is_given_is_neither_looked_for_nor_said(path):
    assert read(path, "text~label\na, b~c\n", "text", separator="~") == ["a, b"]
    assert read(path, "text\tlabel\na, b\tc\n", "text", separator="\\t") == ["a, b"]
    assert read(path, "text;label\na, b;c\n", "text", separator="semicolon") == ["a, b"]
    assert read(path, LONE, "text", quoting="none")[29] == '"text number 29'
    assert read(path, "a,b\nc,d\n", 2, header=False) == ["b", "d"]
    assert read(path, "a,b\nc,d\n", "2", header=True) == ["d"]
    assert read(path, 'text,label\n"a, b\nc",1\n', "text", quoting="doubled") == ["a, b\nc"]
    for wrong in (";;", "", '"', 5):
        with pytest.raises(OptionError, match=r"separator=.*expected one character, or one of comma, semicolon"):
            read(path, "text\na\n", separator=wrong)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('3,"Wall St, bears"\n4,b\n', "column 1 holds numbers from its first row on"),
        ("pos,good film\nneg,bad film\npos,nice\n", "'pos' stands in column 1 again"),
        ("pos,good film\nneg,bad film\n", "columns are asked for by number"),
    ],
)
def test_tables_without_names_of_columns(path, content, why):
    with pytest.warns(UserWarning, match=rf"no names of columns: {why}; said by header=False"):
        rows = read(path, content, "2", "1")
    assert rows == [(text, label) for label, text in csv.reader(io.StringIO(content))]
    with pytest.raises(
        CorpusError, match=r"no column 'text', its columns have numbers only; expected column=1 to column=2"
    ):
        read(path, content, "text", header=False)
    with pytest.raises(CorpusError, match="no column 3; expected a number from 1 to 2"):
        read(path, content, 3, header=True)


def test_a_text_as_the_name_of_the_only_column_is_told(path):
    with pytest.warns(UserWarning, match="'Dear madam or sir', is read as the name of its column; .*header=False"):
        assert read(path, "Dear madam or sir\nHello\n") == ["Hello"]


def test_two_separators_that_fit(path):
    with pytest.raises(CorpusError, match=r"commas divide its lines into 2 cells, semicolons into 3; .*separator=';'"):
        read(path, "a;3,5;hello\nb;4,5;you\n")
    assert read(path, "a;3,5;hello\nb;4,5;you\n", 3, separator=";", header=False) == ["hello", "you"]


CASES = [  # what people met: content, columns, rows that are right; a text: the error
    ("tsv", '3\tabc\t5.6\n4\t"abc"\t4.3\n5\t"error\t3.3\n', (2, 1), [("abc", "3"), ("abc", "4"), ('"error', "5")]),
    ("csv", 'Col1|Col2|Col3\nStr1|1|p\nStr2|2|"\nStr3|3|s\n', ("Col3",), "line 3: the quotation mark .* is not closed"),
    ("csv", 'a\n1\n"a"b', ("a",), "line 3: .* followed by one there"),
    ("csv", 'col1,col2\n""malformed","quotes"",', ("col1",), "line 2: "),
    ("csv", 'a,b,c\n1,"a\nb",3\n2,"c",4', ("b",), ["a\nb", "c"]),
    ("csv", 'a,b,c\n1,a"\nb",3\n2,"c",4', ("b",), "line 2: 2 cells, expected 3"),
    ("tsv", 'One\tfirst\n"Two\tsecond\nThree "x"\tthird\n', (1,), ["One", '"Two', 'Three "x"']),
    ("tsv", 'a " c\tb\n" b c\ta\n', (1, 2), [('a " c', "b"), ('" b c', "a")]),
    ("csv", '1,"hello, there"\n2,b\n', (2, 1), [("hello, there", "1"), ("b", "2")]),
    ("csv", "text\nI ate pie, ice cream, and cookies\n", (), "line 2: 3 cells, expected 1"),
    ("csv", "Etat;'Die Tochter; \"X\" ging''s'\nWeb;Kein Zitat, hier\n", (2,),
     ["Die Tochter; \"X\" ging's", "Kein Zitat, hier"]),
    ("tsv", 'id\tsentence1\n1\t" In Paris\n2\tx "\n', ("sentence1",), ['" In Paris', 'x "']),
    ("csv", '"x","1","naka , \\"who?\\" shish"\n"y","2","actual"\n', (3,), ['naka , "who?" shish', "actual"]),
    ("csv", '"a", "b"\n"Foo \\"Bar\\"", "Baz"\n"x", "y, z"\n', ("b",), ["Baz", "y, z"]),
    ("csv", '"Name","Country"\n"Peter","USA",\n"Marco","Brazil\\"\n"Maria","Mexico"\n', ("Country",),
     ["USA", "Brazil\\", "Mexico"]),
    ("csv", 'q,p\n"This is \\"quoted\\"",C:\\users\\gary\n"x",y\n', ("p",), ["C:\\users\\gary", "y"]),
    ("csv", "string;another\nMozilla (KHTML, like);Some\nOne,Not two;Two\n", ("string",),
     ["Mozilla (KHTML, like)", "One,Not two"]),
    ("csv", 'quote1,quote2\n",{"a":"b"}\n', ("quote1",), "line 2: "),
    ("csv", "x,y,date\n0,6,02/17\n3,4,03,05\n9,0,03/12\n", ("date",), "line 3: 4 cells, expected 3"),
    ("tsv", 'id\tnote\nA001\t"A friend" of Bob\nA002\tA "friend" of Bob\n', ("note",),
     ['"A friend" of Bob', 'A "friend" of Bob']),
    ("csv", "text,label\rhello,1\rb,3\r", ("text",), ["hello", "b"]),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.* read as a table with")
@pytest.mark.parametrize("case", range(len(CASES)))
def test_tables_that_people_had_trouble_with(tmp_path, case):
    ending, content, columns, expected = CASES[case]
    if isinstance(expected, str):
        with pytest.raises(CorpusError, match=expected):
            read(tmp_path / f"a.{ending}", content, *columns)
    else:
        assert read(tmp_path / f"a.{ending}", content, *columns) == expected


PARTS = ["a", "é", " ", ",", ";", "\t", "|", '"', '""', "'", "\\", "\n", "\r\n", "1,5", "word", "", '5" pipe']
DIALECTS: dict[str, dict[str, Any]] = {
    "doubled": {},
    "backslash": {"doublequote": False, "escapechar": "\\"},
    "apostrophes": {"quotechar": "'"},
}


def random_table(rng: random.Random) -> list[list[str]]:
    columns = rng.randint(2, 4)
    rows = [
        ["".join(rng.choices(PARTS, k=rng.randint(0, 4))) for _ in range(columns)] for _ in range(rng.randint(1, 30))
    ]
    return [[f"name{i}" for i in range(columns)], *rows]


def written(rows: list[list[str]], separator: str, quoting: str, style: Any, end: str) -> io.StringIO:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=separator, quoting=style, lineterminator=end, **DIALECTS[quoting]).writerows(rows)
    return io.StringIO(file.getvalue(), newline="")


STYLES = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC] * 10


@pytest.mark.parametrize("quoting", DIALECTS)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_what_the_csv_module_writes_is_read_exactly(quoting, separator):
    rng = random.Random(f"{quoting}{separator}")
    for style in STYLES:
        rows, end = random_table(rng), rng.choice(["\r\n", "\n"])
        how = TableOptions(separator=separator, quoting=quoting, header=True)
        table = Separated(written(rows, separator, quoting, style, end), "x", Dialect(",", MIXED), how)
        assert table.names == rows[0]
        assert [row for block in table.blocks() for row in block] == rows[1:]


@pytest.mark.parametrize("quoting", DIALECTS)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_without_options_rows_are_as_many_or_something_is_said(quoting, separator):
    rng = random.Random(f"{quoting}{separator}")
    exact = 0
    for style in STYLES:
        rows, end = random_table(rng), rng.choice(["\r\n", "\n"])
        found, said = attempt(written(rows, separator, quoting, style, end))
        if not said:
            assert len(found) == len(rows) - 1
            if quoting == "doubled" and separator == ",":
                assert found == rows[1:]
        exact += found == rows[1:]
    assert exact > 3 or quoting != "doubled"


def attempt(text: io.StringIO) -> tuple[list[list[str]], bool]:
    """Return the rows of a table, and whether there was a warning, or an error that helps."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = Separated(text, "x", Dialect(",", MIXED), asked=["name0"])
            return [row for block in table.blocks() for row in block], bool(caught)
        except CorpusError as error:
            return [], " line " in str(error) or "separator=" in str(error)


@pytest.mark.parametrize("index", [True, False])
def test_what_pandas_writes_for_european_spreadsheets(path, index):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install 'firth[test]'")
    texts = ["Sehr gut; wirklich", 'Er sagte "nein"', "zwei\nZeilen, ja", "so"]
    frame = pandas.DataFrame({"label": list("abab"), "wert": [1.5, 2.25, 3.0, 0.125], "text": texts})
    content = frame.to_csv(sep=";", decimal=",", index=index)
    with pytest.warns(UserWarning, match="semicolons between its cells"):
        assert read(path, content, "text", "label") == list(zip(texts, "abab", strict=True))


def test_cells_and_faults_beyond_what_is_read_at_once(path):
    long = "x" * SAMPLE
    lines = ["text,label", *(f"{i} a,b" for i in range(20_000)), f'"{long}\n{long}",c', f'"{long}, ""yes""",d', "e,f"]
    rows = read(path, "\n".join(lines), "text", "label")
    assert len(rows) == 20_003
    assert rows[-3:] == [(f"{long}\n{long}", "c"), (f'{long}, "yes"', "d"), ("e", "f")]
    lines[15_000] = '"' + lines[15_000]
    with pytest.raises(
        CorpusError, match="line 15,001: the quotation mark that opens a cell here is followed by one 5,001"
    ):
        read(path, "\n".join(lines), "text", "label")
    with pytest.warns(UserWarning, match=r"skipped 1 of 20,003 rows: line 15,001"):
        assert len(read(path, "\n".join(lines), "text", "label", on_error="skip")) == 20_002


def test_spaces_around_labels_make_no_other_class(path):
    rows = read(path, "text, label\na, ripe\nb, ripe \n c ,ripe\n", "text", "label")
    assert rows == [("a", "ripe"), ("b", "ripe"), (" c ", "ripe")]


def test_json_lines_skip_too(tmp_path):
    path = tmp_path / "a.jsonl"
    content = '{"text": "a", "label": ""}\n{"text": "b", "label": "x"}\n{"text":\n{"txt": "b", "label": "x"}\n'
    with pytest.raises(CorpusError, match=r"line 1: no label under 'label'; .*null; .*on_error='skip'"):
        read(path, content, "text", "label")
    with pytest.warns(
        UserWarning, match=r"skipped 3 of 4 rows: line 1: no label.*; line 3: not JSON .*; line 4: no column"
    ):
        assert read(path, content, "text", "label", on_error="skip") == [("b", "x")]
