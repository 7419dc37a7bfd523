"""What every test may use, and the limit on what a test may cost."""

import gc
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import compile_once, costs, fork_server
from tests.golden.english.text import TEXT

REPOSITORY = Path(__file__).resolve().parents[1]

if "PYTEST_XDIST_WORKER" in os.environ:  # one process per processor: threads of libraries would wait for each other
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

LIMIT = 5.0  # seconds of processor time for the call of a test that is not marked slow
MARGIN = 2  # neighbours that share a core may stretch processor time by so much
LOOP, USUAL = 1_000_000, 0.055  # steps of a loop; seconds that they take on the processors that the limit is meant for

# A shell that starts the tests in the background makes them, and every program that they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# nohup does the same with the end of the terminal.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _loop_seconds() -> float:
    start, total = time.process_time(), 0
    for number in range(LOOP):
        total += number * number % 7
    return time.process_time() - start


SLOWNESS = max(1.0, min(_loop_seconds() for _ in range(3)) / USUAL)  # of this processor


def pytest_configure() -> None:
    fork_server.prepare()
    costs.count_compiler()
    compile_once.share_compilations()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto` starts one process more than there are processors: tests of signals and of servers wait a lot."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", type=Path, help="add a line for each test to a file: seconds of processor time, name")


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that read public data: users have none, so that README's command leaves these tests out."""
    compile_once.share_constants()
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker("data")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Keep the garbage collector away from modules and tests: they live as long as the process."""
    gc.disable()
    compile_once.rewrite_asserts(session.config)
    yield
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)  # the compiler makes many objects and few cycles
    gc.enable()


def pytest_sessionfinish() -> None:
    """Spare pytest its five collections at the end, of a gigabyte of libraries that go with the process anyway."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test of the default suite that costs too much: make it smaller, share a fixture, or mark it slow."""
    start, before = time.time(), costs.processor_seconds()
    yield
    seconds = costs.processor_seconds() - before
    if item.config.getoption("--costs"):
        with item.config.getoption("--costs").open("a", encoding="utf-8") as file:
            file.write(f"{seconds:.2f} {item.nodeid}\n")
    marked = any(item.get_closest_marker(name) for name in ("slow", "experiment", "peer", "gpu", "cluster"))
    marked = marked or "NUMBA_CPU_FEATURES" in os.environ  # as on another processor: a part of a slow test
    if seconds > MARGIN * SLOWNESS * LIMIT and not marked and not costs.kernels_kept_since(start):
        pytest.fail(f"{seconds:.1f} s of processor time; a test that is not marked slow may take {LIMIT:.0f} s")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public corpora and evaluation sets: FIRTH_DATA, else shared/data beside the checkout."""
    folder = Path(os.environ.get("FIRTH_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no folder of public data sets at {folder}: set FIRTH_DATA to one")
    return folder


@pytest.fixture(scope="session")
def english_text() -> Path:
    """firth's own documentation in plain sentences, one a line: some 28,000 words that every checkout has."""
    return TEXT


class FakeClock:
    """A clock that tests move: it stands in for the module `time`.

    Attributes:
        now: seconds.
        tick: how far it goes on whenever it is read.
    """

    def __init__(self, tick: float = 0.001) -> None:
        self.now, self.tick = 0.0, tick

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """The clock by which limits on time are kept: how busy the machine is then makes no difference."""
    fake = FakeClock()
    for module in ("firth.timing", "firth.classify.autotune", "firth.embeddings.training"):
        monkeypatch.setattr(f"{module}.time", fake)
    return fake


@pytest.fixture
def without_checksums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write folders without checksums, so that readers rely on their own checks of the contents."""
    monkeypatch.setattr("firth.storage.checksums.write", lambda folder: None)
