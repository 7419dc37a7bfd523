"""The contracts of pyproject.toml hold, and no part of the package stands outside them."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "firth"


def contracts() -> list[dict]:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return configuration["tool"]["importlinter"]["contracts"]


def layered_modules() -> set[str]:
    (layers,) = [contract["layers"] for contract in contracts() if contract["name"] == "imports run one way"]
    return {name.strip() for layer in layers for name in layer.split("|")}


def parts() -> set[str]:
    """Every module and folder directly under the package."""
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    return {f"firth.{name}" for name in files | folders}


def test_contracts_hold():
    pytest.importorskip("importlinter", reason="import-linter is not installed: pip install -e '.[test]'")
    program = (
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_part_has_a_layer():
    assert parts() == layered_modules()


@pytest.mark.parametrize(
    ("name", "libraries", "allowed"),
    [
        ("no torch outside neural", ["torch"], {"firth.neural"}),
        ("plotting only in plots", ["matplotlib", "openTSNE", "umap"], {"firth.plots", "firth.cli"}),
        ("scikit-learn only in sklearn", ["sklearn"], {"firth.sklearn"}),
    ],
)
def test_a_library_kept_to_one_part_is_forbidden_to_all_below(name, libraries, allowed):
    (contract,) = [contract for contract in contracts() if contract["name"] == name]
    assert contract["forbidden_modules"] == libraries
    assert parts() - set(contract["source_modules"]) == allowed
