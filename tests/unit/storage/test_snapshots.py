"""What is read is all of one save; tests/robustness/test_loads_beside_saves.py has the kinds of folders."""

import contextlib
import os
import threading
import time

import pytest

from firth.errors import FormatError
from firth.storage import partial, snapshots
from firth.storage.files import replacing_folder
from firth.storage.partial import in_steps, is_in_steps
from firth.storage.snapshots import snapshot

fcntl = partial.fcntl
locks = pytest.mark.skipif(fcntl is None, reason="the system has no locks of files")


def save(folder, text):
    with replacing_folder(folder) as aside:
        (aside / "a").write_text(text, encoding="ascii")


def replacing(folder, times):
    """Return a reader during whose first readings the folder is replaced, and the list of what it found."""
    found = []

    def read(place):
        found.append((place / "a").read_text(encoding="ascii"))
        if len(found) <= times:
            save(folder, str(len(found)))
        return found[-1]

    return read, found


def test_what_was_replaced_while_it_was_read_is_read_again(tmp_path):
    save(tmp_path / "f", "0")
    read, found = replacing(tmp_path / "f", 2)
    assert snapshot(tmp_path / "f", read) == "2"
    assert found == ["0", "1", "2"]


def test_an_error_counts_where_nothing_was_replaced(tmp_path):
    save(tmp_path / "f", "0")
    calls = []

    def failing(place):
        calls.append(place)
        if len(calls) == 1:
            save(place, "1")
        raise FormatError("damaged")

    with pytest.raises(FormatError, match="damaged"):
        snapshot(tmp_path / "f", failing)
    assert len(calls) == 2


def test_what_is_replaced_at_every_attempt_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, "ATTEMPTS", 3)
    save(tmp_path / "f", "0")
    read, found = replacing(tmp_path / "f", 9)
    with pytest.raises(FormatError, match="replaced by another process during each of 3 attempts"):
        snapshot(tmp_path / "f", read)
    assert len(found) == 3


def test_a_link_that_leads_elsewhere_now(tmp_path):
    """How many who serve models put a new one in place."""
    for name in ("one", "two"):
        save(tmp_path / name, name)
    link = tmp_path / "link"
    link.symlink_to("one")

    def read(place):
        (tmp_path / "new").symlink_to("two")
        (tmp_path / "new").rename(link)
        return (place / "a").read_text(encoding="ascii")

    assert snapshot(link, read) == "two"


def test_no_number_is_given_to_another_folder_while_one_is_read(tmp_path, monkeypatch):
    """Some file systems give the number of a folder that is gone to the next: a later save could pass for it."""
    save(tmp_path / "f", "0")
    first, numbers = (tmp_path / "f").stat().st_ino, []

    def read(place):
        if not numbers:
            for text in "123":
                save(place, text)
                numbers.append(place.stat().st_ino)
        return (place / "a").read_text(encoding="ascii")

    monkeypatch.setattr(snapshots, "_identity", lambda path: path.stat().st_ino)
    assert snapshot(tmp_path / "f", read) == "3"
    assert first not in numbers


@pytest.mark.parametrize("name", ["missing", "a\0b", "x" * 300, "file/below"])
def test_what_is_no_folder_is_read_once(name, tmp_path):
    (tmp_path / "file").touch()
    calls = []

    def read(place):
        calls.append(place)
        raise FileNotFoundError(place)

    with pytest.raises(FileNotFoundError):
        snapshot(tmp_path / name, read)
    assert len(calls) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert snapshot(tmp_path / "pipe", lambda place: 1) == 1


@pytest.mark.parametrize("inside", [False, True])
def test_readers_wait_while_names_change(inside, tmp_path):
    target = tmp_path / "f"
    if inside:
        save(target, "0")
    loads = []
    with in_steps(target, inside=inside):
        assert is_in_steps(target)
        reader = threading.Thread(
            target=lambda: loads.append(snapshot(target, lambda place: (place / "a").read_text()))
        )
        reader.start()
        time.sleep(0.02)
        assert not loads
        save(target, "1")
    reader.join(10)
    assert loads == ["1"]
    assert not is_in_steps(target)
    assert {path.name for path in (target if inside else tmp_path).iterdir()} <= {"a", "checksums.json", "f"}


@pytest.mark.parametrize("fails", [False, True])
def test_what_is_read_while_names_begin_to_change_is_read_again(fails, tmp_path):
    """The checksums may be the last file that is replaced: until then only the sign tells."""
    save(tmp_path / "f", "0")
    steps, found = contextlib.ExitStack(), []

    def finish():
        (tmp_path / "f" / "a").write_text("1", encoding="ascii")
        steps.close()

    def read(place):
        found.append((place / "a").read_text(encoding="ascii"))
        if len(found) == 1:
            steps.enter_context(in_steps(place, inside=True))
            threading.Timer(0.02, finish).start()
            if fails:
                raise FormatError("half of it is new")
        return found[-1]

    assert snapshot(tmp_path / "f", read) == "1"
    assert found == ["0", "1"]


@locks
@pytest.mark.parametrize("inside", [False, True])
def test_a_sign_stays_until_the_last_of_two_writers_is_done(inside, tmp_path):
    target = tmp_path / "f"
    target.mkdir()
    with in_steps(target, inside=inside):
        with in_steps(target, inside=inside):
            pass
        assert partial._is_held(partial._sign(target, inside=inside))
    assert not partial._sign(target, inside=inside).exists()


@locks
def test_a_sign_is_seen_though_a_reader_looks_while_it_is_made(tmp_path):
    """A reader that looks whether a sign is held holds it for an instant itself."""
    sign = partial._sign(tmp_path / "f", inside=False)
    sign.touch()
    with sign.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        timer = threading.Timer(0.02, lambda: fcntl.flock(file, fcntl.LOCK_UN))
        timer.start()
        with in_steps(tmp_path / "f"):
            timer.join()
            assert is_in_steps(tmp_path / "f")


@locks
def test_a_sign_that_another_writer_removes_is_made_anew(tmp_path, monkeypatch):
    sign, places = partial._sign(tmp_path / "f", inside=False), []

    def removed_before(handle, operation):
        if not places:
            places.append(sign.unlink())
        flock(handle, operation)

    flock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", removed_before)
    with in_steps(tmp_path / "f"):
        assert is_in_steps(tmp_path / "f")
    assert places


def test_a_sign_of_a_killed_process_is_none(tmp_path):
    partial._sign(tmp_path / "f", inside=False).touch()
    with pytest.raises(FileNotFoundError):
        snapshot(tmp_path / "f", lambda place: place.stat())


def test_without_locks_only_a_sign_of_a_moment_ago_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(partial, "fcntl", None)
    sign = partial._sign(tmp_path / "f", inside=False)
    with in_steps(tmp_path / "f"):
        assert is_in_steps(tmp_path / "f")
        os.utime(sign, (time.time() - 60, time.time() - 60))
        assert not is_in_steps(tmp_path / "f")
