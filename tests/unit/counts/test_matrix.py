"""The matrix of counts as an object and as a folder."""

import json

import numpy as np
import pytest

import firth
from firth.counts.matrix import CooccurrenceMatrix
from firth.errors import CorpusError, FormatError, OptionError, UnknownWordError
from firth.storage import checksums


@pytest.fixture
def matrix(corpus, tmp_path):
    return firth.Cooccurrence(window=3).count(corpus, cache=tmp_path / "cache")


def test_a_folder_of_something_else_is_never_replaced(matrix, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("cat")
    with pytest.raises(OptionError, match="photos is a folder of something else"):
        matrix.save(tmp_path / "photos")
    matrix.save(tmp_path / "counts")
    (tmp_path / "counts" / "notes").write_text("mine")
    matrix.save(tmp_path / "counts")
    assert (tmp_path / "counts" / "notes").read_text() == "mine"
    assert (tmp_path / "photos" / "cat.jpg").read_text() == "cat"


def test_saved_and_opened(matrix, tmp_path):
    matrix.save(tmp_path / "counts")
    again = CooccurrenceMatrix.open(tmp_path / "counts")
    assert list(again.vocabulary.words) == list(matrix.vocabulary.words)
    assert (again.fingerprint, again.half, again.options) == (matrix.fingerprint, True, matrix.options)
    for name in ("rows", "columns", "values"):
        np.testing.assert_array_equal(getattr(again, name), getattr(matrix, name))
    assert repr(again) == repr(matrix)
    assert "lower half" in again._repr_html_()


def test_no_count_above_the_cap(matrix):
    capped = matrix.capped(0.75)
    np.testing.assert_allclose(capped.to_scipy().toarray(), np.minimum(matrix.to_scipy().toarray(), 0.75))
    assert capped.fingerprint != matrix.fingerprint
    with pytest.raises(OptionError, match="maximum=0"):
        matrix.capped(0)


def test_unknown_word(matrix):
    with pytest.raises(UnknownWordError, match="'bird' is not in the vocabulary"):
        matrix["the", "bird"]


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("part", ["rows.bin", "columns.bin", "values.bin"])
def test_a_truncated_part_is_named(matrix, tmp_path, part):
    matrix.save(tmp_path / "counts")
    file = tmp_path / "counts" / part
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(FormatError, match=rf"{part}: \d+ bytes, expected \d+; count again"):
        CooccurrenceMatrix.open(tmp_path / "counts")


@pytest.mark.usefixtures("without_checksums")
def test_rows_out_of_order_are_seen(matrix, tmp_path):
    matrix.save(tmp_path / "counts")
    file = tmp_path / "counts" / "rows.bin"
    rows = np.fromfile(file, "<i8")
    rows[2] = rows[3] + 1
    file.write_bytes(rows.tobytes())
    with pytest.raises(FormatError, match="rows do not follow one another"):
        CooccurrenceMatrix.open(tmp_path / "counts")


@pytest.mark.usefixtures("without_checksums")
def test_columns_out_of_range_are_seen(matrix, tmp_path):
    matrix.save(tmp_path / "counts")
    file = tmp_path / "counts" / "columns.bin"
    columns = np.fromfile(file, "<i4")
    columns[1] = 1000
    file.write_bytes(columns.tobytes())
    with pytest.raises(FormatError, match="word 1000 of 8"):
        CooccurrenceMatrix.open(tmp_path / "counts")


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, -1.0])
def test_counts_that_are_none_are_seen(matrix, tmp_path, bad):
    matrix.save(tmp_path / "counts")
    file = tmp_path / "counts" / "values.bin"
    values = np.fromfile(file, "<f4")
    values[3] = bad
    file.write_bytes(values.tobytes())
    with pytest.raises(FormatError, match=r"values\.bin: damaged"):
        CooccurrenceMatrix.open(tmp_path / "counts")


@pytest.mark.usefixtures("without_checksums")
def test_a_damaged_manifest_is_named(matrix, tmp_path):
    matrix.save(tmp_path / "counts")
    file = tmp_path / "counts" / "cooccurrence.json"
    facts = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**facts, "version": 99}), "utf-8")
    with pytest.raises(FormatError, match="version 99; expected 'firth cooccurrence' version 1"):
        CooccurrenceMatrix.open(tmp_path / "counts")
    file.write_text("{", "utf-8")
    with pytest.raises(FormatError, match="damaged"):
        CooccurrenceMatrix.open(tmp_path / "counts")


def test_no_matrix_there(tmp_path):
    with pytest.raises(CorpusError, match="expected counted co-occurrences"):
        CooccurrenceMatrix.open(tmp_path)


@pytest.mark.parametrize(
    ("part", "place", "number", "complaint"),
    [
        ("rows", 1, 2**62, "its rows do not follow one another"),
        ("rows", 1, -(2**63), "its rows do not follow one another"),  # differences that wrap round look like none
        ("columns", 0, 2**30, "it names word"),
        ("columns", 0, -1, "it names word -1"),
        ("columns", -1, 0, "the words of a row do not ascend"),
        ("columns", 0, 3, "the words of a row do not ascend"),  # above the diagonal of a matrix that keeps one half
        ("values", 0, np.nan, "a count is not a positive finite number"),
    ],
)
def test_numbers_that_lead_astray(tmp_path, part, place, number, complaint):
    """Compiled code that mirrors the lower half once wrote wherever these pointed."""
    corpus = firth.Corpus.build(["a b c d", "b a", "d c a"], min_count=1, cache=tmp_path / "c", tokens="whitespace")
    folder = tmp_path / "counts"
    firth.Cooccurrence(window=3).count(corpus, cache=tmp_path / "cache").save(folder)
    file = folder / f"{part}.bin"
    numbers = np.fromfile(file, {"rows": "<i8", "columns": "<i4", "values": "<f4"}[part])
    numbers[place] = number
    numbers.tofile(file)
    (folder / "checksums.json").unlink(missing_ok=True)
    with pytest.raises(FormatError, match=rf"{part}\.bin: damaged, {complaint}.*count again"):
        CooccurrenceMatrix.open(folder)


FILES = [
    "rows.bin", "columns.bin", "values.bin", "cooccurrence.json", "vocabulary.txt", "counts.bin", "checksums.json",
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_each_bit_counts(matrix, tmp_path, name):
    matrix.save(tmp_path / "counts")
    assert sorted(file.name for file in (tmp_path / "counts").iterdir()) == sorted(FILES)
    file = tmp_path / "counts" / name
    whole = file.read_bytes()
    bits = range(5, 8 * len(whole), 83)
    refused = 0
    for bit in bits:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        file.write_bytes(flipped)
        try:
            again = CooccurrenceMatrix.open(tmp_path / "counts")
            np.testing.assert_array_equal(again.to_scipy().toarray(), matrix.to_scipy().toarray())
        except FormatError as error:
            refused += str(error).startswith(f"{file}: ")
    assert refused > (0.8 if name == "checksums.json" else 0.999) * len(bits)


def swap_columns(columns, rows):
    row = int(np.flatnonzero(np.diff(rows) > 1)[0])
    columns[[rows[row], rows[row] + 1]] = columns[[rows[row] + 1, rows[row]]]


def repeat_a_column(columns, rows):
    row = int(np.flatnonzero(np.diff(rows) > 1)[0])
    columns[rows[row]] = columns[rows[row] + 1]


def above_the_diagonal(columns, rows):
    row = int(np.flatnonzero(np.diff(rows))[0])
    columns[rows[row + 1] - 1] = row + 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap_columns, "the words of a row do not ascend"),
        (repeat_a_column, "the words of a row do not ascend"),
        (above_the_diagonal, "the words of a row do not ascend"),
    ],
)
def test_columns_that_kernels_would_trust(matrix, tmp_path, change, message):
    assert matrix.half
    matrix.save(tmp_path / "counts")
    columns = np.fromfile(tmp_path / "counts" / "columns.bin", "<i4")
    change(columns, matrix.rows)
    (tmp_path / "counts" / "columns.bin").write_bytes(columns.tobytes())
    checksums.write(tmp_path / "counts")
    with pytest.raises(FormatError, match=rf"columns\.bin: damaged, {message}; count again"):
        CooccurrenceMatrix.open(tmp_path / "counts")


@pytest.mark.parametrize("facts", [{"cells": -1}, {"half": 1}, {"options": []}, {"fingerprint": 1}, {"total": 2**70}])
def test_facts_made_by_somebody_else(matrix, tmp_path, facts):
    matrix.save(tmp_path / "counts")
    file = tmp_path / "counts" / "cooccurrence.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **facts}))
    checksums.write(tmp_path / "counts")
    with pytest.raises(FormatError, match=r"cooccurrence\.json: damaged"):
        CooccurrenceMatrix.open(tmp_path / "counts")


def test_counts_and_their_models_keep_the_rule_of_the_words(tmp_path):
    """Models of counts find words by the rule of the text, as those of a corpus do."""
    text = ["ığdır IŞIK kül", "ışık kül ığdır"] * 20
    counts = firth.Cooccurrence(window=2).count(text, min_count=1, language="tr", cache=tmp_path / "cache")
    assert counts.rules == {"tokens": "words:tr", "language": "tr"}
    counts.save(tmp_path / "counts")
    opened = CooccurrenceMatrix.open(tmp_path / "counts").capped(100)
    assert opened["IŞIK", "kül"] == counts["ışık", "kül"] > 0
    vectors = [
        firth.GloVe(dim=2, epochs=1).train(opened),
        firth.AssociationVectors(association="ppmi", dim=2).train(opened),
        firth.AssociationVectors(association="ppmi", dim=2).train(
            text, min_count=1, language="tr", cache=tmp_path / "cache"
        ),
    ]
    for each in vectors:
        assert each.metadata["training"]["rules"] == counts.rules
        assert "IŞIK" in each
    # The same words by another rule: nothing of the first is kept.
    plain = [sentence.lower().replace("i", "ı") for sentence in text]
    with pytest.warns(UserWarning, match="dotless ı of Turkish"):
        same = firth.Cooccurrence(window=2).count(plain, min_count=1, cache=tmp_path / "cache")
    assert same.rules == {"tokens": "words"}
