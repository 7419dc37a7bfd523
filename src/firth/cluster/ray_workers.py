"""Workers of a Ray cluster that take pieces of work, or train a neural model together.

Pieces are tasks, which Ray does again when their machine is lost. The processes of a training are actors that meet at
the first one and then run firth's own loop. Ray Train would start them, too, but needs pandas, pyarrow and
tensorboardX, and starts again after any error; here an error of the training is said, and only a loss begins again.
"""

import contextlib
import dataclasses
import importlib
import os
import socket
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from pickle import PicklingError
from typing import Any

from firth.cluster.ray_crew import PATIENCE, check_reachable, original_error, ray_package, ray_session
from firth.cluster.remote import LOSSES
from firth.errors import ClusterError, FirthError, brief, warn_caller

POLL = 0.2  # seconds between looks at the progress of a training
GRACE = 40.0  # seconds in which Ray says of a worker whose peers have lost it that it is gone
AHEAD = 2  # pieces that wait for each worker, or whose results wait here


class RayWorkers:
    """Workers that are hired when the first work comes; see `firth.workers.Workers`.

    Args:
        address: of the cluster; see `firth.cluster.ray_crew.ray_session`.
        workers: how many; None for one per processor of the cluster.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterError: nothing is at the address.
    """

    def __init__(self, address: str, workers: int | None) -> None:
        check_reachable(address)
        self._address, self._asked = address, workers
        self._open = contextlib.ExitStack()
        self._session: tuple[Any, int] | None = None

    def __enter__(self) -> "RayWorkers":
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def session(self) -> tuple[Any, int]:
        """Return the module `ray`, connected, and the number of workers."""
        if self._session is None:
            self._session = self._open.enter_context(ray_session(self._address, self._asked))
        return self._session

    def serves(self, address: str, workers: int | None) -> bool:
        """Whether these workers have this address and this number."""
        return (address, workers) == (self._address, self._asked)

    @property
    def count(self) -> int:
        """The number of workers."""
        return self.session()[1]

    def map(self, function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]], *shared: Any) -> Iterator[Any]:
        """Call a function for pieces of work; see `firth.workers.Workers.map`."""
        ray, count = self.session()
        task = ray.remote(do_piece).options(num_cpus=1, max_retries=LOSSES - 1, scheduling_strategy="SPREAD")
        common = [self._put(argument) for argument in (function, *shared)]
        waiting: deque[Any] = deque()
        try:
            for piece in pieces:
                waiting.append(task.remote(*common, *piece))
                if len(waiting) >= AHEAD * count:
                    yield self._first(waiting)
            while waiting:
                yield self._first(waiting)
        finally:
            for reference in waiting:  # the cluster may outlive this call
                with contextlib.suppress(ray.exceptions.RayError):
                    ray.cancel(reference, force=True)

    def _first(self, waiting: "deque[Any]") -> Any:
        """Return the result of the first piece, which waits no longer; an interrupt leaves it there."""
        result, messages = self._result(waiting[0])
        waiting.popleft()
        for message in messages:
            warn_caller(message)
        return result

    def _put(self, value: Any) -> Any:
        """Return the reference of a large argument.

        Raises:
            ClusterError: it cannot be sent.
        """
        ray, _ = self.session()
        try:
            return ray.put(value)
        except (TypeError, AttributeError, PicklingError) as error:
            reason = str(error).strip().splitlines()[0][:200] if str(error) else repr(error)
            raise ClusterError(
                f"{brief(value)} cannot be sent to workers ({reason}); expected functions and options that pickle, or "
                "cloudpickle, can send"
            ) from error

    def train(
        self, work: Callable[[int, Any, Callable[[], bool]], Any], config: Any, device: str, stop: Callable[[], bool]
    ) -> Any:
        """Run one training in all workers at once; see `firth.workers.Workers.train`."""
        ray, count = self.session()
        sent = self._put((work, dataclasses.replace(config, progress=False, callbacks=())))
        needs: dict[str, Any] = {"num_cpus": 1, "scheduling_strategy": "SPREAD", "max_restarts": 0}
        needs |= {"num_gpus": 1} if device == "cuda" else {}
        for _ in range(LOSSES):
            board = ray.remote(num_cpus=0, scheduling_strategy=_this_node(ray))(Board).remote()
            actors = [ray.remote(**needs)(TrainingActor).remote() for _ in range(count)]
            try:
                done, result = self._trained(actors, board, sent, config, stop)
            finally:
                for actor in (*actors, board):
                    with contextlib.suppress(Exception):  # the cluster may be gone
                        ray.kill(actor)
            if done:
                return result
            warn_caller(f"lost a worker ({result}); all go back to the last checkpoint")
        raise ClusterError(f"workers were lost {LOSSES} times ({result}); expected machines that stay up")

    def _trained(
        self, actors: list[Any], board: Any, sent: Any, config: Any, stop: Callable[[], bool]
    ) -> tuple[bool, Any]:
        """Return whether the training has ended, and its result, or else the lost worker."""
        ray, _ = self.session()
        try:
            address, *_ = ray.get([actor.address.remote() for actor in actors], timeout=PATIENCE)
        except ray.exceptions.GetTimeoutError:
            raise ClusterError(
                f"{len(actors)} workers did not start within {PATIENCE:.0f} s: expected as many free processors, a GPU "
                "for each worker if the device is cuda, and firth installed on each machine"
            ) from None
        except ray.exceptions.RayError as error:
            return False, _brief(error)
        running = [actor.train.remote(sent, number, board, *address) for number, actor in enumerate(actors)]
        waiting, asked = list(running), False
        while waiting:
            ready, waiting = ray.wait(waiting, timeout=POLL)
            try:
                status, rows = ray.get(board.read.remote(asked := asked or stop()))
            except ray.exceptions.RayError as error:
                return False, _brief(error)
            if status is not None:
                config.progress(status)
            for row in rows:
                for callback in config.callbacks:
                    callback(row)
            if failed := [failure for reference in ready if (failure := self._failed(reference))]:
                # A worker that has lost a peer fails with an error of torch, perhaps before Ray reports the lost one.
                if any(isinstance(getattr(failure, "cause", None), RuntimeError) for failure in failed):
                    ray.wait(waiting, num_returns=len(waiting), timeout=GRACE)
                break
        failures = [failure for reference in running if (failure := self._failed(reference))]
        if lost := [failure for failure in failures if not isinstance(failure, ray.exceptions.RayTaskError)]:
            return False, _brief(lost[0])
        for failure in sorted(failures, key=lambda failure: not isinstance(failure.cause, FirthError)):
            raise original_error(failure) from None
        return True, ray.get(running[0])

    def _failed(self, reference: Any) -> Any:
        """Return the error of a call, or None if it has none, or still runs."""
        ray, _ = self.session()
        try:
            ray.get(reference, timeout=0)
        except ray.exceptions.GetTimeoutError:
            return None
        except ray.exceptions.RayError as error:
            return error
        return None

    def _result(self, reference: Any) -> Any:
        ray, _ = self.session()
        try:
            return ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise original_error(error) from None
        except ray.exceptions.RayError as error:
            raise ClusterError(
                f"a piece of the work was lost {LOSSES} times ({_brief(error)}); expected "
                "machines that stay, with memory for the work"
            ) from error


def do_piece(function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
    """Call a function in a worker; return its result, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        result = _with_own_errors(function, *arguments)
    return result, [str(warning.message) for warning in caught if warning.category is UserWarning]


def _with_own_errors(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except (FirthError, RuntimeError):  # torch's tell of a lost peer
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        line = f"{Path(last.filename).name} line {last.lineno}"
        raise ClusterError(f"a worker failed: {error!r} ({line}: {last.line})") from None


def _this_node(ray: Any) -> Any:
    """Return what makes Ray put an actor on the machine of this process."""
    strategies = importlib.import_module("ray.util.scheduling_strategies")
    return strategies.NodeAffinitySchedulingStrategy(node_id=ray.get_runtime_context().get_node_id(), soft=True)


def _brief(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:200]


class Board:
    """An actor with the progress of a training and the request to stop it."""

    def __init__(self) -> None:
        self._status: Any = None
        self._rows: list[Any] = []
        self._stop = False

    def tell(self, status: Any, row: bool) -> None:
        """Note a status, or a row of an evaluation."""
        if row:
            self._rows.append(status)
        else:
            self._status = status

    def read(self, stop: bool) -> tuple[Any, list[Any]]:
        """Return new messages, and note whether the training should stop."""
        new = self._status, self._rows
        self._status, self._rows, self._stop = None, [], stop
        return new

    def asked(self) -> bool:
        """Whether the training is asked to stop."""
        return self._stop


class BoardCallback:
    """Sends progress to a board; serves as `progress` and in `callbacks` of the first worker.

    Args:
        row: whether it sends rows of evaluations.
    """

    def __init__(self, board: Any, *, row: bool = False) -> None:
        self._board, self._row = board, row

    def __call__(self, status: Any) -> None:
        """Send a status or a row."""
        said = self._board.tell.remote(status, self._row)
        if self._row:  # rows must all arrive: wait for each
            ray_package().get(said)


class TrainingActor:
    """One of the processes of a training."""

    def address(self) -> tuple[str, int]:
        """Return where all processes can meet: an address of this machine, and a free port."""
        with socket.socket() as free:
            free.bind(("", 0))
            return str(ray_package().util.get_node_ip_address()), int(free.getsockname()[1])

    def train(self, sent: Any, number: int, board: Any, address: str, port: int) -> Any:
        """Train; see `firth.workers.Workers.train`."""
        ray, (work, config) = ray_package(), sent
        os.environ.update({"MASTER_ADDR": address, "MASTER_PORT": str(port)})
        looked = [time.monotonic(), False]

        def asked() -> bool:
            if number == 0 and time.monotonic() - looked[0] >= POLL:
                looked[:] = time.monotonic(), ray.get(board.asked.remote())
            return bool(looked[1])

        monitored = dataclasses.replace(
            config, progress=BoardCallback(board), callbacks=(BoardCallback(board, row=True),)
        )
        return _with_own_errors(work, number, monitored, asked)
