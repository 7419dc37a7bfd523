from pathlib import Path

import pytest

from firth.corpus import cache
from firth.corpus.cache import build_in
from firth.errors import CorpusError, FormatError
from firth.storage.partial import partial_folder


def fill(text: str, target: Path):  # type: ignore[no-untyped-def]
    def write(folder: Path) -> Path:
        (folder / "file").write_text(text)
        return target

    return write


def holds(text: str):  # type: ignore[no-untyped-def]
    return lambda path: (path / "file").is_file() and (path / "file").read_text() == text


def test_what_stands_there_is_replaced_unless_it_is_the_same(tmp_path: Path) -> None:
    target = tmp_path / "corpus"
    assert build_in(tmp_path, fill("one", target), holds("one")) == target
    build_in(tmp_path, fill("two", target), holds("two"))
    assert (target / "file").read_text() == "two"
    before = target.stat().st_ino
    build_in(tmp_path, fill("two", target), holds("two"))
    assert target.stat().st_ino == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def fails(folder: Path) -> Path:
        (folder / "file").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_in(tmp_path, fails, holds("one"))
    assert list(tmp_path.iterdir()) == []


def test_leftovers_are_removed_and_builds_in_progress_are_not(tmp_path: Path) -> None:
    with partial_folder(tmp_path / "corpus") as dead:
        pass
    dead.mkdir()
    (dead / "ids.bin").write_bytes(b"x")
    (tmp_path / "other").mkdir()

    def during(folder: Path) -> Path:
        (folder / "file").write_text("one")
        assert not dead.exists()
        build_in(tmp_path, fill("two", tmp_path / "second"), holds("two"))
        assert folder.is_dir()
        return tmp_path / "built"

    build_in(tmp_path, during, holds("one"))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["built", "other", "second"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CorpusError, match=r"cannot be written to .*FIRTH_CACHE"):
        build_in(tmp_path / "file" / "cache", fill("one", tmp_path / "x"), holds("one"))


def test_what_another_process_puts_there_meanwhile_stays(tmp_path: Path) -> None:
    """Right after the look that finds nothing: it may be reading it, and must not lose it for an instant."""
    target = tmp_path / "corpus"
    looks: list[bool] = []

    def is_whole(path: Path) -> bool:
        looks.append(holds("one")(path))
        if len(looks) == 1:
            target.mkdir()
            (target / "file").write_text("one")
        return looks[-1]

    build_in(tmp_path, fill("one", target), is_whole)
    assert looks == [False, True]
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_something_else_is_replaced(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "corpus"
    if kind == "folder":
        (target / "deep").mkdir(parents=True)
        (target / "deep" / "file").write_text("old")
    else:
        target.write_text("old")
    build_in(tmp_path, fill("new", target), holds("new"))
    assert (target / "file").read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_what_another_process_replaces_while_it_is_looked_at_is_not_damaged(tmp_path: Path) -> None:
    target = build_in(tmp_path, fill("one", tmp_path / "corpus"), holds("one"))
    read: list[str] = []

    def open_it(place: Path) -> None:
        read.append((place / "file").read_text())
        build_in(tmp_path, fill("two", target), holds("two"))
        if read[-1] != (place / "file").read_text():
            raise FormatError("the words of the one with the counts of the other; build it again")

    assert cache.holds(target, open_it, tell=True)
    assert read == ["one", "two"]
