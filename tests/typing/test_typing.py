"""Type checkers understand what users write, and see a wrong name or kind.

The snippets hold `assert_type` where a type must be known, and `# type: ignore[...]` on the lines that must be errors:
a needless one is an error, too.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = sorted((Path(__file__).parent / "snippets").glob("*.py"))
ENVIRONMENT = {**os.environ, "MYPYPATH": str(ROOT / "src")}


def test_there_are_snippets():
    """Of more than twenty things that users do, at least twenty mistakes among them."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SNIPPETS)
    assert len(re.findall(r"assert_type\(", text)) > 40
    assert len(re.findall(r"# type: ignore\[", text)) > 20


@pytest.mark.peer
def test_mypy():
    pytest.importorskip("mypy", reason="mypy is not installed: pip install -e '.[programs]'")
    command = [sys.executable, "-m", "mypy", "--strict", "--warn-unused-ignores", *map(str, SNIPPETS)]
    result = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.peer
def test_pyright(tmp_path):
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed: pip install -e '.[programs]'")
    settings = {
        "include": ["snippets"],
        "extraPaths": [str(ROOT / "src")],
        "pythonVersion": "3.11",
        "typeCheckingMode": "standard",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    shutil.copytree(SNIPPETS[0].parent, tmp_path / "snippets")  # it reads what lies below its settings
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "-p", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(result.stdout)
    problems = [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1}: {each['message']}"
        for each in report["generalDiagnostics"]
    ]
    assert problems == []
    assert report["summary"]["filesAnalyzed"] == len(SNIPPETS)
