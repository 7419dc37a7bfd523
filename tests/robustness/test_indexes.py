"""Bad input to indexes and to the commands that use them: one sentence, and nothing half-written."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import firth as library
from firth.errors import FormatError
from tests.robustness.command import Command

WORDS = ["red", "blue", "green", "house", "garden", "tree"]


def make(path: Path, seed: int = 0) -> library.WordVectors:
    rows = np.random.default_rng(seed).normal(size=(6, 4)).astype(np.float32)
    vectors = library.WordVectors(WORDS, rows)
    vectors.save(path)
    return vectors


@pytest.fixture
def vectors(tmp_path: Path) -> library.WordVectors:
    return make(tmp_path / "v.firth")


@pytest.fixture
def index(vectors: library.WordVectors, tmp_path: Path) -> Path:
    vectors.index("lsh", tables=2).save(tmp_path / "v.index")
    return tmp_path / "v.index"


def test_a_file_cut_short_anywhere(vectors, index, tmp_path):
    whole = index.read_bytes()
    for size in [*range(0, len(whole), 97), len(whole) - 1]:
        index.write_bytes(whole[:size])
        with pytest.raises(FormatError, match=r"cut short|damaged|header"):
            library.load_index(index, vectors)


def test_a_damaged_byte_anywhere(vectors, index):
    whole = index.read_bytes()
    length = 8 + int.from_bytes(whole[:8], "little")
    for place in [*range(length, len(whole), 53), len(whole) - 1]:
        index.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(FormatError, match="damaged index"):
            library.load_index(index, vectors)


def test_the_index_of_another_model(firth: Command, index):
    make(firth.folder / "other.firth", seed=1)
    complaint = firth("neighbors", "other.firth", "red", "--index", index.name).complaint
    assert "v.index: an index of other vectors" in complaint
    assert "firth index" in complaint


def test_a_truncated_index(firth: Command, index):
    index.write_bytes(index.read_bytes()[:-9])
    assert "the file is cut short" in firth("neighbors", "v.firth", "red", "--index", index.name).complaint


def test_no_such_index(firth: Command, vectors):
    complaint = firth("neighbors", "v.firth", "red", "--index", "hsnw").complaint
    assert "--index hsnw: neither exact, lsh, hnsw nor a file; firth index makes one" in complaint


def test_a_folder_as_an_index(firth: Command, vectors):
    assert "a folder, expected the file" in firth("neighbors", "v.firth", "red", "--index", "v.firth").complaint


def test_fewer_words_than_neighbours(firth: Command, vectors):
    for arguments in ([], ["--index", "lsh"], ["--csls"]):
        ended = firth("neighbors", "v.firth", "red", "-n", "50", "--json", *arguments)
        assert ended.status == 0
        assert len(json.loads(ended.out)["neighbors"]) == 5
        assert "50 neighbours asked for; there are 5 other words" in ended.err


@pytest.mark.parametrize("arguments", [["-n", "0"], ["-n", "-3", "--index", "lsh"]])
def test_no_neighbours_asked_for(firth: Command, vectors, arguments):
    assert "expected a whole number of at least 1" in firth("neighbors", "v.firth", "red", *arguments).complaint


def test_csls_of_another_kind(firth: Command, vectors):
    assert "--csls with --index lsh" in firth("neighbors", "v.firth", "red", "--index", "lsh", "--csls").complaint


def test_csls_of_one_word(firth: Command):
    library.WordVectors(["red"], np.ones((1, 3), dtype=np.float32)).save(firth.folder / "one.firth")
    assert "among 1 vectors" in firth("neighbors", "one.firth", "red", "--csls").complaint


def test_nan_in_the_vectors(firth: Command):
    rows = np.ones((6, 3), dtype=np.float32)
    rows[2, 1] = np.nan
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(WORDS, rows.tolist(), strict=True)]
    (firth.folder / "nan.txt").write_text("\n".join(lines), encoding="utf-8")
    ended = firth("index", "nan.txt", "--kind", "lsh", "-o", "nan.index")
    assert "nan.txt" in ended.complaint
    assert not (firth.folder / "nan.index").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--kind", "lsh"], "give -o FILE, or --compare"),
        (["--kind", "annoy", "-o", "x"], "expected one of exact, lsh, hnsw"),
        (["--kind", "lsh", "--connectivity", "8", "-o", "x"], "an index of kind lsh has tables, bits, probes"),
        (["--kind", "lsh", "--tables", "0", "-o", "x"], "tables=0: expected a whole number from 1 to 1024"),
        (["--kind", "lsh", "-o", "v.firth"], "v.firth is a folder"),
        (["--compare", "--tables", "3"], "--tables with --compare"),
        (["--compare"], "1000 queries of 6 words: expected from 1 to 4"),
        (["--compare", "-n", "0"], "-n 0"),
    ],
)
def test_bad_arguments_of_index(firth: Command, vectors, arguments, told):
    assert told in firth("index", "v.firth", *arguments).complaint
    assert not (firth.folder / "x").exists()


def test_a_folder_that_cannot_be_written(firth: Command, vectors):
    (firth.folder / "file").write_text("x")
    assert firth("index", "v.firth", "--kind", "lsh", "-o", "file/x").complaint


def test_the_vectors_moved_but_not_changed(firth: Command, vectors, index):
    shutil.move(firth.folder / "v.firth", firth.folder / "elsewhere.firth")
    ended = firth("neighbors", "elsewhere.firth", "red", "--index", index.name, "-n", "2", "--json")
    assert len(json.loads(ended.out)["neighbors"]) == 2
