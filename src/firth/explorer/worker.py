"""Answers of one model, one after the other in their own thread, so that a slow model delays no other.

Requests that wait for the same address are answered together where the address can: 64 searches for neighbours read the
matrix once, not 64 times, and 64 texts are translated as one batch. A request whose client is gone leaves the
queue at once; only one that is being answered is finished.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from firth.errors import BusyError
from firth.explorer.endpoint import Endpoint

MOST_TOGETHER = 64  # requests, or their texts: the limit of a single request
GATHER = 0.01  # seconds, at most, in which half of those who were answered together ask again


@dataclass(frozen=True, eq=False)
class _Waiting:
    endpoint: Endpoint
    request: Any
    answer: asyncio.Future[Any]


class Worker:
    """Answers the requests for one model, or for several that answer as one.

    Args:
        model: that answers.
        most_waiting: requests that may wait; more are refused.
    """

    def __init__(self, model: Any, most_waiting: int) -> None:
        self.model, self._most = model, most_waiting
        self._waiting: deque[_Waiting] = deque()
        self._came, self._enough, self._want = asyncio.Event(), asyncio.Event(), 1
        self._thread = ThreadPoolExecutor(1)

    async def answer(self, endpoint: Endpoint, request: Any) -> Any:
        """Return the answer to a request.

        Raises:
            BusyError: too many requests wait.
        """
        if len(self._waiting) >= self._most:
            raise BusyError(f"{self._most:,} requests wait already; expected fewer, or try again")
        waiting = _Waiting(endpoint, request, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._came.set()
        if len(self._waiting) >= self._want:
            self._enough.set()
        try:
            return await waiting.answer
        finally:
            if waiting in self._waiting:  # the client is gone, or its time is up
                self._waiting.remove(waiting)

    async def run(self) -> None:
        """Answer what comes, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._came.wait()
            batch = self._next()
            if not batch:
                self._came.clear()
                continue
            answers = await loop.run_in_executor(self._thread, _answers, self.model, batch)
            for waiting, answer in zip(batch, answers, strict=True):
                if waiting.answer.done():  # the client is gone
                    continue
                if isinstance(answer, Exception):
                    waiting.answer.set_exception(answer)
                else:
                    waiting.answer.set_result(answer)
            if len(batch) > 1:
                await self._gather(len(batch) + len(self._waiting))

    async def _gather(self, asking: int) -> None:
        """Wait until half of those who ask wait: the model answers these while the loop serves the other half.

        With fewer the model would do the work for many for a few; with all of them, it would wait for the loop.
        """
        self._want = (asking + 1) // 2
        if len(self._waiting) < self._want:
            self._enough.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._enough.wait(), GATHER)

    def close(self) -> None:
        """Free the thread; an answer that is being computed is finished first."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _next(self) -> list[_Waiting]:
        """Take the request that came first and those that are answered with it, without those that were given up."""
        batch, rest, size = list[_Waiting](), deque[_Waiting](), 0
        while self._waiting and size < MOST_TOGETHER:
            waiting = self._waiting.popleft()
            if waiting.answer.done():
                continue
            endpoint = batch[0].endpoint if batch else waiting.endpoint
            more = endpoint.size(waiting.request) if waiting.endpoint is endpoint else 0
            if batch and (waiting.endpoint is not endpoint or size + more > MOST_TOGETHER):
                rest.append(waiting)
                continue
            batch.append(waiting)
            size += more if endpoint.together is not None else MOST_TOGETHER
        self._waiting.extendleft(reversed(rest))
        return batch


def _answers(model: Any, batch: Sequence[_Waiting]) -> list[Any]:
    """Return an answer or an exception for each request; where several fail together, each half is tried."""
    endpoint = batch[0].endpoint
    try:
        if len(batch) > 1 and endpoint.together is not None:
            return list(endpoint.together(model, [waiting.request for waiting in batch]))
        return [endpoint.answer(model, waiting.request) for waiting in batch]
    except Exception as error:
        if len(batch) > 1:
            half = len(batch) // 2
            return _answers(model, batch[:half]) + _answers(model, batch[half:])
        # It is raised again where the request waits; no future can hold StopIteration.
        return [RuntimeError(f"the model stopped: {error}") if isinstance(error, StopIteration) else error]
