import dataclasses
import gzip
import re
import shutil
from pathlib import Path

import pytest

from firth import data
from firth.errors import DataError, FormatError
from firth.evaluation.suites import SUITES
from firth.storage.files import unpacked
from tests.unit.data.toy_server import CONTENT


def kept(folder: Path) -> list[Path]:
    return [path for path in (folder / "cache").rglob("*") if path.is_file()]


def test_downloads_once(pinned, server):
    assert data.path_of("toy").read_bytes() == CONTENT
    assert data.path_of("toy").read_bytes() == CONTENT
    assert server.asked == [""]


def test_a_file_that_was_altered_on_the_way_is_refused_and_not_kept(pinned, server, tmp_path):
    server.files["/toy.txt"] = CONTENT.replace(b"word7 ", b"word8 ")
    with pytest.raises(DataError, match="not the pinned toy"):
        data.path_of("toy")
    assert kept(tmp_path) == []


def test_a_file_cut_at_a_line_is_refused_and_not_kept(pinned, server, tmp_path):
    server.files["/toy.txt"] = b"".join(CONTENT.splitlines(keepends=True)[:100])
    with pytest.raises(DataError, match=r"truncated or altered on the way"):
        data.path_of("toy")
    assert kept(tmp_path) == []


def test_a_cached_file_that_was_damaged_is_fetched_again(pinned, server):
    path = data.path_of("toy")
    path.write_bytes(CONTENT[:-10])
    assert data.path_of("toy").read_bytes() == CONTENT
    assert server.asked == ["", ""]


def test_a_missing_page_and_a_silent_server_say_what_to_do(pinned, server, monkeypatch):
    server.files.clear()
    with pytest.raises(DataError, match=r"404.*pass a folder that holds similarity/toy.txt"):
        data.path_of("toy")
    gone = dataclasses.replace(pinned, url="http://127.0.0.1:9/toy.txt")
    monkeypatch.setattr(data, "SETS", {"toy": gone})
    with pytest.raises(DataError, match=r"refused.*FIRTH_DATA"):
        data.path_of("toy")


@pytest.mark.parametrize("way", ["argument", "environment"])
def test_a_folder_of_local_copies_is_used_and_nothing_downloaded(pinned, server, tmp_path, monkeypatch, way):
    (tmp_path / "similarity").mkdir()
    (tmp_path / "similarity/toy.txt").write_bytes(CONTENT)
    if way == "environment":
        monkeypatch.setenv("FIRTH_DATA", str(tmp_path))
    assert data.path_of("toy", tmp_path if way == "argument" else None) == tmp_path / "similarity/toy.txt"
    assert server.asked == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (CONTENT[: len(CONTENT) // 2], r"\d+ rows, expected 400 of toy: truncated"),
        (CONTENT + b"one more 1\n", "401 rows, expected 400"),
        (CONTENT.replace(b"word7 ", b"word8 "), "sha256 .* expected .* of toy: altered"),
    ],
)
def test_a_local_copy_that_is_not_the_pinned_file_is_refused(pinned, tmp_path, content, message):
    (tmp_path / "similarity").mkdir()
    (tmp_path / "similarity/toy.txt").write_bytes(content)
    with pytest.raises(DataError, match=message):
        data.path_of("toy", tmp_path)


def test_a_local_copy_may_be_packed(pinned, server, tmp_path):
    packed = tmp_path / "similarity/toy.txt.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(CONTENT))
    assert data.path_of("toy", tmp_path) == packed
    packed.write_bytes(gzip.compress(CONTENT[:-10]))
    with pytest.raises(DataError, match=r"toy.txt.gz: .*altered"):
        data.path_of("toy", tmp_path)
    packed.write_bytes(gzip.compress(CONTENT)[:-20])
    with pytest.raises(FormatError, match=r"toy.txt.gz: damaged gzip data"):
        data.path_of("toy", tmp_path)
    assert server.asked == []


def test_a_folder_without_the_file_says_which(pinned, tmp_path):
    with pytest.raises(DataError, match=r"holds no similarity/toy.txt.*FIRTH_DATA"):
        data.path_of("toy", tmp_path)


def test_an_unknown_name_says_the_known():
    with pytest.raises(DataError, match=r"'simlex'; expected one of .*simlex-999"):
        data.path_of("simlex")


def test_an_error_of_data_is_an_os_error(pinned, tmp_path):
    with pytest.raises(OSError, match="holds no"):
        data.path_of("toy", tmp_path)


REAL = list(data.SETS.values())
each_set = pytest.mark.parametrize("real", REAL, ids=lambda real: real.name)


@each_set
def test_every_pin_is_whole(real):
    assert re.fullmatch(r"[0-9a-f]{64}", real.sha256)
    # A branch would change under the checksum; a commit cannot.
    assert re.search(r"^https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/.+", real.url)
    assert real.kind in {*SUITES, "antonyms", "beside", "bias", "language", "sense-induction", "sentence-pairs", "sts"}
    assert real.rows > 0
    assert real.bytes >= real.rows
    assert real.licence
    assert real.citation


@each_set
def test_the_pins_are_those_of_the_files(shared_data, real):
    assert data.path_of(real.name, shared_data) in (shared_data / real.path, shared_data / f"{real.path}.gz")
    assert len(unpacked(data.path_of(real.name, shared_data))) == real.bytes


def test_one_byte_less_is_noticed(shared_data, tmp_path):
    real = data.SETS["wordsim-353"]
    (tmp_path / "similarity").mkdir()
    copy = Path(shutil.copy(shared_data / real.path, tmp_path / real.path))
    copy.chmod(0o644)
    copy.write_bytes(copy.read_bytes()[:-1])
    with pytest.raises(DataError, match="altered"):
        data.path_of("wordsim-353", tmp_path)
