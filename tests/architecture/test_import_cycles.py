"""No import cycles between files: each file can be read, tested and moved without another that needs it in turn.

An import counts wherever it stands: under `if TYPE_CHECKING:`, for a type is a dependency as well, and inside a
function, where it is only loaded late.
"""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "firth"
Graph = dict[str, set[str]]


def module_name(path: Path, package: Path) -> str:
    parts = [package.name, *path.relative_to(package).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph(package: Path) -> Graph:
    """The files that each file imports, as names of modules."""
    files = {module_name(path, package): path for path in package.rglob("*.py")}
    graph: Graph = {}
    for name, path in files.items():
        imported = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                inner = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                imported |= {inner[alias] if inner[alias] in files else str(node.module) for alias in inner}
        graph[name] = {each for each in imported if each in files and each != name}
    return graph


def cycles(graph: Graph) -> list[list[str]]:
    """The groups of files that reach each other, each sorted (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            group = [stack.pop()]
            while group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    for name in graph:
        if name not in number:
            visit(name)
    return sorted(groups)


def test_no_file_imports_itself_by_way_of_others():
    assert cycles(import_graph(PACKAGE)) == []


def test_the_check_sees_cycles(tmp_path):
    """Two files import each other, one of them for types alone or inside a function; a third imports one of them."""
    package = tmp_path / "toy"
    (package / "part").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "part" / "__init__.py").write_text("")
    (package / "a.py").write_text("from toy.part import b\n")
    (package / "part" / "b.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from toy.a import A\n"
    )
    (package / "c.py").write_text("import toy.a\n")
    assert cycles(import_graph(package)) == [["toy.a", "toy.part.b"]]
    (package / "part" / "b.py").write_text("def late():\n    from toy.a import A\n")
    assert cycles(import_graph(package)) == [["toy.a", "toy.part.b"]]
    (package / "part" / "b.py").write_text("")
    assert cycles(import_graph(package)) == []
