"""Tries firth with the lowest or the highest versions of its dependencies that pyproject.toml admits.

    python tests/packaging/versions.py lowest   # every bound itself, on the lowest Python
    python tests/packaging/versions.py highest  # what pip finds, on the highest Python of this machine

In a virtual environment of its own it installs what the tests need, runs README's demo, and runs several hundred tests,
which use each dependency at least once. It ends with status 1 if something fails.

PyPI's builds of PyTorch for Linux bring several gigabytes of CUDA. Where pip knows of an index with CPU builds, PyTorch
is treated like the others. Elsewhere `--torch constraints` takes the version that constraints.txt names, and `--torch
none` goes without PyTorch and what needs it; its tests then skip (`without_torch.py`).

Old dependencies use names that newer ones of theirs have deprecated (Matplotlib 3.9 of pyparsing, Typer 0.16 of Click),
so such warnings are no errors with the lowest versions.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEED_TORCH = ("torch", "lightning-fabric")
TESTS = (
    "tests/unit/cli/test_app.py",
    "tests/unit/cli/test_demo.py",
    "tests/unit/cli/test_hub.py",
    "tests/unit/cli/test_shell.py",
    "tests/unit/corpus/test_as_corpus.py",
    "tests/unit/corpus/test_learned_tokens.py",
    "tests/unit/corpus/test_reader.py",
    "tests/unit/corpus/test_tables.py",
    "tests/unit/counts/test_factorise.py",
    "tests/unit/evaluation/test_generated.py",
    "tests/unit/explorer/test_connection.py",
    "tests/unit/explorer/test_server.py",
    "tests/unit/kernels/test_threads.py",
    "tests/unit/neural/models/graphs/test_graph_network.py",
    "tests/unit/neural/training/test_callbacks.py",
    "tests/unit/neural/training/test_checkpoints.py",
    "tests/unit/neural/training/test_processes.py",
    "tests/unit/plots/test_map_page.py",
    "tests/unit/plots/test_projection.py",
    "tests/unit/plots/test_still.py",
    "tests/unit/sklearn/test_classifier.py",
    "tests/unit/test_hub.py",
    "tests/unit/vectors/index/test_files.py",
    "tests/unit/vectors/index/test_hnsw.py",
    "tests/unit/vectors/io/test_parquet.py",
    "tests/unit/vectors/io/test_sentence_transformers.py",
    "tests/unit/vectors/test_exchange.py",
)


def parts(requirement: str) -> tuple[str, list[str], str]:
    """Return the name, the extras and the lower bound ("" if there is none) of a requirement."""
    match = re.match(r"([\w.-]+)(?:\[([^]]+)\])?(?:>=([\w.]+))?", requirement)
    assert match, requirement
    name, extras, bound = match.groups(default="")
    return name, extras.split(",") if extras else [], bound


def requirements(*extras: str) -> list[str]:
    """Return what firth needs with these extras, those that they name included."""
    found = list(PROJECT["dependencies"])
    for line in (line for extra in extras for line in PROJECT["optional-dependencies"][extra]):
        name, inner, _ = parts(line)
        found += requirements(*inner) if name == PROJECT["name"] else [line]
    return list(dict.fromkeys(found))


def pins(lines: list[str]) -> list[str]:
    """Return each lower bound as the only version."""
    return [f"{name}=={bound}" for name, _, bound in map(parts, lines) if bound]


def pythons() -> list[str]:
    """Return the versions of Python that firth supports, the lowest first."""
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in PROJECT["classifiers"])
    return [match[1] for match in found if match]


def interpreter(version: str) -> str | None:
    """Return a Python of this version on the path, or among those of pyenv."""
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [str(path) for path in sorted(installed.glob(f"{version}.*/bin/python"))]
    return found[-1] if found else shutil.which(f"python{version}")


def chosen(which: str) -> str:
    """Return the lowest Python, or the highest that this machine has."""
    versions = pythons()[:1] if which == "lowest" else pythons()[::-1]
    for version in versions:
        if python := interpreter(version):
            return python
    raise SystemExit(f"no Python {' or '.join(versions)} on the path or of pyenv: name one with --python")


def run(*command: str | Path, folder: Path = ROOT) -> None:
    print("+", *command, flush=True)
    start = time.monotonic()
    done = subprocess.run([str(part) for part in command], cwd=folder)
    print(f"  {time.monotonic() - start:.0f} s", flush=True)
    if done.returncode:
        raise SystemExit(1)


def install(python: str, which: str, torch: str, folder: Path) -> None:
    """Install firth in the environment of a Python with what its tests need."""
    lines = requirements("test")
    if torch == "none":
        lines = [line for line in lines if parts(line)[0] not in NEED_TORCH]
    constraints = pins(lines) if which == "lowest" else []
    if torch == "constraints":
        named = re.findall(r"^torch==.+$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
        constraints = [line for line in constraints if not line.startswith("torch==")] + named
    (folder / "constraints.txt").write_text("".join(f"{line}\n" for line in constraints), encoding="utf-8")
    (folder / "requirements.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = ["-c", folder / "constraints.txt", "-r", folder / "requirements.txt"]
    run(python, "-m", "pip", "install", "--quiet", *files, "-e", ROOT)
    run(python, "-m", "pip", "freeze")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["lowest", "highest"])
    parser.add_argument("--python", help="the Python to use; default: the lowest, or the highest here")
    parser.add_argument("--torch", choices=["like-others", "constraints", "none"], default="like-others")
    options = parser.parse_args()
    python = options.python or chosen(options.which)
    with tempfile.TemporaryDirectory(prefix="firth-versions-") as name:
        folder = Path(name)
        os.environ |= {"FIRTH_CACHE": str(folder / "cache"), "MPLCONFIGDIR": str(folder / "matplotlib")}
        os.environ.pop("PYTHONPATH", None)
        run(python, "-m", "venv", folder / "venv")
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        install(str(programs / "python"), options.which, options.torch, folder)
        run(programs / "firth", "demo", folder=folder)
        past = ["-W", "ignore::DeprecationWarning"] if options.which == "lowest" else []
        without = ["-p", "tests.packaging.without_torch"] if options.torch == "none" else []
        run(programs / "python", "-m", "pytest", "-p", "no:cacheprovider", "-n", "auto", *without, *past, *TESTS)
    sys.exit(0)


if __name__ == "__main__":
    main()
