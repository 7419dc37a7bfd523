"""No source file holds a path of one machine, a promise for later, or a silenced check without a reason."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

# A home folder, a drive, or the work folders of build machines.
MACHINE_PATH = re.compile(r"(?<![\w.])(?:/(?:home|Users|root|work|mnt|opt)/\w|[A-Z]:\\\w)")
PROMISE = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
CHILD = re.compile(r"""(?:sys\.executable|python\)?), "-[cm]"(?!, "benchmarks\.)""")  # Python, without -P before
SILENCED = re.compile(r"#\s*(?:type:\s*ignore(?:\[[\w-]+\])?|noqa(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?)(?P<reason>.*)")


def tracked() -> list[Path]:
    """Every text file that git tracks, or every file of the main folders where there is no git."""
    result = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        names = [path for folder in ("src", "tests", "docs", "benchmarks") for path in (ROOT / folder).rglob("*.*")]
    else:
        names = [ROOT / name for name in result.stdout.splitlines()]
    return [
        path for path in names if path.suffix in {".py", ".md", ".toml", ".txt", ".yaml", ".jsonl"} and path.is_file()
    ]


def lines_matching(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    lines = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                lines.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return lines


def test_there_are_sources():
    assert len(SOURCES) > 10


FOLDERS = ("home", "root", "opt", "mnt")


@pytest.mark.parametrize("before", ["", 'open("', "see "])
def test_the_pattern_matches_paths_of_one_machine(before):
    assert all(MACHINE_PATH.search(f"{before}/{folder}/ada/x") for folder in FOLDERS)
    assert MACHINE_PATH.search(before + r"C:\Users")


@pytest.mark.parametrize("before", ["src/firth", "https://example.org", "a/b"])
def test_the_pattern_matches_no_other_paths(before):
    assert not any(MACHINE_PATH.search(f"{before}/{folder}/x.py") for folder in FOLDERS)


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
    """Without -P Python looks for modules in the current folder first: it would run a user's `numpy.py`."""
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
