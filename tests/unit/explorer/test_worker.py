"""Answers of one model: in order, together where they can be, none for those who wait no more."""

import asyncio
import dataclasses
import threading
import time

import pytest

pytest.importorskip("pydantic", reason="FastAPI is not installed: pip install 'firth[explorer]'")

from firth.errors import BusyError
from firth.explorer.endpoints import ENDPOINTS
from firth.explorer.worker import GATHER, Worker

FIRST = ENDPOINTS[0]


def endpoint(answer, together=None):
    return dataclasses.replace(FIRST, answer=answer, together=together)


def run(worker, work):
    async def main():
        task = asyncio.create_task(worker.run())
        try:
            return await work()
        finally:
            task.cancel()
            worker.close()

    return asyncio.run(main())


def test_requests_that_wait_are_answered_together():
    calls, gate = [], threading.Event()

    def one(model, request):
        calls.append([request])
        assert gate.wait(10)
        return request + model

    def several(model, requests):
        calls.append(list(requests))
        return [request + model for request in requests]

    joint, other = endpoint(one, several), endpoint(one)
    worker = Worker(100, 200)

    async def work():
        waiting = [asyncio.create_task(worker.answer(joint, 0))]
        await asyncio.sleep(0.05)
        waiting += [
            asyncio.create_task(worker.answer(other if number == 3 else joint, number)) for number in range(1, 80)
        ]
        await asyncio.sleep(0.05)
        gate.set()
        return await asyncio.gather(*waiting)

    assert run(worker, work) == [100 + number for number in range(80)]
    joined = [number for number in range(1, 80) if number != 3]
    assert calls == [[0], joined[:64], [3], joined[64:]]


def test_an_error_is_that_of_its_own_request():
    def one(model, request):
        if request == 1:
            raise ValueError("one")
        return request

    def several(model, requests):
        return [one(model, request) for request in requests]

    joint, worker = endpoint(one, several), Worker(None, 10)

    async def work():
        return await asyncio.gather(*(worker.answer(joint, n) for n in range(3)), return_exceptions=True)

    found = run(worker, work)
    assert found[::2] == [0, 2]
    assert str(found[1]) == "one"


def test_who_gives_up_is_not_answered():
    calls, gate = [], threading.Event()

    def one(model, request):
        calls.append(request)
        assert gate.wait(10)
        return request

    alone, worker = endpoint(one), Worker(None, 3)

    async def work():
        first = asyncio.create_task(worker.answer(alone, 0))
        await asyncio.sleep(0.05)
        waiting = [asyncio.create_task(worker.answer(alone, number)) for number in (1, 2, 3)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await worker.answer(alone, 4)
        waiting[1].cancel()
        gate.set()
        return await asyncio.gather(first, *waiting, return_exceptions=True)

    found = run(worker, work)
    assert [each for each in found if isinstance(each, int)] == [0, 1, 3]
    assert calls == [0, 1, 3]


def test_half_of_those_who_ask_are_waited_for(monkeypatch):
    """The model answers these while the loop serves the other half; if fewer come, nobody waits for long."""
    monkeypatch.setattr("firth.explorer.worker.GATHER", 1.0)
    sizes = []

    def several(model, requests):
        sizes.append(len(requests))
        return requests

    joint, worker = endpoint(lambda model, request: several(model, [request])[0], several), Worker(None, 20)

    async def seconds(count):
        began = time.monotonic()
        await asyncio.gather(*(worker.answer(joint, number) for number in range(count)))
        return time.monotonic() - began

    async def work():
        return [await seconds(count) for count in (8, 4, 1)]

    _, half, few = run(worker, work)
    assert sizes == [8, 4, 1]
    assert half < 0.9 < few < 5


def test_nobody_waits_for_those_who_do_not_come_back():
    joint, worker = endpoint(lambda model, request: request, lambda model, requests: requests), Worker(None, 20)

    async def work():
        await asyncio.gather(*(worker.answer(joint, number) for number in range(8)))
        began = time.monotonic()
        assert await worker.answer(joint, 1) == 1
        return time.monotonic() - began

    assert run(worker, work) < 10 * GATHER
