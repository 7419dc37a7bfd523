"""What anybody may have written: deep nesting, tight packing, links and damage are refused with a reason."""

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile

import pytest

from firth.errors import FileError, FormatError, OptionError
from firth.storage import untrusted
from firth.storage.untrusted import (
    SizeLimited,
    check_unpacked,
    file_bytes,
    gunzipped,
    most_unpacked,
    parse_json,
    tar_members,
    zip_members,
)

EVERY = {"wanted": lambda name: True, "what": "lists"}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(untrusted, "LEAST", 1000)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, b"\xff", "9" * 5000, "", "{", b"\0\0\0[\xff\xff\xff\xff"]
)
def test_whatever_is_wrong_with_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)


def test_json_is_read():
    assert parse_json(b'{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize("what", ["pipe", "device"])
def test_what_never_ends_is_refused_before_it_is_read(what, tmp_path):
    path = tmp_path / "config.json"
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/null")  # as /dev/zero, which would fill the memory of a reader
    with pytest.raises(FormatError, match=r"config\.json: a device or a pipe; expected a file"):
        file_bytes(path)
    (tmp_path / "file").write_bytes(b"content")
    assert file_bytes(tmp_path / "file") == b"content"
    with pytest.raises(FileError, match="Is a directory; that is a folder where a file was expected"):
        file_bytes(tmp_path)


def test_the_limit_grows_with_the_file_and_can_be_set(small, monkeypatch):
    assert [most_unpacked(size) for size in (0, 10, 11)] == [1000, 1000, 1100]
    monkeypatch.setenv("FIRTH_MAX_UNPACKED", "77")
    assert most_unpacked(10**9) == 77
    monkeypatch.setenv("FIRTH_MAX_UNPACKED", "1 GB")
    with pytest.raises(OptionError, match="FIRTH_MAX_UNPACKED=1 GB: expected a whole number of bytes"):
        most_unpacked(1)


@pytest.mark.parametrize(
    ("pack", "unpack"), [(gzip.compress, gzip.GzipFile), (bz2.compress, bz2.BZ2File), (lzma.compress, lzma.LZMAFile)]
)
def test_what_unfolds_too_far_is_refused(small, tmp_path, pack, unpack):
    path = tmp_path / "packed"
    path.write_bytes(pack(b"a" * 1000))
    with SizeLimited(unpack(path), path) as stream:
        assert len(stream.read()) == 1000
    path.write_bytes(pack(b"a" * 1_000_000))
    with SizeLimited(unpack(path), path) as stream, pytest.raises(FormatError, match=r"unpacks to more than .* bytes"):
        stream.read()


def test_a_gzip_file_is_read_whole_or_refused(small, tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"text"))
    assert gunzipped(path) == b"text"
    path.write_bytes(gzip.compress(b"a" * 10**6))
    with pytest.raises(FormatError, match="FIRTH_MAX_UNPACKED"):
        gunzipped(path)
    path.write_bytes(gzip.compress(b"text")[:-3])
    with pytest.raises(FormatError, match="damaged gzip data"):
        gunzipped(path)


def test_declared_sizes_are_held_against_the_file(small, tmp_path):
    path = tmp_path / "x.ftz"
    path.write_bytes(b"x" * 20)
    check_unpacked(path, 2000, "20 buckets")
    with pytest.raises(FormatError, match=r"20 bytes that hold 9 buckets, which takes 2,001 bytes .* at most 2,000"):
        check_unpacked(path, 2001, "9 buckets")


def zipped(path, method=zipfile.ZIP_DEFLATED, content="text"):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("one.txt", content)
        archive.writestr("two.bin", "other")
    return path


def test_members_of_a_zip(tmp_path):
    path = zipped(tmp_path / "x.zip")
    assert zip_members(path, lambda name: name.endswith(".txt"), "lists") == {"one.txt": b"text"}


def changed(path, *changes):
    content = bytearray(path.read_bytes())
    for signature, offset, value in changes:
        content[content.index(signature) + offset] = value
    path.write_bytes(content)


ZIPS = {
    "encrypted": lambda path: changed(path, (b"PK\3\4", 6, 1), (b"PK\1\2", 8, 1)),
    "an unknown method": lambda path: changed(path, (b"PK\3\4", 8, 99), (b"PK\1\2", 10, 99)),
    "damaged data": lambda path: changed(path, (b"one.txt", 8, 255)),
    "a wrong checksum": lambda path: changed(path, (b"PK\1\2", 16, 1)),
    "no directory": lambda path: path.write_bytes(path.read_bytes()[:-10]),
    "text": lambda path: path.write_text("text"),
    "an odd version": lambda path: changed(path, (b"PK\1\2", 6, 255)),
}


@pytest.mark.parametrize("damage", ZIPS)
def test_a_zip_that_cannot_be_read_is_told(tmp_path, damage):
    path = zipped(tmp_path / "x.zip")
    ZIPS[damage](path)
    with pytest.raises(FormatError, match=r"x.zip: not a readable zip archive \(.*\); expected lists"):
        zip_members(path, **EVERY)


def test_a_zip_that_unfolds_too_far(small, tmp_path):
    path = zipped(tmp_path / "x.zip", content="a" * 10**6)
    with pytest.raises(FormatError, match=r"unpacks to 1,000,005 bytes, expected at most .*FIRTH_MAX_UNPACKED=1000005"):
        zip_members(path, **EVERY)


def test_a_missing_file_is_an_os_error(tmp_path):
    for members in (zip_members, tar_members):
        with pytest.raises((FormatError, FileNotFoundError)):
            list(members(tmp_path / "missing", **EVERY))


def tarred(path, mode="w:gz", entries=()):
    with tarfile.open(path, mode) as archive:
        for name, content, kind, target in (("one.txt", b"text", tarfile.REGTYPE, ""), *entries):
            entry = tarfile.TarInfo(name)
            entry.size, entry.type, entry.linkname = len(content), kind, target
            archive.addfile(entry, io.BytesIO(content))
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_members_of_a_tar_are_files_and_no_links(tmp_path, mode):
    odd = [
        ("soft.txt", b"", tarfile.SYMTYPE, "/etc/passwd"),
        ("loop.txt", b"", tarfile.LNKTYPE, "loop.txt"),
        ("gone.txt", b"", tarfile.LNKTYPE, "nowhere"),
        ("folder.txt", b"", tarfile.DIRTYPE, ""),
        ("../two.txt", b"more", tarfile.REGTYPE, ""),
    ]
    path = tarred(tmp_path / "x.tar", mode, odd)
    assert list(tar_members(path, **EVERY)) == [("one.txt", b"text"), ("../two.txt", b"more")]
    assert list(tar_members(path, lambda name: False, "lists")) == []


@pytest.mark.parametrize("cut", [5, 300, 0.5])
def test_a_damaged_tar_is_told(tmp_path, cut):
    path = tarred(tmp_path / "x.tar.gz")
    content = path.read_bytes()
    path.write_bytes(content[: cut if isinstance(cut, int) and cut < len(content) else len(content) // 2])
    with pytest.raises(FormatError, match=r"x.tar.gz: no archive, or a damaged one \(.*\); expected lists"):
        list(tar_members(path, **EVERY))


def test_a_tar_that_unfolds_too_far(small, tmp_path):
    path = tarred(tmp_path / "x.tar.gz", entries=[("big.txt", bytes(10**6), tarfile.REGTYPE, "")])
    with pytest.raises(FormatError, match="unpacks to more than"):
        list(tar_members(path, **EVERY))


def test_a_sparse_member_is_refused(tmp_path):
    """Four bytes that say they are a file of 12 GB, as `tar --sparse` writes them."""
    path, member = tmp_path / "x.tar", tarfile.TarInfo("one.txt")
    member.size = 4
    member.pax_headers = {"GNU.sparse.map": "0,4", "GNU.sparse.numblocks": "1", "GNU.sparse.size": str(12 << 30)}
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member, io.BytesIO(b"text"))
    with pytest.raises(
        FormatError, match=r"x\.tar: one\.txt is a sparse file; expected lists, packed without --sparse"
    ):
        list(tar_members(path, **EVERY))


@pytest.mark.parametrize("text", ["[1%s]", "[-1%s]", '{"a": [1%s]}', "[1, 2, 1%s, 3]"])
@pytest.mark.parametrize("encode", [str, str.encode, lambda text: text.encode("utf-16")])
def test_a_whole_number_that_is_too_large_for_a_float_is_infinity(text, encode):
    """As 1e400 is: whoever asks whether it is finite gets an answer in place of an OverflowError."""
    found = parse_json(encode(text % ("0" * 400)))
    numbers = found["a"] if isinstance(found, dict) else found
    assert max(map(abs, numbers)) == float("inf")
    assert parse_json(encode(text % ("0" * 300))) == json.loads(text % ("0" * 300))
