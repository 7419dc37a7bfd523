"""Bounds of dependencies: those that do not hold stay out, and the steps that try them use every dependency."""

import sys

import pytest
from packaging.requirements import Requirement

from tests.packaging import versions

# Versions that fail with the lowest or the newest of the other dependencies, and how.
FAIL = {
    "tensorboard": ["2.17.0", "2.17.1"],  # use np.string_, which NumPy 2 lacks
    "typer": ["0.15.0", "0.15.4"],  # with Click 8.5: `firth -h` is a TypeError of make_metavar
    "openTSNE": ["1.0.0", "1.0.1"],  # compiled for NumPy 1
    "pandas": ["2.2.0", "2.2.1"],  # want NumPy 1
    "umap-learn": ["0.5.0", "0.5.7"],  # fails to compile with Numba 0.61; warns of what scikit-learn 1.6 renamed
    "pytest-xdist": ["3.6.0"],  # withdrawn by its authors
}
LINES = versions.requirements("test")
CONSTRAINTS = (versions.ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
(NAMED,) = [line for line in CONSTRAINTS if line.startswith("torch==")]


def test_versions_that_fail_are_not_admitted():
    admitted = {requirement.name: requirement.specifier for requirement in map(Requirement, LINES)}
    assert [(name, old) for name, olds in FAIL.items() for old in olds if admitted[name].contains(old)] == []


def test_every_requirement_has_a_lower_bound_and_no_other():
    """As docs/versions.md says."""
    extras = versions.PROJECT["optional-dependencies"]
    lines = [line for extra in extras for line in versions.requirements(extra)]
    bounds = {line: [bound.operator for bound in Requirement(line).specifier] for line in lines}
    assert {line: operators for line, operators in bounds.items() if operators != [">="]} == {}


def test_the_lowest_versions_are_the_bounds():
    lines = ["numpy>=2.0", "ray[data]>=2.40", "zstandard>=0.22; python_version < '3.14'"]
    assert versions.pins(lines) == ["numpy==2.0", "ray==2.40", "zstandard==0.22"]
    assert {versions.parts(line)[0] for line in LINES} > {"numpy", "torch", "fastapi", "usearch", "pytest"}


def test_the_steps_run_tests_that_exist():
    assert [path for path in versions.TESTS if not (versions.ROOT / path).exists()] == []


def test_the_lowest_python_is_the_required_one(monkeypatch, tmp_path):
    assert versions.PROJECT["requires-python"] == f">={versions.pythons()[0]}"
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    for version in ("3.11.4", "3.12.1"):
        path = tmp_path / "versions" / version / "bin" / "python"
        path.parent.mkdir(parents=True)
        path.touch()
    monkeypatch.setattr(versions.shutil, "which", lambda _: None)
    assert versions.chosen("lowest").endswith("3.11.4/bin/python")
    assert versions.chosen("highest").endswith("3.12.1/bin/python")


def test_no_python_of_that_version(monkeypatch, tmp_path):
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setattr(versions.shutil, "which", lambda _: None)
    with pytest.raises(SystemExit, match=r"no Python 3\.11 on the path or of pyenv: name one with --python"):
        versions.chosen("lowest")


@pytest.mark.parametrize(
    ("which", "torch", "expected", "missing"),
    [
        ("lowest", "like-others", ["torch==2.4", "usearch=="], []),
        ("lowest", "constraints", [NAMED, "usearch=="], ["torch==2.4\n"]),
        ("highest", "constraints", [NAMED], ["usearch=="]),
        ("highest", "none", [], ["torch", "usearch=="]),
    ],
)
def test_what_pip_is_told(monkeypatch, tmp_path, which, torch, expected, missing):
    monkeypatch.setattr(versions, "run", lambda *_: None)
    versions.install(sys.executable, which, torch, tmp_path)
    constraints = (tmp_path / "constraints.txt").read_text(encoding="utf-8")
    assert all(text in constraints for text in expected)
    assert not any(text in constraints for text in missing)
    wanted = (tmp_path / "requirements.txt").read_text(encoding="utf-8")
    assert ("lightning-fabric" in wanted) == ("torch>=" in wanted) == (torch != "none")
