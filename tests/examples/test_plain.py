"""The plain files are what their page says: short, free of firth, listed, tested, and runnable as programs."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples" / "plain").glob("*.py"))
PAGE = (ROOT / "docs" / "tasks" / "plain.md").read_text(encoding="utf-8")


def test_the_page_lists_the_files():
    assert sorted(set(re.findall(r"\(\.\./\.\./examples/plain/(\w+\.py)\)", PAGE))) == [path.name for path in FILES]
    assert len(FILES) == 9


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_short_and_stands_alone(path):
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    imports = [name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    modules = {name.name for name in imports}
    modules |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert len(source.splitlines()) < 150
    assert not any(module.split(".")[0] in ("firth", "examples") for module in modules)
    docstring = ast.get_docstring(tree) or ""
    assert f"python examples/plain/{path.name}" in docstring
    assert re.search(r"^Source: ", docstring, re.MULTILINE)
    assert re.search(r"`firth\.\w+`", docstring)
    assert (ROOT / "tests" / "examples" / f"test_{path.stem}.py").exists()


@pytest.mark.parametrize("name", ["glove", "ngram_lm", "lstm_lm", "transformer"])
def test_a_file_without_text_is_told_of(name, tmp_path):
    if name == "transformer":
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    (tmp_path / "empty.txt").touch()
    program = importlib.import_module(f"examples.plain.{name}")
    for text in ("empty.txt", "missing.txt"):
        with pytest.raises(SystemExit, match=f"{text}: missing or empty; expected a text in UTF-8"):
            program.main([str(tmp_path / text)])
