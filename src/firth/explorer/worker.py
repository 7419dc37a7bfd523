"""Answers of one model, one after the other in a thread of their own, so that a slow model holds up no other.

Requests that wait for the same address are answered together where the address can: 64 searches for neighbours read the
matrix once, not 64 times.
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

MOST_TOGETHER = 64  # requests
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
            FirthError: the model cannot answer.
        """
        if len(self._waiting) >= self._most:
            raise BusyError(f"{self._most:,} requests wait already; expected fewer, or try again")
        one = _Waiting(endpoint, request, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        self._came.set()
        if len(self._waiting) >= self._want:
            self._enough.set()
        return await one.answer

    async def run(self) -> None:
        """Answer what comes, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._came.wait()
            some = self._next()
            if not some:
                self._came.clear()
                continue
            answers = await loop.run_in_executor(self._thread, _answers, self.model, some)
            for one, answer in zip(some, answers, strict=True):
                if one.answer.done():  # nobody waits any more
                    continue
                if isinstance(answer, Exception):
                    one.answer.set_exception(answer)
                else:
                    one.answer.set_result(answer)
            if len(some) > 1:
                await self._gather(len(some) + len(self._waiting))

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
        while self._waiting and self._waiting[0].answer.done():
            self._waiting.popleft()
        if not self._waiting:
            return []
        first = self._waiting.popleft()
        if first.endpoint.together is None:
            return [first]
        some, others = [first], deque[_Waiting]()
        while self._waiting and len(some) < MOST_TOGETHER:
            one = self._waiting.popleft()
            if not one.answer.done():
                (some if one.endpoint is first.endpoint else others).append(one)
        self._waiting.extendleft(reversed(others))
        return some


def _answers(model: Any, some: Sequence[_Waiting]) -> list[Any]:
    """Return an answer or an exception for each request."""
    endpoint = some[0].endpoint
    if endpoint.together is not None and len(some) > 1:
        try:
            return list(endpoint.together(model, [one.request for one in some]))
        except Exception:  # one of them: each is answered by itself, below
            pass
    answers: list[Any] = []
    for one in some:
        try:
            answers.append(endpoint.answer(model, one.request))
        except StopIteration as error:  # which no future can hold
            answers.append(RuntimeError(f"the model stopped: {error}"))
        except Exception as error:  # it is raised again where the request waits
            answers.append(error)
    return answers
