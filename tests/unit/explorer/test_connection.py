"""Connections over real sockets: what may come slowly, what may not, and how much of it."""

import contextlib
import gc
import json
import socket
import threading
import time

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from firth.explorer.connection import MOST_BYTES, MOST_PIPELINED, Connection
from firth.explorer.guard import Limits
from firth.explorer.server import build_app
from tests.unit.explorer.listening import listening, status

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
BODY = json.dumps({"words": ["a"]}).encode()


@pytest.fixture(scope="module")
def port():
    """A server that allows half a second for the lines before a body."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "seconds", 0.5)
        with listening(build_app({"one": firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32))})) as port:
            yield port
        assert gc.get_freeze_count() == 0


def said(connection, *, until=b"}"):
    """What the server sends until the end of a JSON object, or until it closes the connection."""
    received = b""
    while until not in received:
        piece = connection.recv(1 << 16)
        if not piece:
            return received
        received += piece
    return received


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def seconds_until_closed(connection):
    began = time.monotonic()
    assert connection.recv(100) == b""
    return time.monotonic() - began


@pytest.mark.parametrize("begun", [b"", b"GET /health HTTP/1.1\r\nHost: loc", b"\r\n"], ids=["nothing", "half", "line"])
def test_the_lines_before_a_body_must_come_in_time(port, begun):
    with connected(port) as connection:
        connection.sendall(begun)
        assert 0.3 < seconds_until_closed(connection) < 4


def test_a_second_request_must_come_in_time_too(port):
    with connected(port) as connection:
        connection.sendall(HEALTH)
        assert b"200 OK" in said(connection)
        connection.sendall(HEALTH[:20])
        assert 0.3 < seconds_until_closed(connection) < 4


def test_slow_lines_keep_no_connection(port):
    def dripping(connection):
        connection.sendall(HEALTH[:-2])
        for number in range(100):
            connection.sendall(f"x-{number}: y\r\n".encode())
            time.sleep(0.1)

    with connected(port) as connection:
        began = time.monotonic()
        with pytest.raises(OSError, match=r"reset|[Bb]roken pipe"):
            dripping(connection)
        assert 0.3 < time.monotonic() - began < 4


def test_a_request_in_pieces_is_answered_and_its_body_has_time_of_its_own(port):
    head = b"POST /neighbors HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    with connected(port) as connection:
        for _ in range(2):
            for piece in (head[:30], head[30:], BODY[:5]):
                connection.sendall(piece)
                time.sleep(0.1)
            time.sleep(0.8)  # longer than the lines before it may take
            connection.sendall(BODY[5:])
            assert b'"word":"b"' in said(connection, until=b"]}]}")


def test_an_idle_connection_stays_for_a_while(port):
    with connected(port) as connection:
        connection.sendall(HEALTH)
        assert b"200 OK" in said(connection)
        time.sleep(0.8)
        connection.sendall(HEALTH)
        assert b"200 OK" in said(connection)


def test_long_headers_are_refused(port):
    with connected(port) as connection:
        answer = b""
        connection.sendall(HEALTH[:-2])
        for _ in range(2 * MOST_BYTES // 1000):
            try:
                connection.sendall(b"x: " + b"y" * 995 + b"\r\n")
                time.sleep(0.0005)  # apart, so that the server reads pieces
            except OSError:
                break
        else:
            pytest.fail("headers without end were read")
        try:
            answer = said(connection, until=b"bytes.")
        except ConnectionResetError:
            return
        assert answer.startswith(b"HTTP/1.1 400") or not answer


def test_requests_that_follow_one_another_at_once(port):
    with connected(port) as connection:
        connection.sendall(10 * HEALTH)
        received = b""
        while received.count(b"200 OK") < 10:
            received += connection.recv(1 << 16)
    with connected(port) as connection:
        connection.sendall((MOST_PIPELINED + 10) * HEALTH)
        received = b""
        try:
            while piece := connection.recv(1 << 16):
                received += piece
        except ConnectionResetError:
            pass
        assert received.count(b"200 OK") <= MOST_PIPELINED


def test_head_has_no_body_that_another_answer_could_be_taken_for(port):
    with connected(port) as connection:
        connection.sendall(HEALTH.replace(b"GET", b"HEAD") + HEALTH)
        received = said(connection)
        assert received.count(b"200 OK") == 2
        assert received.count(b'{"status":"ok"}') == 1


def test_what_is_no_request_is_refused(port):
    for nonsense in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"GET /\xff HTTP/1.1\r\n\r\n",
                     b"GET http://[ HTTP/1.1\r\n\r\n", b"CONNECT a:1 HTTP/1.1\r\n\r\n"):  # fmt: skip
        with connected(port) as connection:
            connection.sendall(nonsense)
            received = said(connection, until=b"\x00")
            assert received.startswith(b"HTTP/1.1 4"), nonsense
    with connected(port) as connection:
        connection.sendall(HEALTH)
        assert b"200 OK" in said(connection)


def test_garbage_is_looked_for_among_new_objects_only(port):
    """Models and programs are left out: to look through them holds all requests up."""
    assert gc.get_freeze_count() > 10_000


class Held(firth.WordVectors):
    """Answers once the gate is open."""

    def most_similar(self, positive, *rest, **options):
        self.asked.append(positive)
        assert self.gate.wait(60)
        return super().most_similar(positive, *rest, **options)


@pytest.mark.parametrize("count", [60, pytest.param(2_000, marks=pytest.mark.slow)])
def test_who_has_left_holds_up_nobody(monkeypatch, count):
    """Clients that ask and leave at once take no place in the queue, and none of the server's connections."""
    monkeypatch.setattr("firth.explorer.server.CONNECTIONS", count // 2)
    held = Held([f"w{n}" for n in range(9)], np.eye(9, dtype=np.float32))
    held.asked, held.gate = [], threading.Event()
    with listening(build_app({"held": held}, limits=Limits(waiting=8, rate=0))) as port:
        answers = []

        def asks(word):
            answers.append(status(port, f"/analogy?positive={word}"))

        clients = [threading.Thread(target=asks, args=(word,)) for word in ("w0", "w1", "w2")]
        clients[0].start()
        while not held.asked:
            time.sleep(0.001)
        for _ in range(count):
            with connected(port) as connection:
                connection.sendall(b"GET /analogy?positive=w8 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert {status(port, "/health") for _ in range(10)} == {200}
        for client in clients[1:]:
            client.start()
        held.gate.set()
        for client in clients:
            client.join(30)
        assert answers == [200] * 3
        assert sorted(held.asked) == [["w0"], ["w1"], ["w2"]]


def test_health_is_answered_however_many_are_connected(monkeypatch):
    monkeypatch.setattr("firth.explorer.server.CONNECTIONS", 4)
    app = build_app({"one": firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32))})
    with listening(app) as port, contextlib.ExitStack() as opened:
        for _ in range(4):
            opened.enter_context(connected(port)).sendall(HEALTH[:10])
        assert (status(port, "/health"), status(port, "/health?now"), status(port, "/info")) == (200, 200, 503)
