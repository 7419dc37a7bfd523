"""README and docs are true of the tree: the two commands, the tree, the links."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"^<!-- command: (\w+) -->\n```\w*\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
MADE = {"methods", "api"}  # folders of pages that building the site makes; it checks links to them


def commands() -> dict[str, str]:
    return dict(COMMAND.findall(README))


def tree() -> dict[str, str]:
    """Path -> description, read from README's fenced block after `<!-- tree -->`; two spaces a level."""
    block = re.search(r"^<!-- tree -->\n```\w*\n(.*?)\n```$", README, re.MULTILINE | re.DOTALL)
    assert block, "README has no tree"
    found, folders = {}, []
    for line in block[1].splitlines():
        name, _, description = line.strip().partition("  ")
        level = (len(line) - len(line.lstrip())) // 2
        folders[level:] = [name.rstrip("/")]
        found["/".join(folders) + ("/" if name.endswith("/") else "")] = description.strip()
    return found


def test_exactly_two_commands_do_the_setting_up():
    assert list(commands()) == ["demo", "test"]


@pytest.mark.parametrize("name", ["demo", "test"])
def test_a_command_is_one_line_with_its_own_environment(name):
    line = commands()[name]
    assert "\n" not in line
    assert line.startswith("python3 -m venv .venv && .venv/bin/")
    assert "-c constraints.txt" in line


def test_commands_end_in_the_demo_and_in_the_tests():
    assert commands()["demo"].endswith(".venv/bin/firth demo")
    assert commands()["test"].endswith("pytest -n auto")


def test_extras_of_the_commands_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    asked = {
        extra
        for line in commands().values()
        for group in re.findall(r"\.\[([\w,]+)\]", line)
        for extra in group.split(",")
    }
    assert asked
    assert asked <= set(extras)


def test_tree_names_what_is_there():
    for path in tree():
        assert (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file(), f"README's tree names {path}"


def test_tree_forgets_no_part_of_the_package():
    package = ROOT / "src" / "firth"
    files = {f"src/firth/{path.name}" for path in package.glob("*.py")} - {
        "src/firth/__init__.py",
        "src/firth/__main__.py",
    }
    folders = {f"src/firth/{path.parent.name}/" for path in package.glob("*/__init__.py")}
    assert files | folders <= set(tree())


def test_tree_says_a_few_words_of_each_part():
    for path, description in tree().items():
        assert 1 <= len(description.split()) <= 9, f"{path}: {description!r}"


def test_links_lead_somewhere():
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link in LINK.findall(page.read_text(encoding="utf-8"))
        if not ((page.parent / link).exists() or link.removeprefix("../").split("/")[0] in MADE)
    ]
    assert broken == []
