"""Variables, parameters, functions, classes and options have the names that docs/notation.md asks for.

The tables under "Names that we avoid" list what may not be used. `CLEAN` lists the packages, or parts of one, that are
held to them. Add one when its last such name is gone; never remove one.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "firth"

PUBLIC = {
    ("alignment/contrast_result.py", "by"): "the order of words",
    ("alignment/contrast_series.py", "by"): "the order of words",
    ("alignment/semantic_change.py", "by"): "the column that results are ordered by",
    ("evaluation/tags.py", "known"): "documented argument of score_tags",
    ("plots/atlas.py", "places"): "documented argument of embedding_atlas",
    ("plots/lattice.py", "found"): "documented argument of lattice",
    ("vectors/sense_vectors.py", "how"): "documented argument of SenseVectors.similarity",
    ("vectors/sense_vectors.py", "place"): "documented argument of SenseVectors.disambiguate",
    ("vectors/space.py", "known"): "documented attribute of SubwordVectors",
    ("vectors/subword_vectors.py", "known"): "documented attribute of SubwordVectors",
    ("neural/models/context2vec/predict.py", "places"): "documented argument of context_vectors",
}


def table(title: str) -> frozenset[str]:
    """Return the names in the first column of the table with this title."""
    section = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8").split("## Names that we avoid")[1]
    rows = section.split(f"| {title} | write |\n|---|---|\n")[1].split("\n\n")[0].splitlines()
    return frozenset(name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1]))


VARIABLES, DEFINITIONS, OPTIONS = table("variable"), table("function or class"), table("option")


def variables(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of what is assigned or taken as a parameter; not the fields of a class."""
    for child in ast.iter_child_nodes(node):
        is_field = isinstance(node, ast.ClassDef) and isinstance(child, ast.Assign | ast.AnnAssign)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.lineno, child.id
        elif isinstance(child, ast.arg):
            yield child.lineno, child.arg
        elif isinstance(child, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and child.name:
            yield child.lineno, child.name
        if not is_field:
            yield from variables(child)


def definitions(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of each function and class."""
    for child in ast.walk(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.lineno, child.name


def options(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of each field of a class that `firth.options.option` makes."""
    for child in ast.walk(node):
        if (
            isinstance(child, ast.AnnAssign)
            and isinstance(child.target, ast.Name)
            and isinstance(child.value, ast.Call)
        ):
            maker = child.value.func
            if isinstance(maker, ast.Name) and maker.id.endswith("option"):
                yield child.lineno, child.target.id


def avoided(source: str) -> list[tuple[int, str]]:
    """Return line and name of each definition that the tables forbid."""
    tree = ast.parse(source)
    return sorted(
        [(line, name) for line, name in variables(tree) if name in VARIABLES]
        + [(line, name) for line, name in definitions(tree) if name in VARIABLES | DEFINITIONS]
        + [(line, name) for line, name in options(tree) if name in OPTIONS]
    )


def test_the_tables_are_read():
    assert {"found", "each", "places"} <= VARIABLES
    assert {"Tidying", "foresee"} <= DEFINITIONS
    assert {"least", "opening"} <= OPTIONS


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("found = 1", ["found"]),
        ("rows = [each for each in words]", ["each"]),
        ("def rank(how, *others): pass", ["how", "others"]),
        ("def foresee(): pass", ["foresee"]),
        ("sort(rows, key=lambda one: one)", ["one"]),
        ("if (place := 1): pass", ["place"]),
        ("class Answer:\n    known: bool\n    def places(self): pass", ["places"]),
        ("class Options:\n    least: int = option(1, 'a count')\n    most: int = 1", ["least"]),
        ("words = row.found", []),
    ],
)
def test_a_name_that_we_avoid_is_seen(source, names):
    assert [name for _, name in avoided(source)] == names


def test_names():
    problems = [
        f"{path.relative_to(PACKAGE).as_posix()}:{line}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, name in avoided(path.read_text(encoding="utf-8"))
        if (path.relative_to(PACKAGE).as_posix(), name) not in PUBLIC
    ]
    assert not problems, "\n".join(["see docs/notation.md, names that we avoid:", *problems])


def test_exceptions_are_there():
    """An exception whose name is gone goes, too."""
    used = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in sorted(PACKAGE.rglob("*.py"))
        for _, name in avoided(path.read_text(encoding="utf-8"))
    }
    assert set(PUBLIC) <= used
