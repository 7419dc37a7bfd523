"""Answers of one model: in order, together where they can be, none for those who wait no more."""

import asyncio
import dataclasses
import threading
import time

import pytest

pytest.importorskip("pydantic", reason="FastAPI is not installed: pip install 'firth[explorer]'")

from firth.errors import BusyError
from firth.explorer.endpoint import by_texts
from firth.explorer.endpoints import ENDPOINTS
from firth.explorer.schemas import ClassifyRequest
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


def test_who_gives_up_leaves_a_place():
    """Of three places two are taken by clients who leave: the next ones get them, while the model is still busy."""
    entered, gate = threading.Event(), threading.Event()

    def one(model, request):
        entered.set()
        assert gate.wait(10)
        return request

    alone, worker = endpoint(one), Worker(None, 3)

    async def work():
        waiting = [asyncio.create_task(worker.answer(alone, 0))]
        await asyncio.to_thread(entered.wait, 10)
        waiting += [asyncio.create_task(worker.answer(alone, number)) for number in (1, 2, 3)]
        await asyncio.sleep(0)
        for left in waiting[1:3]:
            left.cancel()
        await asyncio.sleep(0)
        waiting += [asyncio.create_task(worker.answer(alone, number)) for number in (4, 5)]
        await asyncio.sleep(0)
        gate.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [each for each in run(worker, work) if not isinstance(each, asyncio.CancelledError)] == [0, 3, 4, 5]


def test_texts_are_answered_together_as_far_as_one_request_may_have_them():
    calls = []

    def one(model, request):
        calls.append(request.texts)
        return {"upper": [text.upper() for text in request.texts], "model": "m"}

    shouted = dataclasses.replace(FIRST, **by_texts(one, "upper"))
    sizes = {"a": 1, "b": 30, "c": 40, "d": 33, "e": 64}
    worker = Worker(None, 10)

    async def work():
        some = {name: ClassifyRequest(texts=[name] * size) for name, size in sizes.items()}
        return await asyncio.gather(*(worker.answer(shouted, request) for request in some.values()))

    assert [each["upper"] for each in run(worker, work)] == [[n.upper()] * size for n, size in sizes.items()]
    assert [{name: call.count(name) for name in call} for call in calls] == [
        {"a": 1, "b": 30, "d": 33}, {"c": 40}, {"e": 64},
    ]  # fmt: skip


def test_requests_that_differ_in_more_than_their_texts_are_answered_apart():
    calls = []

    def one(model, request):
        calls.append((request.texts, request.n))
        return {"results": [(text, request.n) for text in request.texts]}

    together = by_texts(one, "results")["together"]
    requests = [ClassifyRequest(texts=list(texts), n=n) for texts, n in (("ab", 1), ("c", 2), ("d", 1))]
    assert together(None, requests) == [
        {"results": [("a", 1), ("b", 1)]},
        {"results": [("c", 2)]},
        {"results": [("d", 1)]},
    ]
    assert calls == [(["a", "b", "d"], 1), (["c"], 2)]


def test_one_bad_request_does_not_undo_the_batch():
    """Where a batch fails, each half is tried: the others are still answered in few calls."""
    calls = []

    def several(model, requests):
        calls.append(len(requests))
        if 13 in requests:
            raise ValueError("thirteen")
        return requests

    joint, worker = endpoint(lambda model, request: several(model, [request])[0], several), Worker(None, 100)

    async def work():
        return await asyncio.gather(*(worker.answer(joint, n) for n in range(64)), return_exceptions=True)

    found = run(worker, work)
    assert [str(each) for each in found] == [str(n) if n != 13 else "thirteen" for n in range(64)]
    assert len(calls) == 13


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
