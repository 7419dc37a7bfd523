"""Indexes on disk: the same answers, and no others."""

import numpy as np
import pytest

import firth
from firth.errors import FormatError
from firth.storage import tensors
from firth.vectors.index import files


@pytest.fixture
def vectors():
    words = [f"w{i}" for i in range(300)]
    return firth.WordVectors(words, np.random.default_rng(0).normal(size=(300, 12)).astype(np.float32))


@pytest.mark.parametrize(
    ("kind", "options"),
    [("exact", {}), ("exact", {"csls": 5}), ("lsh", {"tables": 3, "probes": 9, "seed": 4}), ("hnsw", {})],
)
def test_round_trip(kind, options, vectors, tmp_path):
    if kind == "hnsw":
        pytest.importorskip("usearch", reason="usearch is not installed: pip install 'firth[ann]'")
    index = vectors.index(kind, **options)
    index.save(tmp_path / "words.index")
    again = firth.load_index(tmp_path / "words.index", vectors)
    assert (again.kind, again.options) == (index.kind, index.options)
    for asked in (["w0", "w299"], np.random.default_rng(1).normal(size=(20, 12))):
        before, after = index.query(asked, 7), again.query(asked, 7)
        assert np.array_equal(before.rows, after.rows)
        assert np.array_equal(before.scores, after.scores, equal_nan=True)
        assert np.array_equal(before.scanned, after.scanned)


def test_a_fingerprint_tells_vectors_apart(vectors):
    before = files.fingerprint(vectors)
    copy = firth.WordVectors(vectors.words, vectors.vectors.copy())
    assert files.fingerprint(copy) == before
    copy.vectors[137, 5] = np.nextafter(copy.vectors[137, 5], 9, dtype=np.float32)
    swapped = vectors.words[:-2] + vectors.words[:-3:-1]
    for other in (
        copy,
        firth.WordVectors(swapped, vectors.vectors),
        firth.WordVectors(vectors.words, vectors.vectors.astype(np.float64)),
        firth.WordVectors(vectors.words[:-1], vectors.vectors[:-1]),
    ):
        assert files.fingerprint(other) != before


def test_a_mapped_file_has_the_same_fingerprint(vectors, tmp_path):
    vectors.save(tmp_path / "v.firth")
    assert files.fingerprint(firth.load(tmp_path / "v.firth")) == files.fingerprint(vectors)


def test_another_safetensors_file(vectors, tmp_path):
    with (tmp_path / "x").open("wb") as out:
        tensors.write(out, {"a": np.arange(3)}, {"a": np.int64})
    with pytest.raises(FormatError, match="no index of firth's"):
        firth.load_index(tmp_path / "x", vectors)


def test_a_version_to_come(vectors, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "VERSION", 99)
    vectors.index().save(tmp_path / "x")
    monkeypatch.undo()
    with pytest.raises(FormatError, match="an index of version 99, expected 1"):
        firth.load_index(tmp_path / "x", vectors)


def test_nothing_is_left_of_a_save_that_fails(vectors, tmp_path, monkeypatch):
    index = vectors.index("lsh")
    index.save(tmp_path / "x")
    before = (tmp_path / "x").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tensors, "write", full)
    with pytest.raises(OSError, match="No space"):
        index.save(tmp_path / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_bytes() == before
