"""Runs the command `firth` without paying for its start each time: a process that has imported everything forks.

A test that runs the command would spend most of its time on importing NumPy, SciPy, Numba and PyTorch. The server
imports them once; each command is a fork of it, with the caller's arguments, folder, environment and open files. What a
user sees is the same: exit status, output, files. What is not tested this way are imports that a command forgets,
limits on memory, and what a terminal does; tests of these start a real process.

`program()` returns a script with the name of the command, which connects to the server, hands over its files and its
limit on the size of files, passes on signals, and ends with the status of the fork. It can stand in a shell pipeline.
`python` beside it runs `python -c PROGRAM ARGUMENTS` likewise.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import marshal
import os
import pkgutil
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.compile_once import share_compilations
from tests.costs import FOLDER, compiler_seconds, count_compiler, own_seconds, record_fork

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# Its imports take more time than all else it does: these are in C.
CLIENT = """#!{python} -ISE
import _signal, _socket, array, marshal, os, resource, struct, sys
server = _socket.socket(_socket.AF_UNIX)
server.connect({address!r})
limit = resource.getrlimit(resource.RLIMIT_FSIZE)
line = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
request = marshal.dumps([line, os.getcwd(), dict(os.environ), list(limit)])
files = array.array("i", [0, 1, 2])
server.sendmsg([struct.pack("!I", len(request))], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
server.sendall(request)
passed_on = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM)
for number in passed_on:
    _signal.signal(number, lambda number, frame: server.sendall(bytes([number])))
reply = server.recv(4)
if len(reply) < 4:
    sys.exit("the server of commands has ended")
status = struct.unpack("!i", reply)[0]
if status < 0:
    for number in passed_on:
        _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""
SERVER = """import sys
sys.path.append(sys.argv[1])
from tests import fork_server
fork_server.serve(sys.argv[2], int(sys.argv[3]))
"""
ROOT = str(Path(__file__).resolve().parents[1])
OWNER = "FIRTH_TEST_SERVER_OWNER"  # the process that pytest was started as
READ_AT_START = ("NUMBA_", "OMP_", "MKL_", "OPENBLAS_", "PYTHON", "LD_", "TORCH_", "LC_", "LANG", "MPL")
SET_BY_MAIN = (
    "PYTHONSAFEPATH"  # a test that calls `main` in its own process leaves it behind; the server starts with -P
)


def prepare() -> None:
    """Choose the folder of the server that this process and those that it starts share."""
    if FOLDER not in os.environ:
        folder = tempfile.mkdtemp(prefix="firth-server.")
        os.environ[FOLDER] = folder
        os.environ[OWNER] = str(os.getpid())
        atexit.register(_remove, folder, os.getpid())


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def program() -> Path | None:
    """Start the server and return the script that runs commands in its forks; None where the system cannot do that."""
    if not hasattr(os, "pidfd_open"):
        return None
    prepare()
    folder = Path(os.environ[FOLDER])
    script, address = folder / "bin" / "firth", folder / "socket"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not script.exists():
            command = [sys.executable, "-P", "-c", SERVER, ROOT, str(address), os.environ[OWNER]]
            log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
            files = [(os.POSIX_SPAWN_DUP2, log, number) for number in (1, 2)]
            server = os.posix_spawn(sys.executable, command, os.environ, file_actions=files, setsid=True)
            os.close(log)
            while not address.exists():
                if os.waitpid(server, os.WNOHANG)[0]:
                    raise RuntimeError(f"the server of commands did not start: {(folder / 'log').read_text()}")
                time.sleep(0.01)
            (folder / "environment").write_text(json.dumps(_read_at_start(os.environ)), encoding="utf-8")
            script.parent.mkdir()
            script.write_text(CLIENT.format(python=sys.executable, address=str(address)), encoding="utf-8")
            script.chmod(0o755)
            shutil.copy(script, script.with_name("python"))
    return script


def fits(environment: Mapping[str, str]) -> bool:
    """Return whether the server read the same variables at its start as a command would read in this environment."""
    if program() is None:
        return False
    started = json.loads((Path(os.environ[FOLDER]) / "environment").read_text(encoding="utf-8"))
    return bool(started == _read_at_start(environment))


def python(environment: Mapping[str, str]) -> str:
    """Return what runs `python -c PROGRAM` in a fork of the server, where there is one that fits; else Python."""
    script = program() if fits(environment) else None
    return str(script.with_name("python")) if script else sys.executable


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in environment.items() if name.startswith(READ_AT_START) and name != SET_BY_MAIN
    }


class _Command(NamedTuple):
    """A command that runs in a fork: its process, what is ready when it has ended, and the way to its caller."""

    pid: int
    handle: int
    connection: socket.socket


def serve(address: str, owner: int) -> None:
    """Import what commands need, then run each in a fork, until the process that owns the server has ended."""
    end = os.pidfd_open(owner)
    count_compiler()
    share_compilations()
    _import_everything()
    from firth.data import sample

    sample()  # kept in memory: many pages of the documentation begin by writing it
    for finalizer in weakref.finalize._registry:  # type: ignore[attr-defined]
        finalizer.atexit = False  # of the modules: at the end of a fork PyTorch's would take it to pieces
    gc.collect()
    gc.freeze()  # a fork that collects would copy every page
    gc.set_threshold(100_000, 20, 20)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{address}.new")
    listener.listen(64)
    Path(f"{address}.new").rename(address)
    running: list[_Command] = []
    try:
        while True:
            callers = [command.connection for command in running if command.connection.fileno() >= 0]
            waits: list[Any] = [listener, end, *callers, *(command.handle for command in running)]
            ready = select.select(waits, [], [])[0]
            if end in ready:
                return
            running = [command for command in running if not _ended(command, ready)]
            if listener in ready:
                running += _begin(listener.accept()[0], Path(address).parent)
    finally:
        for command in running:
            os.kill(command.pid, signal.SIGKILL)


def _import_everything() -> None:
    import firth.cli

    modules = [name for _, name, _ in pkgutil.walk_packages(firth.__path__, "firth.") if not name.endswith("__main__")]
    modules += ["scipy.sparse.linalg", "scipy.optimize", "matplotlib.figure"]
    # What the first command of a process imports, and its first optimiser, which takes longer than all of PyTorch.
    modules += ["typer._adapters", "typer._click.decorators", "typer.rich_utils", "platformdirs.unix", "torch._dynamo"]
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with contextlib.suppress(ImportError):  # what the first kernel of a process imports
        from numba.core.registry import cpu_target

        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


def _begin(connection: socket.socket, folder: Path) -> list[_Command]:
    """Start a command that somebody asks for; there is none where the caller has gone already."""
    header, files, _, _ = socket.recv_fds(connection, 4, 3)
    request, size = b"", struct.unpack("!I", header)[0] if len(header) == 4 else 0
    while len(request) < size:
        part = connection.recv(size - len(request))
        size, request = size if part else 0, request + part
    pid = os.fork() if size else -1
    if pid == 0:
        connection.close()
        _run(folder, files, *marshal.loads(request))
    for file in files:
        os.close(file)
    return [_Command(pid, os.pidfd_open(pid), connection)] if size else []


def _ended(command: _Command, ready: list[Any]) -> bool:
    """Tell the caller of a command that it has ended; else pass on a signal, or end it where the caller has gone."""
    if command.handle in ready:
        _, status = os.waitpid(command.pid, 0)
        with contextlib.suppress(OSError):
            command.connection.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))
        os.close(command.handle)
        command.connection.close()
        return True
    if command.connection in ready:
        number = b""
        with contextlib.suppress(ConnectionError):
            number = command.connection.recv(1)
        os.kill(command.pid, number[0] if number else signal.SIGKILL)
        if not number:
            command.connection.close()
    return False


def _run(
    record: Path, files: list[int], arguments: list[str], folder: str, environment: dict[str, str], limit: list[int]
) -> None:
    """Become the command; never returns."""
    status: Any = 1
    began = own_seconds() - compiler_seconds()
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        sys.stdin, sys.stdout, sys.stderr = _reopened(sys.stdin), _reopened(sys.stdout), _reopened(sys.stderr)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit[0], limit[1]))
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.argv = arguments
        from firth.cli.app import main

        try:
            if arguments[0] == "python":
                sys.argv = ["-c", *arguments[3:]]
                exec(compile(arguments[2], "<string>", "exec"), {"__name__": "__main__"})
                status = 0
            else:
                main()
        except SystemExit as end:
            status = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter does at its end
            atexit._run_exitfuncs()
        ended = os.times()  # of the processes that the command started and waited for
        started = ended.children_user + ended.children_system
        record_fork(record, environment, own_seconds() - compiler_seconds() - began + started)
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        with contextlib.suppress(BaseException):
            sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 0 if status is None else 1)


def _reopened(stream: Any) -> Any:
    """Open one of the standard streams again: the server's own may stand for a file of another kind."""
    number, buffering = stream.fileno(), 1 if stream.line_buffering else -1
    return open(number, stream.mode, buffering, stream.encoding, stream.errors, closefd=False)
