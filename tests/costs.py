"""What a test costs: seconds of processor time, without the compiler's.

Processor time does not grow while other programs share the machine, as the time on the clock does. It counts this
process, the processes that it started and waited for, and the commands that ran in forks of the server
(`tests.fork_server`). Numba's compiler does not count: it runs once per machine, in whichever test comes first.
"""

import contextlib
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = "FIRTH_TEST_SERVER"  # the folder in which forks of the server write what they cost
NUMBA_CACHE = "NUMBA_CACHE_DIR"
_compiler: list[Any] = []


class _Forks:
    """What this worker has read of its record of forks: bytes, and the sum of their seconds."""

    size, seconds = 0, 0.0


_forks = _Forks()


def count_compiler() -> None:
    """Start to measure the compiler of this process."""
    if _compiler or importlib.util.find_spec("numba") is None:
        return
    from numba.core import event

    class Compiler(event.Listener):  # type: ignore[misc]  # Numba has no types
        depth, start, seconds = 0, 0.0, 0.0

        def on_start(self, event: Any) -> None:
            if self.depth == 0:
                self.start = own_seconds()
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                self.seconds += own_seconds() - self.start

    _compiler.append(Compiler())
    event.register("numba:compile", _compiler[0])


def own_seconds() -> float:
    """Processor time of this process."""
    now = os.times()
    return now.user + now.system


def compiler_seconds() -> float:
    """Processor time of Numba's compiler in this process."""
    return float(_compiler[0].seconds) if _compiler else 0.0


def processor_seconds() -> float:
    """Processor time so far of this process, its children, and the commands of this worker, without the compiler's."""
    now = os.times()
    return own_seconds() + now.children_user + now.children_system - compiler_seconds() + _forked_seconds()


def kernels_kept_since(start: float) -> bool:
    """Return whether kernels were compiled since a time: by a child, perhaps, whose compiler is not measured."""
    import firth

    folders = [Path(firth.__file__).parent, *([Path(os.environ[NUMBA_CACHE])] if NUMBA_CACHE in os.environ else [])]
    return any(path.stat().st_mtime >= start for folder in folders for path in folder.rglob("*.nbc"))


def record_fork(folder: Path, environment: dict[str, str], seconds: float) -> None:
    """Add what a command in a fork has cost to the record of the worker whose environment it has."""
    with contextlib.suppress(OSError), _record(folder, environment).open("a", encoding="ascii") as file:
        file.write(f"{seconds:.3f}\n")


def _forked_seconds() -> float:
    if FOLDER in os.environ:
        record = _record(Path(os.environ[FOLDER]), os.environ)
        with contextlib.suppress(OSError):
            if record.stat().st_size > _forks.size:  # no test reads the lines of those before it again
                with record.open("rb") as file:
                    file.seek(_forks.size)
                    lines = file.read()
                _forks.size += len(lines)
                _forks.seconds += sum(map(float, lines.split()))
    return _forks.seconds


def _record(folder: Path, environment: Mapping[str, str]) -> Path:
    return folder / f"seconds-{environment.get('PYTEST_XDIST_WORKER', 'main')}"
