"""Checksums of a folder: what they cover, and what becomes of a change."""

import contextlib
import json

import pytest

from firth.errors import FormatError
from firth.storage import checksums

CURE = "build it again"
LARGE = 40 << 20  # bytes of a file that several threads read


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "made"
    (made / "part" / "deeper").mkdir(parents=True)
    for name, content in (("a.bin", b"a" * 12), ("empty.bin", b""), ("README.md", b"# card"), ("part/b.bin", b"bb")):
        (made / name).write_bytes(content)
    (made / "part" / "deeper" / "c.bin").write_bytes(b"ccc")
    checksums.write(made)
    return made


def problems(folder):
    states = checksums.examine(folder, checksums.covered(folder, CURE))
    return {state.path: state.problem for state in states if state.problem}


def rewrite(folder, change):
    content = json.loads((folder / checksums.FILE).read_bytes())
    del content["checksum"]
    change(content)
    content["checksum"] = checksums.checksum_of(content)
    (folder / checksums.FILE).write_text(json.dumps(content))


def test_all_files_but_the_card_are_covered(folder):
    assert sorted(checksums.covered(folder, CURE)) == ["a.bin", "empty.bin", "part/b.bin", "part/deeper/c.bin"]
    assert problems(folder) == {}


def test_a_folder_without_checksums(tmp_path):
    assert checksums.covered(tmp_path, CURE) is None
    assert checksums.covered(tmp_path / "missing", CURE) is None


@pytest.mark.parametrize("name", ["a.bin", "part/b.bin", "part/deeper/c.bin"])
def test_each_bit_counts(folder, name):
    content = (folder / name).read_bytes()
    for bit in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(flipped)
        assert problems(folder) == {name: f"altered: bytes 0 to {len(content)} are not those that were written"}


def test_a_file_that_is_missing_or_resized(folder):
    (folder / "part" / "b.bin").unlink()
    (folder / "a.bin").write_bytes(b"a" * 11)
    (folder / "empty.bin").write_bytes(b"x")
    assert problems(folder) == {
        "a.bin": "11 bytes, expected 12",
        "empty.bin": "1 bytes, expected 0",
        "part/b.bin": "missing; expected a file of 2 bytes",
    }


def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_a_missing_file(folder):
    (folder / "a.bin").unlink()
    (folder / "a.bin").mkdir()
    assert problems(folder) == {"a.bin": "missing; expected a file of 12 bytes"}


def test_files_of_the_user_and_the_card_are_not_looked_at(folder):
    (folder / "README.md").write_text("# a card of my own")
    (folder / "notes.txt").write_text("mine")
    (folder / "part" / "notes.txt").write_text("mine")
    assert problems(folder) == {}


def test_a_folder_inside_with_checksums_of_its_own_is_read_once(tmp_path):
    inner = tmp_path / "model" / "parts" / "0"
    inner.mkdir(parents=True)
    (inner / "x.bin").write_bytes(b"x")
    checksums.write(inner)
    checksums.write(tmp_path / "model")
    own = checksums.read(tmp_path / "model", CURE)
    assert list(own.files) == ["parts/0/checksums.json"]
    assert sorted(checksums.covered(tmp_path / "model", CURE)) == ["parts/0/checksums.json", "parts/0/x.bin"]
    (inner / "x.bin").write_bytes(b"y")
    assert list(problems(tmp_path / "model")) == ["parts/0/x.bin"]


def test_checksums_of_a_folder_inside_that_were_replaced(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "x.bin").write_bytes(b"x")
    checksums.write(inner)
    checksums.write(tmp_path)
    (inner / "x.bin").write_bytes(b"y")
    checksums.write(inner)
    assert list(problems(tmp_path)) == ["inner/checksums.json"]


def test_large_files_are_read_in_blocks_by_several_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(checksums, "_processors", lambda: 3)
    size = LARGE + 12_345
    (tmp_path / "large.bin").write_bytes(bytes(size))
    checksums.write(tmp_path)
    assert problems(tmp_path) == {}
    with (tmp_path / "large.bin").open("r+b") as file:
        file.seek(size - 1)
        file.write(b"\1")
    last = size // checksums.BLOCK * checksums.BLOCK
    altered = f"altered: bytes {last:,} to {size:,} are not those that were written"
    assert problems(tmp_path) == {"large.bin": altered}
    with (tmp_path / "large.bin").open("r+b") as file:
        file.write(b"\1")
    assert "bytes 0 to 4,194,304 and 1 more blocks" in problems(tmp_path)["large.bin"]


def test_each_bit_of_the_checksums_themselves_counts(folder):
    path = folder / checksums.FILE
    whole, before = path.read_bytes(), checksums.read(folder, CURE)
    refused = 0
    for bit in range(0, 8 * len(whole), 11):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with contextlib.suppress(FormatError):
            assert checksums.read(folder, CURE) == before  # between words, or a digit written with another letter
            refused -= 1
        refused += 1
    assert refused > len(whole) // 2


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"[" * 100_000, b"null", b"{}", b"\xff", b'{"format": "firth checksums"}']
)
def test_what_is_no_file_of_checksums(folder, content):
    (folder / checksums.FILE).write_bytes(content)
    with pytest.raises(FormatError, match=r"checksums\.json: damaged \(.*; build it again"):
        checksums.read(folder, CURE)


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("../outside", {"size": 0, "blocks": ""}),
        ("/etc/passwd", {"size": 0, "blocks": ""}),
        ("a/../../b", {"size": 0, "blocks": ""}),
        ("a//b", {"size": 0, "blocks": ""}),
        ("a\\b", {"size": 0, "blocks": ""}),
        ("a\0b", {"size": 0, "blocks": ""}),
        ("", {"size": 0, "blocks": ""}),
        ("a", {"size": -1, "blocks": ""}),
        ("a", {"size": True, "blocks": "00000000"}),
        ("a", {"size": 1.0, "blocks": "00000000"}),
        ("a", {"size": 10**30, "blocks": "00000000"}),
        ("a", {"size": 1, "blocks": "0000000"}),
        ("a", {"size": 1, "blocks": "0000000g"}),
        ("a", {"size": 1, "blocks": ["00000000"]}),
        ("a", {"size": 1}),
        ("a", [1]),
    ],
)
def test_entries_made_by_somebody_else(folder, name, entry):
    rewrite(folder, lambda content: content["files"].update({name: entry}))
    with pytest.raises(FormatError, match=r"checksums\.json: damaged"):
        checksums.read(folder, CURE)


@pytest.mark.parametrize("block", [0, -1, 1.5, True, 2**40, "1", None])
def test_blocks_made_by_somebody_else(folder, block):
    rewrite(folder, lambda content: content.update(block=block))
    with pytest.raises(FormatError, match=r"checksums\.json: damaged"):
        checksums.read(folder, CURE)


def test_a_newer_version_asks_for_an_upgrade(folder):
    rewrite(folder, lambda content: content.update(version=2))
    with pytest.raises(FormatError, match=r"checksums\.json: version 2, expected 1; install a newer firth"):
        checksums.read(folder, CURE)


def test_folders_nested_without_end_are_followed_to_a_depth(tmp_path):
    deep = tmp_path
    for _ in range(2 * checksums.MOST_DEPTH):
        deep = deep / "d"
    deep.mkdir(parents=True)
    while deep != tmp_path.parent:
        checksums.write(deep)
        deep = deep.parent
    assert len(checksums.covered(tmp_path, CURE)) == checksums.MOST_DEPTH + 1


def test_each_bit_of_a_stamped_object_counts():
    content = {"score": 0.1, "words": ["a", "\udc80", "\u00e9"], "count": 2**40, "nothing": None}
    text = json.dumps(checksums.with_checksum(content)).encode()
    assert checksums.unstamped(json.loads(text)) == content
    refused = 0
    for bit in range(8 * len(text)):
        flipped = bytearray(text)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            found = checksums.unstamped(json.loads(flipped))
        except (ValueError, AttributeError):
            refused += 1
        else:  # a blank, a letter of a number, or the name of the checksum itself
            assert found == content or found.keys() - content.keys()
    assert refused > 0.9 * 8 * len(text)


def test_an_object_may_have_no_checksum():
    assert checksums.unstamped({"a": 1}) == {"a": 1}
