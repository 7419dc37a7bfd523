"""The workflows of the forge: what a linter of them says, and what they run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
TESTS = (FOLDER / "tests.yml").read_text(encoding="utf-8")


def test_a_linter_finds_nothing():
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed: pip install -e '.[dev]'")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    ended = subprocess.run([*command, *map(str, FILES)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_tests_run_on_three_systems_and_the_first_and_last_python():
    pythons = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for system in ("ubuntu", "macos", "windows"):
        assert f"{system}-latest" in TESTS
    assert f'python: ["{pythons[0]}", "{pythons[-1]}"]' in TESTS


def test_readmes_commands_are_what_is_run(tmp_path):
    """The program in the workflow takes them out of README; on Windows `sed` names the folder of programs there."""
    program = re.search(r"python - demo test <<'EOF'\n(.*?)\n +EOF", TESTS, re.DOTALL)[1]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    windows = readme.replace("python3 -m venv", "python -m venv").replace(".venv/bin/", ".venv/Scripts/")
    for text in (readme, windows):
        (tmp_path / "README.md").write_text(text, encoding="utf-8")
        code = "\n".join(line[10:] for line in program.split("\n"))
        subprocess.run([sys.executable, "-c", code, "demo", "test"], cwd=tmp_path, check=True)
        for name in ("demo", "test"):
            line = (tmp_path / f"{name}.sh").read_text(encoding="utf-8").strip()
            assert line in text
            assert line.count("&&") == 2


def test_actions_have_versions_and_no_more_rights_than_they_need():
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        assert "permissions:\n  contents: read\n" in text, file.name
        assert all("@" in action for action in re.findall(r"uses: (\S+)", text)), file.name
