import hashlib
from collections.abc import Iterator

import pytest

from firth import data
from tests.unit.data.toy_server import CONTENT, ROWS, Server


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
        bytes=len(CONTENT),
        licence="none",
        citation="nobody",
    )
    monkeypatch.setattr(data, "SETS", {"toy": one})
    server.files["/toy.txt"] = CONTENT
    return one
