"""A folder is read once before it is trusted, and again after each change."""

import os
import time

import pytest

from firth.errors import FormatError
from firth.storage import checksums, integrity
from firth.storage.files import replacing_folder
from firth.storage.integrity import verify


@pytest.fixture(autouse=True)
def _own_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(integrity, "_remembered", {})
    monkeypatch.setattr(integrity, "MTIME_RESOLUTION", -3600.0)  # files just written count as settled


@pytest.fixture
def folder(tmp_path):
    with replacing_folder(tmp_path / "made") as aside:
        (aside / "a.bin").write_bytes(b"a" * 100)
        (aside / "b.bin").write_bytes(b"b" * 100)
    return tmp_path / "made"


@pytest.fixture
def readings(monkeypatch):
    read, inner = [], checksums.examine
    monkeypatch.setattr(checksums, "examine", lambda folder, files: (read.append(folder), inner(folder, files))[1])
    return read


def check_first_byte(folder):
    if (folder / "a.bin").read_bytes()[:1] == b"z":
        raise FormatError(f"{folder / 'a.bin'}: begins with z")


def forget_checksums(folder):
    (folder / checksums.FILE).unlink()


def test_a_folder_is_read_once(folder, readings):
    for _ in range(3):
        assert verify(folder) == {"a.bin", "b.bin"}
    assert len(readings) == 1


def test_another_process_remembers_too(folder, readings, monkeypatch):
    verify(folder)
    monkeypatch.setattr(integrity, "_remembered", {})
    verify(folder)
    assert len(readings) == 1


def test_without_a_cache_folder_the_process_remembers(folder, readings, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "file"))
    for _ in range(3):
        verify(folder)
    assert len(readings) == 1


def test_what_was_just_written_is_not_remembered(folder, readings, monkeypatch):
    monkeypatch.setattr(integrity, "MTIME_RESOLUTION", 2.0)
    verify(folder)
    verify(folder)
    assert len(readings) == 2


@pytest.mark.parametrize("name", ["a.bin", "b.bin"])
def test_a_changed_file_is_read_again_and_refused(folder, name):
    verify(folder)
    before = (folder / name).stat()
    content = bytearray((folder / name).read_bytes())
    content[50] ^= 4
    time.sleep(0.02)  # more than a tick of the file system's clock
    (folder / name).write_bytes(content)
    os.utime(folder / name, ns=(before.st_atime_ns, before.st_mtime_ns))  # a forged time of change
    for _ in range(2):
        with pytest.raises(FormatError, match=rf"{name}: altered: bytes 0 to 100 .*; fetch .* or train again"):
            verify(folder)


def test_a_file_put_in_the_place_of_another_is_refused(folder, tmp_path):
    verify(folder)
    before = (folder / "a.bin").stat()
    (tmp_path / "other").write_bytes(b"c" * 100)
    os.utime(tmp_path / "other", ns=(before.st_atime_ns, before.st_mtime_ns))
    (tmp_path / "other").replace(folder / "a.bin")
    with pytest.raises(FormatError, match=r"a\.bin: altered"):
        verify(folder)


def test_a_file_that_went_missing(folder):
    verify(folder)
    (folder / "a.bin").unlink()
    with pytest.raises(FormatError, match=r"a\.bin: missing; expected a file of 100 bytes; mend it"):
        verify(folder, "mend it")


def test_a_folder_that_moved_is_read_anew_and_one_put_back_is_remembered(folder, readings, tmp_path):
    verify(folder)
    folder.rename(tmp_path / "elsewhere")
    verify(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").rename(folder)
    verify(folder)
    assert len(readings) == 2


def test_the_readers_check_runs_once_and_again_after_a_change(folder, readings):
    forget_checksums(folder)
    assert verify(folder, check=check_first_byte) is None
    assert verify(folder, check=check_first_byte) is None
    time.sleep(0.02)
    (folder / "a.bin").write_bytes(b"z" * 100)
    for _ in range(2):
        with pytest.raises(FormatError, match="begins with z"):
            verify(folder, check=check_first_byte)


def test_the_readers_check_runs_though_checksums_match(folder):
    # Whoever alters a file can alter its checksum.
    (folder / "a.bin").write_bytes(b"z" * 100)
    checksums.write(folder)
    with pytest.raises(FormatError, match="begins with z"):
        verify(folder, check=check_first_byte)


def test_a_folder_verified_without_a_check_is_not_taken_for_checked(folder):
    (folder / "a.bin").write_bytes(b"z" * 100)
    checksums.write(folder)
    verify(folder)
    with pytest.raises(FormatError, match="begins with z"):
        verify(folder, check=check_first_byte)


def test_a_note_cut_short_is_no_note(folder, readings, tmp_path, monkeypatch):
    verify(folder)
    [note] = [path for path in (tmp_path / "cache" / "verified").rglob("*") if path.is_file()]
    note.write_text(note.read_text()[:-1])
    verify(folder)
    assert len(readings) == 2


def test_notes_do_not_pile_up(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(integrity, "MOST_KEPT", 2)
    for number in range(600):
        integrity._remember(f"{0:02x}{number:04d}", "state")
    assert len(list((tmp_path / "cache" / "verified" / "00").iterdir())) <= 2


def test_a_folder_without_checksums_is_left_to_the_reader(folder):
    forget_checksums(folder)
    assert verify(folder) is None
