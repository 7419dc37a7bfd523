"""The site's navigation has every page, and what it says of methods is true; building the site checks the rest."""

import re
import tomllib
from pathlib import Path

import pytest

import firth

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
METHODS = tomllib.loads((DOCS / "site" / "methods.toml").read_text(encoding="utf-8"))["method"]


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"[\w./-]+\.md$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    added = {"decisions", "tasks"}  # decisions are reached from their list; a new task is added by `docs/site/hooks.py`
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.parent.name not in added}
    assert pages - listed == set()
    assert {name for name in listed if not (DOCS / name).exists()} == {"CHANGELOG.md", "CONTRIBUTING.md"}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method["module"])
def test_a_method_names_what_exists(method):
    module = (ROOT / "src" / "firth").joinpath(*method["module"].split(".")).with_suffix(".py")
    docstring = module.read_text(encoding="utf-8").split('"""')[1]
    assert all(re.search(rf"^{part}([:,]|$)", docstring, re.MULTILINE) for part in ("What", "Objective", "Source"))
    assert set(method["names"]) <= set(firth.__all__)
    assert (DOCS / "tasks" / f"{method['task']}.md").exists()
    assert method["when"].endswith(".")
    assert "plain" not in method or (ROOT / "examples" / "plain" / f"{method['plain']}.py").exists()


def test_tutorials_begin_with_data_that_everybody_can_get():
    tutorials = [path for path in (DOCS / "tutorials").glob("*.md") if path.stem != "README"]
    assert len(tutorials) >= 14
    for path in tutorials:
        text = path.read_text(encoding="utf-8")
        before, first = re.split(r"```console\n", text, maxsplit=1)
        assert first.startswith("$ firth data get ") or ".write_text(" in before, path
