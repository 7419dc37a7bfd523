import dataclasses
import gzip
import hashlib
import http.server
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from firth import data
from firth.errors import DataError, FormatError
from firth.evaluation.suites import SUITES

ROWS = 400
CONTENT = "".join(f"word{i} other{i} {i / 10}\n" for i in range(ROWS)).encode()


class Server:
    """A web server on this machine whose answers a test decides."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.promised: int | None = None  # a length that the header promises and the body does not keep
        self.asked = 0
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.asked += 1
                body = owner.files.get(self.path)
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Length", str(owner.promised or len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_: object) -> None:
                """Keep the test's output clean."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


@pytest.fixture
def pinned(monkeypatch, tmp_path, server):
    """A set of our own, served from this machine; no folder of local copies, an empty cache."""
    monkeypatch.delenv("FIRTH_DATA", raising=False)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    one = data.DataSet(
        name="toy",
        kind="similarity",
        path="similarity/toy.txt",
        url=f"{server.url}/toy.txt",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        rows=ROWS,
        licence="none",
        citation="nobody",
    )
    monkeypatch.setattr(data, "SETS", {"toy": one})
    server.files["/toy.txt"] = CONTENT
    return one


def kept(folder: Path) -> list[Path]:
    return [path for path in (folder / "cache").rglob("*") if path.is_file()]


def test_downloads_once(pinned, server):
    assert data.path_of("toy").read_bytes() == CONTENT
    assert data.path_of("toy").read_bytes() == CONTENT
    assert server.asked == 1


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


def test_a_connection_that_breaks_off_is_refused_and_not_kept(pinned, server, tmp_path):
    server.files["/toy.txt"], server.promised = CONTENT[:1000], len(CONTENT)
    with pytest.raises(DataError, match="could not be downloaded"):
        data.path_of("toy")
    assert kept(tmp_path) == []


def test_a_cached_file_that_was_damaged_is_fetched_again(pinned, server):
    path = data.path_of("toy")
    path.write_bytes(CONTENT[:-10])
    assert data.path_of("toy").read_bytes() == CONTENT
    assert server.asked == 2


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
    assert server.asked == 0


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
    assert server.asked == 0


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
    assert real.kind in {*SUITES, "antonyms", "beside", "bias", "language", "sense-induction"}
    assert real.rows > 0
    assert real.licence
    assert real.citation


@each_set
def test_the_pins_are_those_of_the_files(shared_data, real):
    assert data.path_of(real.name, shared_data) in (shared_data / real.path, shared_data / f"{real.path}.gz")


def test_one_byte_less_is_noticed(shared_data, tmp_path):
    real = data.SETS["wordsim-353"]
    (tmp_path / "similarity").mkdir()
    copy = Path(shutil.copy(shared_data / real.path, tmp_path / real.path))
    copy.chmod(0o644)
    copy.write_bytes(copy.read_bytes()[:-1])
    with pytest.raises(DataError, match="altered"):
        data.path_of("wordsim-353", tmp_path)
