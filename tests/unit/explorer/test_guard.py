"""What stands before every request: senders, sizes, rates, times."""

import asyncio
import json
import logging

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

from firth.explorer.guard import Guard, Limits, Rates
from firth.explorer.metrics import Metrics


async def echo(scope, receive, send):
    """Answer with the size of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def failing(scope, receive, send):
    raise RuntimeError("secret")


def ask(
    app=echo,
    parts=(b"",),
    path="/",
    method="POST",
    headers=(),
    host=b"localhost:8000",
    pause=0.0,
    client=("1.2.3.4", 5),
    **options,
):
    """Return status, headers and body of one request."""
    limits = options.pop("limits", Limits())
    guard = options.pop("guard", None) or Guard(
        app, hosts=["localhost", "::1", "words.example"], limits=limits, metrics=Metrics(["/"]), **options
    )
    sent, left = [], list(parts)

    async def receive():
        if not left:
            await asyncio.Event().wait()  # the client stays
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "client": client,
        "headers": [*([] if host is None else [(b"host", host)]), *headers],
    }  # fmt: skip
    asyncio.run(guard(scope, receive, send))
    start, *rest = sent
    return start["status"], dict(start["headers"]), b"".join(each["body"] for each in rest)


def test_what_is_allowed_is_answered():
    status, headers, body = ask(parts=(b"abc", b"de"))
    assert (status, body) == (200, b"5")
    assert headers[b"content-security-policy"].startswith(b"default-src 'none'; script-src 'self'")
    assert headers[b"content-type"] == b"text/plain"
    assert b"access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"localhost", 200), (b"LOCALHOST:99", 200), (b"[::1]:8000", 200), (b"evil.com", 421), (b"", 421),
        (b"localhost.evil.com", 421), (b"evil.com#localhost", 400), (b"localhost@evil.com", 400), (b"[::1", 400),
        (b"\xff\xfe", 400), (b"evil.com@localhost", 400), (b"evil.com:80@localhost:8000", 400), (b"localhost/x", 400),
        (b"localhost?x", 400), (b"localhost:8000:8000", 400), (b"localhost, evil.com", 400), (b"[::1]x", 400),
        (b"localhost\\@evil.com", 400),
    ],
)  # fmt: skip
def test_hosts(host, status):
    assert ask(host=host)[0] == status


@pytest.mark.parametrize(
    "twice",
    [
        [(b"host", b"evil.com")], [(b"host", b"localhost:8000")],
        [(b"origin", b"http://evil.com"), (b"origin", b"http://localhost:8000")],
        [(b"authorization", b"Bearer x"), (b"authorization", b"Bearer abc")],
        [(b"sec-fetch-site", b"cross-site"), (b"sec-fetch-site", b"none")],
    ],
)  # fmt: skip
def test_a_header_that_is_checked_comes_once(twice):
    """Which of two is meant is not for the server to guess: a proxy before it may have read the other."""
    status, _, body = ask(headers=twice, token="abc")
    assert (status, json.loads(body)["error"]) == (400, f"several headers {twice[0][0].decode().title()}; expected one")
    assert ask(headers=[(b"x-other", b"a"), (b"x-other", b"b")])[0] == 200


def test_the_order_of_two_hosts_does_not_matter():
    good, bad = (b"host", b"localhost"), (b"host", b"evil.com")
    for headers in ([good, bad], [bad, good], []):
        assert ask(host=None, headers=headers)[0] == 400


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (b"http://localhost:8000", 200), (b"http://evil.com", 403), (b"null", 403),
        (b"https://localhost.evil.com", 403), (b"localhost", 403), (b"http://evil.com@words.example", 403),
        (b"http://words.example", 200),
    ],
)  # fmt: skip
def test_pages_of_other_sites(origin, status):
    assert ask(headers=[(b"origin", origin)])[0] == status


@pytest.mark.parametrize(
    ("headers", "method", "path", "status"),
    [
        ({"sec-fetch-site": "cross-site"}, "GET", "/neighbors", 403),
        ({"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}, "GET", "/", 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, "GET", "/", 200),  # a link to the page
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, "GET", "/neighbors", 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, "POST", "/", 403),
        ({"sec-fetch-site": "same-origin"}, "POST", "/neighbors", 200),
        ({"sec-fetch-site": "none"}, "GET", "/neighbors", 200),
        ({"origin": "http://localhost:9999"}, "POST", "/neighbors", 403),  # another server of this machine
    ],
)
def test_what_browsers_say_of_other_sites(headers, method, path, status):
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert ask(path=path, method=method, headers=pairs)[0] == status


def test_a_body_is_handed_on_whole():
    """Frameworks make an error of their own of one that is raised while they read."""
    messages = []

    async def reading(scope, receive, send):
        messages.append(await receive())
        await echo(scope, lambda: asyncio.sleep(0, messages[0]), send)

    assert ask(app=reading, parts=(b"abc", b"de"))[2] == b"5"
    assert messages == [{"type": "http.request", "body": b"abcde", "more_body": False}]
    limits = Limits(body=4)
    status, headers, _ = ask(app=failing, parts=(b"abc", b"de"), limits=limits)
    assert (status, headers[b"connection"]) == (413, b"close")
    assert ask(parts=(b"abcd",), headers=[(b"content-length", b"4")], limits=limits)[0] == 200
    assert ask(app=failing, parts=(b"",), headers=[(b"content-length", b"5")], limits=limits)[0] == 413


def test_every_body_is_read_as_json():
    seen = []

    async def types(scope, receive, send):
        seen.append([value for name, value in scope["headers"] if name == b"content-type"])
        await echo(scope, receive, send)

    for kind in (b"text/plain", b"application/x-www-form-urlencoded"):
        ask(app=types, headers=[(b"content-type", kind)])
    ask(app=types)
    assert seen == [[b"application/json"]] * 3


def test_tokens():
    for good in (b"Bearer abc", b"bearer abc", b"BEARER  abc"):  # RFC 9110, section 11.1: in any case
        assert ask(token="abc", headers=[(b"authorization", good)])[0] == 200
    for headers in (
        (),
        *([(b"authorization", bad)] for bad in (b"Bearer abd", b"Bearer ABC", b"abc", b"Basic abc", b"Bearer")),
    ):
        status, answer, _ = ask(token="abc", headers=headers)
        assert (status, answer[b"www-authenticate"]) == (401, b"Bearer")
    assert ask(token="abc", path="/health")[0] == 200


def test_sizes():
    limits = Limits(body=10)
    assert ask(parts=(b"x" * 6, b"x" * 4), limits=limits)[0] == 200
    assert ask(parts=(b"x" * 6, b"x" * 5), limits=limits)[0] == 413
    for length in (b"11", b"9" * 5000):
        assert ask(headers=[(b"content-length", length)], limits=limits)[0] == 413


def test_bodies_that_come_slowly():
    status, _, body = ask(parts=(b"x",) * 50, pause=0.02, limits=Limits(body_seconds=0.1))
    assert status == 408
    assert json.loads(body) == {"error": "the body did not arrive in time"}


def test_failures_are_told_to_the_log_only(caplog):
    status, _, body = ask(failing)
    assert status == 500
    assert b"secret" not in body
    assert "secret" in caplog.text


def test_log(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("firth.server"), "propagate", True)
    with caplog.at_level(logging.INFO, "firth.server"):
        ask(parts=(b"abc",), path='/a"\n{}')
    line = json.loads(caplog.messages[-1])
    assert (line["path"], line["status"], line["bytes"], line["client"]) == ('/a"\n{}', 200, 1, "1.2.3.4")
    assert len(caplog.messages[-1].splitlines()) == 1


def test_rates():
    rates = Rates(2.0)
    assert [rates.wait("a", 0.0) for _ in range(4)] == [0.0] * 4
    assert rates.wait("a", 0.0) == pytest.approx(0.5)
    assert rates.wait("b", 0.0) == 0.0
    assert rates.wait("a", 0.6) == 0.0
    assert rates.wait("a", 0.6) > 0
    assert [rates.wait("a", 1000.0) for _ in range(5)].count(0.0) == 4
    assert all(Rates(0).wait("a", 0.0) == 0.0 for _ in range(100))


def test_too_many_requests():
    guard = Guard(echo, hosts=["localhost"], limits=Limits(rate=0.5), metrics=Metrics([]))
    assert ask(guard=guard)[0] == 200
    status, headers, _ = ask(guard=guard)
    assert (status, headers[b"retry-after"]) == (429, b"2")
    assert ask(guard=guard, client=("5.6.7.8", 1))[0] == 200
    assert [ask(guard=guard, path="/health")[0] for _ in range(5)] == [200] * 5  # is never refused


@pytest.mark.parametrize(("leaves", "done"), [("before", ""), ("while it waits", "a"), ("in the answer", "ab")])
def test_work_is_dropped_if_the_client_leaves_before_the_answer_begins(leaves, done):
    """What has begun is finished: it may hold a file that is removed at its end."""
    steps = []

    async def run():
        left = asyncio.Event()

        async def slow(scope, receive, send):
            steps.append("a")
            if leaves == "in the answer":
                await send({"type": "http.response.start", "status": 200, "headers": []})
            left.set()
            await asyncio.sleep(0.05)
            steps.append("b")

        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive():
            if messages:
                return messages.pop()
            if leaves != "before":
                await left.wait()
            return {"type": "http.disconnect"}

        guard = Guard(slow, hosts=["localhost"], limits=Limits(), metrics=Metrics([]))
        scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}
        await guard(scope, receive, lambda message: asyncio.sleep(0))
        await asyncio.sleep(0.1)

    asyncio.run(run())
    assert "".join(steps) == done


def test_a_web_socket_is_closed():
    sent = []

    async def run():
        async def send(message):
            sent.append(message)

        guard = Guard(echo, hosts=["localhost"], limits=Limits(), metrics=Metrics([]))
        await guard({"type": "websocket", "headers": []}, None, send)

    asyncio.run(run())
    assert sent == [{"type": "websocket.close", "code": 1008}]
