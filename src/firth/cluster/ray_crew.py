"""Workers that are actors of Ray, each with its own processor."""

import contextlib
import logging
import os
import socket
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from firth.cluster.remote import Call
from firth.cluster.worker import Job, ShardWorker
from firth.errors import ClusterError, FirthError, LostWorkersError, MissingExtraError, OptionError
from firth.signals import finishing

PATIENCE = 60.0  # seconds in which a new worker must answer
REACHED = 5.0  # seconds in which a head must


def ray_package() -> Any:
    """Return the module `ray`."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage reports to the makers of Ray
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("ray", "cluster", "work on a cluster") from error
    return ray


@contextlib.contextmanager
def ray_session(address: str, workers: int | None) -> Iterator[tuple[Any, int]]:
    """Connect to a cluster, or start one on this machine; yield the module `ray` and the number of workers.

    Args:
        address: of the head, "auto" for the one that runs on this machine, "local" to start one for the time being;
            a connection that this program has already is used for both.
        workers: number requested; None for one per processor of the cluster.
    """
    ray = ray_package()
    own = not ray.is_initialized()
    if own:
        here = max(workers or 1, os.cpu_count() or 1)
        more: dict[str, Any] = {"num_cpus": here, "include_dashboard": False} if address == "local" else {}
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **more)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ClusterError(
                f"no Ray cluster at {address!r} lets this program in ({error}); expected one that was started with ray "
                "start --head; newer versions of Ray ask for a token: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN there "
                "and here, or RAY_AUTH_MODE=disabled there; 'local' starts a cluster here"
            ) from error
    elif address not in ("auto", "local") and not address.startswith("ray://"):  # the last is the address of a client
        there = str(ray.get_runtime_context().gcs_address)
        if address != there:
            raise ClusterError(
                f"address={address!r}: this program is connected to the Ray cluster at {there} already; expected "
                "'auto', or ray.shutdown() before"
            )
    try:
        processors = int(ray.cluster_resources().get("CPU", 0))
        if (workers or 1) > processors:
            raise OptionError(
                f"workers={workers}: the cluster has {processors} processors; expected no more than one worker for each"
            )
        yield ray, workers or processors
    finally:
        if own:
            with finishing():  # a signal must not lose what was learned
                ray.shutdown()


def check_reachable(address: str) -> None:
    """Check that something listens where a head should be: Ray would wait for minutes and ignore signals."""
    if ray_package().is_initialized() or address == "local":
        return
    resolved = address.removeprefix("ray://")
    if address == "auto":  # as Ray finds it; where it finds none, it says so at once
        note = Path(os.environ.get("RAY_TMPDIR", tempfile.gettempdir())) / "ray" / "ray_current_cluster"
        resolved = os.environ.get("RAY_ADDRESS") or (note.read_text("utf-8").strip() if note.is_file() else "")
    host, _, port = resolved.rpartition(":")
    if address == "auto" and not (host and port.isdigit()):
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACHED).close()
    except (OSError, ValueError, OverflowError) as error:
        shown = repr(address) if address != "auto" else f"'auto' (which is {resolved})"
        raise ClusterError(
            f"no Ray cluster at {shown} ({error}); expected the address and port of one that was started with ray "
            "start --head, 'auto' for the one of this machine, or 'local', to start one"
        ) from error


class ShardWorkerActor:
    """A worker in a process of Ray; errors of its start keep their kind, unlike those of a constructor."""

    def start(self, job: Job) -> None:
        """Make the worker."""
        self._worker = ShardWorker(job)

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the worker."""
        return getattr(self._worker, method)(*arguments)


class RayCrew:
    """Workers as actors.

    Raises:
        ClusterError: a worker does not start.
        FirthError: raised by a worker's start.
    """

    def __init__(self, ray: Any, job: Job, count: int) -> None:
        self._ray, self._job = ray, ray.put(job)
        self._actor = ray.remote(num_cpus=1, max_restarts=0)(ShardWorkerActor)
        self._count = count
        self.workers = self._start_workers(count)
        if len(self.workers) < count:
            raise ClusterError(
                f"{count - len(self.workers)} of {count} workers did not start within {PATIENCE:.0f} s: expected a "
                "cluster with as many free processors, and firth installed on each machine"
            )

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Call methods of different workers; see `firth.cluster.remote.Crew.ask`.

        Raises:
            LostWorkersError: some answer no more; the others have answered.
        """
        references = [worker.call.remote(method, *arguments) for worker, method, arguments in calls]
        answers, lost, reason = [], [], ""
        for (worker, _, _), reference in zip(calls, references, strict=True):
            try:
                answers.append(self._ray.get(reference))
            except self._ray.exceptions.RayTaskError as error:
                raise original_error(error) from None
            except self._ray.exceptions.RayError as error:  # the actor, its process or its machine is gone
                lost.append(worker)
                reason = str(error).strip().splitlines()[0][:200]
        if lost:
            raise LostWorkersError(lost, reason)
        return answers

    def share(self, value: Any) -> Any:
        """Return a reference to an object in Ray's store."""
        return self._ray.put(value)

    def replace(self, lost: Sequence[Any]) -> None:
        """Do without some workers, with new ones where there is room; see `firth.cluster.remote.Crew.replace`."""
        for worker in lost:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.kill(worker)
        self.workers = [worker for worker in self.workers if worker not in lost]
        free = int(self._ray.available_resources().get("CPU", 0))
        self.workers += self._start_workers(min(self._count - len(self.workers), free))
        if not self.workers:
            raise ClusterError("all workers are lost, and no processor is free for a new one")

    def close(self) -> None:
        """End all workers: an error that is kept, as notebooks do, would keep them and their processors."""
        for worker in self.workers:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._ray.kill(worker)
        self.workers = []

    def _start_workers(self, count: int) -> list[Any]:
        """Return new workers that have started, at most `count`."""
        made = [self._actor.options(scheduling_strategy="SPREAD").remote() for _ in range(count)]
        if not made:
            return []
        begun = [worker.start.remote(self._job) for worker in made]
        self._ray.wait(begun, num_returns=len(begun), timeout=PATIENCE)
        started = []
        for worker, reference in zip(made, begun, strict=True):
            try:
                self._ray.get(reference, timeout=0.1)
                started.append(worker)
            except self._ray.exceptions.RayTaskError as error:
                raise original_error(error) from None
            except self._ray.exceptions.RayError:
                self._ray.kill(worker)
        return started


def original_error(error: Any) -> FirthError:
    """Return an error of a worker as it was raised there."""
    cause = error.cause
    return cause if isinstance(cause, FirthError) else ClusterError(f"a worker failed: {cause!r}")
