"""A web server on this machine, for tests of downloads."""

import http.server
import re
import threading

ROWS = 400
CONTENT = "".join(f"word{i} other{i} {i / 10}\n" for i in range(ROWS)).encode()


class Server:
    """A web server on this machine whose answers a test decides.

    Attributes:
        files: content by path.
        promised: a length that the header promises and the body does not keep.
        breaks_after: bytes after which a connection breaks off; the header promises the rest.
        ranges: whether it sends the rest of a file to a client that has the beginning.
        asked: the header `Range` of each request, or an empty string.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.promised: int | None = None
        self.breaks_after: int | None = None
        self.ranges = True
        self.asked: list[str] = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                requested = self.headers.get("Range", "")
                owner.asked.append(requested)
                whole = owner.files.get(self.path)
                body, status = whole or b"", 404 if whole is None else 200
                if whole is not None and requested and owner.ranges:
                    (start,) = map(int, re.fullmatch(r"bytes=(\d+)-", requested).groups())
                    body, status = whole[start:], 206 if start < len(whole) else 416
                self.send_response(status)
                self.send_header("Content-Length", str(owner.promised or len(body)))
                self.end_headers()
                self.wfile.write(body[: owner.breaks_after])

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
