"""Names of firth in README and docs exist."""

import importlib
import re
from functools import reduce
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        try:
            reduce(getattr, parts[end:], module)
        except AttributeError:
            continue
        return True
    return False


def test_a_name_that_does_not_exist_is_noticed():
    assert exists("firth.bias.weat")
    assert exists("firth.WordVectors.most_similar")
    assert not exists("firth.bias.weit")
    assert not exists("firth.nowhere.weat")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_exist(page):
    names = set(re.findall(r"(?<![\w./-])firth(?:\.[A-Za-z_]\w*)+(?![\w/-])", page.read_text(encoding="utf-8")))
    files = {name for name in names if name.rpartition(".")[2] in {"py", "md", "html", "toml", "git"}}
    assert [name for name in sorted(names - files) if not exists(name)] == []
