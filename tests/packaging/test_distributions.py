"""The wheel and the source distribution hold the whole package, install, and work."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import firth
from tests.packaging.versions import PROJECT, ROOT, interpreter, pythons

SMOKE = """
import firth
corpus = firth.Corpus.build("texts", min_count=2)
vectors = firth.Word2Vec(dim=10, epochs=1).train(corpus, seed=1, threads=1)
vectors.save("v.firth")
print(firth.__file__, len(firth.load("v.firth").most_similar("list", topn=3)))
"""

EXPLORED = """
import json, re, subprocess, sys, urllib.request
import numpy as np
import firth

firth.WordVectors([f"w{n}" for n in range(50)], np.random.default_rng(0).standard_normal((50, 8))).save("some.firth")
command = [sys.executable, "-m", "firth", "explore", "some.firth", "--no-browser"]
with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
    try:
        address = re.search(r"http://[^ ]+", server.stderr.readline())[0]
        read = lambda path: urllib.request.urlopen(f"{address}/{path}", timeout=30).read().decode()
        page = read("")
        scripts = re.findall(r'from "[.]/([a-z]+[.]js)"', read("main.js"))
        for name in [*re.findall(r'(?:src|href)="([^"]+)"', page), *scripts]:
            assert len(read(name)) > 100, name
        print(len(scripts), len(json.loads(read("map"))["words"]), firth.__file__)
    finally:
        server.terminate()
"""


def test_one_version_everywhere():
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert PROJECT["version"] == firth.__version__ == citation[1]


def test_files_for_the_repository_are_there():
    for name in ("LICENSE", "CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", ".github/workflows/release.yml"):
        assert (ROOT / name).stat().st_size > 100, name


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> dict[str, Path]:
    pytest.importorskip("build", reason="build is not installed: pip install build hatchling")
    pytest.importorskip("hatchling", reason="hatchling is not installed: pip install build hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


def package_files() -> set[str]:
    package = ROOT / "src"
    return {
        path.relative_to(package).as_posix()
        for path in (package / "firth").rglob("*")
        if path.is_file()
        and path.suffix in {".py", ".pyi", ".tsv", ".json", ".txt", ".typed", ".js", ".css", ".html", ".svg"}
    }


@pytest.mark.slow
def test_the_distributions_hold_the_package(distributions):
    wheel = set(zipfile.ZipFile(distributions["wheel"]).namelist())
    assert package_files() <= wheel
    assert not [name for name in wheel if name.startswith(("tests", "docs", "benchmarks"))]
    with tarfile.open(distributions["sdist"]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in package_files()} | {"LICENSE", "README.md", "pyproject.toml"} <= inside


class Environment:
    """A virtual environment in a folder, without the variables that would let it import this checkout."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.python = str(programs / "python")
        self.variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self.variables |= {"FIRTH_CACHE": str(folder / "cache"), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

    def run(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.folder, env=self.variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def try_firth(self) -> None:
        assert self.run("firth", "--version") == f"firth {PROJECT['version']}\n"
        self.run("firth", "data", "get", "sample", "-o", "texts", "--words", "20000", "-q")
        where, count = self.run(self.python, "-c", SMOKE).rsplit(maxsplit=1)
        assert Path(where).is_relative_to(self.folder)
        assert count == "3"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_an_installed_distribution_works(distributions, kind, tmp_path):
    installed(distributions[kind], tmp_path).try_firth()


def installed(distribution: Path, folder: Path) -> Environment:
    """An environment with this one's dependencies, and firth from a distribution alone."""
    fresh = Environment(folder, sys.executable)
    site = Path(fresh.run(fresh.python, "-c", "import site; print(site.getsitepackages()[0])").strip())
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("".join(f"{path}\n" for path in others), encoding="utf-8")
    install = ["-m", "pip", "install", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    fresh.run(fresh.python, *install, str(distribution))
    return fresh


@pytest.mark.slow
def test_the_explorer_of_a_wheel_opens_without_a_network(distributions, tmp_path):
    """Nothing but the wheel's own files is read: no other program is on the path, and no network is there."""
    pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")
    alone = [shutil.which("unshare") or "unshare", "--map-root-user", "--net"]
    loopback = "ip link set lo up"
    if subprocess.run([*alone, "sh", "-c", loopback], capture_output=True).returncode:
        pytest.skip("this system lets nobody unshare the network")
    fresh = installed(distributions["wheel"], tmp_path)
    (tmp_path / "explored.py").write_text(EXPLORED, encoding="utf-8")
    fresh.variables["PATH"] = "/usr/sbin:/sbin"
    shell = "/bin/sh"
    found = fresh.run(*alone, shell, "-c", f"{loopback}; exec {fresh.python} explored.py")
    scripts, words, where = found.rsplit(maxsplit=2)
    assert (int(scripts), int(words)) == (4, 50)
    assert Path(where).is_relative_to(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("version", pythons())
def test_the_wheel_installs_with_its_dependencies_on_every_python(distributions, version, tmp_path):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed")
    fresh = Environment(tmp_path, python)
    network = [fresh.python, "-m", "pip", "download", "--no-deps", "-d", str(tmp_path), "platformdirs"]
    if subprocess.run(network, cwd=tmp_path, env=fresh.variables, capture_output=True).returncode:
        pytest.skip("pip cannot download: no network")
    fresh.run(fresh.python, "-m", "pip", "install", "--quiet", str(distributions["wheel"]))
    fresh.try_firth()
