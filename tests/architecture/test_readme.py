"""README and docs are true of the repository: the two commands, the links."""

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


def test_links_lead_somewhere():
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link in LINK.findall(page.read_text(encoding="utf-8"))
        if not ((page.parent / link).exists() or link.removeprefix("../").split("/")[0] in MADE)
    ]
    assert broken == []


def test_the_map_names_files_that_are_there():
    """A name without a folder stands in the folder of the name before it; one in capitals is a constant."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("## Where to look")[1].split("\n## Packages")[0]
    cells = re.findall(r"^\|[^|]*\|(.*`.*)\|$", table, re.MULTILINE)
    missing = []
    for cell in cells:
        folder = Path()
        for name in re.findall(r"`([\w./]*[a-z][\w./]*)`", cell):
            path = Path(name) if "/" in name else folder / name
            folder = path.parent
            if not (ROOT / "src" / "firth" / path).exists():
                missing.append(name)
    assert len(cells) > 20
    assert missing == []
