"""No source file holds a path of one machine, a promise for later, or a silenced check without its reason."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

# A home folder, a drive, or the work folders of build machines; spelled so that this file does not match itself.
MACHINE_PATH = re.compile(r"(?<![\w.])(?:/(?:home|Users|root|work|mnt|opt)/\w|[A-Z]:\\\w)")
PROMISE = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
CHILD = re.compile(r"""(?:sys\.executable|python\)?), "-[cm]"(?!, "benchmarks\.)""")  # Python, without -P before
SILENCED = re.compile(r"#\s*(?:type:\s*ignore(?:\[[\w-]+\])?|noqa(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?)(?P<reason>.*)")


def tracked() -> list[Path]:
    """Every text file of the repository that git knows, or every file of its folders where there is no git."""
    result = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        names = [path for folder in ("src", "tests", "docs", "benchmarks") for path in (ROOT / folder).rglob("*.*")]
    else:
        names = [ROOT / name for name in result.stdout.splitlines()]
    return [
        path for path in names if path.suffix in {".py", ".md", ".toml", ".txt", ".yaml", ".jsonl"} and path.is_file()
    ]


def lines_matching(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    found = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return found


def test_there_are_sources_to_look_at():
    assert len(SOURCES) > 10


@pytest.mark.parametrize("before", ["", 'open("', "see "])
@pytest.mark.parametrize("folder", ["home", "root", "opt", "mnt"])
def test_pattern_sees_machine_paths(before, folder):
    assert MACHINE_PATH.search(f"{before}/{folder}/ada/x")
    assert MACHINE_PATH.search(before + r"C:\Users")


@pytest.mark.parametrize("before", ["src/firth", "https://example.org", "a/b"])
@pytest.mark.parametrize("folder", ["home", "root", "opt", "mnt"])
def test_pattern_leaves_other_paths_alone(before, folder):
    assert not MACHINE_PATH.search(f"{before}/{folder}/x.py")


def test_no_machine_paths():
    others = [path for path in tracked() if path != Path(__file__).resolve()]
    assert lines_matching(MACHINE_PATH, others) == []


def test_no_promises_in_sources():
    assert lines_matching(PROMISE, SOURCES) == []


def test_a_silenced_check_says_why():
    unexplained = []
    for path in SOURCES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = SILENCED.search(line)
            if match and len(match["reason"].split()) < 3:
                unexplained.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert unexplained == []


def test_python_programs_are_started_without_the_current_folder():
    """Python would look for modules there first; without -P a `numpy.py` among the data of a user is run."""
    programs = [path for folder in ("src", "recipes", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    assert lines_matching(CHILD, programs) == []


def test_every_class_of_options_answers_unknown_names():
    """A class with a field made by `option` is decorated with `options_class`, whose message names the right option."""
    plain = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef):
                continue
            calls = [each.value for each in node.body if isinstance(each, ast.AnnAssign)]
            made = [ast.unparse(call.func) for call in calls if isinstance(call, ast.Call)]
            if "option" in made and "options_class" not in map(ast.unparse, node.decorator_list):
                plain.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert plain == []
