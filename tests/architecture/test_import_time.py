"""`import firth` loads almost nothing: neither libraries that only some users need, nor modules of its own."""

import subprocess
import sys

HEAVY = {"matplotlib", "numba", "numpy", "pyarrow", "rich", "scipy", "sklearn", "torch", "typer"}
MOST = 25  # modules beside those that Python has loaded at its start: what takes time is loading modules

PROGRAM = """
import sys
before = set(sys.modules)
import firth
print(*sorted(set(sys.modules) - before))
"""


def test_import_loads_almost_nothing():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    modules = set(result.stdout.split())
    assert {name for name in modules if name.partition(".")[0] == "firth"} == {"firth", "firth.lazy"}
    assert {name.partition(".")[0] for name in modules}.isdisjoint(HEAVY)
    assert len(modules) <= MOST, sorted(modules)
