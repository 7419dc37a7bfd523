"""Bad input to indexes and to the commands that use them: one sentence, and nothing half-written."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import firth as library
from firth.errors import FormatError
from firth.storage import tensors
from firth.vectors.index import files
from firth.vectors.index.graph import damage_of
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
    complaint = firth("neighbours", "other.firth", "red", "--index", index.name).complaint
    assert "v.index: an index of other vectors" in complaint
    assert "firth index" in complaint


def test_a_truncated_index(firth: Command, index):
    index.write_bytes(index.read_bytes()[:-9])
    assert "the file is cut short" in firth("neighbours", "v.firth", "red", "--index", index.name).complaint


def test_no_such_index(firth: Command, vectors):
    complaint = firth("neighbours", "v.firth", "red", "--index", "hsnw").complaint
    assert "--index hsnw: expected exact, lsh, hnsw or a file; firth index makes one" in complaint


def test_a_folder_as_an_index(firth: Command, vectors):
    assert "a folder, expected the file" in firth("neighbours", "v.firth", "red", "--index", "v.firth").complaint


def test_fewer_words_than_neighbours(firth: Command, vectors):
    for arguments in ([], ["--index", "lsh"], ["--csls"]):
        ended = firth("neighbours", "v.firth", "red", "-n", "50", "--json", *arguments)
        assert ended.status == 0
        assert len(json.loads(ended.out)["neighbours"]) == 5
        assert "50 neighbours requested; there are 5 other words" in ended.err


@pytest.mark.parametrize("arguments", [["-n", "0"], ["-n", "-3", "--index", "lsh"]])
def test_no_neighbours_asked_for(firth: Command, vectors, arguments):
    assert "expected a whole number of at least 1" in firth("neighbours", "v.firth", "red", *arguments).complaint


def test_csls_of_another_kind(firth: Command, vectors):
    assert "--csls with --index lsh" in firth("neighbours", "v.firth", "red", "--index", "lsh", "--csls").complaint


def test_csls_of_one_word(firth: Command):
    library.WordVectors(["red"], np.ones((1, 3), dtype=np.float32)).save(firth.folder / "one.firth")
    assert "among 1 vectors" in firth("neighbours", "one.firth", "red", "--csls").complaint


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
        (["--kind", "lsh", "--tables", "0", "-o", "x"], "--tables 0: expected a whole number from 1 to 1024"),
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
    ended = firth("neighbours", "elsewhere.firth", "red", "--index", index.name, "-n", "2", "--json")
    assert len(json.loads(ended.out)["neighbours"]) == 2


def tamper(path: Path, **arrays: object) -> None:
    """Put other arrays into an index, and a seal that fits: it needs no key."""
    kept = {name: np.array(array) for name, array in tensors.mapped(path).items() if name != "seal"}
    whole = kept | {name: np.asarray(array) for name, array in arrays.items()}
    whole["seal"] = files._seal(whole)
    with path.open("wb") as out:
        tensors.write(out, whole, {name: array.dtype for name, array in whole.items()})


def array_of(path: Path, name: str) -> np.ndarray:
    return np.array(tensors.mapped(path)[name])


@pytest.mark.parametrize(
    ("name", "place", "number", "complaint"),
    [
        ("order", (0, 2), 2**31 - 1, "table 0 does not contain every vector once"),
        ("order", (1, 0), -7, "table 1 does not contain every vector once"),
        ("order", (0, slice(None)), 3, "table 0 does not contain every vector once"),
        ("starts", (0, -1), 2**31 - 1, "the buckets of table 0 do not follow one another"),
        ("starts", (1, 1), 2**30, "the buckets of table 1 do not follow one another"),
        ("starts", (0, 0), -5, "the buckets of table 0 do not follow one another"),
        ("planes", (0, 0), np.nan, "hyperplanes that are not finite"),
        ("centre", 1, np.inf, "hyperplanes that are not finite"),
    ],
)
def test_hyperplanes_whose_tables_lead_astray(vectors, index, name, place, number, complaint):
    """Rows and buckets out of range were once followed by compiled code, wherever they led."""
    array = array_of(index, name)
    array[place] = number
    tamper(index, **{name: array})
    with pytest.raises(FormatError, match=f"v.index: a damaged index, {complaint}.*build it anew"):
        library.load_index(index, vectors)


def test_hyperplanes_of_another_type_or_shape(vectors, index):
    whole = {name: array_of(index, name) for name in ("order", "starts", "planes", "centre")}
    for name, array in whole.items():
        for other in (array.astype(np.float64), array[:-1], array.reshape(-1, 1)):
            tamper(index, **(whole | {name: other}))
            with pytest.raises(FormatError, match=f"array '{name}' is float64|array '{name}' is .* of shape"):
                library.load_index(index, vectors)


def test_surroundings_that_are_none(vectors, tmp_path):
    path = tmp_path / "exact.index"
    vectors.index("exact", csls=2).save(path)
    for around in (np.full(6, np.nan, np.float32), np.zeros(5, np.float32), np.full(6, 2.0, np.float32)):
        tamper(path, around=around)
        with pytest.raises(FormatError, match="a damaged index, surroundings of shape"):
            library.load_index(path, vectors)


@pytest.mark.parametrize(
    "about", [b"no json", b"[]", b"{}", b'{"version": 1, "kind": ["lsh"], "options": {}, "vectors": ""}', b"[" * 50_000]
)
def test_an_index_that_does_not_say_what_it_is(vectors, index, about):
    tamper(index, about=np.frombuffer(about, np.uint8))
    with pytest.raises(FormatError, match="does not say what kind it is"):
        library.load_index(index, vectors)


class TestGraphs:
    """A graph goes to usearch, which believes every number in it, only after each was looked at."""

    @pytest.fixture
    def graph(self, tmp_path):
        pytest.importorskip("usearch", reason="usearch is not installed: pip install 'firth[ann]'")
        words = [f"w{i}" for i in range(60)]
        vectors = library.WordVectors(words, np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32))
        vectors.index("hnsw", connectivity=3).save(tmp_path / "g.index")
        return vectors, tmp_path / "g.index"

    def test_one_that_usearch_made_is_sound(self, graph):
        vectors, path = graph
        assert damage_of(array_of(path, "graph"), vectors.vectors, 3) == ""
        assert len(library.load_index(path, vectors)) == 60

    def test_every_number_that_leads_somewhere(self, graph):
        """Four bytes of ones, at each number behind the vectors but the version: none is followed."""
        vectors, path = graph
        whole = array_of(path, "graph")
        head = 8 + 4 * 60 * 3
        free = {head + place for place in (7, 8, 9, 10, 11, 12)} | set(range(head + 34, head + 64))
        refused = 0
        for place in range(head, len(whole) - 4, 1):
            changed = whole.copy()
            changed[place : place + 4] = 255
            spoilt = damage_of(changed, vectors.vectors, 3)
            refused += bool(spoilt)
            if place < head + 104 + 120 and not set(range(place, place + 4)) & free:
                assert spoilt, place - head
        assert refused > 0.8 * (len(whole) - head)  # the rest is room for neighbours that is not used

    @pytest.mark.parametrize("cut", [0, 7, 100, 900, -1])
    def test_one_that_is_cut_short(self, graph, cut):
        vectors, path = graph
        tamper(path, graph=array_of(path, "graph")[:cut])
        with pytest.raises(FormatError, match=r"g\.index: a damaged index, .*build it anew"):
            library.load_index(path, vectors)

    def test_one_of_other_vectors(self, graph):
        vectors, path = graph
        changed = array_of(path, "graph")
        changed[8:12] = np.frombuffer(np.float32(0.5).tobytes(), np.uint8)
        tamper(path, graph=changed)
        with pytest.raises(FormatError, match="a graph of other vectors from 0 on"):
            library.load_index(path, vectors)
