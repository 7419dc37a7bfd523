"""Describes the machine and the state of the source, without names or paths."""

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "src" / "firth"
WIDTHS = ("avx512f", "avx2", "fma", "asimd")
DESCRIBE = """
import importlib.metadata as m, json, sys
def version(name):
    try:
        return m.version(name)
    except m.PackageNotFoundError:
        return None
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
"""


def describe() -> dict[str, Any]:
    """Processor, memory and system, and the processor in Numba's settings if it is another one."""
    from firth.kernels import processor  # here: what a process holds when it starts a job counts as the job's memory

    information = _cpu_information()
    flags = information.get("flags", information.get("Features", "")).split()
    limited = {"compiled_for": processor.name()} if os.environ.get("NUMBA_CPU_FEATURES") else {}
    return {
        "processor": information.get("model name", platform.processor() or platform.machine()),
        "cpus": os.cpu_count(),
        "vector_flags": [flag for flag in WIDTHS if flag in flags and not (limited and not processor.has(flag))],
        **limited,
        "memory_gib": round(_memory_bytes() / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _cpu_information() -> dict[str, str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _memory_bytes() -> int:
    if sys.platform == "win32":
        return 0
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def load() -> float | None:
    """Processes that want a processor, averaged over a minute: how quiet the machine is."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def source_state() -> str:
    """A short digest of firth's source: runs of two states are never mixed."""
    digest = hashlib.sha256()
    for path in sorted(SOURCE.rglob("*.py")):
        digest.update(str(path.relative_to(SOURCE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def versions(python: str, packages: tuple[str, ...]) -> dict[str, str]:
    """The installed versions of some packages in the environment of `python`; absent ones are left out."""
    result = subprocess.run([python, "-P", "-c", DESCRIBE, *packages], capture_output=True, text=True, check=True)
    return {name: version for name, version in json.loads(result.stdout).items() if version}
