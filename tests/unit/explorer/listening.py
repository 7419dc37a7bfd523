"""A server on a port of 127.0.0.1, in a thread of the test."""

import contextlib
import http.client
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from firth.explorer.server import serve_app


@contextlib.contextmanager
def listening(app) -> Iterator[int]:
    """Serve an application; yield the port."""
    servers, ports, answers = [], [], threading.Event()

    def ready(address):
        ports.append(int(address.rpartition(":")[2]))
        answers.set()

    with pytest.MonkeyPatch.context() as patch:
        start = uvicorn.Server.startup

        async def startup(self, sockets=None):
            servers.append(self)
            await start(self, sockets)

        patch.setattr(uvicorn.Server, "startup", startup)
        thread = threading.Thread(target=serve_app, args=(app,), kwargs={"port": 0, "log": False, "ready": ready})
        thread.start()
        assert answers.wait(30)
        try:
            yield ports[0]
        finally:
            servers[0].should_exit = True
            thread.join(30)


def status(port: int, path: str) -> int:
    """The status of the answer to GET, over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()
