"""Processes of other machines that work for this one, while a cluster lends them.

Long work that falls into pieces asks `lent()` for workers. Usually there are none, and it uses its own threads; inside
`lending`, a cluster's workers take the pieces. Pieces do not depend on each other, and what they return is used in
their order: who computes a piece changes no bit.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Protocol


class Workers(Protocol):
    """Workers, wherever they are."""

    @property
    def count(self) -> int:
        """The number of workers."""
        ...

    def map(self, function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]], *shared: Any) -> Iterator[Any]:
        """Call a function for pieces of work, several at one time, and yield its results in the order of the pieces.

        A piece whose worker is lost is done again by another: a second call must do no harm to what the first has left.
        """
        ...

    def train(
        self, work: Callable[[int, Any, Callable[[], bool]], Any], config: Any, device: str, stop: Callable[[], bool]
    ) -> Any:
        """Run one training in all workers at once, again from its checkpoint if one of them is lost.

        Args:
            work: is called in each worker with its number from 0, the configuration of the run, and a function that
                says whether the training is asked to stop.
            config: a dataclass of the run, whose `progress` and `callbacks` are functions of this process; work gets
                one with functions that call them.
            device: kind of device of each worker: "cpu" or "cuda".

        Returns:
            What the first worker returns.
        """
        ...


_LENT: ContextVar[Workers | None] = ContextVar("firth.workers", default=None)


def lent() -> Workers | None:
    """Return the workers that are lent, or None."""
    return _LENT.get()


@contextlib.contextmanager
def lending(workers: Workers | None) -> Iterator[None]:
    """Lend workers to all that runs in this context; None takes back those that were lent."""
    token = _LENT.set(workers)
    try:
        yield
    finally:
        _LENT.reset(token)
