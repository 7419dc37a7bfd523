import dataclasses
import errno
import os

import pytest

from firth import data
from firth.data import downloads
from firth.errors import DataError, OptionError
from firth.storage.files import cache_folder
from tests.unit.data.toy_server import CONTENT

TOY = "similarity/toy.txt"


def arrived() -> dict[str, bytes]:
    """What is in the cache, by the name of the file."""
    folder = cache_folder("data")
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_broken_download_goes_on_where_it_stopped(pinned, server):
    """The server breaks off after 3,000 bytes: the second connection begins there, the third after 6,000."""
    server.breaks_after = 3000
    assert data.path_of("toy").read_bytes() == CONTENT
    assert server.asked == ["", "bytes=3000-", "bytes=6000-"]
    assert list(arrived()) == ["toy.txt"]


def test_a_later_download_goes_on_where_the_last_process_stopped(pinned, server):
    server.breaks_after = 1000
    with pytest.raises(DataError, match=r"after 3,000 of [\d,]+ bytes; the next attempt goes on there"):
        data.path_of("toy")
    assert arrived() == {"toy.txt.part": CONTENT[:3000]}
    server.breaks_after = None
    server.asked.clear()
    assert data.path_of("toy").read_bytes() == CONTENT
    assert server.asked == ["bytes=3000-"]


def test_a_server_that_cannot_go_on_sends_the_whole_file(pinned, server):
    part = cache_folder("data") / f"{TOY}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:700])
    server.ranges = False
    assert data.path_of("toy").read_bytes() == CONTENT
    assert server.asked == ["bytes=700-"]


def test_a_beginning_of_something_else_is_noticed_and_dropped(pinned, server):
    part = cache_folder("data") / f"{TOY}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 700)
    with pytest.raises(DataError, match="not the pinned toy"):
        data.path_of("toy")
    assert arrived() == {}
    assert data.path_of("toy").read_bytes() == CONTENT


def test_a_process_that_waited_says_what_the_one_before_it_said(pinned, server, monkeypatch):
    """Another process drops what it got while this one, which has opened the same file, waits for its turn."""
    server.files["/toy.txt"] = CONTENT.replace(b"word1 ", b"word2 ", 1)
    fetch = downloads._fetch

    def fetch_and_drop(data_set, file, report):
        fetch(data_set, file, report)
        (cache_folder("data") / f"{TOY}.part").unlink()

    monkeypatch.setattr(downloads, "_fetch", fetch_and_drop)
    with pytest.raises(DataError, match="not the pinned toy"):
        data.path_of("toy")
    assert arrived() == {}


def test_a_full_disk_names_the_file(pinned, server, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(downloads, "_fetch", fail)
    with pytest.raises(OSError, match=r"toy\.txt\.part: No space left on device; free some space"):
        data.path_of("toy")


def test_a_shorter_file_than_has_arrived_is_not_the_pinned_one(pinned, server):
    part = cache_folder("data") / f"{TOY}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:700])
    server.files["/toy.txt"] = CONTENT[:300]
    with pytest.raises(DataError, match="not the pinned toy"):
        data.path_of("toy")
    assert arrived() == {}


def test_progress_counts_bytes_from_the_beginning_of_the_file(pinned, server):
    server.breaks_after = 5000
    statuses = []
    data.path_of("toy", progress=statuses.append)
    assert [status.done for status in statuses] == sorted(status.done for status in statuses)
    assert statuses[-1].done == statuses[-1].total == len(CONTENT)
    assert {(status.stage, status.unit) for status in statuses} == {("toy", "bytes")}


def test_get_copies_the_file_and_its_companions(pinned, server, tmp_path, monkeypatch):
    beside = dataclasses.replace(pinned, name="more", path="similarity/more.txt")
    monkeypatch.setattr(data, "SETS", {"toy": dataclasses.replace(pinned, beside=("more",)), "more": beside})
    files = data.get("toy", tmp_path / "gold")
    assert [str(file.relative_to(tmp_path)) for file in files] == ["gold/similarity/more.txt", f"gold/{TOY}"]
    assert data.path_of("toy", tmp_path / "gold") == files[-1]  # the folder is one of local copies


def test_get_replaces_nothing_of_yours(pinned, tmp_path):
    (tmp_path / "similarity").mkdir()
    (tmp_path / TOY).write_text("mine", encoding="utf-8")
    with pytest.raises(OptionError, match="holds something else"):
        data.get("toy", tmp_path)
    assert (tmp_path / TOY).read_text(encoding="utf-8") == "mine"
