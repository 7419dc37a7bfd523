"""Middleware of every request: checks of its sender and its size, a limit of its rate, headers, a line in the log.

Pages of other sites cannot use the server: a request with a foreign Host or Origin is refused, which also stops DNS
rebinding. No header lets other origins read an answer (no CORS). The body is read under a limit of size and time.
"""

import asyncio
import hmac
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from firth.explorer.failures import refusal
from firth.explorer.hosts import LOOPBACK, host_of
from firth.explorer.metrics import Metrics

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

LOG = logging.getLogger("firth.server")
CLIENTS = 10_000  # number of clients whose rate is kept
LONGEST_WAIT = 3600  # seconds; the longest Retry-After
CLOSE = (b"connection", b"close")
TURNS = 3  # turns of the event loop after a request, to notice that the client has left
HEALTH = "/health"  # is answered without a token, and whatever else waits
CHECKED = (b"host", b"origin", b"authorization", b"sec-fetch-site", b"sec-fetch-mode")  # once, at most
SAFE: Headers = [
    (b"content-security-policy",
     b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
     b"font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """Limits of the server.

    Attributes:
        body: bytes of a request.
        body_seconds: in which the body must arrive.
        seconds: in which an answer must be ready.
        rate: requests a second of one address, on average; 0 for no limit.
        waiting: requests that wait for one model.
    """

    body: int = 1_000_000
    body_seconds: float = 10.0
    seconds: float = 60.0
    rate: float = 1000.0
    waiting: int = 256


class _RefusalError(Exception):
    """A request that is not answered."""

    def __init__(self, status: int, message: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, list(headers)


class Rates:
    """A bucket of permissions per address, which fills at the rate and holds those of two seconds.

    Args:
        rate: permissions a second; 0 for no limit.
    """

    def __init__(self, rate: float) -> None:
        self._rate, self._most = rate, max(2 * rate, 1.0)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str, now: float) -> float:
        """Return 0 and take a permission, or the seconds until there is one."""
        if not self._rate:
            return 0.0
        left, since = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - since) * self._rate)
        allowed = left >= 1
        self._left[client] = (left - allowed, now)
        if len(self._left) > CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate


class Guard:
    """ASGI middleware around the application.

    Args:
        app: the application.
        hosts: names by which the server may be called, without ports.
        limits: of requests.
        metrics: counts of them.
        token: that every request but /health must bear; None for none.
    """

    def __init__(
        self, app: Any, *, hosts: Collection[str], limits: Limits, metrics: Metrics, token: str | None = None
    ) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics
        self._hosts = {host.lower() for host in hosts}
        self._token = None if token is None else token.encode()
        self._rates = Rates(limits.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; see the ASGI specification."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no WebSockets
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["method"] == "POST":  # JSON is all that is read; that no other site's page asks is seen by its Origin
            other_headers = [pair for pair in scope["headers"] if pair[0] != b"content-type"]
            scope = {**scope, "headers": [*other_headers, (b"content-type", b"application/json")]}
        method = scope["method"]
        if method == "HEAD":  # the answer to GET without its body
            scope = {**scope, "method": "GET"}
        began, status, size = time.perf_counter(), 0, 0

        async def answer(message: MutableMapping[str, Any]) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                own = {name for name, _ in message.get("headers", ())}
                message["headers"] = [*message.get("headers", ()), *(pair for pair in SAFE if pair[0] not in own)]
            elif message["type"] == "http.response.body":
                if method == "HEAD":
                    message = {**message, "body": b""}
                size += len(message.get("body", b""))
            await send(message)

        try:
            self._check(scope, time.monotonic())
            received = await self._received(receive)
            await _while_wanted(lambda: self._app(scope, received, answer), receive, lambda: status > 0)
        except _RefusalError as refused:
            if not status:
                closing = [CLOSE] if refused.status in (408, 413) else []  # the rest of the body is not read
                await _respond(answer, scope["path"], refused.status, refused.message, [*refused.headers, *closing])
        except Exception:
            LOG.exception("a request failed")
            if not status:
                await _respond(answer, scope["path"], 500, "the server failed; its log says how")
        finally:
            seconds = time.perf_counter() - began
            self._metrics.count(method, scope["path"], status, seconds)
            client = scope.get("client")
            line = {
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "client": client[0] if client else None,
                "method": method, "path": scope["path"], "status": status, "bytes": size,
                "milliseconds": round(1000 * seconds, 2),
            }  # fmt: skip
            LOG.info(json.dumps(line))

    def _check(self, scope: Scope, now: float) -> None:
        """Check the sender."""
        headers = dict(scope["headers"])
        self._check_host(scope, headers)
        if self._is_of_another_site(scope, headers):
            raise _RefusalError(403, "a request of another site's page")
        if scope["path"] != HEALTH:
            self._check_rights(scope, headers, now)
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and (len(length) > 18 or int(length) > self._limits.body):
            raise self._too_large()

    def _check_rights(self, scope: Scope, headers: Mapping[bytes, bytes], now: float) -> None:
        """Check the token and the rate of a sender."""
        if self._token is not None:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(b" "), self._token):
                raise _RefusalError(
                    401, "expected the header Authorization: Bearer TOKEN", [(b"www-authenticate", b"Bearer")]
                )
        client = scope.get("client")
        wait = self._rates.wait(client[0] if client else "", now)
        if wait:
            raise _RefusalError(
                429, "too many requests", [(b"retry-after", str(min(int(wait) + 1, LONGEST_WAIT)).encode())]
            )

    def _check_host(self, scope: Scope, headers: Mapping[bytes, bytes]) -> None:
        """Check that the request is for this server, and says so once."""
        names = [name for name, _ in scope["headers"]]
        twice = next((name.decode() for name in CHECKED if names.count(name) > 1), None)
        if twice is not None:
            raise _RefusalError(400, f"several headers {twice.title()}; expected one")
        host = host_of(headers.get(b"host", b"/").decode("latin-1"))
        if host is None:
            raise _RefusalError(
                400, "no valid header Host; expected the name of the server, with its port if it has one"
            )
        if host not in self._hosts:
            raise _RefusalError(
                421, f"the Host header names another server; expected one of {', '.join(sorted(self._hosts))}"
            )

    def _is_of_another_site(self, scope: Scope, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether the browser marks the request as from another site; a link to the page is allowed."""
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin:
            netloc = urlsplit(origin).netloc if "//" in origin else ""
            own = headers.get(b"host", b"").decode("latin-1")
            proxied = host_of(netloc) in self._hosts and host_of(netloc) not in LOOPBACK
            if netloc.lower() != own.lower() and not proxied:
                return True
        is_navigation = scope["method"] == "GET" and headers.get(b"sec-fetch-mode") == b"navigate"
        return headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site") and not (
            is_navigation and scope["path"] == "/"
        )

    def _too_large(self) -> _RefusalError:
        return _RefusalError(413, f"a body of more than {self._limits.body:,} bytes")

    async def _received(self, receive: Receive) -> Receive:
        """Read a body under the limits, and return what hands it on as one message."""
        parts, size, until = [], 0, time.monotonic() + self._limits.body_seconds
        while True:
            try:
                async with asyncio.timeout(until - time.monotonic()):
                    message = await receive()
            except TimeoutError:
                raise _RefusalError(408, "the body did not arrive in time") from None
            if message["type"] != "http.request":  # the client is gone
                break
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._limits.body:
                raise self._too_large()
            if not message.get("more_body", False):
                break
        whole: MutableMapping[str, Any] | None = {"type": "http.request", "body": b"".join(parts), "more_body": False}

        async def handed_on() -> MutableMapping[str, Any]:
            nonlocal whole
            message, whole = whole, None
            return await receive() if message is None else message  # a disconnection is waited for, however long

        return handed_on


async def _while_wanted(
    work: Callable[[], Coroutine[Any, Any, None]], receive: Receive, begun: Callable[[], bool]
) -> None:
    """Do work, unless the client has left; drop it if it leaves before the answer has begun."""
    tasks: list[asyncio.Task[None]] = [asyncio.ensure_future(_left(receive))]
    try:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        if tasks[0].done():
            return
        tasks.append(asyncio.ensure_future(work()))
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[1].done() or begun():
            await tasks[1]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _left(receive: Receive) -> None:
    """Wait until the client has left; a server says the same once the answer is complete."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _respond(
    send: Send, path: str, status: int, message: str, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    body = json.dumps(refusal(path, status, message)).encode()
    start = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
