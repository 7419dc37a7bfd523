import bz2
import gzip
import lzma
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firth.corpus.encoded import Corpus
from firth.corpus.reader import check_text, inner_suffix, opened
from firth.errors import CorpusError, MissingExtraError

TEXT = "One line.\nAnother, with é.\n".encode() * 5000


def zstandard(data: bytes) -> bytes:
    return pytest.importorskip("zstandard", reason="zstandard is not installed: pip install 'firth[zstd]'").compress(
        data
    )  # type: ignore[no-any-return]


WRITERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard,
}


def read(path: Path) -> bytes:
    parts = []
    with opened(path) as (raw, stream):
        room = memoryview(bytearray(10_000))
        while size := stream.readinto(room):  # type: ignore[attr-defined]
            parts.append(bytes(room[:size]))
        assert raw.tell() == path.stat().st_size
    return b"".join(parts)


@pytest.mark.parametrize("suffix", ["", *WRITERS])
def test_reads_what_was_compressed(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(WRITERS[suffix](TEXT) if suffix else TEXT)
    assert read(path) == TEXT


@pytest.mark.parametrize("suffix", WRITERS)
def test_reads_files_that_were_put_together(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(WRITERS[suffix](TEXT) + WRITERS[suffix](b"more"))
    assert read(path) == TEXT + b"more"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_damaged_and_truncated(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"text{suffix}"
    noise = random.Random(1).randbytes(50_000)
    whole = WRITERS[suffix](noise)
    for data in (whole[:-2000], whole[:20_000] + b"\0" * 9 + whole[20_009:], b"plain text, not compressed at all"):
        path.write_bytes(data)
        with pytest.raises(CorpusError, match=f"damaged or cut short .*; expected a whole {suffix} file"):
            read(path)


def test_damaged_zstandard(tmp_path: Path) -> None:
    path = tmp_path / "text.zst"
    zstandard(b"")
    path.write_bytes(b"plain text, not compressed at all")
    with pytest.raises(CorpusError, match="damaged or cut short"):
        read(path)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the standard library reads .zst since Python 3.14")
def test_zstandard_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text.zst"
    path.write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"zstandard is needed to read \.zst files: pip install .*\[zstd\]"):
        read(path)


def test_a_folder_where_a_file_was_meant(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"cannot be read \(Is a directory\); expected a file of text"):
        read(tmp_path)


def test_inner_suffix() -> None:
    names = {"a.txt": ".txt", "a.JSONL.GZ": ".jsonl", "a.gz": "", "a": "", "a.b.csv.xz": ".csv"}
    assert {name: inner_suffix(Path(name)) for name in names} == names


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"text\0more", r"binary data \(a NUL byte at 4\)"),
        (gzip.compress(b"x", mtime=0), "gzip data: name it .gz"),
        (b"%PDF-1.7", "a PDF document"),
        (b"{\\rtf1\\ansi hello}", "a document in RTF: save it as plain text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "a document of Office before 2007: save it as plain text"),
        (b'\xef\xbb\xbf[\n {"text": "a"}]', r"a JSON array of objects; expected text, or one object a line .* \.jsonl"),
    ],
)
def test_what_is_not_text(head: bytes, message: str) -> None:
    with pytest.raises(CorpusError, match=f"name.txt: .*{message}"):
        check_text("name.txt", head)


@pytest.mark.parametrize(
    ("suffix", "hint"), [(".docx", "save it as plain text"), (".XLSX", "save it as CSV"), (".x", "unpack")]
)
def test_what_office_packs(suffix: str, hint: str) -> None:
    with pytest.raises(CorpusError, match=hint):
        check_text(f"name{suffix}", b"PK\x03\x04")


@pytest.mark.parametrize(
    "head", [b'["the", "cat"]', b"[{x}] y", b"", b"plain", "ünï çödé 漢字".encode() * 100, b"\xff few \xfe broken"]
)
def test_what_is_text(head: bytes) -> None:
    check_text("name.txt", head)


@pytest.mark.parametrize("suffix", WRITERS)
def test_an_endless_word_is_refused_before_it_takes_the_memory(suffix: str, tmp_path: Path) -> None:
    """32 MB of one letter in some kilobytes: nothing but the first 16 MiB are looked at."""
    path = tmp_path / f"x.txt{suffix}"
    path.write_bytes(WRITERS[suffix](b"a" * (1 << 25)))
    assert path.stat().st_size < 100_000
    with pytest.raises(CorpusError, match=r"16,777,216 bytes without a separator, from b'aaaa"):
        Corpus.build(path, cache=tmp_path / "cache")
