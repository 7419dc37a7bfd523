"""Maps: places, groups, and slow maps that are computed once."""

import base64
import io
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from firth.errors import MissingExtraError, OptionError
from firth.explorer import maps as module
from firth.explorer.maps import Maps
from firth.plots import word_groups
from firth.plots.map_page import packed
from firth.plots.projection import project
from firth.vectors.cosine import unit


def clustered(words=120):
    random = np.random.default_rng(0)
    centres = 4 * random.standard_normal((3, 6))
    rows = centres[np.arange(words) % 3] + 0.3 * random.standard_normal((words, 6))
    return firth.WordVectors([f"w{number}" for number in range(words)], rows.astype("f4"))


def test_principal_components_are_those_of_plots(tmp_path):
    vectors = clustered()
    maps = Maps({"a": vectors}, tmp_path)
    places, said = maps.positions("a", "pca")
    expected, caption = project(unit(np.asarray(vectors.vectors)).astype(np.float64), "pca")
    np.testing.assert_allclose(places, expected, atol=1e-5)
    assert said == caption
    assert list(tmp_path.iterdir()) == []


def test_groups_are_clusters(tmp_path, monkeypatch):
    monkeypatch.setattr(word_groups, "GROUPS", 3)
    monkeypatch.setattr(word_groups, "LEARNED", 60)
    groups = Maps({"a": clustered()}, tmp_path).groups("a")
    assert len({tuple(groups.labels[start::3].tolist()) for start in range(3)}) == 3
    assert all(len(set(groups.labels[start::3].tolist())) == 1 for start in range(3))
    for number, name in enumerate(groups.names):
        members = {int(word.removeprefix("w")) % 3 for word in name.split(", ")}
        assert {groups.labels[member] for member in members} == {number}


def fake(rows, method, kept):
    """Stand for a slow projection, in the process that computes it."""
    places = np.asarray(rows[:, :2] * 2, dtype=np.float32)
    np.save(kept, places)
    return places, "slow"


def test_a_slow_map_is_computed_once(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_computed", fake)
    vectors = clustered()
    maps = Maps({"a": vectors}, tmp_path)
    until, found = time.monotonic() + 60, None
    assert maps.positions("a", "umap") is None
    while found is None and time.monotonic() < until:
        time.sleep(0.05)
        found = maps.positions("a", "umap")
    maps.close()
    np.testing.assert_array_equal(found[0], 2 * unit(np.asarray(vectors.vectors))[:, :2])
    again = Maps({"b": vectors}, tmp_path)
    np.testing.assert_array_equal(again.positions("b", "umap")[0], found[0])
    (kept,) = tmp_path.iterdir()
    infinite, doubles = io.BytesIO(), io.BytesIO()
    np.save(infinite, np.full((120, 2), np.inf, np.float32))
    np.save(doubles, np.zeros((120, 2)))
    whole = kept.read_bytes()
    for damaged in (b"", whole[:-8], b"\x93NUMPY", b"PK\x03\x04", infinite.getvalue(), doubles.getvalue()):
        kept.write_bytes(damaged)
        assert module._read(kept, 120) is None
    kept.write_bytes(whole)
    np.testing.assert_array_equal(module._read(kept, 120), found[0])
    assert module._read(kept, 121) is None


def endless(rows, method, kept):
    """Stand for a projection that takes very long."""
    time.sleep(600)


def failing(rows, method, kept):
    """Stand for one whose library is missing."""
    raise MissingExtraError("umap", "maps", "draw a map")


def answer(maps, method, seconds=60):
    """Ask for a map until it is there."""
    until = time.monotonic() + seconds
    while (found := maps.positions("a", method)) is None and time.monotonic() < until:
        time.sleep(0.05)
    return found


def test_a_map_whose_process_was_killed_is_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_computed", endless)
    maps = Maps({"a": clustered(), "b": clustered()}, tmp_path)
    assert maps.positions("a", "umap") is None
    monkeypatch.setattr(module, "_computed", fake)
    assert maps.positions("b", "tsne") is None  # waits for its turn
    maps._running._process.kill()
    with pytest.raises(OptionError, match="the process that computed umap has ended; ask again"):
        answer(maps, "umap")
    assert answer(maps, "umap")[1] == "slow"
    maps.close()


def test_the_end_of_a_server_ends_its_maps(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_computed", endless)
    maps = Maps({"a": clustered()}, tmp_path)
    assert maps.positions("a", "umap") is None
    process = maps._running._process
    maps.close()
    assert not process.is_alive()


def test_what_hinders_a_map_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_computed", failing)
    maps = Maps({"a": clustered()}, tmp_path)
    with pytest.raises(OptionError, match=r"\[maps\]"):
        answer(maps, "umap")
    maps.slow = False
    with pytest.raises(OptionError, match="umap takes minutes, and is for firth explore"):
        maps.positions("a", "umap")


def test_a_folder_that_cannot_be_written_loses_no_map(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_projected", lambda rows, method: (rows[:, :2], ""))
    rows = np.ones((3, 4), np.float32)
    places, said = module._computed(rows, "umap", Path("/dev/null/x/a.npy"))
    np.testing.assert_array_equal(places, rows[:, :2])
    assert said.startswith("UMAP")


def test_too_few_words(tmp_path):
    with pytest.raises(OptionError, match="a: 2 of them; expected at least 3 for a map"):
        Maps({"a": clustered(2)}, tmp_path).positions("a", "pca")


def test_packed_numbers():
    numbers = np.array([1.5, -2.0], dtype=">f4")
    assert np.frombuffer(base64.b64decode(packed(numbers)), "<f4").tolist() == [1.5, -2.0]
