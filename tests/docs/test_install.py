"""README, docs and messages install firth from its source until it is on an index."""

import re
import tomllib
from pathlib import Path

import firth
from firth.errors import ON_INDEX

ROOT = Path(__file__).resolve().parents[2]
SOURCE = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
EXTRAS = tomllib.loads(SOURCE)["project"]["optional-dependencies"]
DEVELOPMENT = ("docs", "test", "browser", "peers", "programs", "dev")
COMMENT = re.compile(r"^(\w+) = \[.*?# (.*)$", re.MULTILINE)
START = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def comments() -> dict[str, str]:
    return dict(COMMENT.findall(SOURCE.split("[project.optional-dependencies]")[1].split("\n[")[0]))


def table() -> str:
    rows = [f"| `{extra}` | {what} |" for extra, what in comments().items() if extra not in DEVELOPMENT]
    return "\n".join(["| extra | for |", "|---|---|", *rows]) + "\n"


def test_the_table_of_extras_is_that_of_pyproject():
    assert set(EXTRAS) - set(DEVELOPMENT) == comments().keys() - set(DEVELOPMENT)
    assert table() in START, f"docs/getting-started.md: expected\n{table()}"


def test_all_has_every_extra_of_users():
    named = {extra for line in EXTRAS["all"] for extra in re.findall(r"\[(.*)\]", line)[0].split(",")}
    assert named == EXTRAS.keys() - {*DEVELOPMENT, "all"}


def test_the_command_is_that_of_the_index_or_of_the_source():
    name = "firth" if ON_INDEX else "."
    assert f'pip install "{name}[plots]"' in START
    assert f'pip install "{name}[explorer,maps]"' in README
    assert ("on no package index" in START, "on no package index" in README) == (not ON_INDEX, not ON_INDEX)
    assert ON_INDEX or f'"firth-{firth.__version__}-py3-none-any.whl[plots]"' in START


def test_other_pages_and_messages_name_the_extra_only():
    """They need no change when the package moves; a message asks `install_command`."""
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    texts = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}
    del texts["docs/getting-started.md"], texts["src/firth/errors.py"]
    assert [name for name, text in texts.items() if re.search(r"pip\s+install\s+(-U )?['\"]?firth", text)] == []
    asked = {
        extra
        for text in texts.values()
        for extra in re.findall(r"\[`(\w+)`\]\([./]*getting-started.md#install\)|install_command\(['\"](\w+)", text)
    }
    asked |= {(extra,) for text in texts.values() for extra in re.findall(r'MissingExtraError\([^,]+, "(\w+)"', text)}
    assert len(asked) > 15
    assert {extra for names in asked for extra in names if extra} <= EXTRAS.keys()
