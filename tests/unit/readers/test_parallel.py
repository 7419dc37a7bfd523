"""Parallel texts from every layout, and what is left out of them."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from firth.errors import ArgumentTypeError, FormatError, MissingFileError, OptionError, ShapeError
from firth.readers.parallel import read_parallel

PAIRS = (("ein Hund", "a dog"), ("zwei\u2028Katzen", "two cats"), ("ja", "yes"))
SOURCES, TARGETS = zip(*PAIRS, strict=True)


def check(texts):
    assert texts.sources == SOURCES
    assert texts.targets == TARGETS


def test_two_files(tmp_path):
    (tmp_path / "train.de").write_text("\n".join(SOURCES) + "\n", encoding="utf-8", newline="")
    with gzip.open(tmp_path / "train.en.gz", "wt", encoding="utf-8") as file:
        file.write("\r\n".join(TARGETS))
    check(read_parallel(tmp_path / "train.de", str(tmp_path / "train.en.gz")))


def test_two_lists():
    check(read_parallel((list(SOURCES), list(TARGETS))))
    both = ["ein Hund", "ja"], ["a dog", "yes"]
    assert read_parallel(both).sources == ("ein Hund", "ja")  # a tuple of two lists: the sides
    assert read_parallel(list(both)).sources == ("ein Hund", "a dog")  # a list of pairs
    with pytest.raises(ShapeError, match="2 sources and 3 targets"):
        read_parallel((["a", "b"], ["c", "d", "e"]))


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_moses(tmp_path, ending):
    opened = gzip.open if ending else open
    for language, texts in (("de", SOURCES), ("en", TARGETS)):
        with opened(tmp_path / f"corpus.tok.{language}{ending}", "wt", encoding="utf-8") as file:
            file.write("\n".join(texts))
    check(read_parallel(tmp_path / "corpus.tok", languages=("de", "en")))


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("\n".join("\t".join(pair) for pair in PAIRS), {}),
        ("\n".join("\t".join([*pair, "CC-BY"]) for pair in PAIRS), {}),
        ("target\tid\tsource\n" + "\n".join("\t".join([b, "1", a]) for a, b in PAIRS), {}),
        ("English\tDeutsch\n" + "\n".join("\t".join([b, a]) for a, b in PAIRS), {"columns": ("Deutsch", "english")}),
        ("\n".join(json.dumps({"source": a, "target": b}) for a, b in PAIRS), {}),
        ("\n".join(json.dumps({"de": a, "en": b}) for a, b in PAIRS), {"columns": ("de", "en")}),
        ("\n".join(json.dumps({"document": a, "summary": b}) for a, b in PAIRS), {}),
        (
            "\n".join(json.dumps({"id": "1", "translation": {"en": b, "de": a}}) for a, b in PAIRS),
            {"languages": ("de", "en")},
        ),
    ],
)
def test_one_file(tmp_path, content, options):
    path = tmp_path / "pairs.txt"
    path.write_text(content + "\n\n", encoding="utf-8")
    check(read_parallel(path, **options))


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("source;target\n", {"separator": ";"}),
        ("source,target\n", {}),
        ("de,en\n", {"columns": ("de", "en")}),
        ("", {"header": False, "separator": ","}),
        ("", {"columns": (1, 2)}),
        ("Deutsch,Englisch\n", {"columns": (1, 2), "header": True}),
    ],
)
def test_tables_in_other_ways(tmp_path, content, options):
    path, separator = tmp_path / "pairs.csv", options.get("separator", ",")
    rows = [separator.join(f'"{side}"' for side in pair) for pair in PAIRS]
    path.write_text(content + "\n".join(rows), encoding="utf-8")
    check(read_parallel(path, **options))
    path.write_text(content + "\n".join([*rows, "lost", f"{rows[0]}{separator}more"]), encoding="utf-8")
    with pytest.warns(UserWarning, match="skipped 2 of "):
        check(read_parallel(path, on_error="skip", **options))


def test_quotation_marks_in_tables_of_tabs_are_text(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text('"Hallo\t"Hello\n"Ja"\t"Yes"\n', encoding="utf-8")
    assert read_parallel(path).sources == ('"Hallo', '"Ja"')
    assert read_parallel(path, quoting="none").targets == ('"Hello', '"Yes"')
    path.write_text('"Hallo\tdu"\t"Hello\nyou"\n', encoding="utf-8")
    assert read_parallel(path, quoting="doubled").sources == ("Hallo\tdu",)


def test_tmx(tmp_path):
    path = tmp_path / "memory.tmx"
    path.write_text(
        """<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header srclang="en"/><body>
        <tu><tuv xml:lang="en-GB"><seg>a <bpt i="1">&lt;b&gt;</bpt>dog</seg></tuv>
            <tuv xml:lang="DE"><seg>ein Hund</seg></tuv></tu>
        <tu><tuv lang="en"><seg>yes</seg></tuv><tuv lang="fr"><seg>oui</seg></tuv></tu>
        <tu><tuv xml:lang="de"><seg>ja</seg></tuv><tuv xml:lang="en"><seg>yes
        sir</seg></tuv></tu></body></tmx>""",
        encoding="utf-8",
    )
    with pytest.warns(UserWarning, match=r"memory\.tmx: 1 of 3 pairs left out, because one side is empty"):
        texts = read_parallel(path, languages=("de", "en"))
    assert texts.sources == ("ein Hund", "ja")
    assert texts.targets == ("a <b>dog", "yes sir")
    assert texts.dropped == {"empty": 1}
    with pytest.warns(UserWarning, match="2 of 3 pairs left out"):
        assert read_parallel(path, languages=("en", "fr")).sources == ("yes",)
    with pytest.raises(OptionError, match="which languages"):
        read_parallel(path)


def test_python_objects():
    check(read_parallel(list(PAIRS)))
    check(read_parallel(list(SOURCES), TARGETS))
    check(read_parallel(read_parallel(list(PAIRS))))
    assert read_parallel(list(PAIRS)).reversed().sources == TARGETS


def test_what_is_left_out():
    pairs = [("a b", "c"), ("", "x"), ("y", "  "), ("a b", "c"), ("1 2 3 4", "5"), ("a " * 9, "b " * 9)]
    with pytest.warns(
        UserWarning, match="pairs: 2 of 6 pairs left out, because one side is empty; the first is pair 2"
    ):
        texts = read_parallel(pairs)
    assert texts.dropped == {"empty": 2}
    cleaned = texts.cleaned(max_length=8, max_ratio=2, duplicates=False)
    assert list(zip(cleaned.sources, cleaned.targets, strict=True)) == [("a b", "c")]
    assert cleaned.dropped == {"empty": 2, "duplicate": 1, "ratio": 1, "long": 1}
    for wrong in ({"max_length": 0}, {"max_ratio": 0.5}):
        with pytest.raises(OptionError, match="expected at least 1"):
            texts.cleaned(**wrong)


@pytest.mark.parametrize(
    ("content", "options", "error", "message"),
    [
        ("", {}, FormatError, "no pair of texts"),
        ("a\t\n", {}, FormatError, "no pair of texts"),
        ("a\tb\nc\n", {}, FormatError, "line 2: 1 cell, expected 2 as in the first row"),
        ("source\ttarget\na\n", {}, FormatError, "line 2: 1 cell"),
        ("x\tsource\ttarget\na\tb\n", {}, FormatError, "line 2: 2 cells, expected 3"),
        ("a\tb\n", {"columns": ("de", "en")}, OptionError, "no column 'de'; expected one of a, b"),
        ('{"source": "a"}\n', {}, FormatError, "line 1: the keys source; expected texts under source and target"),
        ('{"source": "a", "target": 3}\n', {}, FormatError, "line 1"),
        ('{"source": "a"\n', {}, FormatError, "line 1.*expected JSON lines"),
        ('{"translation": {"de": "a", "en": "b"}}\n', {}, OptionError, "which languages"),
        ('{"translation": {"de": "a"}}\n', {"languages": ("de", "en")}, FormatError, "expected texts under de and en"),
    ],
)
def test_damaged_files(tmp_path, content, options, error, message):
    (tmp_path / "pairs.txt").write_text(content, encoding="utf-8")
    with pytest.raises(error, match=message):
        read_parallel(tmp_path / "pairs.txt", **options)


def test_files_of_different_length(tmp_path):
    (tmp_path / "a").write_text("1\n2\n3\n", encoding="utf-8")
    (tmp_path / "b").write_text("1\n2\n", encoding="utf-8")
    with pytest.raises(ShapeError, match="3 sources and 2 targets"):
        read_parallel(tmp_path / "a", tmp_path / "b")


def test_a_damaged_tmx(tmp_path):
    (tmp_path / "m.tmx").write_text("<tmx><tu>", encoding="utf-8")
    with pytest.raises(FormatError, match=r"m\.tmx: .*expected TMX"):
        read_parallel(tmp_path / "m.tmx", languages=("de", "en"))


@pytest.mark.parametrize("source", [3, b"a", {"a": "b"}, ["text"], [("a", "b", "c")], [("a", 3)]])
def test_other_kinds(source):
    with pytest.raises(ArgumentTypeError):
        read_parallel(source)
    with pytest.raises(ArgumentTypeError, match="targets"):
        read_parallel(["a"], 3)
    with pytest.raises(ArgumentTypeError, match="targets, text 1"):
        read_parallel(["a"], [3])


def test_entities_that_grow_are_refused(tmp_path):
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    (tmp_path / "m.tmx").write_text(
        f'<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY e0 "{"x" * 1000}">{entities}]>'
        '<tmx><tu><tuv lang="de"><seg>&e9;</seg></tuv></tu></tmx>',
        encoding="utf-8",
    )
    with pytest.raises(FormatError, match="limit on input amplification"):
        read_parallel(tmp_path / "m.tmx", languages=("de", "en"))


def test_public_files(shared_data):
    texts = read_parallel(shared_data / "parallel" / "multi30k" / "test_2016_flickr", languages=("de", "en"))
    assert len(texts) == 1_000
    assert texts.sources[0] == "Ein Mann mit einem orangefarbenen Hut, der etwas anstarrt."
    assert texts.targets[0] == "A man in an orange hat starring at something."


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": "b"}, r"such as list\(pairs.items\(\)\)"),
        (
            pd.DataFrame({"de": ["a"], "en": ["b"]}),
            r"columns 'de', 'en'; .*list\(zip\(table\['de'\], table\['en'\]\)\)",
        ),
        ([("a", "b"), ("a", None)], "pairs, pair 2: target=None; expected a text"),
        ([("a",)], r"pairs, pair 1=\('a',\) is a tuple; expected a pair of texts: \(source, target\)"),
        ([Path("a"), Path("b"), Path("c")], r"pairs: 3 files \(a, b, c\); expected one of pairs, or two"),
    ],
)
def test_what_holds_no_pairs_is_said(given, message):
    with pytest.raises(ArgumentTypeError, match=message):
        read_parallel(given)


def test_rows_of_an_array_are_pairs():
    assert read_parallel(np.array([["a", "b"], ["c", "d"]], dtype=object)).targets == ("b", "d")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MissingFileError, match="No such file or directory; expected a file of texts"):
        read_parallel(tmp_path / "a.tsv")
    with pytest.raises(MissingFileError):
        read_parallel(tmp_path / "a", tmp_path / "b")


def test_options_that_fit_no_table_are_refused(tmp_path):
    for name, content in (("a.de", "a\n"), ("a.en", "b\n"), ("a.jsonl", '{"source": "a", "target": "b"}\n')):
        (tmp_path / name).write_text(content)
    with pytest.raises(
        OptionError, match=r"separator=';': says how tables of pairs are written, and .*a\.jsonl is none"
    ):
        read_parallel(tmp_path / "a.jsonl", separator=";")
    with pytest.raises(OptionError, match=r"header=True: .*a\.de with .*a\.en is none of them"):
        read_parallel(tmp_path / "a", languages=("de", "en"), header=True)
    with pytest.raises(OptionError, match=r"columns=\(1, 2\): expected one file of pairs"):
        read_parallel(["a"], ["b"], columns=(1, 2))


def test_damaged_json_lines_can_be_skipped(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"source": "a", "target": "b"}\n{"source": 1}\n{"s\n[]\n')
    with pytest.raises(FormatError, match=r"line 2: the keys source; expected .*on_error='skip'"):
        read_parallel(path)
    with pytest.warns(UserWarning, match="skipped 3 of 4 pairs: line 2: the keys"):
        assert read_parallel(path, on_error="skip").sources == ("a",)
