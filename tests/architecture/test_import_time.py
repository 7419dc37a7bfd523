"""`import firth` is quick, and loads nothing that only some users need."""

import subprocess
import sys

LIMIT = 0.3  # seconds
HEAVY = ["matplotlib", "numba", "pyarrow", "rich", "scipy", "torch", "typer"]

# Timed inside the process: the start of Python itself is not firth's.
PROGRAM = """
import time
start = time.perf_counter()
import firth
seconds = time.perf_counter() - start
import sys
print(seconds, *(name for name in sys.modules if "." not in name))
"""


def import_once() -> tuple[float, set[str]]:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    seconds, *modules = result.stdout.split()
    return float(seconds), set(modules)


def test_import_is_quick():
    # The best of five: a busy machine makes a run slower, never quicker.
    assert min(import_once()[0] for _ in range(5)) < LIMIT


def test_import_leaves_heavy_libraries_alone():
    _, modules = import_once()
    assert "firth" in modules
    assert modules.isdisjoint(HEAVY)
