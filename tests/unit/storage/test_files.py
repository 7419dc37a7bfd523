"""A file or folder that is replaced is the old one or the new one, whatever happens in between."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from firth.storage import files, swapping
from firth.storage.files import others_can_write, release_pages, replacing_file, replacing_folder, sync_folder

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

    @posix
    def test_a_private_file_stays_private_from_the_first_byte_on(self, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(b"old")
        path.chmod(0o600)
        with replacing_file(path) as out:
            out.write(b"new")
            assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}
        assert path.stat().st_mode & 0o777 == 0o600

    @posix
    def test_the_process_keeps_its_umask(self, tmp_path, monkeypatch):
        """A umask of 0, be it for a moment, would let other threads make files that everybody may write to."""
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask was changed"))
        with replacing_file(tmp_path / "file"):
            pass
        with replacing_folder(tmp_path / "folder"):
            pass

    @posix
    def test_a_link_stays_and_what_it_leads_to_is_replaced(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(Path("real", "file"))
        for text in (b"one", b"two"):  # it leads to nothing, and then to a file
            with replacing_file(tmp_path / "link") as out:
                out.write(text)
            assert (tmp_path / "link").is_symlink()
            assert (tmp_path / "real" / "file").read_bytes() == text
        assert names(tmp_path) == ["link", "real"]
        assert names(tmp_path / "real") == ["file"]

    @posix
    def test_links_in_a_circle(self, tmp_path):
        (tmp_path / "a").symlink_to("b")
        (tmp_path / "b").symlink_to("a")
        with pytest.raises(OSError, match="symbolic links"), replacing_file(tmp_path / "a"):
            pass
        assert names(tmp_path) == ["a", "b"]

    @pytest.mark.parametrize("name", ["n" * 250, "line\nbreak", "-o", "[a-z]*", ".hidden"])
    def test_odd_names(self, name, tmp_path):
        for text in (b"one", b"two"):
            with replacing_file(tmp_path / name) as out:
                out.write(text)
            assert (tmp_path / name).read_bytes() == text
        assert names(tmp_path) == [name]

    @posix
    def test_a_name_that_is_no_text(self, tmp_path):
        path = Path(os.fsdecode(os.fsencode(tmp_path / "n") + b"\xff" * 200))
        with replacing_file(path) as out:
            out.write(b"new")
        assert path.read_bytes() == b"new"


class TestFolder:
    def fill(self, folder, text):
        (folder / "one").write_text(text, encoding="utf-8")
        (folder / "deep").mkdir()
        (folder / "deep" / "two").write_text(text, encoding="utf-8")

    def read(self, folder):
        files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
        assert files.pop("checksums.json")
        return files

    def whole(self, text):
        return {"one": text, os.path.join("deep", "two"): text}  # noqa: PTH118  as `relative_to` spells it

    @pytest.fixture(params=[True, False], ids=["exchanged", "renamed"])
    def target(self, request, tmp_path, monkeypatch):
        """A folder that holds the old content; with the system's way of swapping two names, and without."""
        if not request.param:
            monkeypatch.setattr(swapping, "_exchange", lambda one, other: False)
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
        monkeypatch.setattr(swapping, "_exchange", lambda one, other: False)
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
    def test_modes_stay(self, target):
        target.chmod(0o700)
        (target / "one").chmod(0o640)
        with replacing_folder(target) as folder:
            self.fill(folder, "new")
            assert folder.stat().st_mode & 0o777 == 0o700
        assert target.stat().st_mode & 0o777 == 0o700
        assert (target / "one").stat().st_mode & 0o777 == 0o640

    @posix
    def test_a_link_stays_and_what_it_leads_to_is_replaced(self, target, tmp_path):
        (tmp_path / "link").symlink_to("target")
        with replacing_folder(tmp_path / "link") as folder:
            self.fill(folder, "new")
        assert (tmp_path / "link").is_symlink()
        assert self.read(target) == self.whole("new")
        assert names(tmp_path) == ["link", "target"]

    def test_files_that_are_not_firths_stay(self, target, tmp_path):
        """Even one that is written while the folder is; a new file has the right to a name."""
        for name in ("mine", "two"):
            (target / name).write_text("mine", encoding="utf-8")
        own = {"one", str(Path("deep", "two"))}
        with replacing_folder(target, lambda old: own) as folder:
            (folder / "two").write_text("new", encoding="utf-8")
            (target / "late").write_text("mine", encoding="utf-8")
        assert self.read(target) == {"mine": "mine", "late": "mine", "two": "new"}
        assert names(tmp_path) == ["target"]

    def test_files_that_can_neither_be_linked_nor_read_stay(self, target, monkeypatch):
        def refused(*arguments, **how):
            raise PermissionError

        (target / "mine").write_text("mine", encoding="utf-8")
        monkeypatch.setattr(swapping.os, "link", refused)
        monkeypatch.setattr(swapping.shutil, "copy2", refused)
        with replacing_folder(target, lambda old: {"one"}) as folder:
            (folder / "one").write_text("new", encoding="utf-8")
        assert self.read(target) == {"one": "new", str(Path("deep", "two")): "old", "mine": "mine"}

    @pytest.mark.parametrize("own", [None, lambda old: {"one", str(Path("deep", "two"))}], ids=["all", "own"])
    def test_a_folder_that_cannot_be_renamed(self, own, target, tmp_path, monkeypatch):
        """A mounted folder gets its files one by one."""
        (target / "mine").write_text("mine", encoding="utf-8")
        inode = target.stat().st_ino
        monkeypatch.setattr(files, "is_read_only", lambda folder: True)
        with replacing_folder(target, own) as folder:
            (folder / "one").write_text("new", encoding="utf-8")
        assert self.read(target) == {"one": "new", **({"mine": "mine"} if own else {})}
        assert names(target) == ["checksums.json", *(["mine"] if own else []), "one"]
        assert target.stat().st_ino == inode

    @posix
    def test_as_readable_as_any_folder_of_its_owner(self, target, tmp_path):
        (tmp_path / "usual").mkdir()
        assert target.stat().st_mode == (tmp_path / "usual").stat().st_mode


KILLED = """
import os, signal, sys
from pathlib import Path
from firth.storage.files import replacing_file, replacing_folder

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
    with replacing_file(target) if kind == "file" else replacing_folder(target):
        assert left[0] not in names(tmp_path), "the next save removes what the kill has left"
    assert names(tmp_path) == ["target"]


@posix
def test_who_else_can_write(tmp_path, monkeypatch):
    import grp
    import pwd
    from types import SimpleNamespace

    folder = tmp_path / "folder"
    assert not others_can_write(folder)
    folder.mkdir()
    user = pwd.getpwuid(os.geteuid())
    for name, members, theirs in ((user.pw_name, [], False), (user.pw_name, ["eve"], True), ("users", [], True)):
        group = SimpleNamespace(gr_name=name, gr_mem=members)
        monkeypatch.setattr(grp, "getgrgid", lambda number, group=group: group)
        found = {mode: (folder.chmod(mode), others_can_write(folder))[1] for mode in (0o700, 0o755, 0o775, 0o777)}
        assert found == {0o700: False, 0o755: False, 0o775: theirs, 0o777: True}
    folder.chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: 123456)
    assert others_can_write(folder) == (folder.stat().st_uid != 0)


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


def test_long_lines_come_in_parts(tmp_path):
    """A part may end within a character, whose bytes then come with the next."""
    (tmp_path / "a.txt").write_text("é漢😀" * 5 + "\nb\n", "utf-8")
    parts = list(files.lines_of(tmp_path / "a.txt", ends=True, longest=7))
    assert "".join(parts) == "é漢😀" * 5 + "\nb\n"
    assert max(map(len, parts)) <= 7
    assert list(files.lines_of(tmp_path / "a.txt")) == ["é漢😀" * 5, "b"]
