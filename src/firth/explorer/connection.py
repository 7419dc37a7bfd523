"""A connection of a client whose requests begin under limits of size, time and number.

uvicorn limits how long a connection may be idle between requests; a client that sends the lines of a request one by one
would keep it for ever.
"""

import asyncio
from typing import Any

from firth.errors import MissingExtraError
from firth.explorer.guard import HEALTH

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError as error:
    raise MissingExtraError(error.name or "uvicorn", "explorer", "serve models") from error

MOST_BYTES = 65_536  # bytes of the headers, without the chunk of input in which they end
MOST_PIPELINED = 64  # requests of a connection that wait for the answer to an earlier one


class Connection(HttpToolsProtocol):
    """A connection that is closed where the lines before a body are too long or too slow, or requests too many.

    Attributes:
        seconds: in which these lines must arrive, from their first byte or from the start of the connection.
    """

    seconds = 10.0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._waiting, self._in_body, self._bytes = True, False, 0  # waiting: for the end of the lines before a body
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._start_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._cancel_timeout()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a piece of input; the methods below are called from within."""
        self._waiting = not self._in_body
        super().data_received(data)
        if self._waiting and not self.transport.is_closing():
            self._bytes += len(data)
            self._start_timeout()
            if self._bytes > MOST_BYTES:
                self.send_400_response(f"Headers of more than {MOST_BYTES} bytes.")
        if len(self.pipeline) > MOST_PIPELINED:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._waiting = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Begin to answer a request, whose body may follow; /health is answered however many others wait."""
        self._waiting, self._in_body, self._bytes = False, True, 0
        self._cancel_timeout()
        limit = self.limit_concurrency
        if self.url.partition(b"?")[0] == HEALTH.encode():
            self.limit_concurrency = None
        super().on_headers_complete()
        self.limit_concurrency = limit

    def on_message_complete(self) -> None:
        """End a request."""
        self._in_body = False
        super().on_message_complete()

    def _start_timeout(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.seconds, self.transport.close)

    def _cancel_timeout(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
