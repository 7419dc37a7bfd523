"""README and docs are true of the repository: the two commands, the links."""

import functools
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "firth"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    page
    for folder in (".", "docs", "benchmarks", "examples", "recipes")
    for page in sorted((ROOT / folder).glob("*.md" if folder == "." else "**/*.md"))
]
COMMAND = re.compile(r"^<!-- command: (\w+) -->\n```\w*\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


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


@functools.cache
def text_of(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@functools.cache
def places(page: Path) -> set[str]:
    """The headings that a link may name, as the repository spells them, and places that have a name."""
    found: Counter[str] = Counter()
    names = set(re.findall(r'id="([^"]+)"', text_of(page)))
    for heading in HEADING.findall(text_of(page)):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return names


def test_links_lead_somewhere():
    """In the repository; building the site checks its own, where a page of a method stands in place of its source."""
    broken = []
    for page in PAGES:
        for link, place in LINK.findall(text_of(page)):
            target = page.parent / link if link else page
            if not target.exists() or (place and target.suffix == ".md" and place not in places(target.resolve())):
                broken.append(f"{page.relative_to(ROOT)}: {link}#{place}")
    assert len(PAGES) > 150
    assert broken == []


def test_what_stands_for_pages_of_the_site_is_there():
    """A page of a method is made of its module; no two have one name."""
    methods = tomllib.loads((ROOT / "docs" / "site" / "methods.toml").read_text(encoding="utf-8"))["method"]
    missing = [one["module"] for one in methods if not (SOURCE / f"{one['module'].replace('.', '/')}.py").exists()]
    assert missing == []
    words = tomllib.loads((ROOT / "docs" / "site" / "search.toml").read_text(encoding="utf-8"))["words"]
    assert [name for name in words if not (ROOT / "docs" / name).exists()] == []


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
