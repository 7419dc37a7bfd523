"""A file or folder that is replaced is the old one or the new one, whatever happens in between."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from firth import files
from firth.files import release_pages, replacing_file, replacing_folder, sync_folder

posix = pytest.mark.skipif(os.name != "posix", reason="modes and kills as POSIX has them")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def fail_after(work, error):
    work()
    raise error


class TestFile:
    def test_a_new_file_in_a_new_folder(self, tmp_path):
        with replacing_file(tmp_path / "a" / "b" / "file") as out:
            out.write(b"new")
        assert (tmp_path / "a" / "b" / "file").read_bytes() == b"new"
        assert names(tmp_path / "a" / "b") == ["file"]

    def test_readers_see_the_old_one_until_the_end(self, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(b"old")
        with replacing_file(path) as out:
            out.write(b"new" * 10**6)
            out.flush()
            assert path.read_bytes() == b"old"
        assert path.read_bytes() == b"new" * 10**6

    @posix
    def test_a_pipe_is_written_into_and_stays_a_pipe(self, tmp_path):
        path = tmp_path / "pipe"
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with replacing_file(path) as out:
            out.write(b"new")
        assert os.read(reader, 100) == b"new"
        os.close(reader)
        assert path.is_fifo()
        assert names(tmp_path) == ["pipe"]

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
    def test_an_error_keeps_the_old_one(self, error, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(b"old")
        with pytest.raises(error), replacing_file(path) as out:
            fail_after(lambda: out.write(b"half of the n"), error)
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["file"]

    def test_a_full_disk_keeps_the_old_one(self, tmp_path, monkeypatch):
        def full(handle):
            raise OSError(28, "No space left on device")

        path = tmp_path / "file"
        path.write_bytes(b"old")
        monkeypatch.setattr(files.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"), replacing_file(path) as out:
            out.write(b"new")
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["file"]

    def test_content_is_on_disk_before_its_name_is(self, tmp_path, monkeypatch):
        events = []
        fsync, replace = os.fsync, files.Path.replace
        monkeypatch.setattr(files.os, "fsync", lambda handle: (events.append("sync"), fsync(handle)))
        monkeypatch.setattr(files.Path, "replace", lambda self, to: (events.append("rename"), replace(self, to))[1])
        with replacing_file(tmp_path / "file") as out:
            out.write(b"new")
        assert events == ["sync", "rename", "sync"]  # the file, its new name, the folder that holds the name

    def test_a_folder_in_the_way(self, tmp_path):
        (tmp_path / "file").mkdir()
        with pytest.raises(OSError, match="irectory"), replacing_file(tmp_path / "file") as out:
            out.write(b"new")
        assert names(tmp_path) == ["file"]

    @posix
    def test_as_readable_as_any_file_of_its_owner(self, tmp_path):
        (tmp_path / "usual").write_bytes(b"")
        with replacing_file(tmp_path / "file"):
            pass
        assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


class TestFolder:
    def fill(self, folder, text):
        (folder / "one").write_text(text, encoding="utf-8")
        (folder / "deep").mkdir()
        (folder / "deep" / "two").write_text(text, encoding="utf-8")

    def read(self, folder):
        return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def whole(self, text):
        return {"one": text, os.path.join("deep", "two"): text}  # noqa: PTH118  as `relative_to` spells it

    @pytest.fixture(params=[True, False], ids=["exchanged", "renamed"])
    def target(self, request, tmp_path, monkeypatch):
        """A folder that holds the old content; with the system's way of swapping two names, and without."""
        if not request.param:
            monkeypatch.setattr(files, "_exchange", lambda one, other: False)
        with replacing_folder(tmp_path / "target") as folder:
            self.fill(folder, "old")
        return tmp_path / "target"

    def test_the_new_one_takes_its_place_whole(self, target, tmp_path):
        with replacing_folder(target) as folder:
            (folder / "only").write_text("new", encoding="utf-8")
            assert self.read(target) == self.whole("old")
        assert self.read(target) == {"only": "new"}
        assert names(tmp_path) == ["target"]

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_an_error_keeps_the_old_one(self, error, target, tmp_path):
        with pytest.raises(error), replacing_folder(target) as folder:
            fail_after(lambda: self.fill(folder, "new"), error)
        assert self.read(target) == self.whole("old")
        assert names(tmp_path) == ["target"]

    def test_a_failed_rename_puts_the_old_one_back(self, target, tmp_path, monkeypatch):
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)
        rename = files.Path.rename

        def failing(self, to):
            if self.suffix == ".part":
                raise OSError("the new name is refused")
            return rename(self, to)

        monkeypatch.setattr(files.Path, "rename", failing)
        with pytest.raises(OSError, match="refused"), replacing_folder(target) as folder:
            self.fill(folder, "new")
        monkeypatch.undo()
        assert self.read(target) == self.whole("old")
        assert names(tmp_path) == ["target"]

    @posix
    def test_as_readable_as_any_folder_of_its_owner(self, target, tmp_path):
        (tmp_path / "usual").mkdir()
        assert target.stat().st_mode == (tmp_path / "usual").stat().st_mode


KILLED = """
import os, signal, sys
from pathlib import Path
from firth.files import replacing_file, replacing_folder

target = Path(sys.argv[1])
if sys.argv[2] == "file":
    with replacing_file(target) as out:
        out.write(b"half of the n")
        out.flush()
        os.kill(os.getpid(), signal.SIGKILL)
with replacing_folder(target) as folder:
    (folder / "one").write_text("half of the n")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_kill_keeps_the_old_one(kind, tmp_path):
    target = tmp_path / "target"
    inside = target if kind == "file" else target / "one"
    inside.parent.mkdir(exist_ok=True)
    inside.write_text("old", encoding="utf-8")
    killed = subprocess.run([sys.executable, "-c", KILLED, target, kind], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert inside.read_text() == "old"
    left = [name for name in names(tmp_path) if name != "target"]
    assert len(left) == 1
    assert left[0].startswith(".target.")
    assert left[0].endswith(".part")


def test_a_folder_that_cannot_be_synced_is_no_error(tmp_path):
    sync_folder(tmp_path)
    sync_folder(tmp_path / "absent")


def test_released_pages_read_the_same(tmp_path):
    np.arange(10**6).tofile(tmp_path / "numbers")
    mapped = np.memmap(tmp_path / "numbers", dtype=np.int64, mode="r")
    before = int(mapped.sum())
    release_pages(mapped)
    release_pages(mapped[1000:2000])
    release_pages(np.arange(5))
    assert int(mapped.sum()) == before == 10**6 * (10**6 - 1) // 2
