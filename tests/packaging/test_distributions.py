"""The wheel and the source distribution hold the whole package, install, and work."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import firth

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SMOKE = """
import firth
corpus = firth.Corpus.build("texts", min_count=2)
vectors = firth.Word2Vec(dim=10, epochs=1).train(corpus, seed=1, threads=1)
vectors.save("v.firth")
print(firth.__file__, len(firth.load("v.firth").most_similar("list", topn=3)))
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
        if path.is_file() and path.suffix in {".py", ".pyi", ".tsv", ".json", ".txt", ".typed"}
    }


@pytest.mark.slow
def test_the_distributions_hold_the_package(distributions):
    wheel = set(zipfile.ZipFile(distributions["wheel"]).namelist())
    assert package_files() <= wheel
    assert not [name for name in wheel if name.startswith(("tests", "docs", "benchmarks"))]
    with tarfile.open(distributions["sdist"]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in package_files()} | {"LICENSE", "README.md", "pyproject.toml"} <= inside


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_an_installed_distribution_works(distributions, kind, tmp_path):
    """The environment has this one's dependencies, and firth from the distribution alone."""
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"FIRTH_CACHE": str(tmp_path / "cache"), "PATH": f"{programs}{os.pathsep}{environment['PATH']}"}

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    site = Path(run(str(programs / "python"), "-c", "import site; print(site.getsitepackages()[0])").strip())
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("".join(f"{path}\n" for path in others), encoding="utf-8")
    install = ["-m", "pip", "install", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    run(str(programs / "python"), *install, str(distributions[kind]))
    assert run("firth", "--version") == f"firth {PROJECT['version']}\n"
    run("firth", "data", "get", "sample", "-o", "texts", "--words", "20000", "-q")
    where, count = run(str(programs / "python"), "-c", SMOKE).rsplit(maxsplit=1)
    assert Path(where).is_relative_to(tmp_path)
    assert count == "3"
