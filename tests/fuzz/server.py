"""Runs inputs in processes that may die: a warm server, from which workers fork one after the other.

The server imports a reader's modules, makes its seed and uses it once; a worker inherits all that and goes through the
inputs. Where a worker crashes or hangs, the input it was at is to blame, and a new one goes on with the next.
"""

import contextlib
import faulthandler
import itertools
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from firth.storage import checksums
from tests.fuzz.mutations import Files, mutated
from tests.fuzz.odd_files import LONG, LONG_NAME, as_nobody, is_odd
from tests.fuzz.outcomes import CRASH, DIFFERENT, HANG, SAME, WRONG, Outcome, Reader, digest_of, of_error, of_stack

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

PATIENCE = 10.0  # seconds of processor time for an input of the cheapest reader
ASLEEP = 6  # times that long an input may take in all: other processes may have the processor
MEMORY = 1 << 30  # bytes that a worker may ask for beyond what it has at its start
RESEALED = " resealed"  # ends the names of cases whose checksums are computed anew, where the format has any
RENEWAL = 2000  # inputs after which a worker makes room for a fresh one
Input = int | str
Cases = Mapping[str, Files]


class Server:
    """One reader, ready to run inputs.

    Args:
        reader: whose seed to make.
        folder: where seeds and inputs are written.
        seed: of every random choice.
        cases: named inputs besides the mutated ones.
        memory: bytes that an input may take.
    """

    def __init__(
        self, reader: Reader, folder: Path, *, seed: int = 0, cases: Cases | None = None, memory: int = MEMORY
    ):
        self.reader, self.seed, self.cases, self.memory = reader, seed, cases or {}, memory
        self._folder = Path(tempfile.mkdtemp(prefix=f"{reader.name}.", dir=folder))
        self._folder.chmod(0o755)
        place = self._folder / "seed" / reader.path
        place.parent.mkdir()
        reader.make(place)
        self.files = read_files(place)
        self.is_folder = place.is_dir()
        self._reseal = reader.reseal or (sealed_again if self.is_folder and checksums.FILE in self.files else None)
        self._expected = self._answer(place)
        again = self._folder / "again" / reader.path  # `use` may change what it opens, as a training that goes on does
        again.parent.mkdir()
        write_files(self.files, again, self.is_folder)
        began = time.monotonic()
        answer = self._answer(again)
        self.seconds = time.monotonic() - began
        if answer != self._expected:
            raise AssertionError(f"{reader.name}: two answers of the same seed differ; `use` must be deterministic")

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def content(self, number: Input) -> tuple[Files, bool]:
        """Return the files of an input, and whether to compute their checksums again."""
        if isinstance(number, str):
            return dict(self.cases[number]), self._reseal is not None and number.endswith(RESEALED)
        generator = random.Random(f"{self.reader.name}/{self.seed}/{number}")
        resealed = self._reseal is not None and generator.random() < 0.5
        return mutated(self.files, generator), resealed

    def write(self, number: Input, place: Path) -> bool:
        """Write an input; return whether it passes for one that somebody else sealed.

        So does a folder without its checksums.
        """
        files, resealed = self.content(number)
        if number == LONG_NAME:
            return False
        write_files(files, place, self.is_folder)
        if checksums.FILE in self.files and checksums.FILE not in files:
            return True
        if resealed and self._reseal is not None:
            try:
                self._reseal(place)
            except Exception:  # what is too damaged to be sealed stays as it is
                return True
        return resealed

    def outcomes(self, numbers: Iterable[Input], until: float = float("inf")) -> Iterator[Outcome]:
        """Yield the outcome of each input, until a time is reached."""
        coming = iter(numbers)
        left = list(itertools.islice(coming, RENEWAL))
        while left and time.monotonic() < until:
            done = 0
            for outcome in self._worked(left):
                done += 1
                yield outcome
                if time.monotonic() > until:
                    return
            if not done:
                raise RuntimeError(f"{self.reader.name}: the worker does not start")
            left = left[done:] or list(itertools.islice(coming, RENEWAL))

    def show(self, number: Input, place: Path) -> Outcome:
        """Write one input at a place and run it in this process, with the traceback on standard error."""
        resealed = self.write(number, place)
        faulthandler.enable()
        try:
            self.reader.use(place)
        except Exception:
            traceback.print_exc()
        return self._outcome(number, place, resealed)

    def _answer(self, place: Path) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return digest_of(self.reader.use(place))

    def _outcome(self, number: Input, place: Path, resealed: bool) -> Outcome:
        name, case = self.reader.name, str(number)
        try:
            with as_nobody(case):
                answer = self._answer(place)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            kind, where, message = of_error(error, (place.name[:20], str(place)[:40]) if is_odd(case) else ("",))
            return Outcome(reader=name, input=number, kind=kind, where=where, message=message)
        if answer == self._expected:
            return Outcome(reader=name, input=number, kind=SAME)
        kind = WRONG if self.reader.own and not resealed else DIFFERENT
        return Outcome(reader=name, input=number, kind=kind, where="another answer" if kind == WRONG else "")

    def _worked(self, numbers: Sequence[Input]) -> Iterator[Outcome]:
        """Yield the outcomes of one worker; the last may be its death."""
        reading, writing = os.pipe()
        stack = self._folder / "stack"
        stack.write_bytes(b"")
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            os.close(reading)
            self._work(numbers, writing, stack)
        os.close(writing)
        try:
            yield from self._followed(child, reading, stack)
        finally:
            os.close(reading)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)

    def _work(self, numbers: Sequence[Input], writing: int, stack: Path) -> None:
        """Run inputs as the worker; never returns."""
        try:
            os.setpgid(0, 0)
            quiet = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(quiet, descriptor)
            faulthandler.enable(stack.open("wb"))
            _limit(self.memory)
            with os.fdopen(writing, "w", encoding="utf-8", errors="backslashreplace") as told:
                for number in numbers:
                    told.write(f"{_named(number)}\t")
                    told.flush()
                    inputs = self._folder / "inputs" / _named(number)
                    place = inputs / (LONG if number == LONG_NAME else self.reader.path)
                    place.parent.mkdir(parents=True)
                    place.parent.chmod(0o777)
                    outcome = self._outcome(number, place, self.write(number, place))
                    shutil.rmtree(inputs, ignore_errors=True)
                    fields = (outcome.kind, outcome.where, outcome.message)
                    told.write("\t".join(" ".join(field.split()) for field in fields) + "\n")
                    told.flush()
        except BaseException:  # of the fuzzer itself
            stack.write_text(traceback.format_exc(), encoding="utf-8")
            os._exit(1)
        os._exit(0)

    def _followed(self, child: int, reading: int, stack: Path) -> Iterator[Outcome]:
        patience = PATIENCE + 50 * self.seconds
        waiting, used, buffer = time.monotonic(), 0.0, b""
        while True:
            ready, _, _ = select.select([reading], [], [], 0.5)
            if ready:
                read = os.read(reading, 1 << 16)
                *lines, buffer = (buffer + read).split(b"\n")
                for line in lines:
                    number, kind, where, message = line.decode().split("\t")
                    yield Outcome(
                        reader=self.reader.name, input=_number(number), kind=kind, where=where, message=message
                    )
                if lines or read:
                    waiting, used = time.monotonic(), _processor_seconds(child)
                if not read:
                    break
            elif _processor_seconds(child) - used > patience or time.monotonic() - waiting > ASLEEP * patience:
                os.kill(child, signal.SIGABRT)  # faulthandler writes where it hangs
                time.sleep(0.5)
                yield self._death(buffer, HANG, stack, f"after {patience:.0f} s")
                return
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            yield self._death(buffer, CRASH, stack, signal.Signals(os.WTERMSIG(status)).name)
        elif status:
            raise RuntimeError(f"{self.reader.name}: the fuzzer failed: {stack.read_text(errors='replace')}")
        elif buffer:
            yield self._death(buffer, CRASH, stack, "the process left")

    def _death(self, buffer: bytes, kind: str, stack: Path, message: str) -> Outcome:
        number = _number(buffer.partition(b"\t")[0].decode())
        shutil.rmtree(self._folder / "inputs", ignore_errors=True)
        where = of_stack(stack.read_text(errors="replace"))
        return Outcome(reader=self.reader.name, input=number, kind=kind, where=f"{message} {where}", message=message)


def _named(number: Input) -> str:
    return str(number)


def _number(name: str) -> Input:
    return int(name) if name.isdecimal() else name


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _limit(memory: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    bound = pages * os.sysconf("SC_PAGE_SIZE") + memory
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (memory, memory))


def sealed_again(folder: Path) -> None:
    """Compute the checksums of a folder again, inner folders first."""
    for path in sorted(folder.rglob(checksums.FILE), key=lambda path: -len(path.parts)):
        path.unlink()
        checksums.write(path.parent)


def read_files(place: Path) -> Files:
    """Return the contents of a file, under the name "", or of a folder, by their paths in it."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def write_files(files: Files, place: Path, is_folder: bool) -> None:
    """Write what `read_files` returned, or make what is odd instead."""
    if callable(files.get("")):
        files[""](place)
        return
    if not is_folder:
        place.write_bytes(files.get("", b""))
        return
    place.mkdir()
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_bytes(content)
