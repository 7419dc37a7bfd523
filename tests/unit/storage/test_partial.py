"""What is being written is left alone, and what a killed process has left is removed."""

import os
import time

import pytest

from firth.errors import OptionError
from firth.storage import partial
from firth.storage.partial import locked, partial_file, partial_folder, remove_leftovers

HOST = partial._host()


def left(folder, name, age=0.0):
    """Make a folder as a killed process leaves it."""
    path = folder / name
    path.mkdir(parents=True)
    (path / "ids.bin").write_bytes(b"x")
    for each in (path / "ids.bin", path):
        os.utime(each, (time.time() - age, time.time() - age))
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_being_written_is_left_alone(tmp_path):
    with partial_file(tmp_path / "out") as file, partial_folder(tmp_path / "out") as folder:
        remove_leftovers(tmp_path, "out")
        remove_leftovers(tmp_path)
        assert file.is_file()
        assert folder.is_dir()
    assert names(tmp_path) == []


def test_what_another_process_removes_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    lock, made = partial._lock, []

    def too_late(path):
        made.append(path)
        if len(made) == 1:
            remove_leftovers(tmp_path)
        return lock(path)

    monkeypatch.setattr(partial, "_lock", too_late)
    with partial_folder(tmp_path / "out") as folder:
        assert names(tmp_path) == [folder.name]
        assert made == [made[0], folder]
        assert made[0] != folder


def test_a_file_that_goes_before_it_is_locked_is_made_and_locked_again(tmp_path, monkeypatch):
    """Another process gives the finished file its name between the opening and the lock of it by this one."""
    fcntl = pytest.importorskip("fcntl", reason="this system has no locks of files")
    part, target, flock, calls = tmp_path / "out.part", tmp_path / "out", fcntl.flock, []

    def too_late(handle, how):
        calls.append(handle)
        if len(calls) == 1:
            part.replace(target)
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", too_late)
    with locked(part, target):
        assert part.exists()
        with pytest.raises(OptionError, match="out is being written by another process"), locked(part, target):
            pass
    assert len(calls) == 3


def test_only_those_of_the_target(tmp_path):
    for name in ("out", "other", "out.txt"):
        left(tmp_path, f".{name}.{HOST}-01234567.part")
    left(tmp_path, f".out.{HOST}-01234567.old")
    for mine in (".out.part", "out.part", f"out.{HOST}-01234567.part", ".out.backup.part"):
        left(tmp_path, mine, age=1e9)
    before = names(tmp_path)
    remove_leftovers(tmp_path, "out")
    assert set(before) - set(names(tmp_path)) == {f".out.{HOST}-01234567.{end}" for end in ("part", "old")}


@pytest.mark.parametrize("name", [".out.fedcba-01234567.part", ".out.01234567.part"], ids=["host", "version"])
def test_those_of_another_host_or_version_must_be_old(name, tmp_path):
    left(tmp_path, name, age=3600)
    remove_leftovers(tmp_path, "out")
    assert names(tmp_path) == [name]
    os.utime(tmp_path / name, (0, 0))
    remove_leftovers(tmp_path, "out")
    assert names(tmp_path) == [name], "a file inside has changed within the hour"
    os.utime(tmp_path / name / "ids.bin", (0, 0))
    remove_leftovers(tmp_path, "out")
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="modes and links as POSIX has them")
def test_read_only_folders_go_and_links_are_not_followed(tmp_path):
    (tmp_path / "mine").mkdir(mode=0o755)
    (tmp_path / "mine" / "file").write_text("mine")
    path = left(tmp_path, f".out.{HOST}-01234567.part")
    (path / "deep").mkdir()
    (path / "deep" / "link").symlink_to(tmp_path / "mine")
    (path / "deep").chmod(0o555)
    (tmp_path / f".out.{HOST}-76543210.part").symlink_to(tmp_path / "mine")
    remove_leftovers(tmp_path, "out")
    assert names(tmp_path) == [f".out.{HOST}-76543210.part", "mine"]
    assert names(tmp_path / "mine") == ["file"]
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("partial", [partial_file, partial_folder])
def test_an_error_names_the_target(partial, tmp_path):
    target = tmp_path / "missing" / "model"
    with pytest.raises(FileNotFoundError) as found, partial(target):
        pass
    assert found.value.filename == str(target)
